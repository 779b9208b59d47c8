// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.fs;

import static org.treehaul.core.fs.LinuxConstants.AT_EMPTY_PATH;
import static org.treehaul.core.fs.LinuxConstants.AT_FDCWD;
import static org.treehaul.core.fs.LinuxConstants.O_DIRECTORY;
import static org.treehaul.core.fs.LinuxConstants.O_NOFOLLOW;
import static org.treehaul.core.fs.LinuxConstants.O_NONBLOCK;
import static org.treehaul.core.fs.LinuxConstants.O_PATH;
import static org.treehaul.core.fs.LinuxConstants.RENAME_NOREPLACE;
import static org.treehaul.core.fs.LinuxConstants.SEEK_DATA;
import static org.treehaul.core.fs.LinuxConstants.STATFS_SIZE;
import static org.treehaul.core.fs.LinuxConstants.STATX_BASIC_STATS;
import static org.treehaul.core.fs.LinuxConstants.STATX_SIZE;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.Timestamp;

/**
 * One thread's access to files: the calls, repeated after EINTR, with the off-heap scratch memory that they need, and
 * with errors as {@link SystemCallException}.
 *
 * <p>
 * Created, used and closed by one thread. A name returned by {@link #name} or {@link #otherName} is valid until the
 * next call of the same method.
 */
public final class FileAccess implements AutoCloseable {

    /**
     * The bytes of a listing read at once. 256 KiB holds about 8,000 names: larger sizes measured no faster, and 32 KiB
     * (glibc's) was slower on large directories.
     */
    public static final int LISTING_BYTES = 256 * 1024;

    /** The bytes of data moved at once, and the size up to which a file is copied with a single read and write. */
    public static final int BUFFER_BYTES = 256 * 1024;

    /** The longest name in a directory on Linux, NAME_MAX of limits.h, without its NUL. */
    public static final int NAME_MAX = 255;

    /** The name of a directory in itself. */
    public static final MemorySegment DOT = put(Arena.global().allocate(2), ByteString.of("."));

    private static final int PATH_MAX = 4096;
    private static final int PAGE_BYTES = 4096;
    // "/proc/self/fd/", the ten digits of the largest int and a NUL.
    private static final int PROC_PATH_BYTES = 25;
    private static final MemorySegment PARENT_NAME = put(Arena.global().allocate(3), ByteString.of(".."));
    private static final MemorySegment EMPTY_NAME = Arena.global().allocate(1);

    private final Arena arena = Arena.ofConfined();
    private final FileSystemCalls calls;
    private final SeenStatuses seen;
    private final MemorySegment name = arena.allocate(PATH_MAX);
    private final MemorySegment otherName = arena.allocate(PATH_MAX);
    private final MemorySegment rootName = arena.allocate(PATH_MAX);
    private final MemorySegment times = arena.allocate(32, 8);
    private final long[] timeWords = new long[4];
    private final MemorySegment timeWordsView = MemorySegment.ofArray(timeWords);
    private final MemorySegment procPath = arena.allocate(PROC_PATH_BYTES);

    // Made when they are used first: most work needs one of them, or none.
    private @Nullable SeenStatuses otherSeen;
    private @Nullable MemorySegment listing;
    private @Nullable MemorySegment buffer;

    // Whether the kernel has listxattrat(2), as far as is known.
    private boolean mayListAt = true;

    private FileAccess(FileSystemCalls calls) {
        this.calls = RepeatingCalls.over(calls);
        this.seen = new SeenStatuses(this.calls, arena);
    }

    /** Opens access for the calling thread. */
    public static FileAccess open(FileSystemCalls calls) {
        return new FileAccess(calls);
    }

    /** Returns the status of the directory {@code /}, which commands on trees refuse; empty if it cannot be read. */
    public static Optional<FileStatus> top(FileSystemCalls calls) {
        try (FileAccess access = open(calls)) {
            return Optional.of(access.status(AT_FDCWD, access.rootName(new byte[]{'/'})));
        } catch (SystemCallException e) {
            return Optional.empty();
        }
    }

