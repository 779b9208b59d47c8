// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.compare;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.IntBuffer;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.walk.listing.DirectoryRecords;

/**
 * The names in one directory, each with a mark. The getdents64 records are stored as they are, so a name takes its
 * bytes and about 30 more; the names of a large directory are stored outside the Java heap.
 *
 * <p>
 * The memory is read through buffers: the first compiler of the JVM, which compiles most of a short run, makes many
 * times as much code of the read of a number from a segment.
 *
 * <p>
 * Built by one thread; any number of threads may set marks.
 */
final class NameTable implements AutoCloseable {

    /** The result of {@link #mark}. */
    enum Mark {
        /** The name is not in the directory's listing. */
        ABSENT,
        /** The name was marked by this call. */
        FIRST,
        /** The name was marked before. */
        AGAIN
    }

    /** Receives an unmarked name. */
    @FunctionalInterface
    interface Visitor {
        void visit(byte[] name, @Nullable EntryKind kind);
    }

    // A record's place is the number of its block and its offset divided by eight: records begin at multiples of 8.
    private static final int OFFSET_BITS = Integer.numberOfTrailingZeros(FileAccess.LISTING_BYTES) - 3;
    private static final int OFFSET_MASK = (1 << OFFSET_BITS) - 1;

    // Offsets in struct linux_dirent64. The kernel's d_off is not needed here: its 8 bytes hold the hash and the mark.
    private static final int HASH = 8;
    private static final int MARK = 12;
    private static final int RECORD_LENGTH = 16;
    private static final int NAME = DirectoryRecords.NAME;

    // Larger listings are stored outside the Java heap: this is about 1,000 names.
    private static final int HEAP_BYTES = 32 * 1024;

    // The slots are divided, because a buffer has at most 2^31 bytes.
    private static final int PART_BITS = 24;
    private static final int PART_MASK = (1 << PART_BITS) - 1;

    // Fractional digits of the golden ratio: odd, with well-mixed bits.
    private static final long FACTOR = 0x9E3779B97F4A7C15L;

    private final long seed;
    private final List<ByteBuffer> blocks = new ArrayList<>(1);
    private @Nullable Arena arena;
    private int count;
    private int errno;
    private IntBuffer[] slots = {};
    private long slotMask;

    private NameTable(long seed) {
        this.seed = seed;
    }

    /**
     * Reads the listing of an open directory to its end, or to an error, which {@link #errno} then returns. Overwrites
     * {@link FileAccess#listing()}.
     *
     * @param seed a number unknown to the users who choose the names, so that they cannot cause hash collisions
     */
    static NameTable read(FileAccess access, int descriptor, long seed) {
        NameTable table = new NameTable(seed);
        MemorySegment listing = access.listing();
        ByteBuffer bytes = listing.asByteBuffer();
        int length = DirectoryRecords.read(access, descriptor, listing);
        while (length > 0) {
            byte[] records = new byte[length];
            bytes.get(0, records);
            table.add(records);
            length = DirectoryRecords.read(access, descriptor, listing);
        }
        table.errno = -length;
        table.index();
        return table;
    }

    /** Returns the error that ended the listing, or 0 if the listing is complete. */
    int errno() {
        return errno;
    }

    boolean isComplete() {
        return errno == 0;
    }

    /** Returns whether the table has memory outside the Java heap and must be closed. */
    boolean isLarge() {
        return arena != null;
    }

    /**
     * Marks a name.
     *
     * @param bytes contains it from an index on
     * @param length the number of its bytes, without a NUL
     */
    Mark mark(byte[] bytes, int from, int length) {
        if (count == 0) {
            return Mark.ABSENT;
        }
        int hash = hash(bytes, from, length);
        for (long slot = hash & slotMask;; slot = slot + 1 & slotMask) {
            int place = part(slot).get((int) slot & PART_MASK);
            if (place == 0) {
                return Mark.ABSENT;
            }
            ByteBuffer block = block(place);
            int at = offset(place);
            if (isAt(block, at, hash, bytes, from, length)) {
                return set(block, at);
            }
        }
    }

    private synchronized Mark set(ByteBuffer block, int at) {
        if (block.getInt(at + MARK) != 0) {
            return Mark.AGAIN;
        }
        block.putInt(at + MARK, 1);
        return Mark.FIRST;
    }

    /** Passes all unmarked names to the visitor, in the order of the listing. All other threads must be done. */
    void forEachUnmarked(Visitor visitor) {
        for (ByteBuffer block : blocks) {
            for (int at = 0; at < block.capacity(); at += recordLength(block, at)) {
                if (block.getInt(at + MARK) == 0) {
                    visitor.visit(name(block, at), DirectoryRecords.kind(block.get(at + DirectoryRecords.TYPE)));
                }
            }
        }
    }

