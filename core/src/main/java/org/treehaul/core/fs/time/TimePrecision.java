// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.fs.time;

import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.Timestamp;

/**
 * The precision to which a file system stores the times of modification. Finer times are rounded down.
 *
 * @param unit in nanoseconds, at most two seconds
 */
public record TimePrecision(int unit) {

    /** FAT stores mtimes in units of two seconds. */
    static final TimePrecision TWO_SECONDS = new TimePrecision(2_000_000_000);

    private static final TimePrecision FINEST = new TimePrecision(1);

    private static final int SECOND = 1_000_000_000;

    // The units that a single file shows: whole seconds (ext3, MooseFS, SFTP), 10 ms (exFAT), microseconds (UDF), 100 ns
    // (SMB, NTFS).
    private static final TimePrecision[] COARSE = {new TimePrecision(SECOND), new TimePrecision(10_000_000),
            new TimePrecision(1_000), new TimePrecision(100)};

    /**
     * Returns the precision that a file shows. The evidence is the ctime, which only the file system sets: if ctime,
     * mtime and atime are all multiples of a unit, the file system stores no finer times. The ctime of a file with
     * times in nanoseconds looks like whole seconds by chance once in 10^9. Two seconds are not recognised, because a
     * whole second is even by chance every other time.
     */
    static TimePrecision of(FileStatus file) {
        for (TimePrecision one : COARSE) {
            int unit = one.unit;
            if (file.ctimeNanos() % unit == 0 && file.mtimeNanos() % unit == 0 && file.atimeNanos() % unit == 0) {
                return one;
            }
        }
        return FINEST;
    }

    /** Returns the coarser one of two precisions. */
    public TimePrecision or(TimePrecision other) {
        return unit >= other.unit ? this : other;
    }

    /** Returns a time as the file system stores it. */
    public Timestamp cut(Timestamp time) {
        return unit > SECOND
                ? new Timestamp(Math.floorDiv(time.seconds(), unit / SECOND) * (unit / SECOND), 0)
                : new Timestamp(time.seconds(), time.nanos() / unit * unit);
    }

    /** Returns the unit as text. */
    @Override
    public String toString() {
        return switch (unit) {
            case 2_000_000_000 -> "two seconds";
            case SECOND -> "whole seconds";
            case 10_000_000 -> "10 ms";
            case 1_000 -> "microseconds";
            default -> unit + " ns";
        };
    }
}
