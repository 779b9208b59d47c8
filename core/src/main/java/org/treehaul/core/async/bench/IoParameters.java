// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.async.bench;

/**
 * The parameters of a measurement, by the names of the paper.
 *
 * @param clients nc, the clients, each with asynchronous files of its own
 * @param threads nt, the threads of each client
 * @param writes whether files are written, not read
 * @param files nf, the files of each thread
 * @param blocks nb, the blocks of each file
 * @param blockBytes sb, the bytes of a block
 * @param depth the blocks that a thread reads or writes at the same time, if it does so asynchronously
 * @param isDirect whether data bypass the page cache
 * @param isCold whether the page cache forgets the files before they are read
 * @param syncs whether each file is written to the disk before it is closed
 */
public record IoParameters(int clients, int threads, boolean writes, int files, int blocks, int blockBytes, int depth,
        boolean isDirect, boolean isCold, boolean syncs) {

    /** Checks that all numbers are positive. */
    public IoParameters {
        if (clients < 1 || threads < 1 || files < 1 || blocks < 1 || blockBytes < 1 || depth < 1) {
            throw new IllegalArgumentException("each number must be 1 or more");
        }
    }

    /**
     * Returns nc * nt * nf * nb * sb, the bytes of a run. Throws {@link ArithmeticException} if they exceed 64 bits.
     */
    public long bytes() {
        return Math.multiplyExact((long) clients * threads * files, Math.multiplyExact((long) blocks, blockBytes));
    }

    /** Returns the bytes of all buffers. */
    public long bufferBytes() {
        return (long) clients * threads * blockBytes * depth;
    }

    /** Returns the same with another depth. */
    IoParameters withDepth(int other) {
        return new IoParameters(clients, threads, writes, files, blocks, blockBytes, other, isDirect, isCold, syncs);
    }
}
