// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.fs;

import static org.treehaul.core.fs.LinuxConstants.AT_EMPTY_PATH;
import static org.treehaul.core.fs.LinuxConstants.AT_NO_AUTOMOUNT;
import static org.treehaul.core.fs.LinuxConstants.AT_SYMLINK_NOFOLLOW;
import static org.treehaul.core.fs.LinuxConstants.STATX_ATTR_MOUNT_ROOT;
import static org.treehaul.core.fs.LinuxConstants.STATX_BASIC_STATS;
import static org.treehaul.core.fs.LinuxConstants.STATX_BTIME;
import static org.treehaul.core.fs.LinuxConstants.STATX_SIZE;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.LongBuffer;
import java.util.Arrays;

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.Timestamp;

/**
 * The statuses that one thread has read and that the kernel has written: their fields are read there, so that no object
 * is made for an entry.
 *
 * <p>
 * The statuses of several names of a listing can be read at once, before the first of them is needed. On a file system
 * that answers slowly it reads only one at a time, because other threads may take over the names that follow.
 */
public final class SeenStatuses {

    /** The most statuses that are read at once: with 32, they stay in the first cache of a processor. */
    public static final int MOST = 32;

    static final int MASK = STATX_BASIC_STATS | STATX_BTIME;
    static final int OF_NAME = AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT;

    // A call on a warm local file system takes about a microsecond.
    private static final long SLOW_NANOS = 50_000;

    // The 64-bit words of a status, and those of its fields. Architectures are little-endian, so the first of two fields is in
    // the lower half.
    private static final int WORDS = STATX_SIZE / Long.BYTES;
    private static final int NLINK_WORD = 2;
    private static final int UID_WORD = 2;
    private static final int GID_WORD = 3;
    private static final int MODE_WORD = 3;
    private static final int INODE_WORD = 4;
    private static final int SIZE_WORD = 5;
    private static final int BLOCKS_WORD = 6;
    private static final int ATIME_WORD = 8;
    private static final int CTIME_WORD = 12;
    private static final int MTIME_WORD = 14;
    private static final int DEVICE_WORD = 17;
    private static final long LOWER = 0xFFFFFFFFL;
    private static final long OF_FILE = 0100000L << 32; // S_IFREG of stat.h, in that word
    private static final long TYPE = 0170000L << 32;
    private static final long PERMISSIONS = 07777L << 32;

    // The bytes at which fields of linux/stat.h begin.
    private static final int STX_ATTRIBUTES = 8;
    private static final int STX_NLINK = 16;
    private static final int STX_MODE = 28;
    private static final int STX_SIZE = 40;
    private static final int STX_BLOCKS = 48;
    private static final int STX_ATTRIBUTES_MASK = 56;
    private static final int STX_MTIME = 112;

    private final FileSystemCalls calls;
    private final StatxLayout layout = new StatxLayout();
    // The status that was read by itself, and those that were read together.
    private final MemorySegment memory;
    private final MemorySegment alone;
    private final MemorySegment together;
    private final ByteBuffer bytes;
    private final int[] answers = new int[MOST];
    // Those that were read together, on the heap, where the first compiler of the JVM reads them faster.
    private final LongBuffer togetherWords;
    private final long[] words = new long[MOST * WORDS];
    private int most = 4;

    // The names of those that were read together: in native memory, the same bytes on the heap, and where each begins.
    private MemorySegment names = MemorySegment.NULL;
    private byte[] nameBytes = {};
    private int[] nameStarts = {};

    // The current status: where it begins, and a number that no other has, so that a caller sees whether it still is.
    private int at;
    private long number;
    private EntryKind kind = EntryKind.REGULAR;

    SeenStatuses(FileSystemCalls calls, Arena arena) {
        this.calls = calls;
        this.memory = arena.allocate((1 + MOST) * STATX_SIZE, 8);
        this.alone = memory.asSlice(0, STATX_SIZE);
        this.together = memory.asSlice(STATX_SIZE);
        this.bytes = memory.asByteBuffer().order(ByteOrder.nativeOrder());
        this.togetherWords = together.asByteBuffer().order(ByteOrder.nativeOrder()).asLongBuffer();
    }

