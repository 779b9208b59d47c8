// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies.collective;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * The bytes of a file that one rank reads or writes: ranges of equal length at equal distances, in several dimensions.
 * In memory they lie one after another, in the order of the file. All lengths and offsets are in bytes. Immutable.
 */
public final class FileView {

    private static final int MOST_DIMENSIONS = 32;

    private final long offset;
    // The length of a range without gaps.
    private final long run;
    // Outermost dimension first.
    private final long[] counts;
    private final long[] strides;
    // For each dimension, and for the run: the bytes of one element, and the distance from its first to its last byte.
    private final long[] sizes;
    private final long[] spans;

    /** Takes each range of a file that belongs to a view. */
    interface Ranges {
        /**
         * Takes a range.
         *
         * @param from its offset in the file
         * @param memory the number of bytes of the view that precede it
         */
        void range(long from, long length, long memory);
    }

    private FileView(long offset, long run, long[] counts, long[] strides) {
        if (offset < 0 || run < 0 || counts.length != strides.length || counts.length > MOST_DIMENSIONS) {
            throw new IllegalArgumentException("offset " + offset + ", ranges of " + run + " bytes, " + counts.length
                    + " dimensions with " + strides.length + " distances; at most " + MOST_DIMENSIONS);
        }
        this.offset = offset;
        this.run = run;
        this.counts = counts;
        this.strides = new long[strides.length];
        Arrays.setAll(this.strides, i -> counts[i] > 1 ? strides[i] : 0);
        this.sizes = new long[counts.length + 1];
        this.spans = new long[counts.length + 1];
        sizes[counts.length] = run;
        spans[counts.length] = run;
        for (int i = counts.length - 1; i >= 0; i--) {
            if (counts[i] < 0 || counts[i] > 1 && strides[i] < spans[i + 1]) {
                throw new IllegalArgumentException(
                        counts[i] + " parts of " + spans[i + 1] + " bytes at a distance of " + strides[i] + " overlap");
            }
            boolean isEmpty = counts[i] == 0 || sizes[i + 1] == 0;
            sizes[i] = Math.multiplyExact(counts[i], sizes[i + 1]);
            spans[i] = isEmpty ? 0 : Math.addExact(Math.multiplyExact(counts[i] - 1, strides[i]), spans[i + 1]);
        }
        Math.addExact(offset, spans[0]);
    }

    /** Returns a view without bytes, for a rank that only helps the others. */
    public static FileView none() {
        return contiguous(0, 0);
    }

    /** Returns one range. */
    public static FileView contiguous(long offset, long length) {
        return new FileView(offset, length, new long[0], new long[0]);
    }

    /**
     * Returns ranges of equal length at equal distances (MPI_Type_vector).
     *
     * @param offset the beginning of the first
     * @param count their number
     * @param length the length of each
     * @param stride the distance from the beginning of one to that of the next, not less than the length
     * @throws IllegalArgumentException if they overlap, or a number is negative
     */
    public static FileView vector(long offset, long count, long length, long stride) {
        return new FileView(offset, length, new long[]{count}, new long[]{stride});
    }

    /**
     * Returns a part of an array whose last dimension is contiguous, as in C (MPI_Type_create_subarray).
     *
     * @param offset the beginning of the array in the file
     * @param elementBytes the size of an element
     * @param whole the extent of the array in each dimension, in elements; at most 32
     * @param part the extent of the part in each dimension
     * @param start the first element of the part in each dimension
     * @throws IllegalArgumentException if the part is not inside the array
     */
    public static FileView subarray(long offset, int elementBytes, long[] whole, long[] part, long[] start) {
        int dimensions = whole.length;
        if (dimensions == 0 || part.length != dimensions || start.length != dimensions || elementBytes < 1) {
            throw new IllegalArgumentException("extents " + Arrays.toString(whole) + ", part " + Arrays.toString(part)
                    + ", start " + Arrays.toString(start) + ", elements of " + elementBytes + " bytes");
        }
        long[] counts = new long[dimensions - 1];
        long[] strides = new long[dimensions - 1];
        long stride = elementBytes;
        long first = offset;
        for (int i = dimensions - 1; i >= 0; i--) {
            if (part[i] < 0 || start[i] < 0 || part[i] > whole[i] - start[i]) {
                throw new IllegalArgumentException(
                        part[i] + " elements from " + start[i] + " in dimension " + i + ", which has " + whole[i]);
            }
            if (i < dimensions - 1) {
                counts[i] = part[i];
                strides[i] = stride;
            }
            first = Math.addExact(first, Math.multiplyExact(start[i], stride));
            stride = Math.multiplyExact(stride, whole[i]);
        }
        return new FileView(first, Math.multiplyExact(part[dimensions - 1], elementBytes), counts, strides);
    }

    /** Returns the number of bytes. */
    public long bytes() {
        return sizes[0];
    }

    /** Returns the offset of the first byte; of a view without bytes, any. */
    public long begin() {
        return offset;
    }

    /** Returns the offset behind the last byte. */
    public long end() {
        return offset + spans[0];
    }

    /** Returns the number of bytes of the view before an offset of the file. */
    long before(long position) {
        long rest = position - offset;
        long bytes = 0;
        for (int i = 0; i < counts.length; i++) {
            if (rest <= 0 || counts[i] == 0) {
                return bytes;
            }
            long index = strides[i] == 0 ? 0 : Math.min(counts[i] - 1, rest / strides[i]);
            bytes += index * sizes[i + 1];
            rest -= index * strides[i];
        }
        return bytes + Math.clamp(rest, 0, run);
    }

    /** Returns the offset in the file of a byte of the view; of the one behind the last, the end. */
    long position(long memory) {
        if (memory >= bytes()) {
            return end();
        }
        long position = offset;
        long rest = memory;
        for (int i = 0; i < counts.length; i++) {
            position += rest / sizes[i + 1] * strides[i];
            rest %= sizes[i + 1];
        }
        return position + rest;
    }

    /** Passes on the ranges of some bytes of the view, in the order of the file. */
    void ranges(long fromMemory, long toMemory, Ranges ranges) {
        long memory = fromMemory;
        while (memory < toMemory) {
            long length = Math.min(run - memory % run, toMemory - memory);
            ranges.range(position(memory), length, memory);
            memory += length;
        }
    }

    /** Returns the size of the encoded view. */
    int encodedBytes() {
        return Integer.BYTES + (2 + 2 * counts.length) * Long.BYTES;
    }

    void encode(ByteBuffer into) {
        into.putInt(counts.length).putLong(offset).putLong(run);
        for (int i = 0; i < counts.length; i++) {
            into.putLong(counts[i]).putLong(strides[i]);
        }
    }

    static FileView decode(ByteBuffer from) {
        int dimensions = from.getInt();
        long offset = from.getLong();
        long run = from.getLong();
        if (dimensions < 0 || dimensions > MOST_DIMENSIONS) {
            throw new IllegalArgumentException(dimensions + " dimensions");
        }
        long[] counts = new long[dimensions];
        long[] strides = new long[dimensions];
        for (int i = 0; i < dimensions; i++) {
            counts[i] = from.getLong();
            strides[i] = from.getLong();
        }
        return new FileView(offset, run, counts, strides);
    }

    @Override
    public String toString() {
        return bytes() + " bytes from " + offset + " to " + end() + " in ranges of " + run;
    }
}
