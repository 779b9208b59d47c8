// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.task;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.condition.FileQuery;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.locality.LayoutCuts;
import org.treehaul.core.locality.LayoutException;
import org.treehaul.core.locality.Locality;
import org.treehaul.core.plan.servers.FileServers;
import org.treehaul.core.plan.spool.Chunks;
import org.treehaul.core.threads.Threads;
import org.treehaul.core.walk.FoundEntry;
import org.treehaul.core.walk.FoundValues;
import org.treehaul.core.walk.Step;
import org.treehaul.core.walk.WalkDirectory;
import org.treehaul.core.walk.WalkHandler;
import org.treehaul.core.walk.WalkWorker;
import org.treehaul.core.walk.Walker;
import org.treehaul.core.walk.options.Root;

/**
 * A walk whose entries several threads process while it runs. The walk waits when the threads do not keep pace.
 * Immutable; any number of threads may use it.
 *
 * @param walker walks the trees; with one thread the entries have the order of the listings
 * @param groupSize the number of entries that are processed together
 * @param threads the number of threads that process them
 * @param segments the rule that divides large files, each segment of which is processed like an entry
 */
public record TaskWalk(Walker walker, int groupSize, int threads, Segmentation segments) {

    // Per thread, so that none waits for the walk.
    private static final int WAITING = 16;
    // The limit for the entries of all groups that wait, so that large groups need little memory.
    private static final int WAITING_ENTRIES = 16_000;

    /**
     * An entry that was found.
     *
     * @param root the root as the user gave it
     * @param path its path below the root
     * @param segment the segment of the file, if the walk divides files
     */
    public record Found(ByteString root, TreePath path, EntryKind kind, @Nullable Segment segment) {

        /** Returns the whole path. */
        public ByteString fullPath() {
            return path.below(root);
        }

        /** Returns the input of a task for the entry. */
        public TaskInput input() {
            return new TaskInput(fullPath(), segment);
        }
    }

    /**
     * Entries to process together.
     *
     * @param number the place in the order, from 0
     */
    public record Group(long number, List<Found> entries) {

        /** Copies the list. */
        public Group {
            entries = List.copyOf(entries);
        }
    }

    /**
     * Processes all entries that meet the conditions of the walk.
     *
     * @param failures receives entries that cannot be read
     * @param action processes entries, on any of the threads
     * @return whether the walk ran to its end, and the threads processed everything that it found
     */
    public boolean run(List<Root> roots, Cancellation stop, Consumer<EntryFailure> failures, Consumer<Group> action) {
        return run(roots, stop, failures, action, Thread::start);
    }

    boolean run(List<Root> roots, Cancellation stop, Consumer<EntryFailure> failures, Consumer<Group> action,
            Consumer<Thread> starter) {
        Team team = new Team(stop, action, starter);
        Collector collector = new Collector(team);
        Locality locality = Locality.over(Linux.calls());
        boolean isWhole = false;
        try {
            isWhole = walker
                    .walkWith(roots, (WalkWorker<Boolean> worker) -> new Lister(roots, collector, locality, failures),
                            stop)
                    .isComplete() && collector.flush();
        } finally {
            isWhole &= team.end();
        }
        team.throwFault();
        return isWhole && !stop.isCancelled();
    }

    /**
     * The threads that process groups. One begins for each of the first groups, so that none waits for the walk to find
     * more.
     */
    private final class Team {

        private final Handover<Group> groups = new Handover<>(
                Math.clamp(WAITING_ENTRIES / groupSize, 1, threads * WAITING));
        private final Cancellation stop;
        private final Consumer<Group> action;
        private final List<Thread> members = new ArrayList<>();
        private final AtomicReference<@Nullable Throwable> fault = new AtomicReference<>();
        private final Consumer<Thread> starter;
        private int most = threads;

        Team(Cancellation stop, Consumer<Group> action, Consumer<Thread> starter) {
            this.starter = starter;
            this.stop = stop;
            this.action = action;
        }

        /**
         * Takes a group, from one thread at a time; waits while there are too many. Returns false if none is wanted.
         */
        boolean put(Group group) {
            if (members.size() < most) {
                add();
            }
            return groups.put(group);
        }