    /** Returns the memory of the status that is read by itself, which becomes the current one. */
    MemorySegment next() {
        at = 0;
        number++;
        return alone;
    }

    /**
     * Reads the status of a name below a directory, of a symbolic link itself, and makes it the current one.
     *
     * @return a number by which {@link #isCurrent} recognizes it
     */
    public long see(int directory, MemorySegment name) throws SystemCallException {
        FileAccess.check("stat", calls.statx(directory, name, OF_NAME, MASK, next()));
        return examine();
    }

    private long examine() throws SystemCallException {
        int mode = bytes.getShort(at + STX_MODE) & 0xFFFF;
        if (!EntryKind.isKnown(mode)) {
            throw new SystemCallException("stat", Errno.EIO);
        }
        kind = EntryKind.ofMode(mode);
        return number;
    }

    /** Returns how many names the next {@link #readAhead} should read, from 1 to {@link #MOST}. */
    public int most() {
        return most;
    }

    /** Lets the next {@link #readAhead} read one name, because the work on the last ones took long. */
    public void slowDown() {
        most = 1;
    }

    /**
     * Reads the statuses of names below a directory, of symbolic links themselves. The current one does not change.
     *
     * @param listing contains the names, each with a NUL
     * @param bytes the same bytes on the heap
     * @param starts the offsets of the names, the same until the next call
     * @param count the number of names, at most {@link #MOST}
     */
    public void readAhead(int directory, MemorySegment listing, byte[] bytes, int[] starts, int count) {
        take(listing, bytes, starts);
        long begin = System.nanoTime();
        calls.statxEach(directory, listing, starts, count, OF_NAME, MASK, together, answers);
        togetherWords.get(0, words, 0, count * WORDS);
        most = System.nanoTime() - begin > SLOW_NANOS * count ? 1 : Math.min(2 * most, MOST);
    }

    /**
     * Takes names as {@link #readAhead} does, without their statuses: each counts as one that could not be read until
     * {@link #readAt} has read it.
     */
    public void takeAhead(MemorySegment listing, byte[] bytes, int[] starts, int count) {
        take(listing, bytes, starts);
        Arrays.fill(answers, 0, count, -1);
        most = Math.min(2 * most, MOST);
    }

    private void take(MemorySegment listing, byte[] bytes, int[] starts) {
        names = listing;
        nameBytes = bytes;
        nameStarts = starts;
    }

    /**
     * Reads the status of an open file, as that of the name at this position.
     *
     * @param descriptor the file
     * @return whether it could be read
     */
    public boolean readAt(int index, int descriptor) {
        answers[index] = calls.statx(descriptor, FileAccess.emptyName(), AT_EMPTY_PATH, MASK,
                together.asSlice(index * (long) STATX_SIZE, STATX_SIZE));
        togetherWords.get(index * WORDS, words, index * WORDS, WORDS);
        return answers[index] == 0;
    }

    /**
     * Reads the statuses of the same names below another directory into other statuses of this thread. If that is slow,
     * the next {@link #readAhead} here reads fewer.
     *
     * @param count the number of names that the last {@link #readAhead} has read
     */
    public void readAlso(int otherDirectory, SeenStatuses other, int count) {
        other.readAhead(otherDirectory, names, nameBytes, nameStarts, count);
        most = Math.min(most, other.most);
    }

    /** Returns a name of the last {@link #readAhead}, NUL-ended, in native memory. */
    public MemorySegment name(int index) {
        return names.asSlice(nameStarts[index]);
    }

    /** Returns the bytes that hold the names of the last {@link #readAhead}. */
    public byte[] nameBytes() {
        return nameBytes;
    }

    /** Returns where a name begins in {@link #nameBytes()}. */
    public int nameStart(int index) {
        return nameStarts[index];
    }

