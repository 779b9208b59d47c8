// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.sync;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.copy.options.Preserve;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.InodeSet;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.sync.Found.Mark;
import org.treehaul.core.sync.renames.RenameLookup;
import org.treehaul.core.sync.renames.Renames;
import org.treehaul.core.walk.FoundEntry;
import org.treehaul.core.walk.Step;
import org.treehaul.core.walk.TreeWalker;
import org.treehaul.core.walk.WalkDirectory;
import org.treehaul.core.walk.WalkHandler;
import org.treehaul.core.walk.WalkWorker;
import org.treehaul.core.walk.options.SelectedPaths;
import org.treehaul.core.walk.options.Symlinks;
import org.treehaul.core.walk.options.WalkOptions;

/**
 * Reports each entry of directories that only the source has; with earlier copies, each new entry that they lack, and
 * if renames are detected, each of them.
 */
final class NewEntries {

    private final FileSystemCalls calls;
    private final SyncOptions options;
    private final Scope scope;
    private final Symlinks symlinks;
    private final Reporter reporter;
    private final @Nullable EarlierTrees earlier;
    private final @Nullable Renames renames;
    private final LongAdder count = new LongAdder();
    private final LongAdder directories = new LongAdder();
    private final InodeSet linked = new InodeSet();
    private final LongAdder taken = new LongAdder();

    NewEntries(FileSystemCalls calls, SyncOptions options, Scope scope, Symlinks symlinks, Reporter reporter,
            @Nullable EarlierTrees earlier, @Nullable Renames renames) {
        this.calls = calls;
        this.options = options;
        this.scope = scope;
        this.symlinks = symlinks;
        this.reporter = reporter;
        this.earlier = earlier;
        this.renames = renames;
    }

    /** Returns the number of entries reported that are not directories. */
    long count() {
        return count.sum();
    }

    /** Returns the number of entries that an earlier copy has, which are not reported, or of renamed files. */
    long taken() {
        return taken.sum();
    }

    /** Returns the number of directories reported. */
    long directories() {
        return directories.sum();
    }

    /** Reports the directories among these entries, and everything below them. */
    void list(List<Found> portion, Consumer<EntryFailure> failed, Cancellation cancellation) {
        SelectedPaths selection = SelectedPaths.strict();
        boolean isAny = false;
        for (Found one : portion) {
            // A name that only leads to another file has no marks. An existing directory is never copied as a whole.
            boolean isNew = options.seeksNew() && one.target().equals(Mark.NONE) && !one.source().equals(Mark.NONE);
            // Where only some entries of a directory are copied, these were reported one by one.
            boolean isWhole = one.kind() == EntryKind.DIRECTORY && !scope.isSelective();
            if (isWhole || isNew && one.kind() != EntryKind.DIRECTORY) {
                scope.select(selection, one.path());
                isAny = true;
            }
        }
        if (!isAny) {
            return;
        }
        WalkOptions walk = options.copy()
                .walk()
                .withStatus(false)
                .withSymlinks(symlinks)
                .withThreads(options.copy().threads());
        TreeWalker.of(calls, walk)
                .walkWith(List.of(scope.root(selection)),
                        (WalkWorker<Boolean> worker) -> new Handler(selection, failed), cancellation);
    }

    private final class Handler implements WalkHandler<Boolean> {

        private final SelectedPaths selection;
        private final Consumer<EntryFailure> failed;
        private @Nullable EarlierLookup lookup;
        private @Nullable RenameLookup renaming;

        Handler(SelectedPaths selection, Consumer<EntryFailure> failed) {
            this.selection = selection;
            this.failed = failed;
        }

        @Override
        public Step entry(FoundEntry<Boolean> found) throws SystemCallException {
            if (selection.covers(found.path()) && !isInEarlier(found) && !isRenamed(found)) {
                Optional<ByteString> target = found.kind() == EntryKind.SYMLINK
                        ? Optional.of(found.access().linkTarget(found.parentDescriptor(), found.name()))
                        : Optional.empty();
                (found.kind() == EntryKind.DIRECTORY ? directories : count).increment();
                reporter.report(new Change(Change.Action.CREATE, found.path(), found.kind(), Set.of(), target));
            }
            return Step.CONTINUE;
        }

        private boolean isInEarlier(FoundEntry<Boolean> found) throws SystemCallException {
            if (earlier == null || found.kind() == EntryKind.DIRECTORY) {
                return false;
            }
            EarlierLookup opened = lookup;
            if (opened == null) {
                opened = earlier.open(found.access());
                lookup = opened;
            }
            boolean isThere = opened.has(found.path(), found.status(), found.parentDescriptor(), found.name());
            if (isThere) {
                FileStatus status = found.status();
                // A run links only one of several names to the earlier copy, and the others to that one.
                boolean isFirst = status.linkCount() <= 1 || !options.copy().preserves(Preserve.LINKS)
                        || linked.add(status.device(), status.inode());
                (isFirst ? taken : count).increment();
            }
            return isThere;
        }

        private boolean isRenamed(FoundEntry<Boolean> found) throws SystemCallException {
            if (renames == null || found.kind() != EntryKind.REGULAR) {
                return false;
            }
            RenameLookup opened = renaming;
            if (opened == null) {
                opened = renames.open(found.access());
                renaming = opened;
            }
            TreePath from = opened.find(found.path(), found.status(), found.parentDescriptor(), found.name());
            if (from != null) {
                taken.increment();
                reporter.report(Change.rename(from, found.path()));
            }
            return from != null;
        }

        @Override
        public void finished(WalkWorker<Boolean> worker) {
            if (renaming != null) {
                renaming.close();
            }
            if (lookup != null) {
                lookup.close();
            }
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
