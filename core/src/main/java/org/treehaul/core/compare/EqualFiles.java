// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.compare;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;

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
 * A call that fails is reported as {@link PairComparison} would; only a status that could not be read is read again.
 * Not safe for several threads; overwrites {@link FileAccess#buffer()}.
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
     * Compares the files whose statuses were read ahead in the first tree.
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
        a.readAlso(directoryB, b, count);
        int done = 0;
        int files = 0;
        int read = 0;
        long bytes = 0;
        for (int i = 0; i < count; i++) {
            if (!a.isLike(i, b, fields) || comparesContent && a.size(i) > FilePair.PIECE_BYTES) {
                continue;
            }
            boolean isSame = a.isSameFile(i, b);
            boolean isRead = comparesContent && a.size(i) > 0 && !isSame;
            SideException failure = null;
            try {
                if (!isSame && !isEqual(access, i, directoryA, directoryB, isRead)) {
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
                if (isRead) {
                    read++;
                    bytes += a.size(i);
                }
            } else {
                run.failed(directory.path().child(nameBytes(a, i)), failure);
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
                : names.mark(a.nameBytes(), a.nameStart(index), nameLength(a, index));
    }

    private static int nameLength(SeenStatuses a, int index) {
        return DirectoryRecords.nameLength(a.nameBytes(), a.nameStart(index) - DirectoryRecords.NAME);
    }

    private static byte[] nameBytes(SeenStatuses a, int index) {
        int start = a.nameStart(index);
        return Arrays.copyOfRange(a.nameBytes(), start, start + nameLength(a, index));
    }

    private boolean isEqual(FileAccess access, int index, int directoryA, int directoryB, boolean hasData)
            throws SideException {
        MemorySegment name = access.seen().name(index);
        return hasData
                ? hasEqualData(access, index, directoryA, directoryB, name)
                : attributes.areAbsent(access, index, directoryA, directoryB, name);
    }

    private boolean hasEqualData(FileAccess access, int index, int directoryA, int directoryB, MemorySegment name)
            throws SideException {
        int a = -1;
        int b = -1;
        try {
            a = open(Side.A, access, index, directoryA, name);
            b = open(Side.B, access, index, directoryB, name);
        } catch (SideException e) {
            if (a >= 0) {
                access.closeQuietly(a);
            }
            // Differences of attributes are reported beside the failure.
            if (attributes.areAbsent(access, index, directoryA, directoryB, name)) {
                throw e;
            }
            return false;
        }
        try {
            return attributes.areAbsent(access, index, a, b, null) && hasEqualData(access, index, a, b);
        } finally {
            access.closeQuietly(a);
            access.closeQuietly(b);
        }
    }

    private static boolean hasEqualData(FileAccess access, int index, int a, int b) throws SideException {
        boolean isEqual = FilePair.areEqual(access, a, b, access.seen().size(index));
        if (!isEqual) {
            check(Side.A, access, index, a, true);
            check(Side.B, access, index, b, true);
        }
        return isEqual;
    }

    private int open(Side side, FileAccess access, int index, int directory, MemorySegment name) throws SideException {
        int descriptor = FilePair.open(side, access, run.directoriesB(), directory, name, false);
        try {
            check(side, access, index, descriptor, false);
            return descriptor;
        } catch (SideException e) {
            access.closeQuietly(descriptor);
            throw e;
        }
    }

    private static void check(Side side, FileAccess access, int index, int descriptor, boolean wasRead)
            throws SideException {
        SeenStatuses seen = side == Side.A ? access.seen() : access.otherSeen();
        try {
            if (!(wasRead ? seen.isUnchanged(descriptor, index) : seen.isStill(descriptor, index))) {
                throw SideException.changed(side, wasRead ? "read" : "open");
            }
        } catch (SystemCallException e) {
            throw SideException.of(side, e);
        }
    }
}
