// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.compare;

import static org.treehaul.core.fs.LinuxConstants.O_NOFOLLOW;
import static org.treehaul.core.fs.LinuxConstants.O_NONBLOCK;
import static org.treehaul.core.fs.LinuxConstants.O_RDONLY;

import java.lang.foreign.MemorySegment;
import java.util.function.LongConsumer;

import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.fs.DirectoryPool;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.fs.linux.LinuxMemory;

/**
 * The two regular files of a pair, open for reading. Not safe for several threads; overwrites
 * {@link FileAccess#buffer()}.
 */
final class FilePair implements AutoCloseable {

    /** The bytes of each side read at once. */
    static final int PIECE_BYTES = FileAccess.BUFFER_BYTES / 2;

    /** The result if no difference was found. */
    static final long NONE = -1;

    private final FileAccess access;
    private final MemorySegment bufferA;
    private final MemorySegment bufferB;
    private final int a;
    private final int b;
    private final FileStatus statusA;
    private final FileStatus statusB;
    private final boolean isSparse;

    private FilePair(FileAccess access, int a, int b, FileStatus statusA, FileStatus statusB) {
        this.access = access;
        this.a = a;
        this.b = b;
        this.statusA = statusA;
        this.statusB = statusB;
        this.bufferA = access.buffer().asSlice(0, PIECE_BYTES);
        this.bufferB = access.buffer().asSlice(PIECE_BYTES, PIECE_BYTES);
        this.isSparse = hasHoles(statusA) && hasHoles(statusB);
    }

    // The unit of st_blocks is 512 bytes whatever the file system's block size.
    private static boolean hasHoles(FileStatus status) {
        return status.blocks() < (status.size() + 511) / 512;
    }

    /**
     * Opens both files.
     *
     * @param pool closes directories when descriptors run out
     * @throws SideException if a file cannot be opened, or is not the one whose status was read
     */
    static FilePair open(FileAccess access, DirectoryPool pool, EntryPair pair) throws SideException {
        return open(access, pool, pair.directoryA(), pair.nameA(), pair.a(), pair.followA(), pair.directoryB(),
                pair.nameB(), pair.b(), pair.followB());
    }

    static FilePair open(FileAccess access, DirectoryPool pool, int directoryA, MemorySegment nameA, FileStatus statusA,
            boolean followA, int directoryB, MemorySegment nameB, FileStatus statusB, boolean followB)
            throws SideException {
        int a = open(Side.A, access, pool, directoryA, nameA, statusA, followA);
        try {
            int b = open(Side.B, access, pool, directoryB, nameB, statusB, followB);
            return new FilePair(access, a, b, statusA, statusB);
        } catch (SideException e) {
            access.closeQuietly(a);
            throw e;
        }
    }

    private static int open(Side side, FileAccess access, DirectoryPool pool, int directory, MemorySegment name,
            FileStatus expected, boolean follow) throws SideException {
        int descriptor = open(side, access, pool, directory, name, follow);
        checkSame(side, access, descriptor, expected);
        return descriptor;
    }

    private static int open(Side side, FileAccess access, DirectoryPool pool, int directory, MemorySegment name,
            boolean follow) throws SideException {
        try {
            return FileAccess.check("open", tryOpen(access, pool, directory, name, follow));
        } catch (SystemCallException e) {
            throw SideException.of(side, e);
        }
    }

    /**
     * Opens a file of one side; the caller checks that it is the right one.
     *
     * @param pool closes directories when descriptors run out
     * @return the descriptor or {@code -errno}
     */
    static int tryOpen(FileAccess access, DirectoryPool pool, int directory, MemorySegment name, boolean follow) {
        // Without O_NONBLOCK a FIFO that has taken the file's place would hang the thread.
        int flags = O_RDONLY | O_NONBLOCK | (follow ? 0 : O_NOFOLLOW);
        int descriptor = access.tryOpen(directory, name, flags, 0);
        return (descriptor == -Errno.EMFILE || descriptor == -Errno.ENFILE) && pool.closeUnheld()
                ? access.tryOpen(directory, name, flags, 0)
                : descriptor;
    }

    private static void checkSame(Side side, FileAccess access, int descriptor, FileStatus expected)
            throws SideException {
        try {
            FileStatus now = access.status(descriptor);
            if (!now.isSameFile(expected) || now.size() != expected.size()) {
                throw SideException.changed(side, "open");
            }
        } catch (SystemCallException e) {
            access.closeQuietly(descriptor);
            throw SideException.of(side, e);
        } catch (SideException e) {
            access.closeQuietly(descriptor);
            throw e;
        }
    }

