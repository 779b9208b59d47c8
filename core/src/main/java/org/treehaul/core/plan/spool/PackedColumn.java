// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.plan.spool;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * A row of numbers outside of the Java heap, one for each planned item. Neighbours are packed together: each number
 * takes only as many bytes as the largest of its block needs above the smallest, which may be none. Sizes of small
 * files, counts that are mostly equal, and numbers that grow slowly take a few bytes instead of eight.
 *
 * <p>
 * A number that does not fit into its block is packed anew with all its neighbours; numbers that are set in order thus
 * cost this a few times in each block. Used by one thread.
 */
public final class PackedColumn {

    // Enough that a block costs nothing for each item; few enough that one large file widens only its neighbourhood.
    private static final int SHIFT = 12;
    private static final int BLOCK = 1 << SHIFT;
    private static final int MASK = BLOCK - 1;

    // The numbers of the last block are not packed before it is full; a small plan needs little memory.
    private static final int FIRST_LAST = 64;

    // Blocks are cut from larger pieces, because an arena keeps a record of each piece.
    private static final int PIECE_BYTES = 64 * BLOCK;

    private final Arena arena;
    private Block[] blocks = new Block[FIRST_LAST];
    private int packed;
    // Memory of blocks that were packed anew, by their bytes for each number.
    private final List<ArrayDeque<ByteBuffer>> free = Stream.generate(ArrayDeque<ByteBuffer>::new)
            .limit(Long.BYTES + 1L)
            .toList();
    // Both are made when a block is packed first, or anew.
    private byte[] packing = {};
    private long[] scratch = {};
    private long[] last = new long[FIRST_LAST];
    private long count;
    private MemorySegment piece = MemorySegment.NULL;
    private long pieceUsed;
    private long allocated;

    /**
     * Packed numbers.
     *
     * @param least the smallest of them
     * @param width the bytes for each
     * @param mask the largest difference to the smallest, unsigned; has one bits in these bytes
     * @param bytes the differences, least significant byte first. A buffer, because the first compiler makes several
     *        calls of each read from a memory segment. Each number is read and written as a long, so there is room for
     *        one after the last number.
     */
    private record Block(long least, int width, long mask, ByteBuffer bytes) {

        long get(int index) {
            return mask == 0 ? least : least + (bytes.getLong(index * width) & mask);
        }

        boolean fits(long value) {
            return Long.compareUnsigned(value - least, mask) <= 0;
        }

        void set(int index, long value) {
            int at = index * width;
            bytes.putLong(at, bytes.getLong(at) & ~mask | value - least);
        }

        void setAll(int from, int to, long value) {
            for (int index = from; index < to && width > 0; index++) {
                set(index, value);
            }
        }
    }

    /**
     * Creates an empty row.
     *
     * @param arena its memory
     */
    public PackedColumn(Arena arena) {
        this.arena = arena;
    }

    /** Returns the number of numbers. */
    public long count() {
        return count;
    }

    /** Returns the bytes of memory that the row has taken outside of the Java heap. */
    public long allocatedBytes() {
        return allocated;
    }

    /** Adds a number at the end. */
    public void add(long value) {
        int index = (int) count & MASK;
        if (index == 0 && count > 0) {
            if (packed == blocks.length) {
                blocks = Arrays.copyOf(blocks, packed * 2);
            }
            blocks[packed++] = pack(last);
        }
        if (index == last.length) {
            last = Arrays.copyOf(last, last.length * 2);
        }
        last[index] = value;
        count++;
    }

    /** Adds a number at the end until there are as many numbers. */
    public void extend(long value, long numbers) {
        while (count < numbers) {
            add(value);
        }
    }

    /** Returns a number. */
    public long get(long index) {
        Objects.checkIndex(index, count);
        int block = (int) (index >>> SHIFT);
        int within = (int) index & MASK;
        return block == packed ? last[within] : blocks[block].get(within);
    }

    /** Changes a number. */
    public void set(long index, long value) {
        Objects.checkIndex(index, count);
        int number = (int) (index >>> SHIFT);
        int within = (int) index & MASK;
        if (number == packed) {
            last[within] = value;
            return;
        }
        Block block = blocks[number];
        if (block.fits(value)) {
            block.set(within, value);
        } else {
            repack(number, within, within + 1, value);
        }
    }

    /**
     * Changes neighbouring numbers to the same value.
     *
     * @param from the first of them
     * @param to the one after the last
     */
    public void setAll(long from, long to, long value) {
        Objects.checkFromToIndex(from, to, count);
        for (long index = from; index < to;) {
            int number = (int) (index >>> SHIFT);
            int within = (int) index & MASK;
            int end = (int) Math.min(BLOCK, within + to - index);
            if (number == packed) {
                Arrays.fill(last, within, end, value);
            } else if (end - within == BLOCK) {
                free.get(blocks[number].width).push(blocks[number].bytes);
                blocks[number] = new Block(value, 0, 0, memory(0));
            } else if (blocks[number].fits(value)) {
                blocks[number].setAll(within, end, value);
            } else {
                repack(number, within, end, value);
            }
            index += end - within;
        }
    }

    /** Returns an index up to which all numbers from this one on are equal; the next may be equal, too. */
    public long endOfEqual(long index) {
        Objects.checkIndex(index, count);
        int number = (int) (index >>> SHIFT);
        return number < packed && blocks[number].mask == 0 ? (number + 1L) << SHIFT : index + 1;
    }

    // Packs a block anew in which some neighbours have another value.
    private void repack(int number, int from, int to, long value) {
        Block block = blocks[number];
        scratch = scratch.length == 0 ? new long[BLOCK] : scratch;
        for (int i = 0; i < BLOCK; i++) {
            scratch[i] = block.get(i);
        }
        Arrays.fill(scratch, from, to, value);
        free.get(block.width).push(block.bytes);
        blocks[number] = pack(scratch);
    }

    private Block pack(long[] values) {
        long least = values[0];
        long most = values[0];
        for (long value : values) {
            least = Math.min(least, value);
            most = Math.max(most, value);
        }
        int width = (Long.SIZE - Long.numberOfLeadingZeros(most - least) + Byte.SIZE - 1) / Byte.SIZE;
        long mask = width == 0 ? 0 : -1L >>> Long.SIZE - width * Byte.SIZE;
        Block block = new Block(least, width, mask, memory(width));
        // In an array, because single writes outside of the heap are slow until the second compiler has seen them.
        packing = packing.length == 0 ? new byte[BLOCK * Long.BYTES] : packing;
        int at = 0;
        for (int i = 0; i < BLOCK && width > 0; i++) {
            long rest = values[i] - least;
            for (int end = at + width; at < end; at++) {
                packing[at] = (byte) rest;
                rest >>>= Byte.SIZE;
            }
        }
        block.bytes.put(0, packing, 0, at);
        return block;
    }

    private ByteBuffer memory(int width) {
        ByteBuffer known = free.get(width).poll();
        if (known != null) {
            return known;
        }
        long bytes = (long) width * BLOCK + Long.BYTES;
        if (piece.byteSize() - pieceUsed < bytes) {
            // A plan of some thousand items needs no whole piece.
            long size = allocated == 0 ? bytes : Math.max(bytes, PIECE_BYTES);
            piece = arena.allocate(size);
            pieceUsed = 0;
            allocated += size;
        }
        ByteBuffer memory = piece.asSlice(pieceUsed, bytes).asByteBuffer().order(ByteOrder.LITTLE_ENDIAN);
        pieceUsed += bytes;
        return memory;
    }
}