    /**
     * Returns the status of a descriptor, for work that has only the calls.
     *
     * @param scratch provides the memory of the result
     */
    public static FileStatus status(FileSystemCalls calls, int descriptor, SegmentAllocator scratch)
            throws SystemCallException {
        MemorySegment result = scratch.allocate(STATX_SIZE, 8);
        check("fstat", calls.statx(descriptor, EMPTY_NAME, AT_EMPTY_PATH, STATX_BASIC_STATS, result));
        return new StatxLayout().read(result);
    }

    /** Returns the underlying calls, for those that this class does not wrap. */
    public FileSystemCalls calls() {
        return calls;
    }

    boolean mayListAt() {
        return mayListAt;
    }

    void lacksListAt() {
        mayListAt = false;
    }

    /** Returns this thread's buffer for data, {@link #BUFFER_BYTES} long and page-aligned. */
    public MemorySegment buffer() {
        MemorySegment known = buffer;
        if (known == null) {
            MemorySegment room = large(BUFFER_BYTES + PAGE_BYTES);
            known = room.asSlice(-room.address() & PAGE_BYTES - 1, BUFFER_BYTES);
            buffer = known;
        }
        return known;
    }

    /** Returns this thread's buffer for listings, {@link #LISTING_BYTES} long. */
    public MemorySegment listing() {
        MemorySegment known = listing;
        if (known == null) {
            known = large(LISTING_BYTES);
            listing = known;
        }
        return known;
    }

    // Memory that an arena clears itself is cleared word by word, which takes milliseconds before the loop is compiled.
    private MemorySegment large(int bytes) {
        return arena.allocateFrom(ValueLayout.JAVA_LONG, new long[bytes / Long.BYTES]);
    }

    /** Returns the empty name, for calls with AT_EMPTY_PATH. */
    public static MemorySegment emptyName() {
        return EMPTY_NAME;
    }

    /**
     * Returns the bytes as a NUL-ended native name in this thread's scratch memory.
     *
     * @throws SystemCallException ENAMETOOLONG for more than 4095 bytes (PATH_MAX)
     */
    public MemorySegment name(byte[] bytes) throws SystemCallException {
        return put(name, bytes);
    }

    /** Does the same as {@link #name} in a second piece of scratch memory, for calls with two names. */
    public MemorySegment otherName(byte[] bytes) throws SystemCallException {
        return put(otherName, bytes);
    }

    /**
     * Does the same as {@link #name} in a third piece of scratch memory, for the name of an entry that is handled for
     * long.
     */
    public MemorySegment rootName(byte[] bytes) throws SystemCallException {
        return put(rootName, bytes);
    }

    /**
     * Returns the path that leads to exactly the file that a descriptor has open, even a symbolic link itself: for
     * calls that accept no descriptor, or none opened with O_PATH. Valid until the next call of this method.
     */
    public MemorySegment procPath(int descriptor) {
        return fill(procPath, ("/proc/self/fd/" + descriptor).getBytes(StandardCharsets.US_ASCII));
    }

    private static MemorySegment put(MemorySegment scratch, byte[] bytes) throws SystemCallException {
        if (bytes.length >= PATH_MAX) {
            throw new SystemCallException("open", Errno.ENAMETOOLONG);
        }
        return fill(scratch, bytes);
    }

    /**
     * Copies the bytes and a NUL into scratch memory of the caller, which must have room for them, and returns it. For
     * names that must outlast the next call of {@link #name}.
     *
     * @throws IndexOutOfBoundsException if there is no room
     */
    public static MemorySegment put(MemorySegment scratch, ByteString bytes) {
        return fill(scratch, bytes.toBytes());
    }

    private static MemorySegment fill(MemorySegment scratch, byte[] bytes) {
        // A buffer, because the JVM compiles each copy between segments to 6 KB of code, again in each of its callers, and would make six
        // classes at each start for a number set in a segment.
        scratch.asByteBuffer().put(0, bytes).put(bytes.length, (byte) 0);
        return scratch;
    }

