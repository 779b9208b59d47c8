// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.attributes;

/**
 * One operator of a mode expression with the bits to its right. Immutable.
 *
 * @param operator {@code +}, {@code -} or {@code =}
 * @param classes the bits of the classes to its left; 0 if none is named
 * @param source how the bits are found
 * @param bits the bits of the permissions, for all classes; for {@link Source#CLASS} those of one class
 * @param named the bits that the user named: set-id bits of directories are left alone unless they are among them
 */
record ModeStep(char operator, int classes, Source source, int bits, int named) {

    static final int SET_IDS = 06000;

    private static final int EXECUTE = 0111;

    /** Where the bits of a step come from. */
    enum Source {
        /** The bits as they are. */
        BITS,
        /** The bits, and execute for directories and for files that anyone may execute. */
        BITS_AND_SOME_EXECUTE,
        /** The permissions that one class has at this moment. */
        CLASS
    }

    /** Returns the mode after this step. */
    int apply(int mode, boolean isDirectory, int umask) {
        int kept = isDirectory ? SET_IDS & ~named : 0;
        int limit = (classes == 0 ? ~umask : classes) & ~kept;
        int value = limit & switch (source) {
            case BITS -> bits;
            case BITS_AND_SOME_EXECUTE -> isDirectory || (mode & EXECUTE) != 0 ? bits | EXECUTE : bits;
            case CLASS -> spread(mode & bits);
        };
        return switch (operator) {
            case '+' -> mode | value;
            case '-' -> mode & ~value;
            default -> mode & (classes == 0 ? kept : ~classes | kept) | value;
        };
    }

    // The permissions of one class, given to all three.
    private static int spread(int ofClass) {
        int permissions = (ofClass >> 6 | ofClass >> 3 | ofClass) & 7;
        return permissions * EXECUTE;
    }
}