    /** Returns a copy of the bytes of a name of the last {@link #readAhead}, without its NUL. */
    public byte[] copyOfName(int index) {
        return Arrays.copyOfRange(nameBytes, nameStarts[index], nameStarts[index] + nameLength(index));
    }

    /** Returns a name of the last {@link #readAhead}. */
    public ByteString nameString(int index) {
        return ByteString.of(nameBytes, nameStarts[index], nameStarts[index] + nameLength(index));
    }

    /** Returns the bytes of a name of the last {@link #readAhead}, without its NUL. */
    public int nameLength(int index) {
        int end = nameStarts[index];
        while (nameBytes[end] != 0) {
            end++;
        }
        return end - nameStarts[index];
    }

    /** Returns whether a status was read ahead, at this position, and is that of a regular file with one name. */
    public boolean isFileWithOneName(int index) {
        int word = index * WORDS;
        return answers[index] == 0 && (words[word + MODE_WORD] & TYPE) == OF_FILE
                && (int) words[word + NLINK_WORD] == 1;
    }

    /** Fields of the statuses of regular files to compare: the size, the number of names, and those that are added. */
    public static final class Fields {

        private final long[] masks = new long[WORDS];

        /** Creates fields without those that can be added. */
        public Fields() {
            masks[NLINK_WORD] = LOWER;
            masks[MODE_WORD] = TYPE;
            masks[SIZE_WORD] = -1;
        }

        /** Adds the permission bits with set-id and sticky bits. */
        public void addPermissions() {
            masks[MODE_WORD] |= PERMISSIONS;
        }

        /** Adds the owner. */
        public void addOwner() {
            masks[UID_WORD] |= ~LOWER;
        }

        /** Adds the group. */
        public void addGroup() {
            masks[GID_WORD] |= LOWER;
        }

        /** Adds the time of the last access. */
        public void addAtime() {
            addTime(ATIME_WORD);
        }

        /** Adds the time of the last change of the data. */
        public void addMtime() {
            addTime(MTIME_WORD);
        }

        /** Adds the time of the last change of the status. */
        public void addCtime() {
            addTime(CTIME_WORD);
        }

        private void addTime(int word) {
            masks[word] = -1;
            masks[word + 1] = LOWER;
        }
    }

    /**
     * Returns whether two statuses that were read ahead, at this position here and in other statuses, are those of
     * regular files with one name and have the same fields.
     */
    public boolean isLike(int index, SeenStatuses other, Fields fields) {
        if (!isFileWithOneName(index) || other.answers[index] != 0) {
            return false;
        }
        long[] masks = fields.masks;
        int word = index * WORDS;
        for (int i = NLINK_WORD; i <= MTIME_WORD + 1; i++) {
            if (((words[word + i] ^ other.words[word + i]) & masks[i]) != 0) {
                return false;
            }
        }
        return true;
    }

    /** Returns whether two statuses that were read ahead at this position are those of the same file. */
    public boolean isSameFile(int index, SeenStatuses other) {
        int word = index * WORDS;
        return words[word + INODE_WORD] == other.words[word + INODE_WORD]
                && words[word + DEVICE_WORD] == other.words[word + DEVICE_WORD];
    }

    /**
     * Returns whether an open file is the one whose status was read ahead at this position, with the same size and
     * times, so that no change is visible.
     *
     * @param descriptor the file
     */
    public boolean isUnchanged(int descriptor, int index) throws SystemCallException {
        FileAccess.check("fstat", calls.statx(descriptor, FileAccess.emptyName(), AT_EMPTY_PATH, MASK, next()));
        return isNow(index, INODE_WORD) && isNow(index, DEVICE_WORD) && isNow(index, SIZE_WORD)
                && isNow(index, MTIME_WORD) && isNow(index, MTIME_WORD + 1) && isNow(index, CTIME_WORD)
                && isNow(index, CTIME_WORD + 1);
    }