    /**
     * Throws if the result of a call is an error.
     *
     * @return the result, zero or more
     */
    public static int check(String operation, int result) throws SystemCallException {
        if (result < 0) {
            throw new SystemCallException(operation, -result);
        }
        return result;
    }

    /** Does the same as {@link #check(String, int)} for 64-bit results. */
    public static long check(String operation, long result) throws SystemCallException {
        if (result < 0) {
            throw new SystemCallException(operation, (int) -result);
        }
        return result;
    }

    /** Opens a name below a directory and returns the descriptor. */
    public int open(int directory, MemorySegment entryName, int flags, int mode) throws SystemCallException {
        return check("open", tryOpen(directory, entryName, flags, mode));
    }

    /**
     * Opens a name below a directory and returns the descriptor or {@code -errno}. Even with O_NONBLOCK, waits until
     * another process releases its lease on a regular file or the kernel revokes it.
     */
    public int tryOpen(int directory, MemorySegment entryName, int flags, int mode) {
        int descriptor = calls.openat(directory, entryName, flags, mode);
        for (int tries = 1; tries < RepeatingCalls.TRIES && descriptor == -Errno.EAGAIN
                && (flags & O_NONBLOCK) != 0; tries++) {
            descriptor = openLeased(directory, entryName, flags, mode);
        }
        return descriptor;
    }

    // The caller sets O_NONBLOCK in case a FIFO takes a file's place; with it, opening a file under a lease
    // (F_SETLEASE, which file servers take for their clients) yields EAGAIN. An O_PATH descriptor that was examined can
    // no longer become another kind of file, so waiting is safe: the kernel revokes a lease after the seconds in
    // /proc/sys/fs/lease-break-time.
    private int openLeased(int directory, MemorySegment entryName, int flags, int mode) {
        int node = calls.openat(directory, entryName, O_PATH | flags & O_NOFOLLOW, 0);
        if (node < 0) {
            return node;
        }
        try {
            return switch (status(node).kind()) {
                case REGULAR -> calls.openat(AT_FDCWD, procPath(node), flags & ~(O_NONBLOCK | O_NOFOLLOW), mode);
                case DIRECTORY -> calls.openat(directory, entryName, flags, mode);
                default -> -Errno.EAGAIN;
            };
        } catch (SystemCallException e) {
            return -e.errno();
        } finally {
            closeQuietly(node);
        }
    }

    /**
     * Returns the offset of the next data of a file at or after an offset (SEEK_DATA), {@code -ENXIO} if there is none,
     * or another {@code -errno} if the file system does not know.
     */
    public long nextData(int descriptor, long offset) throws SystemCallException {
        long data = calls.lseek(descriptor, offset, SEEK_DATA);
        boolean isUnknown = data < 0 && Errno.isUnsupported((int) -data);
        return data == -Errno.ENXIO || isUnknown ? data : check("lseek", data);
    }

    /**
     * Renames an entry to a name that does not exist: renameat2(2) with RENAME_NOREPLACE. Lustre, NFS and FUSE do not
     * know that flag; there an entry that took the name after the caller had examined it is replaced.
     *
     * @return 0 or {@code -errno}; -EEXIST if the name exists
     */
    public int renameNew(int fromDirectory, MemorySegment from, int toDirectory, MemorySegment to) {
        int result = calls.renameat2(fromDirectory, from, toDirectory, to, RENAME_NOREPLACE);
        return result == -Errno.EINVAL ? calls.renameat2(fromDirectory, from, toDirectory, to, 0) : result;
    }

    /** Opens a directory for listing and as a base for names; ELOOP or ENOTDIR for a symbolic link. */
    public int openDirectory(int directory, MemorySegment entryName) throws SystemCallException {
        return open(directory, entryName, O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK, 0);
    }

    /**
     * Closes a descriptor. It is closed even if this method throws: errors of earlier writes appear here on NFS and
     * FUSE.
     */
    public void close(int descriptor) throws SystemCallException {
        int result = calls.close(descriptor);
        // Linux has closed the descriptor even after EINTR; closing it again could close another thread's file.
        if (result != -Errno.EINTR) {
            check("close", result);
        }
    }

