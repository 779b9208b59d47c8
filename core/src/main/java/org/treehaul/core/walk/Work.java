// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.walk;

import java.util.Arrays;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.walk.frontier.Frontier;

/**
 * Work that waits in the frontier of a walk.
 *
 * @param <D> the type of the value that the handler attaches to each directory
 */
public abstract sealed class Work<D> implements Frontier.Work<Work<D>> {

    /**
     * The worker that does the work.
     *
     * @param <D> the type of the value that the handler attaches to each directory
     */
    interface Runner<D> extends WalkWorker<D> {

        /** Walks a root that was not opened yet. */
        void walkRoot(int rootIndex);

        /** Opens, enters and lists a directory. */
        void walkDirectory(WalkDirectory<D> directory);

        /** Walks a part of the entries of a directory. */
        void walkSlice(WalkDirectory<D> directory, byte[] slice);

        /** Runs a task that a handler split off. */
        void runForked(@Nullable WalkDirectory<D> directory, ForkedTask<D> task);

        /** Leaves a directory whose content is all done or given away. */
        void leave(WalkDirectory<D> directory);

        /** Returns a root, open and entered, whose content another rank found. */
        WalkDirectory<D> importedRoot(int rootIndex) throws SystemCallException;

        /** Passes an open directory to the handler and keeps the value that the handler attaches. */
        void enter(WalkDirectory<D> directory) throws SystemCallException;

        /** Returns the path of a root as the user gave it. */
        ByteString rootPath(int rootIndex);
    }

    /** Does the work, on the worker's thread. */
    abstract void run(Runner<D> worker);

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

    /** A root that was not opened yet. */
    static final class RootWork<D> extends Work<D> {
        final int index;

        RootWork(int index) {
            this.index = index;
        }

        @Override
        public boolean isPortable() {
            return true;
        }

        @Override
        void run(Runner<D> worker) {
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
        void run(Runner<D> worker) {
            worker.walkDirectory(directory);
        }
    }

    /** A task that the handler split off from an entry, such as a chunk of a large file. */
    static final class Forked<D> extends Work<D> {
        private final @Nullable WalkDirectory<D> directory;
        private final ForkedTask<D> task;

        Forked(@Nullable WalkDirectory<D> directory, ForkedTask<D> task) {
            this.directory = directory;
            this.task = task;
        }

        @Override
        void run(Runner<D> worker) {
            worker.runForked(directory, task);
        }
    }

    /** A directory whose content is all done or given away, and which has not been left yet. */
    static final class Leaving<D> extends Work<D> {
        private final WalkDirectory<D> directory;

        Leaving(WalkDirectory<D> directory) {
            this.directory = directory;
        }

        @Override
        void run(Runner<D> worker) {
            worker.leave(directory);
        }
    }

    /**
     * A part of the entries of a directory, in the form of their {@link EntrySource}, that a worker gave away because
     * others were idle or a master hands out the work.
     */
    static final class Slice<D> extends Work<D> {
        final WalkDirectory<D> directory;
        final byte[] records;

        Slice(WalkDirectory<D> directory, byte[] records) {
            this.directory = directory;
            this.records = records;
        }

        @Override
        public boolean isPortable() {
            return true;
        }

        @Override
        void run(Runner<D> worker) {
            worker.walkSlice(directory, records);
        }
    }

    /** Subdirectories of one directory: for each a flag byte (whether it is a followed link), the name and a NUL. */
    abstract static sealed class Packed<D> extends Work<D> {
        final byte[] packed;
        int from;
        int to;
        int count;

        Packed(byte[] packed, int from, int to, int count) {
            this.packed = packed;
            this.from = from;
            this.to = to;
            this.count = count;
        }

        abstract Work<D> one(byte[] name, boolean followed);

        abstract Packed<D> part(int partFrom, int partTo, int partCount);

        @Override
        void run(Runner<D> worker) {
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
            return one(name, followed);
        }

        @Override
        public Work<D> takeHalf() {
            return take(count / 2);
        }

        @Override
        public boolean isPortable() {
            return true;
        }

        /** Takes the given number of names from the end. */
        @Override
        public Packed<D> take(int units) {
            int at = endOf(count - units);
            Packed<D> part = part(at, to, units);
            to = at;
            count -= units;
            return part;
        }

        /** Returns the end of the given number of names, counted from the beginning. */
        final int endOf(int names) {
            int at = from;
            for (int i = 0; i < names; i++) {
                at = nextNul(at + 1) + 1;
            }
            return at;
        }

        private int nextNul(int start) {
            int at = start;
            while (packed[at] != 0) {
                at++;
            }
            return at;
        }
    }

    /** Subdirectories that this walk found. */
    static final class Siblings<D> extends Packed<D> {
        final WalkDirectory<D> parent;

        Siblings(WalkDirectory<D> parent, byte[] packed, int from, int to, int count) {
            super(packed, from, to, count);
            this.parent = parent;
        }

        @Override
        Work<D> one(byte[] name, boolean followed) {
            return new Listing<>(parent.child(name, followed));
        }

        @Override
        Packed<D> part(int partFrom, int partTo, int partCount) {
            return new Siblings<>(parent, packed, partFrom, partTo, partCount);
        }
    }

    /** Subdirectories that another rank found. */
    static final class Imported<D> extends Packed<D> {
        final ImportedPlace<D> parent;

        Imported(ImportedPlace<D> parent, byte[] packed, int from, int to, int count) {
            super(packed, from, to, count);
            this.parent = parent;
        }

        @Override
        Work<D> one(byte[] name, boolean followed) {
            return new ImportedListing<>(parent, name, followed);
        }

        @Override
        Packed<D> part(int partFrom, int partTo, int partCount) {
            return new Imported<>(parent, packed, partFrom, partTo, partCount);
        }
    }

    /** An imported subdirectory, about to be opened and listed. */
    static final class ImportedListing<D> extends Work<D> {
        private final ImportedPlace<D> parent;
        private final byte[] name;
        private final boolean followed;

        ImportedListing(ImportedPlace<D> parent, byte[] name, boolean followed) {
            this.parent = parent;
            this.name = name;
            this.followed = followed;
        }

        @Override
        void run(Runner<D> worker) {
            WalkDirectory<D> directory = parent.arrive(worker, name);
            if (directory != null) {
                directory.addPending(1);
                worker.walkDirectory(directory.child(name, followed));
            }
        }
    }

    /** A part of a listing that another rank read. */
    static final class ImportedSlice<D> extends Work<D> {
        final ImportedPlace<D> place;
        final byte[] records;

        ImportedSlice(ImportedPlace<D> place, byte[] records) {
            this.place = place;
            this.records = records;
        }

        @Override
        public boolean isPortable() {
            return true;
        }

        @Override
        void run(Runner<D> worker) {
            WalkDirectory<D> directory = place.arrive(worker, null);
            if (directory != null) {
                directory.addPending(1);
                worker.walkSlice(directory, records);
            }
        }
    }
}