    /**
     * Compares a range of bytes that exists in both files.
     *
     * @param progress receives the number of bytes of each compared piece, including holes
     * @param stop checked before each piece; once it returns true, the rest is skipped
     * @return the offset of the first byte that differs, or {@link #NONE}
     * @throws SideException if one side cannot be read, or has changed so that a difference is not valid
     */
    long firstDifference(long from, long to, LongConsumer progress, Stop stop) throws SideException {
        long at = from;
        while (at < to && !stop.isStopped()) {
            if (isSparse) {
                long data = Math.min(Math.min(nextData(Side.A, a, at), nextData(Side.B, b, at)), to);
                progress.accept(data - at);
                at = data;
            }
            int length = (int) Math.min(PIECE_BYTES, to - at);
            if (length > 0) {
                long differs = comparePiece(at, length);
                if (differs != NONE) {
                    checkUnchanged();
                    return differs;
                }
                progress.accept(length);
                at += length;
            }
        }
        return NONE;
    }

    private long comparePiece(long at, int length) throws SideException {
        MemorySegment pieceA = length == PIECE_BYTES ? bufferA : bufferA.asSlice(0, length);
        MemorySegment pieceB = length == PIECE_BYTES ? bufferB : bufferB.asSlice(0, length);
        long mismatch = mismatch(access, a, pieceA, b, pieceB, at);
        return mismatch < 0 ? NONE : at + mismatch;
    }

    // Returns the position in both segments of the first byte that differs, or a negative number.
    private static long mismatch(FileAccess access, int a, MemorySegment pieceA, int b, MemorySegment pieceB, long at)
            throws SideException {
        long length = pieceA.byteSize();
        long gotA = read(Side.A, access, a, pieceA, at);
        long gotB = read(Side.B, access, b, pieceB, at);
        if (gotA < length || gotB < length) {
            // Shorter than stat reported: the file that ends first has changed since.
            throw SideException.changed(gotA < gotB || gotB == length ? Side.A : Side.B, "read");
        }
        return LinuxMemory.isEqual(pieceA, pieceB) ? -1 : pieceA.mismatch(pieceB);
    }

    /**
     * Returns whether two open files of the same size have the same data.
     *
     * @param size their size, at most {@link #PIECE_BYTES}
     * @throws SideException as {@link #firstDifference}
     */
    static boolean areEqual(FileAccess access, int a, int b, long size) throws SideException {
        MemorySegment buffer = access.buffer();
        return mismatch(access, a, buffer.asSlice(0, size), b, buffer.asSlice(PIECE_BYTES, size), 0) < 0;
    }

    private static long read(Side side, FileAccess access, int descriptor, MemorySegment into, long at)
            throws SideException {
        try {
            return access.readFully(descriptor, into, at);
        } catch (SystemCallException e) {
            throw SideException.of(side, e);
        }
    }

    // Returns the offset of the next data, or the largest offset if there is none. A file system without SEEK_DATA
    // counts as data only.
    private long nextData(Side side, int descriptor, long at) throws SideException {
        try {
            long data = access.nextData(descriptor, at);
            return data >= 0 ? data : data == -Errno.ENXIO ? Long.MAX_VALUE : at;
        } catch (SystemCallException e) {
            throw SideException.of(side, e);
        }
    }

    /**
     * Reads the status of both files again; worth the calls if reading the files took long.
     *
     * @throws SideException if one has changed since its status was read, so that the result holds for neither of its
     *         states
     */
    void checkUnchanged() throws SideException {
        checkUnchanged(Side.A, a, statusA);
        checkUnchanged(Side.B, b, statusB);
    }

    private void checkUnchanged(Side side, int descriptor, FileStatus before) throws SideException {
        try {
            if (!access.status(descriptor).isUnchangedSince(before)) {
                throw SideException.changed(side, "read");
            }
        } catch (SystemCallException e) {
            throw SideException.of(side, e);
        }
    }

    @Override
    public void close() {
        access.closeQuietly(a);
        access.closeQuietly(b);
    }

    /** Checks whether long work must stop. */
    @FunctionalInterface
    interface Stop {
        boolean isStopped();
    }
}
