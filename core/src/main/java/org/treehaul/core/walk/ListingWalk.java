// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.walk;

import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.condition.FileField;
import org.treehaul.core.condition.TextCondition;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.walk.listing.UnitSizes;
import org.treehaul.core.walk.options.EntryFilter;
import org.treehaul.core.walk.options.NoFilter;
import org.treehaul.core.walk.options.SelectedEntries;
import org.treehaul.core.walk.options.SelectedPaths;
import org.treehaul.core.walk.options.Symlinks;
import org.treehaul.core.walk.options.WalkOptions;

/**
 * Walks the entries of the directory that a worker has open, and gives some of them away when other workers are idle.
 * Used only by that worker's thread.
 *
 * @param <D> the type of the value that the handler attaches to each directory
 */
final class ListingWalk<D> {

    // If an entry was this much work, the next one may be too, and even a single entry is worth giving away.
    private static final int MUCH_WORK = 256;

    private final WorkerThread<D> worker;
    private final WalkRun<D> run;
    private final FileAccess access;
    private final FoundEntry<D> found;
    // Null if there are no conditions.
    private final @Nullable FoundValues values;
    private final EntrySource.Listed<D> listed;
    private final EntrySource.Selected<D> selected;
    private final SiblingsBuilder<D> subdirectories = new SiblingsBuilder<>();

    // The source of the entry that is being handled.
    private EntrySource<D> current;

    ListingWalk(WorkerThread<D> worker, WalkRun<D> run, FoundEntry<D> found) {
        this.worker = worker;
        this.run = run;
        this.access = worker.access();
        this.found = found;
        this.values = run.options().where().isAll() ? null : new FoundValues(run.roots());
        this.listed = new EntrySource.Listed<>(worker, names(run.options()));
        this.selected = new EntrySource.Selected<>(access, run.options().symlinks() == Symlinks.ALWAYS);
        this.current = listed;
    }

    // Without a status that is read anyway, the name decides first. No conditions must not load the classes of conditions.
    private static List<TextCondition> names(WalkOptions options) {
        return options.where().isAll() || options.status()
                ? List.of()
                : options.where().texts().getOrDefault(FileField.NAME, List.of());
    }

    /** Lists a directory and walks its entries. */
    void list(WalkDirectory<D> directory) throws SystemCallException {
        listed.begin(directory);
        walk(listed);
    }

    /**
     * Walks the entries selected alone in a directory. Pushes the directories on the way down first, so that idle
     * workers have work while this one handles the entries here.
     */
    void selectAlone(WalkDirectory<D> directory, SelectedEntries selection) throws SystemCallException {
        for (Map.Entry<ByteString, SelectedEntries> child : selection.children().entrySet()) {
            byte[] name = child.getKey().toBytes();
            if (subdirectories.isFull(name.length)) {
                flushSubdirectories(directory);
            }
            boolean follow = run.options().symlinks() == Symlinks.ALWAYS || child.getValue().isFollowed();
            subdirectories.add(name, 0, name.length, follow);
        }
        flushSubdirectories(directory);
        selected.begin(directory);
        walk(selected);
    }

    /** Walks a part of the entries that was given away; their directory must be open. */
    void walkSlice(WalkDirectory<D> directory, byte[] slice) {
        EntrySource<D> source = directory.selection instanceof SelectedEntries ? selected : listed;
        source.begin(directory);
        source.use(slice);
        walkBlock(source);
    }

    /** Gives the remaining entries to idle workers. */
    void giveAwayRest() {
        int start = current.givableStart();
        if (start < current.restEnd) {
            giveAwayFrom(current, start);
        }
    }

    private void walk(EntrySource<D> source) throws SystemCallException {
        while (source.load() && !run.isStopped()) {
            if (run.frontier().isLimited()) {
                giveAwayParts(source);
            }
            walkBlock(source);
        }
    }

    // Keeps the first part here.
    private void giveAwayParts(EntrySource<D> source) {
        int first = source.restEnd;
        int start = 0;
        while (source.restEnd - start > 2 * UnitSizes.PART && run.frontier().outstanding() < UnitSizes.MOST_PARTS) {
            int end = source.endAfter(start, UnitSizes.PART);
            if (start == 0) {
                first = end;
            } else {
                giveAway(source, start, end);
            }
            start = end;
        }
        if (first < source.restEnd) {
            giveAway(source, start, source.restEnd);
            source.restEnd = first;
        }
    }

    private void walkBlock(EntrySource<D> source) {
        WalkDirectory<D> directory = source.directory();
        current = source;
        int untilLook = UnitSizes.ENTRIES_PER_LOOK;
        long workBefore = worker.workDone();
        while (source.hasRest()) {
            long work = worker.workDone() - workBefore;
            workBefore += work;
            boolean wasMuch = work >= MUCH_WORK;
            // Several entries may have been handled together.
            untilLook -= work > 1 && !wasMuch ? (int) work : 1;
            boolean isFar = run.isFar();
            if (untilLook <= 0 || wasMuch || isFar) {
                untilLook = UnitSizes.ENTRIES_PER_LOOK;
                if (run.isStopped()) {
                    return;
                }
                // On a far file system, idle workers take the work that this one has pushed before it pushes more.
                if (!isFar || !worker.hasWaiting()) {
                    giveAwayHalf(source, wasMuch || isFar);
                }
            }
            if (source.next(found)) {
                if (found.number() < 0) {
                    walkEntry(directory);
                } else {
                    walkAlone(directory);
                }
            }
        }
        flushSubdirectories(directory);
    }

