// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.walk;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.walk.listing.DirectoryRecords;
import org.treehaul.core.walk.listing.RecordWriter;
import org.treehaul.core.walk.listing.UnitSizes;
import org.treehaul.core.walk.options.EntryFilter;
import org.treehaul.core.walk.options.NoFilter;
import org.treehaul.core.walk.options.PathSelection;
import org.treehaul.core.walk.options.Symlinks;
import org.treehaul.core.walk.options.WalkOptions;

/**
 * Walks the entries of the directory that a worker has open, and gives some of them away when other workers are idle.
 * Used only by that worker's thread.
 *
 * @param <D> what the handler attaches to each directory
 */
final class ListingWalk<D> {

    // If an entry was this much work, the next one may be too, and even a single entry is worth giving away.
    private static final int MUCH_WORK = 256;

    private final WorkerThread<D> worker;
    private final WalkRun<D> run;
    private final FileAccess access;
    private final FoundEntry<D> found;

    // Copy of the current part of the listing, beside the native memory from which names are passed on: reading single numbers from native
    // memory costs the compiler too much at the start of a run.
    private final byte[] records = new byte[FileAccess.LISTING_BYTES];
    private final SiblingsBuilder<D> subdirectories = new SiblingsBuilder<>();

    // The directory of these records, and the range of those that were not begun yet.
    private @Nullable WalkDirectory<D> listed;
    private int restStart;
    private int restEnd;

    ListingWalk(WorkerThread<D> worker, WalkRun<D> run, FoundEntry<D> found) {
        this.worker = worker;
        this.run = run;
        this.access = worker.access();
        this.found = found;
    }

    void list(WalkDirectory<D> directory) throws SystemCallException {
        int descriptor = directory.handle().descriptor();
        MemorySegment listing = access.listing();
        int length = DirectoryRecords.read(access, descriptor, listing);
        while (length > 0 && !run.isStopped()) {
            MemorySegment.copy(listing, ValueLayout.JAVA_BYTE, 0, records, 0, length);
            walkRecords(directory, descriptor, run.frontier().isLimited() ? giveAwayParts(directory, length) : length);
            length = DirectoryRecords.read(access, descriptor, listing);
        }
        if (length < 0) {
            directory.markIncomplete();
            throw new SystemCallException("getdents64", -length);
        }
    }

    // Returns the end of the first part, which stays here.
    private int giveAwayParts(WalkDirectory<D> directory, int length) {
        int first = length;
        int start = 0;
        while (length - start > 2 * UnitSizes.PART && run.frontier().outstanding() < UnitSizes.MOST_PARTS) {
            int end = start;
            while (end - start < UnitSizes.PART) {
                end += DirectoryRecords.length(records, end);
            }
            if (start == 0) {
                first = end;
            } else {
                giveAway(directory, start, end);
            }
            start = end;
        }
        if (first == length) {
            return length;
        }
        giveAway(directory, start, length);
        return first;
    }

    /** Walks a part of a listing that was given away; its directory must be open. */
    void walkSlice(WalkDirectory<D> directory, byte[] slice) {
        MemorySegment.copy(slice, 0, access.listing(), ValueLayout.JAVA_BYTE, 0, slice.length);
        System.arraycopy(slice, 0, records, 0, slice.length);
        walkRecords(directory, directory.handle().descriptor(), slice.length);
    }

    /** Gives the remaining entries to idle workers. */
    void giveAwayRest() {
        if (listed != null && restStart < restEnd) {
            giveAwayFrom(listed, restStart);
        }
    }

    private void walkRecords(WalkDirectory<D> directory, int descriptor, int length) {
        listed = directory;
        restStart = 0;
        restEnd = length;
        int untilLook = UnitSizes.ENTRIES_PER_LOOK;
        long workBefore = worker.workDone();
        while (restStart < restEnd) {
            boolean wasMuch = worker.workDone() - workBefore >= MUCH_WORK;
            if (--untilLook == 0 || wasMuch) {
                untilLook = UnitSizes.ENTRIES_PER_LOOK;
                if (run.isStopped()) {
                    return;
                }
                giveAwayHalf(directory, wasMuch);
            }
            workBefore = worker.workDone();
            int at = restStart;
            restStart += DirectoryRecords.length(records, at);
            if (!DirectoryRecords.isDots(records, at)) {
                found.set(directory, descriptor, access.listing(), records, at);
                if (directory.isOfEntries()) {
                    found.setAlone((int) found.inode(), isFollowedAlone(directory));
                    walkAlone(directory);
                } else {
                    walkEntry(directory);
                }
            }
        }
        flushSubdirectories(directory);
    }