    /** Closes a descriptor that was not written to, so that no error can matter. */
    public void closeQuietly(int descriptor) {
        calls.closeQuietly(descriptor);
    }

    /** Returns the type of a file system according to fstatfs(2), or 0 if that fails. */
    public long fileSystemType(int descriptor) {
        MemorySegment result = seen.next().asSlice(0, STATFS_SIZE);
        // The first field of struct statfs is f_type, a word.
        return calls.fstatfs(descriptor, result) == 0 ? word(result, 0) : 0;
    }

    /** Returns the number of a file system, f_fsid of fstatfs(2), or 0 if it has none. */
    public long fileSystemId(int descriptor) {
        MemorySegment result = seen.next().asSlice(0, STATFS_SIZE);
        // The field follows seven words of struct statfs.
        return calls.fstatfs(descriptor, result) == 0 ? word(result, 7) : 0;
    }

    /**
     * Returns a 64-bit word of a structure. Copied, because the JVM would make six classes at the start of a run for
     * the first number read from a segment.
     */
    static long word(MemorySegment structure, int index) {
        long[] word = new long[1];
        MemorySegment.copy(structure, index * (long) Long.BYTES, MemorySegment.ofArray(word), 0, Long.BYTES);
        return word[0];
    }

    /** Returns the free space of an open descriptor's file system. */
    public FileSystemRoom room(int descriptor) throws SystemCallException {
        MemorySegment result = seen.next().asSlice(0, STATFS_SIZE);
        check("statfs", calls.fstatfs(descriptor, result));
        return FileSystemRoom.read(result);
    }

    /** Returns the status of an open descriptor. */
    public FileStatus status(int descriptor) throws SystemCallException {
        return statusOf("fstat", statx(descriptor, EMPTY_NAME, AT_EMPTY_PATH));
    }

    /** Returns the status of a name below a directory; for a symbolic link, that of the link itself. */
    public FileStatus status(int directory, MemorySegment entryName) throws SystemCallException {
        return statusOf("stat", statx(directory, entryName, SeenStatuses.OF_NAME));
    }

    /**
     * Returns the status of a name below a directory, or null if it does not exist.
     *
     * @param follow whether the status of a symbolic link is that of its target
     */
    public @Nullable FileStatus find(int directory, MemorySegment entryName, boolean follow)
            throws SystemCallException {
        int result = statx(directory, entryName, follow ? 0 : SeenStatuses.OF_NAME);
        return result == -Errno.ENOENT ? null : statusOf("stat", result);
    }

    /**
     * Returns whether a directory is a mount point: the root of a mount. Before Linux 5.8, which does not report this,
     * a mount of a part of the same file system (mount --bind) is not recognized.
     *
     * @param descriptor an open descriptor of the directory, which may be opened with O_PATH
     */
    public boolean isMountPoint(int descriptor) throws SystemCallException {
        check("fstat", statx(descriptor, EMPTY_NAME, AT_EMPTY_PATH));
        if (seen.isMountRoot() || !seen.mayBeMountPoint()) {
            return seen.isMountRoot();
        }
        FileStatus itself = status(descriptor);
        FileStatus above = status(descriptor, PARENT_NAME);
        return itself.device() != above.device() || itself.inode() == above.inode();
    }

    /**
     * Returns the status of a name below a directory.
     *
     * @param follow whether the status of a symbolic link is that of its target
     */
    public FileStatus status(int directory, MemorySegment entryName, boolean follow) throws SystemCallException {
        return follow ? followedStatus(directory, entryName) : status(directory, entryName);
    }

    /** Returns the status of a file by name, following symbolic links. */
    public FileStatus followedStatus(int directory, MemorySegment entryName) throws SystemCallException {
        return statusOf("stat", statx(directory, entryName, 0));
    }