    // Other workers are idle: gives them the second half of the remaining entries.
    private void giveAwayHalf(EntrySource<D> source, boolean evenOne) {
        if (run.frontier().idle() == 0) {
            return;
        }
        int start = source.givableStart();
        int rest = source.restEnd - start;
        if (!evenOne && rest < 2 * UnitSizes.LEAST_SLICE) {
            return;
        }
        int middle = source.endAfter(start, rest / 2);
        if (middle < source.restEnd) {
            giveAwayFrom(source, middle);
        }
    }

    private void giveAwayFrom(EntrySource<D> source, int start) {
        flushSubdirectories(source.directory());
        giveAway(source, start, source.restEnd);
        source.restEnd = start;
    }

    private void giveAway(EntrySource<D> source, int start, int end) {
        source.directory().addPending(1);
        worker.push(new Work.Slice<>(source.directory(), source.takeRange(start, end)));
    }

    private void walkAlone(WalkDirectory<D> directory) {
        try {
            if (run.options().status() && found.status().kind() == EntryKind.DIRECTORY) {
                worker.called()
                        .failed(EntryFailure
                                .of(worker.root(directory), found.path(), new SystemCallException("stat", Errno.EISDIR))
                                .as(EntryFailure.Kind.CHANGED));
                return;
            }
            worker.worked(1);
            if (worker.called().entry(found) == Step.QUIT) {
                run.quit();
            }
        } catch (SystemCallException e) {
            EntryFailure failure = EntryFailure.of(worker.root(directory), found.path(), e);
            worker.called().failed(e.errno() == Errno.ENOENT ? failure.as(EntryFailure.Kind.VANISHED) : failure);
        }
    }

    void select(WalkDirectory<D> directory, SelectedPaths selection) {
        for (Map.Entry<ByteString, SelectedPaths> child : selection.children().entrySet()) {
            if (run.isStopped()) {
                return;
            }
            byte[] bytes = child.getKey().toBytes();
            try {
                found.setSelected(directory, directory.handle().descriptor(), access.rootName(bytes), bytes);
                walkEntry(directory);
            } catch (SystemCallException e) {
                worker.called().failed(EntryFailure.of(worker.root(directory), directory.path().child(bytes), e));
            }
        }
        flushSubdirectories(directory);
    }

    private void walkEntry(WalkDirectory<D> directory) {
        try {
            if (!resolveKind(directory)) {
                return;
            }
            EntryFilter filter = run.options().filter();
            if (filter != NoFilter.INSTANCE && filter.excludes(found.path(), found.kind() == EntryKind.DIRECTORY)) {
                return;
            }
            if (found.kind() != EntryKind.DIRECTORY && directory.selection instanceof SelectedPaths paths
                    && paths.leadsThrough(ByteString.of(found.nameBytes()))) {
                // A path below this entry is listed, but cannot exist; the entry itself is not listed.
                throw new SystemCallException("open", Errno.ENOTDIR);
            }
            if (found.kind() == EntryKind.SYMLINK) {
                reportBeyond(directory);
            }
            if (found.kind() != EntryKind.DIRECTORY && !isWanted()) {
                worker.worked(1);
                return;
            }
            worker.worked(1);
            if (found.kind() == EntryKind.DIRECTORY) {
                worker.listedDirectory();
            }
            Step step = worker.called().entry(found);
            if (step == Step.QUIT) {
                run.quit();
            } else if (step == Step.CONTINUE && found.kind() == EntryKind.DIRECTORY) {
                if (subdirectories.isFull(found.nameLength())) {
                    flushSubdirectories(directory);
                }
                subdirectories.add(found);
            }
        } catch (SystemCallException e) {
            // A missing path that the user listed did not vanish: it is an error. A dangling link did not vanish either.
            boolean vanished = e.errno() == Errno.ENOENT && directory.selection == null
                    && !(found.isKindKnown() && found.kind() == EntryKind.SYMLINK);
            EntryFailure failure = EntryFailure.of(worker.root(directory), found.path(), e);
            worker.called().childFailed(found, vanished ? failure.as(EntryFailure.Kind.VANISHED) : failure);
        }
    }

    // A listed link is an entry of its own, and cannot be a directory on the way to another listed path as well.
    private void reportBeyond(WalkDirectory<D> directory) {
        if (run.root(directory.rootIndex()).selection().orElse(null) instanceof SelectedPaths all) {
            for (TreePath path : all.listedBeyond(found.path())) {
                worker.called()
                        .failed(EntryFailure.of(worker.root(directory), path, new SystemCallException(
                                "the link above it is in the list too, and not followed; list only one of them", 0)));
            }
        }
    }

    private boolean isWanted() throws SystemCallException {
        if (values == null) {
            return true;
        }
        boolean isWanted = run.options().where().matches(values.of(found));
        if (isWanted) {
            found.keepStatus();
        }
        return isWanted;
    }

    // Returns false when the entry does not exist and the handler has dealt with that.
    private boolean resolveKind(WalkDirectory<D> directory) throws SystemCallException {
        WalkOptions options = run.options();
        if (options.status() || !found.isKindKnown()) {
            try {
                found.status();
            } catch (SystemCallException e) {
                if (e.errno() == Errno.ENOENT && !directory.isListed() && worker.called().missing(found)) {
                    return false;
                }
                throw e;
            }
        }
        if (found.kind() == EntryKind.SYMLINK
                && (options.symlinks() == Symlinks.ALWAYS || directory.follows(ByteString.of(found.nameBytes())))) {
            found.follow(access.followedStatus(found.parentDescriptor(), found.name()));
        }
        return true;
    }

    private void flushSubdirectories(WalkDirectory<D> directory) {
        if (!subdirectories.isEmpty()) {
            directory.addPending(subdirectories.count());
            worker.push(subdirectories.build(directory));
        }
    }
}
