// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.compare;

import java.util.Optional;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.Timestamp;
import org.treehaul.core.fs.time.StoredTimes;
import org.treehaul.core.fs.time.TimePrecision;

/** Compares the results of stat for two entries of the same kind. Not safe for several threads. */
final class StatusComparison {

    /** Receives the differences. */
    @FunctionalInterface
    interface Sink {
        void differ(DifferenceKind kind, String a, String b);
    }

    /** Receives notice that times count as equal because one side stores them less precisely than the other. */
    @FunctionalInterface
    interface CoarseListener {
        void coarse(Side side, TimePrecision precision);
    }

    private final CompareOptions options;
    private final CoarseListener coarse;
    // Created when times differ.
    private @Nullable StoredTimes times;

    StatusComparison(CompareOptions options, CoarseListener coarse) {
        this.options = options;
        this.coarse = coarse;
    }

    void compare(EntryPair pair, Sink sink) {
        FileStatus a = pair.a();
        FileStatus b = pair.b();
        EntryKind kind = a.kind();
        if (kind == EntryKind.REGULAR) {
            number(DifferenceKind.SIZE, a.size(), b.size(), sink);
        }
        if (kind == EntryKind.BLOCK || kind == EntryKind.CHARACTER) {
            if (a.specialDevice() != b.specialDevice() && options.compares(DifferenceKind.DEVICE)) {
                sink.differ(DifferenceKind.DEVICE, FileStatus.deviceText(a.specialDevice()),
                        FileStatus.deviceText(b.specialDevice()));
            }
        }
        // The kernel ignores the mode of a symbolic link, and file systems report different ones.
        if (kind != EntryKind.SYMLINK && a.permissions() != b.permissions() && options.compares(DifferenceKind.MODE)) {
            sink.differ(DifferenceKind.MODE, mode(a), mode(b));
        }
        number(DifferenceKind.OWNER, a.uid(), b.uid(), sink);
        number(DifferenceKind.GROUP, a.gid(), b.gid(), sink);
        if (options.compares(DifferenceKind.MTIME)) {
            keptTime(DifferenceKind.MTIME, pair, a.mtime(), b.mtime(), sink);
        }
        if (options.compares(DifferenceKind.ATIME)) {
            keptTime(DifferenceKind.ATIME, pair, a.atime(), b.atime(), sink);
        }
        if (options.compares(DifferenceKind.CTIME)) {
            time(DifferenceKind.CTIME, a.ctime(), b.ctime(), sink);
        }
        if (options.compares(DifferenceKind.BTIME)) {
            birthTime(a.btime(), b.btime(), sink);
        }
    }

    private void number(DifferenceKind kind, long a, long b, Sink sink) {
        if (a != b && options.compares(kind)) {
            sink.differ(kind, Long.toString(a), Long.toString(b));
        }
    }

    // For times that a copy sets: compares them to the precision of the coarser file system.
    private void keptTime(DifferenceKind kind, EntryPair pair, Timestamp a, Timestamp b, Sink sink) {
        if (isWithinWindow(a, b)) {
            return;
        }
        TimePrecision ofA = precision(pair, Side.A);
        TimePrecision both = ofA.or(precision(pair, Side.B));
        if (isWithinWindow(both.cut(a), both.cut(b))) {
            coarse.coarse(ofA.equals(both) ? Side.A : Side.B, both);
        } else {
            sink.differ(kind, a.toString(), b.toString());
        }
    }

    private TimePrecision precision(EntryPair pair, Side side) {
        if (times == null) {
            times = new StoredTimes(pair.found().access());
        }
        return times.precision(pair.status(side), pair.directory(side), pair.name(side));
    }

    private void time(DifferenceKind kind, Timestamp a, Timestamp b, Sink sink) {
        if (!isWithinWindow(a, b)) {
            sink.differ(kind, a.toString(), b.toString());
        }
    }

    private void birthTime(Optional<Timestamp> a, Optional<Timestamp> b, Sink sink) {
        if (a.isPresent() && b.isPresent()) {
            time(DifferenceKind.BTIME, a.get(), b.get(), sink);
        } else if (a.isPresent() != b.isPresent()) {
            sink.differ(DifferenceKind.BTIME, a.map(Timestamp::toString).orElse("none"),
                    b.map(Timestamp::toString).orElse("none"));
        }
    }

    private boolean isWithinWindow(Timestamp a, Timestamp b) {
        boolean inOrder = a.compareTo(b) <= 0;
        Timestamp early = inOrder ? a : b;
        Timestamp late = inOrder ? b : a;
        long seconds = late.seconds() - early.seconds();
        if (seconds < 0) {
            // The difference is more than 2^63 seconds and does not fit.
            return false;
        }
        int nanos = late.nanos() - early.nanos();
        if (nanos < 0) {
            seconds--;
            nanos += 1_000_000_000;
        }
        long window = options.modifyWindow().toSeconds();
        return seconds < window || seconds == window && nanos <= options.modifyWindow().toNanosPart();
    }

    private static String mode(FileStatus status) {
        return String.format("%04o", status.permissions());
    }
}
