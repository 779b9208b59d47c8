// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.walk;

import java.util.Arrays;

import org.jspecify.annotations.Nullable;

/**
 * What waits in the frontier of a walk.
 *
 * @param <D> what the handler attaches to each directory
 */
abstract sealed class Work<D> implements Frontier.Work<Work<D>> {

    /** Does the work, on the thread of the worker. */
    abstract void run(WalkWorker<D> worker);

    @Override
    public int units() {
        return 1;
    }

    @Override
    public Work<D> takeOne() {
        return this;
    }

    @Override
    public Work<D> takeHalf() {
        throw new IllegalStateException("not divisible");
    }

    /** A root that has not been looked at yet. */
    static final class RootWork<D> extends Work<D> {
        private final int index;

        RootWork(int index) {
            this.index = index;
        }

        @Override
        void run(WalkWorker<D> worker) {
            worker.walkRoot(index);
        }
    }

    /** A directory to open and list. */
    static final class Listing<D> extends Work<D> {
        private final WalkDirectory<D> directory;

        Listing(WalkDirectory<D> directory) {
            this.directory = directory;
        }

        @Override
        void run(WalkWorker<D> worker) {
            worker.walkDirectory(directory);
        }
    }

    /** Something that the handler split off from an entry, a chunk of a large file for one. */
    static final class Forked<D> extends Work<D> {
        private final @Nullable WalkDirectory<D> directory;
        private final ForkedTask<D> task;

        Forked(@Nullable WalkDirectory<D> directory, ForkedTask<D> task) {
            this.directory = directory;
            this.task = task;
        }

        @Override
        void run(WalkWorker<D> worker) {
            worker.runForked(directory, task);
        }
    }

    /** The second half of a part of a listing, given away by a worker that saw others idle. Raw getdents64 records. */
    static final class Slice<D> extends Work<D> {
        private final WalkDirectory<D> directory;
        private final byte[] records;

        Slice(WalkDirectory<D> directory, byte[] records) {
            this.directory = directory;
            this.records = records;
        }

        @Override
        void run(WalkWorker<D> worker) {
            worker.walkSlice(directory, records);
        }
    }

    /** Subdirectories of one directory: a flag byte (followed link or not), the name and a NUL for each. */
    static final class Siblings<D> extends Work<D> {
        private final WalkDirectory<D> parent;
        private final byte[] packed;
        private int from;
        private int to;
        private int count;

        Siblings(WalkDirectory<D> parent, byte[] packed, int from, int to, int count) {
            this.parent = parent;
            this.packed = packed;
            this.from = from;
            this.to = to;
            this.count = count;
        }

        @Override
        void run(WalkWorker<D> worker) {
            Work<D> only = takeOne();
            only.run(worker);
        }

        @Override
        public int units() {
            return count;
        }

        @Override
        public Work<D> takeOne() {
            int end = nextNul(from + 1);
            byte[] name = Arrays.copyOfRange(packed, from + 1, end);
            boolean followed = packed[from] != 0;
            from = end + 1;
            count--;
            return new Listing<>(WalkWorker.childOf(parent, name, followed));
        }

        @Override
        public Work<D> takeHalf() {
            int kept = count - count / 2;
            int at = from;
            for (int i = 0; i < kept; i++) {
                at = nextNul(at + 1) + 1;
            }
            Siblings<D> half = new Siblings<>(parent, packed, at, to, count - kept);
            to = at;
            count = kept;
            return half;
        }

        private int nextNul(int start) {
            int at = start;
            while (packed[at] != 0) {
                at++;
            }
            return at;
        }
    }
}
