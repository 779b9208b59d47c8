// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.sync;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.condition.FileQuery;
import org.treehaul.core.copy.CopyRefusedException;
import org.treehaul.core.copy.TreeCopier;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.copy.options.CopyPair;
import org.treehaul.core.copy.options.UserPath;
import org.treehaul.core.copy.outcome.CopyResult;
import org.treehaul.core.copy.target.BackupNames;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.event.Event;
import org.treehaul.core.event.EventListener;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.LongPath;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.sync.Found.Mark;
import org.treehaul.core.walk.FoundEntry;
import org.treehaul.core.walk.Step;
import org.treehaul.core.walk.TreeWalker;
import org.treehaul.core.walk.WalkDirectory;
import org.treehaul.core.walk.WalkHandler;
import org.treehaul.core.walk.WalkWorker;
import org.treehaul.core.walk.options.Root;
import org.treehaul.core.walk.options.SelectedPaths;
import org.treehaul.core.walk.options.WalkOptions;

/**
 * Keeps files that a run replaces or removes, under the same paths in another directory: by hard links, or by copies
 * where these are impossible. Nothing at the destination changes, so that a kill leaves each file there, and perhaps
 * also here.
 */
final class BackupTree {

    private static final int NEW_DIRECTORY = 0777;

    // Another file system is mounted below the destination, or this one has no further links for the file or the user.
    private static final Set<Integer> IMPOSSIBLE = Set.of(Errno.EXDEV, Errno.EMLINK, Errno.EPERM, Errno.EOPNOTSUPP,
            Errno.ENOSYS);

    private final FileSystemCalls calls;
    private final CopyPair pair;
    private final CopyOptions copy;
    private final boolean isLinked;
    private boolean isWhole = true;

    private BackupTree(FileSystemCalls calls, CopyPair pair, CopyOptions copy, boolean isLinked) {
        this.calls = calls;
        this.pair = pair;
        this.copy = copy;
        this.isLinked = isLinked;
    }

    /**
     * Makes the directory if it does not exist.
     *
     * @param directory the directory as the user gave it, with the destination above it if it was relative
     * @param place the place of the copy
     * @throws CopyRefusedException if it cannot be made
     */
    static BackupTree open(FileSystemCalls calls, ByteString directory, SyncPlace place, CopyOptions copy)
            throws CopyRefusedException {
        ByteString target = place.pair().target();
        ByteString below = place.isContent() ? directory : UserPath.join(directory, UserPath.baseName(target));
        try (FileAccess access = FileAccess.open(calls)) {
            make(access, directory);
            boolean isLinked = LongPath.status(access, directory, true)
                    .device() == LongPath.status(access, target, place.isOfDirectory()).device();
            // A replaced or removed entry is kept, whether or not it meets the conditions. An older backup may be a link or a
            // FIFO, which is replaced, not written to.
            CopyOptions options = copy.toBuilder().where(FileQuery.all()).takesNames(true).build();
            return new BackupTree(calls, new CopyPair(Root.of(target), below), options, isLinked);
        } catch (SystemCallException e) {
            throw new CopyRefusedException("the directory of the backups '" + directory + "': " + e.getMessage());
        }
    }

    private static void make(FileAccess access, ByteString directory) throws SystemCallException {
        try (LongPath path = LongPath.of(access, directory)) {
            int made = access.calls().mkdirat(path.base(), access.name(path.rest()), NEW_DIRECTORY);
            if (made != -Errno.EEXIST) {
                FileAccess.check("mkdir", made);
            }
        }
    }

    /**
     * Keeps the existing entries among these that are not directories, unless others could not be kept.
     *
     * @param failures receives and counts the failures
     */
    void keep(List<Found> portion, Reporter.Failures failures, Cancellation cancellation) {
        SelectedPaths selection = SelectedPaths.strict();
        boolean isAny = false;
        for (Found one : portion) {
            // A name that only leads to another file has no marks.
            boolean isThere = !one.target().equals(Mark.NONE) || one.source().equals(Mark.NONE);
            if (isThere && one.kind() != EntryKind.DIRECTORY) {
                selection.add(one.path());
                isAny = true;
            }
        }
        if (isAny && isWhole) {
            makeWay(selection, failures, cancellation);
        }
        if (isAny && isWhole && isLinked) {
            SelectedPaths rest = link(selection, failures, cancellation);
            if (rest != null && isWhole) {
                copy(rest, failures, cancellation);
            }
        } else if (isAny && isWhole) {
            copy(selection, failures, cancellation);
        }
    }

    /** Removes the backups of these entries that were not replaced: another hard link of a file is none. */
    void withdraw(List<Found> kept) {
        try (FileAccess access = FileAccess.open(calls)) {
            for (Found one : kept) {
                try (LongPath there = LongPath.of(access, one.path().below(pair.source().path()));
                        LongPath here = LongPath.of(access, one.path().below(pair.target()))) {
                    FileStatus backup = access.find(here.base(), access.name(here.rest()), false);
                    FileStatus own = access.find(there.base(), access.name(there.rest()), false);
                    if (backup != null && own != null && backup.isSameFile(own)) {
                        access.calls().unlinkat(here.base(), access.name(here.rest()), 0);
                    }
                } catch (SystemCallException e) {
                    // The backup stays, which does no harm.
                }
            }
        }
    }