    // A broken user-space file system may report a type that Linux does not know: an error of that entry, not of the
    // program.
    private FileStatus statusOf(String operation, int result) throws SystemCallException {
        check(operation, result);
        FileStatus read = seen.status();
        if (!EntryKind.isKnown(read.mode())) {
            throw new SystemCallException(operation, Errno.EIO);
        }
        return read;
    }

    /** Returns the statuses that this thread reads without making an object of each. */
    public SeenStatuses seen() {
        return seen;
    }

    /** Returns the statuses of a second tree that this thread reads beside those of {@link #seen()}. */
    public SeenStatuses otherSeen() {
        SeenStatuses known = otherSeen;
        if (known == null) {
            known = new SeenStatuses(calls, arena);
            otherSeen = known;
        }
        return known;
    }

    private int statx(int directory, MemorySegment entryName, int flags) {
        return calls.statx(directory, entryName, flags, SeenStatuses.MASK, seen.next());
    }

    /** Returns the target of a symbolic link; for the empty name, that of the O_PATH descriptor itself. */
    public ByteString linkTarget(int directory, MemorySegment entryName) throws SystemCallException {
        int length = check("readlink", calls.readlinkat(directory, entryName, otherName));
        return ByteString.of(otherName.asSlice(0, length).toArray(ValueLayout.JAVA_BYTE));
    }

    /**
     * Reads once at the file position.
     *
     * @return the number of bytes read, 0 at the end of the file
     */
    public long readSome(int descriptor, MemorySegment into) throws SystemCallException {
        return check("read", calls.read(descriptor, into));
    }

    /**
     * Reads at the file position until the segment is full or the file ends.
     *
     * @return the number of bytes read
     */
    public long readFully(int descriptor, MemorySegment into) throws SystemCallException {
        long done = 0;
        while (done < into.byteSize()) {
            long n = calls.read(descriptor, done == 0 ? into : into.asSlice(done));
            if (n == 0) {
                break;
            }
            done += check("read", n);
        }
        return done;
    }

    /** Writes the whole segment at the file position. */
    public void writeFully(int descriptor, MemorySegment from) throws SystemCallException {
        long done = 0;
        while (done < from.byteSize()) {
            long n = calls.write(descriptor, done == 0 ? from : from.asSlice(done));
            if (n == 0) {
                throw new SystemCallException("write", Errno.EIO);
            }
            done += check("write", n);
        }
    }

    /**
     * Reads at an offset until the segment is full or the file ends.
     *
     * @return the number of bytes read
     */
    public long readFully(int descriptor, MemorySegment into, long offset) throws SystemCallException {
        long done = 0;
        while (done < into.byteSize()) {
            long n = calls.pread(descriptor, done == 0 ? into : into.asSlice(done), offset + done);
            if (n == 0) {
                break;
            }
            done += check("read", n);
        }
        return done;
    }

    /** Writes the whole segment at an offset. */
    public void writeFully(int descriptor, MemorySegment from, long offset) throws SystemCallException {
        long done = 0;
        while (done < from.byteSize()) {
            long n = calls.pwrite(descriptor, from.asSlice(done), offset + done);
            if (n == 0) {
                throw new SystemCallException("write", Errno.EIO);
            }
            done += check("write", n);
        }
    }

    /** Fills this thread's scratch memory with access and modification time, for utimensat(2), and returns it. */
    public MemorySegment times(FileStatus from) {
        return times(from.atimeSeconds(), from.atimeNanos(), from.mtimeSeconds(), from.mtimeNanos());
    }

    /** Does the same as {@link #times(FileStatus)}, with one time for both. */
    public MemorySegment times(Timestamp both) {
        return times(both.seconds(), both.nanos(), both.seconds(), both.nanos());
    }

    private MemorySegment times(long atimeSeconds, int atimeNanos, long mtimeSeconds, int mtimeNanos) {
        timeWords[0] = atimeSeconds;
        timeWords[1] = atimeNanos;
        timeWords[2] = mtimeSeconds;
        timeWords[3] = mtimeNanos;
        MemorySegment.copy(timeWordsView, 0, times, 0, times.byteSize());
        return times;
    }

    @Override
    public void close() {
        arena.close();
    }
}
