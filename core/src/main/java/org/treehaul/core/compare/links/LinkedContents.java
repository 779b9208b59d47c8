// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.compare.links;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.annotation.Internal;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.TreePath;

/**
 * The results for the data of files that have several names in both trees, so that the data are read once and not for
 * each name. A result is forgotten after the last name of the file. Safe for any number of threads.
 *
 * @param <F> a failure to read the data
 */
@Internal
public final class LinkedContents<F> {

    /** Receives the result of paths that waited for it. */
    public interface Receiver<F> {
        /** Receives the offset that the comparison of another name of the files found. */
        void compared(TreePath path, long offset);

        /** Receives the failure of the comparison of another name of the files. */
        void failed(TreePath path, F failure);
    }

    /** No other name of the files was compared before. */
    public static final long UNKNOWN = -2;
    /** The path needs nothing more. */
    public static final long REPORTED = -3;

    /** A file of the first tree and a file of the second tree. */
    private record Pair(long deviceA, long inodeA, long deviceB, long inodeB) {
        static Pair of(FileStatus a, FileStatus b) {
            return new Pair(a.device(), a.inode(), b.device(), b.inode());
        }
    }

    /** The result for the data of a pair, which the thread that claimed the pair will know. */
    private static final class Result<F> {
        private final long names;
        private final List<TreePath> waiting = new ArrayList<>(1);
        private long seen = 1;
        private boolean isKnown;
        private long offset;
        private @Nullable F failure;

        Result(long names) {
            this.names = names;
        }
    }

    private final Receiver<F> receiver;
    private final Map<Pair, Result<F>> results = new HashMap<>();

    /** Creates the results of a comparison. */
    public LinkedContents(Receiver<F> receiver) {
        this.receiver = receiver;
    }

    private static boolean isLinked(FileStatus a, FileStatus b) {
        return a.linkCount() > 1 && b.linkCount() > 1;
    }

    /**
     * Returns the result for the data of two files if another name of them was compared before, else {@link #UNKNOWN}:
     * the caller must compare the data and then call {@link #compared} or {@link #failed}. Returns {@link #REPORTED} if
     * the thread that compares them will report this path too, or a failure was reported for it.
     */
    public long result(FileStatus a, FileStatus b, TreePath path) {
        if (!isLinked(a, b)) {
            return UNKNOWN;
        }
        Result<F> result;
        synchronized (results) {
            Pair pair = Pair.of(a, b);
            result = results.get(pair);
            if (result == null) {
                results.put(pair, new Result<>(Math.min(a.linkCount(), b.linkCount())));
                return UNKNOWN;
            }
            result.seen++;
            if (!result.isKnown) {
                result.waiting.add(path);
                return REPORTED;
            }
            if (result.seen >= result.names) {
                results.remove(pair);
            }
        }
        if (result.failure == null) {
            return result.offset;
        }
        receiver.failed(path, result.failure);
        return REPORTED;
    }

    /**
     * Records the result for the data of two files and reports it for the names that wait for it.
     *
     * @param offset the offset of the first byte that differs, or -1 if the data are equal
     */
    public void compared(FileStatus a, FileStatus b, long offset) {
        settle(a, b, offset, null);
    }

    /** Records a failure and reports it for the names that wait for the result. */
    public void failed(FileStatus a, FileStatus b, F failure) {
        settle(a, b, UNKNOWN, failure);
    }

    private void settle(FileStatus a, FileStatus b, long offset, @Nullable F failure) {
        if (!isLinked(a, b)) {
            return;
        }
        Result<F> result;
        List<TreePath> waiting;
        synchronized (results) {
            Pair pair = Pair.of(a, b);
            result = results.get(pair);
            if (result == null) {
                return;
            }
            result.isKnown = true;
            result.offset = offset;
            result.failure = failure;
            waiting = List.copyOf(result.waiting);
            result.waiting.clear();
            if (result.seen >= result.names) {
                results.remove(pair);
            }
        }
        waiting.forEach(path -> report(result, path));
    }

    private void report(Result<F> result, TreePath path) {
        if (result.failure != null) {
            receiver.failed(path, result.failure);
        } else {
            receiver.compared(path, result.offset);
        }
    }
}
