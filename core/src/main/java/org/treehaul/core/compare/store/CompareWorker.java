// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.compare.store;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.compare.CompareOptions;
import org.treehaul.core.compare.Difference;
import org.treehaul.core.compare.DifferenceKind;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.Timestamp;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.storage.SourceFile;
import org.treehaul.core.storage.SourceTree;

/** One thread of a comparison: takes directory after directory and compares the entries of each. */
final class CompareWorker {

    private static final int PIECE = 256 * 1024;
    private static final int PAGE = 4096;
    private static final long EQUAL = -1;

    private final StoreComparison run;
    private final CompareOptions options;
    private final int index;
    private final SourceTree a;
    private final SourceTree b;
    private final MemorySegment bufferA;
    private final MemorySegment bufferB;

    CompareWorker(StoreComparison run, int index, SourceTree a, SourceTree b, Arena arena) {
        this.run = run;
        this.options = run.options();
        this.index = index;
        this.a = a;
        this.b = b;
        this.bufferA = arena.allocate(PIECE, PAGE);
        this.bufferB = arena.allocate(PIECE, PAGE);
    }

    void loop() throws InterruptedException {
        ComparedDirectory next = run.frontier().take(index);
        while (next != null) {
            if (next.path().isRoot()) {
                compare(next.path());
            } else {
                content(next.path());
            }
            run.frontier().done();
            if (run.isStopped()) {
                run.stop();
            }
            next = run.frontier().take(index);
        }
    }

    // Compares what is in a directory of both trees.
    private void content(TreePath directory) {
        Map<ByteString, EntryKind> inA = list(true, directory);
        Map<ByteString, EntryKind> inB = list(false, directory);
        if (inA == null || inB == null) {
            return;
        }
        inA.forEach((name, kind) -> {
            if (run.isStopped()) {
                return;
            }
            TreePath path = directory.child(name.toBytes());
            if (inB.remove(name) != null) {
                compare(path);
            } else {
                run.progress().entryDone();
                run.differs(Difference.of(DifferenceKind.ONLY_IN_A, path, kind.label(), ""));
            }
        });
        if (!run.isStopped()) {
            inB.forEach((name, kind) -> run.differs(
                    Difference.of(DifferenceKind.ONLY_IN_B, directory.child(name.toBytes()), "", kind.label())));
        }
        run.progress().directoryDone();
    }

    private @Nullable Map<ByteString, EntryKind> list(boolean isA, TreePath directory) {
        Map<ByteString, EntryKind> names = new HashMap<>();
        try {
            (isA ? a : b).list(directory, (name, kind) -> {
                if (!options.filter().excludes(directory.child(name), kind == EntryKind.DIRECTORY)) {
                    names.put(ByteString.of(name), kind);
                }
                return !run.isStopped();
            });
            return names;
        } catch (SystemCallException e) {
            run.failed(isA, directory, e);
            return null;
        }
    }

    private @Nullable FileStatus status(boolean isA, TreePath path) {
        try {
            return (isA ? a : b).status(path);
        } catch (SystemCallException e) {
            run.failed(isA, path, e);
            return null;
        }
    }

    private void compare(TreePath path) {
        FileStatus statusA = status(true, path);
        FileStatus statusB = status(false, path);
        if (statusA == null || statusB == null) {
            return;
        }
        run.progress().entryDone();
        if (statusA.kind() != statusB.kind()) {
            run.differs(Difference.of(DifferenceKind.KIND, path, statusA.kind().label(), statusB.kind().label()));
            return;
        }
        // A directory without links is known only by its entries, and has no other status.
        if (statusA.linkCount() > 0 && statusB.linkCount() > 0) {
            statuses(path, statusA, statusB);
        }
        switch (statusA.kind()) {
            case DIRECTORY -> {
                if (path.isRoot()) {
                    content(path);
                } else {
                    run.frontier().push(index, new ComparedDirectory(path));
                }
            }
            case SYMLINK -> targets(path);
            case REGULAR -> data(path, statusA, statusB);
            default -> {
                // There is nothing else to compare.
            }
        }
    }

    private void statuses(TreePath path, FileStatus first, FileStatus second) {
        if (first.kind() == EntryKind.REGULAR) {
            number(DifferenceKind.SIZE, path, first.size(), second.size());
        }
        if (first.kind() != EntryKind.SYMLINK && first.permissions() != second.permissions()) {
            run.differs(Difference.of(DifferenceKind.MODE, path, String.format("%04o", first.permissions()),
                    String.format("%04o", second.permissions())));
        }
        number(DifferenceKind.OWNER, path, first.uid(), second.uid());
        number(DifferenceKind.GROUP, path, first.gid(), second.gid());
        if (!isWithinWindow(first.mtime(), second.mtime())) {
            run.differs(Difference.of(DifferenceKind.MTIME, path, first.mtime().toString(), second.mtime().toString()));
        }
    }

    private void number(DifferenceKind kind, TreePath path, long first, long second) {
        if (first != second) {
            run.differs(Difference.of(kind, path, Long.toString(first), Long.toString(second)));
        }
    }

    private boolean isWithinWindow(Timestamp first, Timestamp second) {
        try {
            Duration apart = Duration.ofSeconds(Math.subtractExact(first.seconds(), second.seconds()),
                    first.nanos() - (long) second.nanos());
            return apart.abs().compareTo(options.modifyWindow()) <= 0;
        } catch (ArithmeticException e) {
            // More than 2^63 seconds.
            return false;
        }
    }

    private void targets(TreePath path) {
        boolean isA = true;
        try {
            ByteString first = a.linkTarget(path);
            isA = false;
            ByteString second = b.linkTarget(path);
            if (!first.equals(second)) {
                run.differs(Difference.of(DifferenceKind.LINK_TARGET, path, first.toString(), second.toString()));
            }
        } catch (SystemCallException e) {
            run.failed(isA, path, e);
        }
    }

    private void data(TreePath path, FileStatus statusA, FileStatus statusB) {
        boolean isReported = statusA.size() != statusB.size() && options.compares(DifferenceKind.SIZE);
        if (!isReported && options.compares(DifferenceKind.CONTENT)) {
            boolean[] isA = {true};
            try (SourceFile first = a.open(path)) {
                isA[0] = false;
                try (SourceFile second = b.open(path)) {
                    long offset = difference(first, second, isA);
                    if (offset != EQUAL) {
                        run.differs(Difference.ofContent(path, offset));
                    }
                }
            } catch (SystemCallException e) {
                run.failed(isA[0], path, e);
            }
        }
        run.progress().fileDone();
    }

    // Returns the offset of the first byte that differs; a file that ends first differs at its end.
    private long difference(SourceFile first, SourceFile second, boolean[] isA) throws SystemCallException {
        long offset = 0;
        while (!run.isStopped()) {
            isA[0] = true;
            long countA = first.readFully(bufferA, offset);
            isA[0] = false;
            long countB = second.readFully(bufferB, offset);
            long at = bufferA.asSlice(0, countA).mismatch(bufferB.asSlice(0, countB));
            if (at >= 0) {
                return offset + at;
            }
            run.progress().bytesDone(countA);
            if (countA < PIECE) {
                return EQUAL;
            }
            offset += countA;
        }
        return EQUAL;
    }
}
