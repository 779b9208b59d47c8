// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.compare;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
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
    private static final int NAME = 19;

    // Larger listings are stored outside the Java heap: this is about 1,000 names.
    private static final int HEAP_BYTES = 32 * 1024;

    // Fractional digits of the golden ratio: odd, with well-mixed bits.
    private static final long FACTOR = 0x9E3779B97F4A7C15L;

    private static final VarHandle INTS = JAVA_INT.varHandle();

    private final long seed;
    private final List<MemorySegment> blocks = new ArrayList<>(1);
    private @Nullable Arena arena;
    private int count;
    private int errno;
    private MemorySegment slots = MemorySegment.NULL;
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
        int length = DirectoryRecords.read(access, descriptor, listing);
        while (length > 0) {
            table.add(listing.asSlice(0, length));
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

    /** Marks a name. */
    Mark mark(MemorySegment name, int length) {
        if (count == 0) {
            return Mark.ABSENT;
        }
        int hash = hash(name, 0, length);
        for (long slot = hash & slotMask;; slot = slot + 1 & slotMask) {
            int place = slots.get(JAVA_INT, slot * Integer.BYTES);
            if (place == 0) {
                return Mark.ABSENT;
            }
            MemorySegment block = block(place);
            long at = offset(place);
            if (isAt(block, at, hash, name, 0, length)) {
                return (int) INTS.getAndSet(block, at + MARK, 1) == 0 ? Mark.FIRST : Mark.AGAIN;
            }
        }
    }

    /** Passes all unmarked names to the visitor, in the order of the listing. */
    void forEachUnmarked(Visitor visitor) {
        for (MemorySegment block : blocks) {
            for (long at = 0; at < block.byteSize(); at += DirectoryRecords.length(block, at)) {
                if ((int) INTS.getVolatile(block, at + MARK) == 0) {
                    int length = DirectoryRecords.nameLength(block, at);
                    visitor.visit(block.asSlice(at + NAME, length).toArray(JAVA_BYTE),
                            DirectoryRecords.kind(block, at));
                }
            }
        }
    }

    private void add(MemorySegment records) {
        MemorySegment block;
        if (arena == null && blocks.isEmpty() && records.byteSize() <= HEAP_BYTES) {
            block = MemorySegment.ofArray(new long[(int) (records.byteSize() + 7) / 8]).asSlice(0, records.byteSize());
        } else {
            block = arena().allocate(records.byteSize(), 8);
        }
        block.copyFrom(records);
        blocks.add(block);
        for (long at = 0; at < block.byteSize(); at += DirectoryRecords.length(block, at)) {
            boolean dots = DirectoryRecords.isDots(block, at);
            block.set(JAVA_INT, at + HASH, hash(block, at + NAME, DirectoryRecords.nameLength(block, at)));
            block.set(JAVA_INT, at + MARK, dots ? 1 : 0);
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
        slots = arena == null
                ? MemorySegment.ofArray(new int[(int) wanted])
                : arena.allocate(wanted * Integer.BYTES, Integer.BYTES);
        for (int b = 0; b < blocks.size(); b++) {
            MemorySegment block = blocks.get(b);
            for (long at = 0; at < block.byteSize(); at += DirectoryRecords.length(block, at)) {
                insert(block, at, (b << OFFSET_BITS | (int) (at >>> 3)) + 1);
            }
        }
    }

    private void insert(MemorySegment block, long at, int newPlace) {
        int hash = block.get(JAVA_INT, at + HASH);
        int length = DirectoryRecords.nameLength(block, at);
        for (long slot = hash & slotMask;; slot = slot + 1 & slotMask) {
            int place = slots.get(JAVA_INT, slot * Integer.BYTES);
            if (place == 0) {
                slots.set(JAVA_INT, slot * Integer.BYTES, newPlace);
                return;
            }
            if (isAt(block(place), offset(place), hash, block, at + NAME, length)) {
                // Some servers list a name twice while the directory changes; the second one is marked as seen.
                block.set(JAVA_INT, at + MARK, 1);
                return;
            }
        }
    }

    private static boolean isAt(MemorySegment block, long at, int hash, MemorySegment name, long nameAt, int length) {
        return block.get(JAVA_INT, at + HASH) == hash && DirectoryRecords.nameLength(block, at) == length
                && MemorySegment.mismatch(block, at + NAME, at + NAME + length, name, nameAt, nameAt + length) == -1;
    }

    private MemorySegment block(int place) {
        return blocks.get(place - 1 >>> OFFSET_BITS);
    }

    private static long offset(int place) {
        return (place - 1 & OFFSET_MASK) * 8L;
    }

    private int hash(MemorySegment name, long from, int length) {
        long hash = seed ^ length;
        int i = 0;
        for (; i + Long.BYTES <= length; i += Long.BYTES) {
            hash = mix(hash ^ name.get(JAVA_LONG_UNALIGNED, from + i));
        }
        long rest = 0;
        for (; i < length; i++) {
            rest = rest << 8 | name.get(JAVA_BYTE, from + i) & 0xFF;
        }
        hash = mix(hash ^ rest);
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