    // Other workers are idle: gives them the second half of the remaining records.
    private void giveAwayHalf(WalkDirectory<D> directory, boolean evenOne) {
        int rest = restEnd - restStart;
        if (!evenOne && rest < 2 * UnitSizes.LEAST_SLICE || run.frontier().idle() == 0) {
            return;
        }
        int middle = restStart;
        while (middle < restStart + rest / 2) {
            middle += DirectoryRecords.length(records, middle);
        }
        if (middle < restEnd) {
            giveAwayFrom(directory, middle);
        }
    }

    private void giveAwayFrom(WalkDirectory<D> directory, int start) {
        flushSubdirectories(directory);
        giveAway(directory, start, restEnd);
        restEnd = start;
    }

    private void giveAway(WalkDirectory<D> directory, int start, int end) {
        directory.addPending(1);
        worker.push(new Work.Slice<>(directory, Arrays.copyOfRange(records, start, end)));
    }

    // Pushes the directories on the way down first, so that idle workers have work while this one handles the entries here.
    void selectAlone(WalkDirectory<D> directory, PathSelection selection) {
        for (Map.Entry<ByteString, PathSelection> child : selection.children().entrySet()) {
            if (subdirectories.isFull()) {
                flushSubdirectories(directory);
            }
            byte[] name = child.getKey().toBytes();
            boolean follow = run.options().symlinks() == Symlinks.ALWAYS || child.getValue().isFollowed();
            subdirectories.add(name, 0, name.length, follow);
        }
        flushSubdirectories(directory);
        RecordWriter chosen = selection.records();
        for (int at = 0; at < chosen.length() && !run.isStopped();) {
            int end = chosen.endOfPart(at, records.length);
            MemorySegment.copy(chosen.bytes(), at, access.listing(), ValueLayout.JAVA_BYTE, 0, end - at);
            System.arraycopy(chosen.bytes(), at, records, 0, end - at);
            walkRecords(directory, directory.handle().descriptor(), end - at);
            at = end;
        }
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

    void select(WalkDirectory<D> directory, PathSelection selection) {
        for (Map.Entry<ByteString, PathSelection> child : selection.children().entrySet()) {
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
            if (directory.selection != null && found.kind() != EntryKind.DIRECTORY
                    && directory.selection.leadsThrough(ByteString.of(found.nameBytes()))) {
                // A path below this entry is listed, but cannot exist; the entry itself is not listed.
                throw new SystemCallException("open", Errno.ENOTDIR);
            }
            worker.worked(1);
            Step step = worker.called().entry(found);
            if (step == Step.QUIT) {
                run.quit();
            } else if (step == Step.CONTINUE && found.kind() == EntryKind.DIRECTORY) {
                if (subdirectories.isFull()) {
                    flushSubdirectories(directory);
                }
                subdirectories.add(found);
            }
        } catch (SystemCallException e) {
            // A missing path that the user listed did not vanish: it is an error. A dangling link did not vanish either.
            boolean vanished = e.errno() == Errno.ENOENT && directory.selection == null
                    && !(found.isKindKnown() && found.kind() == EntryKind.SYMLINK);
            EntryFailure failure = EntryFailure.of(worker.root(directory), found.path(), e);
            worker.called().failed(vanished ? failure.as(EntryFailure.Kind.VANISHED) : failure);
        }
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
                && (options.symlinks() == Symlinks.ALWAYS || isOnTheWay(directory, found))) {
            found.follow(access.followedStatus(found.parentDescriptor(), found.name()));
        }
        return true;
    }

    // The kernel follows the links on the way to a path, and the walk does the same on the way to a listed path, except for names that are
    // known not to have been links.
    private static <D> boolean isOnTheWay(WalkDirectory<D> directory, FoundEntry<D> entry) {
        PathSelection below = PathSelection.below(directory.selection, ByteString.of(entry.nameBytes()));
        return below != null && below.isFollowed();
    }

    // Entries selected alone that are not directories are never on the way to another one.
    private boolean isFollowedAlone(WalkDirectory<D> directory) {
        PathSelection selection = directory.selection;
        return run.options().symlinks() == Symlinks.ALWAYS
                || selection != null && selection.isOfDirectories() && isOnTheWay(directory, found);
    }

    private void flushSubdirectories(WalkDirectory<D> directory) {
        if (!subdirectories.isEmpty()) {
            directory.addPending(subdirectories.count());
            worker.push(subdirectories.build(directory));
        }
    }
}
