// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.compare;

import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.Timestamp;

/**
 * Determines the precision of a file system's times from one of its files. The evidence is the ctime, which only the
 * file system sets: if ctime, mtime and atime are all multiples of a unit, the file system stores no finer times. The
 * ctime of a file with times in nanoseconds looks like whole seconds by chance once in 10^9.
 */
final class Granularity {

    // The units: whole seconds (ext3, MooseFS, SFTP), 10 ms (exFAT), microseconds (UDF), 100 ns (SMB, NTFS).
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

    /** Returns a time rounded down to a unit. */
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
