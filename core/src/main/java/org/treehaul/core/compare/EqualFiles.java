// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.compare;

import java.lang.foreign.MemorySegment;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.SeenStatuses;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.walk.WalkDirectory;
import org.treehaul.core.walk.WalkWorker;
import org.treehaul.core.walk.listing.DirectoryRecords;

/**
 * Recognizes regular files that are equal on both sides, several of a listing at a time and without an object for each:
 * in most comparisons nearly all entries. Everything else, such as a pair that differs or a file of several pieces, is
 * left to {@link PairComparison}, which examines it from the beginning.
 *
 * <p>
 * A read of data or attributes that fails is reported as {@link PairComparison} would; a file that could not be opened,
 * or whose status could not be read, is examined again there. Not safe for several threads; overwrites
 * {@link FileAccess#buffer()}.
 */
final class EqualFiles {

    // The most groups in a row that are not tried after one without an equal file.
    private static final int LONGEST_PAUSE = 63;

    // If the files of a group take longer than this for each, on the average, other threads may take those that follow.
    private static final long SLOW_NANOS = 1_000_000;

    private final ComparisonRun run;
    private final SeenStatuses.Fields fields;
    private final AttributeComparison attributes;
    private final boolean comparesContent;
    private boolean hasFoundLarge;
    private int pause;
    private int paused;

    EqualFiles(ComparisonRun run) {
        CompareOptions options = run.options();
        this.run = run;
        this.fields = fields(options);
        this.attributes = new AttributeComparison(options);
        this.comparesContent = options.compares(DifferenceKind.CONTENT);
    }

    /** Returns whether a pair can be found equal without an object for it. */
    static boolean areKnown(ComparisonRun run) {
        // Birth times are rarely equal.
        return !run.isOfEntries() && run.options().where().isAll() && !run.reportsEqualPairs()
                && !run.options().compares(DifferenceKind.BTIME);
    }

    private static SeenStatuses.Fields fields(CompareOptions options) {
        SeenStatuses.Fields fields = new SeenStatuses.Fields();
        if (options.compares(DifferenceKind.MODE)) {
            fields.addPermissions();
        }
        if (options.compares(DifferenceKind.OWNER)) {
            fields.addOwner();
        }
        if (options.compares(DifferenceKind.GROUP)) {
            fields.addGroup();
        }
        if (options.compares(DifferenceKind.MTIME)) {
            fields.addMtime();
        }
        if (options.compares(DifferenceKind.ATIME)) {
            fields.addAtime();
        }
        if (options.compares(DifferenceKind.CTIME)) {
            fields.addCtime();
        }
        return fields;
    }

    /**
     * Returns whether the next group should be tried. In trees whose files all differ, hardly any group is, so that no
     * status is read in vain.
     */
    boolean isToTry() {
        if (paused < pause) {
            paused++;
            return false;
        }
        paused = 0;
        return true;
    }

    /**
     * Compares the files whose statuses were read ahead in the first tree, or with content those whose names were
     * taken.
     *
     * @param directoryB descriptor of the same directory in the second tree
     * @param count their number
     * @return those that are done, as {@link org.treehaul.core.walk.WalkHandler#readAhead} returns them
     */
    int find(WalkDirectory<PairedDirectory> directory, WalkWorker<PairedDirectory> worker, int directoryB, int count) {
        long begin = System.nanoTime();
        FileAccess access = worker.access();
        SeenStatuses a = access.seen();
        SeenStatuses b = access.otherSeen();
        int directoryA = directory.handle().descriptor();
        if (!comparesContent) {
            a.readAlso(directoryB, b, count);
        }
        int done = 0;
        int files = 0;
        int read = 0;
        long bytes = 0;
        hasFoundLarge = false;
        for (int i = 0; i < count && !hasFoundLarge; i++) {
            SideException failure = null;
            try {
                if (!(comparesContent
                        ? isEqualWhenOpened(access, i, directoryA, directoryB)
                        : isEqual(access, i, directoryA, directoryB))) {
                    continue;
                }
            } catch (SideException e) {
                failure = e;
            }
            NameTable.Mark mark = mark(directory.attachment().names(), a, i);
            if (mark == NameTable.Mark.ABSENT) {
                continue;
            }
            done |= 1 << i;
            if (mark == NameTable.Mark.AGAIN) {
                continue;
            }
            if (failure == null) {
                files++;
                if (comparesContent && !a.isSameFile(i, b)) {
                    read++;
                    bytes += a.size(i);
                }
            } else {
                run.failed(directory.path().child(a.copyOfName(i)), failure);
            }
        }
        run.progress().done(Integer.bitCount(done), files, 0, bytes);
        worker.worked(read);
        pause = done == 0 ? Math.min(2 * pause + 1, LONGEST_PAUSE) : 0;
        if (System.nanoTime() - begin > SLOW_NANOS * count) {
            a.slowDown();
        }
        return done;
    }

    private static NameTable.Mark mark(@Nullable NameTable names, SeenStatuses a, int index) {
        return names == null
                ? NameTable.Mark.FIRST
                : names.mark(a.nameBytes(), a.nameStart(index), a.nameLength(index));
    }

    private boolean isEqual(FileAccess access, int index, int directoryA, int directoryB) throws SideException {
        SeenStatuses a = access.seen();
        SeenStatuses b = access.otherSeen();
        return a.isLike(index, b, fields) && (a.isSameFile(index, b)
                || attributes.areAbsent(access, index, directoryA, directoryB, a.name(index)));
    }

    // Everything is read from the open files, so that no name is looked up twice.
    private boolean isEqualWhenOpened(FileAccess access, int index, int directoryA, int directoryB)
            throws SideException {
        SeenStatuses seen = access.seen();
        if (!DirectoryRecords.isRegular(seen.nameBytes(), seen.nameStart(index) - DirectoryRecords.NAME)) {
            return false;
        }
        MemorySegment name = seen.name(index);
        int a = FilePair.tryOpen(access, run.directoriesB(), directoryA, name, false);
        if (a < 0) {
            return false;
        }
        try {
            if (!seen.readAt(index, a) || !seen.isFileWithOneName(index)) {
                return false;
            }
            hasFoundLarge = seen.size(index) > FilePair.PIECE_BYTES;
            int b = hasFoundLarge ? -1 : FilePair.tryOpen(access, run.directoriesB(), directoryB, name, false);
            if (b < 0) {
                return false;
            }
            try {
                return access.otherSeen().readAt(index, b) && areEqual(access, index, a, b);
            } finally {
                access.closeQuietly(b);
            }
        } finally {
            access.closeQuietly(a);
        }
    }

    private boolean areEqual(FileAccess access, int index, int a, int b) throws SideException {
        SeenStatuses seen = access.seen();
        SeenStatuses other = access.otherSeen();
        return seen.isLike(index, other, fields)
                && (seen.isSameFile(index, other) || attributes.areAbsent(access, index, a, b, null)
                        && (seen.size(index) == 0 || hasEqualData(access, index, a, b)));
    }

    private static boolean hasEqualData(FileAccess access, int index, int a, int b) throws SideException {
        boolean isEqual = FilePair.areEqual(access, a, b, access.seen().size(index));
        if (!isEqual) {
            check(Side.A, access, index, a);
            check(Side.B, access, index, b);
        }
        return isEqual;
    }

    private static void check(Side side, FileAccess access, int index, int descriptor) throws SideException {
        try {
            if (!(side == Side.A ? access.seen() : access.otherSeen()).isUnchanged(descriptor, index)) {
                throw SideException.changed(side, "read");
            }
        } catch (SystemCallException e) {
            throw SideException.of(side, e);
        }
    }
}