    // Returns what cannot be linked; null if there is nothing.
    private @Nullable SelectedPaths link(SelectedPaths selection, Reporter.Failures failures,
            Cancellation cancellation) {
        Set<TreePath> impossible = ConcurrentHashMap.newKeySet();
        CopyOptions links = copy.toBuilder().form(CopyOptions.Form.HARD_LINK).force(true).build();
        CopyResult result = run(links, selection, event -> {
            if (event instanceof Event.Failed failed && isImpossible(failed.failure(), selection)) {
                impossible.add(failed.failure().path());
            } else {
                failures.onEvent(event);
            }
        }, cancellation);
        Map<EntryFailure.Kind, Long> others = new EnumMap<>(EntryFailure.Kind.class);
        others.putAll(result.failures());
        long errors = others.getOrDefault(EntryFailure.Kind.ERROR, 0L) - impossible.size();
        others.remove(EntryFailure.Kind.ERROR);
        if (errors > 0) {
            others.put(EntryFailure.Kind.ERROR, errors);
        }
        failures.add(others);
        isWhole = result.isComplete() && others.isEmpty();
        if (impossible.isEmpty()) {
            return null;
        }
        SelectedPaths rest = SelectedPaths.strict();
        impossible.forEach(rest::add);
        return rest;
    }

    // Not that of a directory above, with which everything in it would be copied.
    private static boolean isImpossible(EntryFailure failure, SelectedPaths selection) {
        return failure.kind() == EntryFailure.Kind.ERROR && IMPOSSIBLE.contains(failure.errno())
                && selection.covers(failure.path());
    }

    private void copy(SelectedPaths selection, Reporter.Failures failures, Cancellation cancellation) {
        CopyResult result = run(copy, selection, failures, cancellation);
        failures.add(result.failures());
        isWhole = result.isSuccess();
    }

    private CopyResult run(CopyOptions options, SelectedPaths selection, EventListener listener,
            Cancellation cancellation) {
        // A root that is a link is followed only if something is selected below it.
        ByteString root = pair.source().path();
        Root source = selection.covers(TreePath.root()) ? Root.of(root) : Root.of(root, selection);
        CopyPair part = new CopyPair(source, pair.target());
        return TreeCopier.of(calls, options).copy(List.of(part), listener, new Progress(), cancellation);
    }

    // An earlier run may have kept a directory where a file is to be kept now, or a file in place of a directory.
    private void makeWay(SelectedPaths selection, Reporter.Failures failures, Cancellation cancellation) {
        Set<TreePath> obstacles = ConcurrentHashMap.newKeySet();
        TreeWalker.of(calls, WalkOptions.defaults().withThreads(copy.threads()))
                .walkWith(List.of(Root.of(pair.target(), selection)),
                        (WalkWorker<Boolean> worker) -> new Obstacles(selection, obstacles), cancellation);
        try (FileAccess access = FileAccess.open(calls)) {
            for (TreePath path : obstacles) {
                try {
                    ByteString name = setAside(access, path.below(pair.target()));
                    failures.onEvent(new Event.Notice("'" + path.below(pair.target())
                            + "', which an earlier run kept, is in the way of a backup, and is now '" + name + "'"));
                } catch (SystemCallException e) {
                    failures.failed(EntryFailure.of(pair.target(), path, e));
                    isWhole = false;
                }
            }
        }
    }

    private static ByteString setAside(FileAccess access, ByteString path) throws SystemCallException {
        for (long number = 1;; number++) {
            ByteString other = BackupNames.numbered(UserPath.stripSlashes(path), number);
            try (LongPath from = LongPath.of(access, path); LongPath to = LongPath.of(access, other)) {
                if (access.find(to.base(), access.name(to.rest()), false) == null) {
                    int renamed = access.renameNew(from.base(), access.name(from.rest()), to.base(),
                            access.otherName(to.rest()));
                    if (renamed != -Errno.EEXIST) {
                        FileAccess.check("rename", renamed);
                        return other;
                    }
                }
            }
        }
    }

    /** Collects what is a directory at a path of a selection, or no directory on the way to one. */
    private record Obstacles(SelectedPaths selection, Set<TreePath> found) implements WalkHandler<Boolean> {

        @Override
        public Step entry(FoundEntry<Boolean> entry) {
            boolean isPlace = selection.covers(entry.path());
            if (isPlace && entry.kind() == EntryKind.DIRECTORY) {
                found.add(entry.path());
            }
            return isPlace ? Step.SKIP : Step.CONTINUE;
        }

        @Override
        public Boolean enter(WalkDirectory<Boolean> directory, WalkWorker<Boolean> worker) {
            return true;
        }

        @Override
        public boolean missing(FoundEntry<Boolean> entry) {
            return true;
        }

        @Override
        public void failed(EntryFailure failure) {
            // The copy meets any other failure too.
            if (failure.errno() == Errno.ENOTDIR && !failure.path().isRoot()) {
                found.add(failure.path());
            }
        }
    }

    /** Returns whether all were kept. */
    boolean isWhole() {
        return isWhole;
    }
}