    private void add(byte[] records) {
        ByteBuffer block;
        if (arena == null && blocks.isEmpty() && records.length <= HEAP_BYTES) {
            block = ByteBuffer.wrap(records);
        } else {
            block = arena().allocate(records.length, 8).asByteBuffer();
            block.put(0, records);
        }
        blocks.add(block);
        for (int at = 0; at < records.length; at += DirectoryRecords.length(records, at)) {
            int hash = hash(records, at + NAME, DirectoryRecords.nameLength(records, at));
            boolean dots = DirectoryRecords.isDots(records, at);
            block.putInt(at + HASH, hash);
            block.putInt(at + MARK, dots ? 1 : 0);
            count++;
        }
    }

    // At most half of the slots are used. A slot contains a place plus one, or zero.
    private void index() {
        if (count == 0) {
            return;
        }
        long wanted = Math.max(4, Long.highestOneBit(count * 2L - 1) << 1);
        slotMask = wanted - 1;
        int inPart = (int) Math.min(wanted, 1 << PART_BITS);
        slots = new IntBuffer[(int) (wanted / inPart)];
        for (int i = 0; i < slots.length; i++) {
            slots[i] = arena == null
                    ? IntBuffer.allocate(inPart)
                    : arena.allocate(inPart * (long) Integer.BYTES, Integer.BYTES).asByteBuffer().asIntBuffer();
        }
        for (int b = 0; b < blocks.size(); b++) {
            ByteBuffer block = blocks.get(b);
            for (int at = 0; at < block.capacity(); at += recordLength(block, at)) {
                insert(block, at, (b << OFFSET_BITS | at >>> 3) + 1);
            }
        }
    }

    private void insert(ByteBuffer block, int at, int newPlace) {
        int hash = block.getInt(at + HASH);
        for (long slot = hash & slotMask;; slot = slot + 1 & slotMask) {
            IntBuffer part = part(slot);
            int place = part.get((int) slot & PART_MASK);
            if (place == 0) {
                part.put((int) slot & PART_MASK, newPlace);
                return;
            }
            if (block(place).getInt(offset(place) + HASH) == hash) {
                byte[] name = name(block, at);
                if (isAt(block(place), offset(place), hash, name, 0, name.length)) {
                    // Some servers list a name twice while the directory changes; the second one is marked as seen.
                    block.putInt(at + MARK, 1);
                    return;
                }
            }
        }
    }

    private static boolean isAt(ByteBuffer block, int at, int hash, byte[] name, int from, int length) {
        if (block.getInt(at + HASH) != hash) {
            return false;
        }
        int start = at + NAME;
        for (int i = 0; i < length; i++) {
            if (block.get(start + i) != name[from + i]) {
                return false;
            }
        }
        return block.get(start + length) == 0;
    }

    private static int recordLength(ByteBuffer block, int at) {
        return block.get(at + RECORD_LENGTH) & 0xFF | (block.get(at + RECORD_LENGTH + 1) & 0xFF) << Byte.SIZE;
    }

    private static byte[] name(ByteBuffer block, int at) {
        int end = at + NAME;
        while (block.get(end) != 0) {
            end++;
        }
        byte[] name = new byte[end - at - NAME];
        block.get(at + NAME, name);
        return name;
    }

    private IntBuffer part(long slot) {
        return slots[(int) (slot >>> PART_BITS)];
    }

    private ByteBuffer block(int place) {
        return blocks.get(place - 1 >>> OFFSET_BITS);
    }

    private static int offset(int place) {
        return (place - 1 & OFFSET_MASK) << 3;
    }

    private int hash(byte[] name, int from, int length) {
        long hash = seed ^ length;
        long word = 0;
        for (int i = 0; i < length; i++) {
            word = word << Byte.SIZE | name[from + i] & 0xFF;
            if ((i & 7) == 7) {
                hash = mix(hash ^ word);
                word = 0;
            }
        }
        hash = mix(hash ^ word);
        return (int) (hash ^ hash >>> 32);
    }

    private static long mix(long value) {
        return Math.unsignedMultiplyHigh(value, FACTOR) ^ value * FACTOR;
    }

    private Arena arena() {
        if (arena == null) {
            arena = Arena.ofShared();
        }
        return arena;
    }

    @Override
    public void close() {
        if (arena != null) {
            arena.close();
        }
    }
}
