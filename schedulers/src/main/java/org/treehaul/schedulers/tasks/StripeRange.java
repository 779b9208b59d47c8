// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.tasks;

/**
 * Blocks of a file at equal distances: {@code block} bytes at {@code offset}, {@code offset + stride}, {@code offset +
 * 2 * stride} and so on, before {@code end}, where the last block may be cut. A contiguous range is one block.
 * Immutable.
 *
 * @param offset first byte of the first block in the file
 * @param end the offset behind the last byte that the range may contain, more than {@code offset}
 * @param block bytes of a block, at least 1
 * @param stride bytes from the beginning of a block to that of the next, at least {@code block}
 */
public record StripeRange(long offset, long end, long block, long stride) {

    /**
     * Creates a range.
     *
     * @throws IllegalArgumentException if a number is out of its range
     */
    public StripeRange {
        if (offset < 0 || end <= offset || block < 1 || stride < block) {
            throw new IllegalArgumentException("no range of a file: blocks of " + block + " bytes at each " + stride
                    + " from " + offset + " to " + end);
        }
    }

    /**
     * Creates a range of one block.
     *
     * @param length bytes of the block, at least 1
     */
    public static StripeRange of(long offset, long length) {
        return new StripeRange(offset, Math.addExact(offset, length), length, length);
    }

    /** Returns the number of bytes in all blocks. */
    public long length() {
        long strides = (end - offset) / stride;
        return strides * block + Math.min((end - offset) % stride, block);
    }

    /**
     * Returns the offset in the file of a byte of the range.
     *
     * @param position the number of the byte, from 0 to before {@link #length}
     */
    long fileOffset(long position) {
        return offset + position / block * stride + position % block;
    }

    /** Returns how many bytes from a position on, at least 1, are contiguous in the file. */
    long contiguous(long position) {
        long here = Math.min(block - position % block, end - fileOffset(position));
        return block == stride ? end - fileOffset(position) : here;
    }
}
