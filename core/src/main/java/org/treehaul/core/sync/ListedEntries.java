// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.sync;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.Entry;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.walk.FoundEntry;
import org.treehaul.core.walk.FoundValues;
import org.treehaul.core.walk.Step;
import org.treehaul.core.walk.TreeVisitor;
import org.treehaul.core.walk.TreeWalker;
import org.treehaul.core.walk.WalkDirectory;
import org.treehaul.core.walk.WalkHandler;
import org.treehaul.core.walk.WalkWorker;
import org.treehaul.core.walk.options.Root;
import org.treehaul.core.walk.options.SelectedPaths;
import org.treehaul.core.walk.options.Symlinks;
import org.treehaul.core.walk.options.WalkOptions;

/**
 * Looks up the listed paths, and the entries that meet conditions, below directories that only one side has: the
 * comparison does not enter them.
 */
final class ListedEntries {

    private static final int PORTION = 100_000;

    private final FileSystemCalls calls;
    private final SyncOptions options;
    private final SyncPlace place;
    private final Scope scope;
    private final Reporter reporter;
    private final Consumer<EntryFailure> failed;
    private final Set<TreePath> reported = ConcurrentHashMap.newKeySet();
    private final LongAdder newDirectories = new LongAdder();

    /**
     * Creates an instance.
     *
     * @param failed receives failures, one at a time
     */
    ListedEntries(FileSystemCalls calls, SyncOptions options, SyncPlace place, Scope scope, Reporter reporter,
            Consumer<EntryFailure> failed) {
        this.calls = calls;
        this.options = options;
        this.place = place;
        this.scope = scope;
        this.reporter = reporter;
        this.failed = failed;
    }

    /** Returns the number of directories on the way that only the source has, above entries to copy. */
    long newDirectories() {
        return newDirectories.sum();
    }

    /** Completes what a comparison of listed paths found. */
    void complete(FoundChanges found, Cancellation cancellation) {
        found.missing()
                .forEachPortion(PORTION, portion -> portion.forEach(one -> failed.accept(EntryFailure
                        .of(place.pair().source().path(), one.path(), new SystemCallException("stat", Errno.ENOENT)))));
        found.newOnTheWay().forEachPortion(PORTION, portion -> lookUpAtSource(portion, found, cancellation));
        found.goneOnTheWay().forEachPortion(PORTION, portion -> lookUpAtDestination(portion, found, cancellation));
    }

    /**
     * Returns whether the source is an empty directory, or cannot be listed, so that missing paths say nothing: perhaps
     * it is not mounted.
     */
    boolean isSourceEmpty(Cancellation cancellation) {
        AtomicBoolean isAny = new AtomicBoolean();
        TreeWalker.of(calls, WalkOptions.defaults().withSymlinks(Symlinks.ROOTS).withThreads(1))
                .walk(List.of(Root.of(place.pair().source().path())), () -> new FirstEntry(isAny), cancellation);
        return !isAny.get();
    }

    private record FirstEntry(AtomicBoolean isAny) implements TreeVisitor {

        @Override
        public Step visit(Entry entry) {
            isAny.set(!entry.path().isRoot());
            return isAny.get() ? Step.QUIT : Step.CONTINUE;
        }

        @Override
        public void failed(EntryFailure failure) {
            // The run is refused as one of an empty source.
        }
    }

    private void lookUpAtSource(List<Found> portion, FoundChanges found, Cancellation cancellation) {
        SelectedPaths tops = SelectedPaths.strict();
        SelectedPaths listed = SelectedPaths.following();
        for (Found one : portion) {
            tops.add(one.path());
            scope.listedBelow(one.path()).forEach(listed::add);
        }
        walk(scope.root(listed), listed, true, (path, status) -> {
            if (status.kind() == EntryKind.DIRECTORY && scope.isSelective()) {
                found.newDirectory(path, status);
                report(path, tops);
            } else {
                found.onlyInFirst(path, status);
                if (!path.isRoot()) {
                    report(path.parent(), tops);
                }
            }
        }, failure -> {
            boolean isAbsent = failure.errno() == Errno.ENOENT && options.deletes();
            if (!isAbsent) {
                failed.accept(failure);
            }
        }, cancellation);
    }

    // Reports a directory, and those above it, if they are new and were not reported.
    private void report(TreePath directory, SelectedPaths tops) {
        TreePath at = directory;
        while (tops.covers(at) && reported.add(at)) {
            newDirectories.increment();
            reporter.report(Change.Action.CREATE, at, EntryKind.DIRECTORY, Set.of());
            if (at.isRoot()) {
                return;
            }
            at = at.parent();
        }
    }

    private void lookUpAtDestination(List<Found> portion, FoundChanges found, Cancellation cancellation) {
        SelectedPaths listed = SelectedPaths.strict();
        portion.forEach(one -> scope.listedBelow(one.path()).forEach(listed::add));
        walk(Root.of(place.pair().target(), listed), listed, false, found::onlyInSecondBelow, failure -> {
            // Nothing can be below what is no directory, and nothing is looked for behind a symbolic link.
            boolean isAbsent = Set.of(Errno.ENOENT, Errno.ENOTDIR, Errno.ELOOP).contains(failure.errno());
            if (!isAbsent) {
                failed.accept(failure);
            }
        }, cancellation);
    }

    private void walk(Root root, SelectedPaths listed, boolean isSource, BiConsumer<TreePath, FileStatus> entries,
            Consumer<EntryFailure> failures, Cancellation cancellation) {
        WalkOptions walk = WalkOptions.defaults()
                .withStatus(true)
                .withFilter(options.copy().filter())
                .withThreads(options.copy().threads());
        TreeWalker.of(calls, walk)
                .walkWith(List.of(root), (WalkWorker<Boolean> worker) -> new Handler(isSource && scope.isSelective(),
                        scope, scope.values(), listed, entries, failures), cancellation);
    }

    private record Handler(boolean isSelective, Scope scope, FoundValues values, SelectedPaths listed,
            BiConsumer<TreePath, FileStatus> entries, Consumer<EntryFailure> failures) implements WalkHandler<Boolean> {

        @Override
        public Step entry(FoundEntry<Boolean> found) throws SystemCallException {
            if (!listed.covers(found.path())) {
                return Step.CONTINUE;
            }
            if (!isSelective || scope.where().matches(values.of(found))) {
                entries.accept(found.path(), found.status());
            }
            return isSelective ? Step.CONTINUE : Step.SKIP;
        }

        @Override
        public @Nullable Boolean enter(WalkDirectory<Boolean> directory, WalkWorker<Boolean> worker) {
            return Boolean.TRUE;
        }

        @Override
        public void failed(EntryFailure failure) {
            synchronized (listed) {
                failures.accept(failure);
            }
        }
    }
}