        private void add() {
            Thread member = Thread.ofPlatform()
                    .name("treehaul-task-" + members.size())
                    .daemon(true)
                    .unstarted(this::work);
            try {
                starter.accept(member);
                members.add(member);
            } catch (OutOfMemoryError e) {
                // The limit of threads is reached (ulimit -u): those that run do the work.
                if (members.isEmpty()) {
                    throw e;
                }
                most = members.size();
            }
        }

        private void work() {
            try {
                for (Group group = next(); group != null; group = next()) {
                    action.accept(group);
                }
            } catch (Throwable e) {
                fault.compareAndSet(null, e);
                groups.close();
            }
        }

        private @Nullable Group next() {
            if (stop.isCancelled()) {
                // The walk may wait for room.
                groups.close();
            }
            return groups.take();
        }

        /**
         * Waits until all groups are processed, after the walk. Returns false if an interrupt discards those that wait.
         */
        boolean end() {
            boolean isInterrupted = Thread.currentThread().isInterrupted();
            if (isInterrupted) {
                groups.close();
            }
            groups.end();
            members.forEach(Threads::join);
            return !isInterrupted;
        }

        void throwFault() {
            switch (fault.get()) {
                case null -> {
                }
                case RuntimeException e -> throw e;
                case Error e -> throw e;
                case Throwable e -> throw new IllegalStateException(e);
            }
        }
    }

    /** Collects entries to groups, from any thread. */
    private final class Collector {

        private final Team team;
        private List<Found> entries = new ArrayList<>();
        private long number;

        Collector(Team team) {
            this.team = team;
        }

        synchronized boolean add(Found found) {
            entries.add(found);
            return entries.size() < groupSize || flush();
        }

        synchronized boolean flush() {
            if (entries.isEmpty()) {
                return true;
            }
            Group group = new Group(number++, entries);
            entries = new ArrayList<>();
            return team.put(group);
        }
    }

    /** Finds the entries on one thread. */
    private final class Lister implements WalkHandler<Boolean> {

        private final List<Root> roots;
        private final Collector collector;
        private final Locality locality;
        private final Consumer<EntryFailure> failures;
        private final FileQuery where = walker.options().where();
        private final FoundValues values;

        Lister(List<Root> roots, Collector collector, Locality locality, Consumer<EntryFailure> failures) {
            this.roots = roots;
            this.collector = collector;
            this.locality = locality;
            this.failures = failures;
            this.values = new FoundValues(roots);
        }

        @Override
        public Step entry(FoundEntry<Boolean> found) throws SystemCallException {
            // The walk itself has skipped other entries.
            boolean isWanted = found.kind() != EntryKind.DIRECTORY || where.matches(values.of(found));
            return !isWanted || add(found) ? Step.CONTINUE : Step.QUIT;
        }

        private boolean add(FoundEntry<Boolean> found) throws SystemCallException {
            ByteString root = roots.get(found.rootIndex()).path();
            TreePath path = found.path();
            EntryKind kind = found.kind();
            if (!segments.divides()) {
                return collector.add(new Found(root, path, kind, null));
            }
            long size = kind.hasData() ? found.size() : 0;
            Chunks chunks = Chunks.of(size, segments.chunkBytes(), segments.isByLayout() ? cuts(found) : List.of());
            if (!chunks.isCut()) {
                return collector.add(new Found(root, path, kind, Segment.whole(size)));
            }
            for (int i = 0; i < chunks.count(); i++) {
                if (!collector.add(new Found(root, path, kind, Segment.of(chunks.range(i))))) {
                    return false;
                }
            }
            return true;
        }

        // A small file is not asked about, as in a plan.
        private List<Long> cuts(FoundEntry<Boolean> found) throws SystemCallException {
            FileStatus status = found.status();
            if (status.kind() != EntryKind.REGULAR || status.size() < FileServers.LEAST_BYTES) {
                return List.of();
            }
            try {
                return locality
                        .layout(found.access(), found.parentDescriptor(), found.name(), status, found.isFollowed())
                        .map(layout -> LayoutCuts.of(layout, status.size()))
                        .orElse(List.of());
            } catch (LayoutException e) {
                throw new SystemCallException(String.valueOf(e.getMessage()), 0);
            }
        }

        @Override
        public Boolean enter(WalkDirectory<Boolean> directory, WalkWorker<Boolean> worker) {
            return true;
        }

        @Override
        public boolean needsDirectoryStatus() {
            return false;
        }

        @Override
        public void failed(EntryFailure failure) {
            failures.accept(failure);
        }
    }
}
