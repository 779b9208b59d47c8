// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.compare;

import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.Timestamp;

/**
 * How fine the times are that a file system keeps, as one of its files shows. The evidence is the ctime, which only the
 * file system sets: where it, and the other times beside it, are multiples of a unit, the file system keeps no finer
 * ones. By chance a file with times in nanoseconds shows that of whole seconds once in 10^9.
 */
final class Granularity {

    // Whole seconds (ext3, MooseFS, SFTP), 10 ms (exFAT), microseconds (UDF), 100 ns (SMB, NTFS).
    private static final int[] UNITS = {1_000_000_000, 10_000_000, 1_000, 100};

    private Granularity() {}

    /** Returns the unit of a file's times in nanoseconds. */
    static int of(FileStatus file) {
        for (int unit : UNITS) {
            if (file.ctimeNanos() % unit == 0 && file.mtimeNanos() % unit == 0 && file.atimeNanos() % unit == 0) {
                return unit;
            }
        }
        return 1;
    }

    /** Returns a time without what is less than a unit. */
    static Timestamp cut(Timestamp time, int unit) {
        return new Timestamp(time.seconds(), time.nanos() / unit * unit);
    }

    /** Returns a unit as text. */
    static String text(int unit) {
        return switch (unit) {
            case 1_000_000_000 -> "whole seconds";
            case 10_000_000 -> "10 ms";
            case 1_000 -> "microseconds";
            default -> unit + " ns";
        };
    }
}
