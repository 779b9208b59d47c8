// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.sync;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.walk.FoundEntry;
import org.treehaul.core.walk.Step;
import org.treehaul.core.walk.TreeWalker;
import org.treehaul.core.walk.WalkDirectory;
import org.treehaul.core.walk.WalkHandler;
import org.treehaul.core.walk.WalkWorker;
import org.treehaul.core.walk.options.SelectedPaths;
import org.treehaul.core.walk.options.Symlinks;
import org.treehaul.core.walk.options.WalkOptions;

/** Reports each entry of directories that only the source has. */
final class NewEntries {

    private final FileSystemCalls calls;
    private final SyncOptions options;
    private final Scope scope;
    private final Symlinks symlinks;
    private final Reporter reporter;
    private final LongAdder count = new LongAdder();
    private final LongAdder directories = new LongAdder();

    NewEntries(FileSystemCalls calls, SyncOptions options, Scope scope, Symlinks symlinks, Reporter reporter) {
        this.calls = calls;
        this.options = options;
        this.scope = scope;
        this.symlinks = symlinks;
        this.reporter = reporter;
    }

    /** Returns the number of entries reported that are not directories. */
    long count() {
        return count.sum();
    }

    /** Returns the number of directories reported. */
    long directories() {
        return directories.sum();
    }

    /** Reports the directories among these entries, and everything below them. */
    void list(List<Found> portion, Consumer<EntryFailure> failed, Cancellation cancellation) {
        SelectedPaths selection = SelectedPaths.strict();
        boolean hasDirectories = false;
        for (Found one : portion) {
            // An existing directory is never copied as a whole.
            if (one.kind() == EntryKind.DIRECTORY) {
                scope.select(selection, one.path());
                hasDirectories = true;
            }
        }
        if (!hasDirectories) {
            return;
        }
        WalkOptions walk = options.copy()
                .walk()
                .withStatus(false)
                .withSymlinks(symlinks)
                .withThreads(options.copy().threads());
        TreeWalker.of(calls, walk)
                .walkWith(List.of(scope.root(selection)),
                        (WalkWorker<Boolean> worker) -> new Handler(selection, failed), cancellation, workers -> {
                        });
    }

    private final class Handler implements WalkHandler<Boolean> {

        private final SelectedPaths selection;
        private final Consumer<EntryFailure> failed;

        Handler(SelectedPaths selection, Consumer<EntryFailure> failed) {
            this.selection = selection;
            this.failed = failed;
        }

        @Override
        public Step entry(FoundEntry<Boolean> found) throws SystemCallException {
            if (selection.covers(found.path())) {
                Optional<ByteString> target = found.kind() == EntryKind.SYMLINK
                        ? Optional.of(found.access().linkTarget(found.parentDescriptor(), found.name()))
                        : Optional.empty();
                (found.kind() == EntryKind.DIRECTORY ? directories : count).increment();
                reporter.report(new Change(Change.Action.CREATE, found.path(), found.kind(), Set.of(), target));
            }
            return Step.CONTINUE;
        }

        @Override
        public @Nullable Boolean enter(WalkDirectory<Boolean> directory, WalkWorker<Boolean> worker) {
            return Boolean.TRUE;
        }

        @Override
        public void leave(WalkDirectory<Boolean> directory, WalkWorker<Boolean> worker) {
            // Everything was reported on the way down.
        }

        // The copy meets the same failure, and reports it; a dry run reports it here.
        @Override
        public void failed(EntryFailure failure) {
            if (options.copy().dryRun()) {
                synchronized (NewEntries.this) {
                    failed.accept(failure);
                }
            }
        }
    }
}
