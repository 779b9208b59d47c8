// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.staged;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.copy.options.CopyPair;
import org.treehaul.core.copy.outcome.CopyResult;
import org.treehaul.core.copy.store.PosixStore;
import org.treehaul.core.copy.store.StoreCopier;
import org.treehaul.core.copy.store.SubtreeSource;
import org.treehaul.core.copy.store.SubtreeTarget;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.FileId;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.event.Event;
import org.treehaul.core.event.EventListener;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.ProcessStatus;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.storage.SourceTree;
import org.treehaul.core.storage.TargetTree;
import org.treehaul.schedulers.stage.files.GuardedSource;
import org.treehaul.schedulers.stage.files.StageStore;

/**
 * A source and the place of its copy.
 *
 * @param names both for reports
 * @param sourceStatus the status of the source
 */
record StagedPair(CopyPair names, Place source, FileStatus sourceStatus, Place target) {

    /** A place of an entry. */
    sealed interface Place {

        /** In a stage. */
        record InStage(StageStore store, StagedEntry entry, ByteString path) implements Place {}

        /**
         * Below a directory of this host.
         *
         * @param directory the directory, which exists
         * @param base the path of the entry below it: its name, or nothing if the directory is the entry
         */
        record Local(ByteString directory, TreePath base) implements Place {}
    }

    /** Copies the source. */
    CopyResult copy(CopyOptions options, EventListener listener, Progress progress, Cancellation cancellation) {
        // A hole of a stage reads as zeros, and its place is unknown.
        boolean makesHoles = source instanceof Place.InStage && options.sparse() == CopyOptions.When.AUTO;
        CopyOptions own = makesHoles ? options.toBuilder().sparse(CopyOptions.When.ALWAYS).build() : options;
        List<PosixStore> open = new ArrayList<>();
        try {
            ProcessStatus process = ProcessStatus.read();
            StoreCopier.Opening<? extends SourceTree> from = from(own, listener, open);
            StoreCopier.Opening<? extends TargetTree> to = to(own, process, listener, open);
            return StoreCopier.of(names, from, to, own).copy(listener, progress, cancellation);
        } catch (IOException e) {
            ByteString side = open.isEmpty() && source instanceof Place.Local ? names.source().path() : names.target();
            EntryFailure failure = e instanceof SystemCallException call
                    ? EntryFailure.of(side, TreePath.root(), call)
                    : new EntryFailure(EntryFailure.Kind.ERROR, side, TreePath.root(), String.valueOf(e.getMessage()),
                            0);
            progress.entryFailed();
            listener.onEvent(new Event.Failed(failure));
            return new CopyResult(progress.snapshot(), java.util.Map.of(failure.kind(), 1L), true);
        } finally {
            open.forEach(PosixStore::close);
        }
    }

    private PosixStore open(Place.Local place, CopyOptions options, EventListener listener, List<PosixStore> open)
            throws IOException {
        PosixStore store = PosixStore.open(Linux.calls(), place.directory(), names, options,
                notice -> listener.onEvent(new Event.Notice(notice)));
        open.add(store);
        return store;
    }

    private StoreCopier.Opening<? extends SourceTree> from(CopyOptions options, EventListener listener,
            List<PosixStore> open) throws IOException {
        return switch (source) {
            case Place.InStage staged -> () -> staged.store().source(staged.path());
            case Place.Local local -> {
                PosixStore store = open(local, options, listener, open);
                Set<FileId> own = target instanceof Place.InStage into
                        ? into.store().ownDirectories(Linux.calls())
                        : Set.of();
                yield () -> new GuardedSource(new SubtreeSource(store.source(), local.base()), own);
            }
        };
    }

    private StoreCopier.Opening<? extends TargetTree> to(CopyOptions options, ProcessStatus process,
            EventListener listener, List<PosixStore> open) throws IOException {
        return switch (target) {
            case Place.InStage staged -> () -> staged.store()
                    .target(staged.path(), options, process, notice -> listener.onEvent(new Event.Notice(notice)));
            case Place.Local local -> {
                PosixStore store = open(local, options, listener, open);
                yield () -> {
                    TargetTree tree = store.target();
                    if (!local.base().isRoot() && !options.dryRun()) {
                        tree.makeDirectory(TreePath.root(), sourceStatus);
                    }
                    return new SubtreeTarget(tree, local.base());
                };
            }
        };
    }
}
