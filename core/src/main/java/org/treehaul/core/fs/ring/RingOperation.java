// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.fs.ring;

/** The operations that TreeHaul submits, with their numbers in linux/io_uring.h. */
public enum RingOperation {
    NOP(0),
    FSYNC(3),
    OPENAT(18),
    CLOSE(19),
    STATX(21),
    READ(22),
    WRITE(23),
    UNLINKAT(36);

    private final int number;

    RingOperation(int number) {
        this.number = number;
    }

    /** Returns the number of the kernel. */
    public int number() {
        return number;
    }
}