    private boolean isNow(int index, int word) {
        return bytes.getLong(at + word * Long.BYTES) == words[index * WORDS + word];
    }

    /** Returns the device in the status that was read ahead at this position. */
    public long device(int index) {
        return StatxLayout.makedev(words[index * WORDS + DEVICE_WORD]);
    }

    /** Returns the size in the status that was read ahead at this position. */
    public long size(int index) {
        return words[index * WORDS + SIZE_WORD];
    }

    /** Returns the number of blocks of 512 bytes in the status that was read ahead at this position. */
    public long blocks(int index) {
        return words[index * WORDS + BLOCKS_WORD];
    }

    /** Returns the whole status that was read ahead at this position, which must be one that could be read. */
    public FileStatus status(int index) {
        return StatxLayout.read(words, index * WORDS);
    }

    /** Returns the inode number in the status that was read ahead at this position. */
    public long inode(int index) {
        return words[index * WORDS + INODE_WORD];
    }

    /** Returns the seconds of the time of the last change of the data in the status read ahead at this position. */
    public long mtimeSeconds(int index) {
        return words[index * WORDS + MTIME_WORD];
    }

    /** Returns the nanoseconds of that time. */
    public int mtimeNanos(int index) {
        return StatxLayout.nanos(words[index * WORDS + MTIME_WORD + 1]);
    }

    /** Returns the seconds of the time of the last change of the status read ahead at this position. */
    public long ctimeSeconds(int index) {
        return words[index * WORDS + CTIME_WORD];
    }

    /** Returns the nanoseconds of that time. */
    public int ctimeNanos(int index) {
        return StatxLayout.nanos(words[index * WORDS + CTIME_WORD + 1]);
    }

    /**
     * Makes a status that was read ahead the current one.
     *
     * @param index its position among the names of the last {@link #readAhead}
     * @return the number, or 0 if it could not be read, so that {@link #see} will return it or the error
     */
    public long select(int index) throws SystemCallException {
        if (answers[index] != 0) {
            return 0;
        }
        number++;
        at = (1 + index) * STATX_SIZE;
        return examine();
    }

    /** Returns whether the status with this number is the current one. */
    public boolean isCurrent(long ofStatus) {
        return number == ofStatus;
    }

    /** Returns the whole current status. */
    public FileStatus status() {
        return layout.read(at == 0 ? alone : memory.asSlice(at, STATX_SIZE));
    }

    /** Returns the kind in the status that {@link #see} or {@link #select} made the current one. */
    public EntryKind kind() {
        return kind;
    }

    /** Returns the size in the current status. */
    public long size() {
        return bytes.getLong(at + STX_SIZE);
    }

    /** Returns the number of names in the current status. */
    public long linkCount() {
        return Integer.toUnsignedLong(bytes.getInt(at + STX_NLINK));
    }

    /** Returns the number of blocks of 512 bytes in the current status. */
    public long blocks() {
        return bytes.getLong(at + STX_BLOCKS);
    }

    /** Returns the time of the last change of the data in the current status, in nanoseconds since 1970. */
    public long mtime() {
        return Timestamp.sinceEpoch(bytes.getLong(at + STX_MTIME),
                StatxLayout.nanos(bytes.getInt(at + STX_MTIME + Long.BYTES)));
    }

    /**
     * Returns whether the current status may be that of the root of a mount; always true before Linux 5.8, which does
     * not report it.
     */
    public boolean mayBeMountPoint() {
        return (bytes.getLong(at + STX_ATTRIBUTES_MASK) & STATX_ATTR_MOUNT_ROOT) == 0 || isMountRoot();
    }

    /** Returns whether the kernel reports the current status as that of the root of a mount. */
    boolean isMountRoot() {
        return (bytes.getLong(at + STX_ATTRIBUTES_MASK) & bytes.getLong(at + STX_ATTRIBUTES)
                & STATX_ATTR_MOUNT_ROOT) != 0;
    }
}
