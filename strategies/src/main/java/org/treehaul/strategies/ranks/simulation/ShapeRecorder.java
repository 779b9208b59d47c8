// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies.ranks.simulation;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.walk.FoundEntry;
import org.treehaul.core.walk.Step;
import org.treehaul.core.walk.TreeWalker;
import org.treehaul.core.walk.WalkDirectory;
import org.treehaul.core.walk.WalkHandler;
import org.treehaul.core.walk.WalkResult;
import org.treehaul.core.walk.WalkWorker;
import org.treehaul.core.walk.listing.UnitSizes;
import org.treehaul.core.walk.options.Root;
import org.treehaul.core.walk.options.WalkOptions;

/** Walks trees and records their shape, and the duration of the calls that it makes. */
public final class ShapeRecorder implements WalkHandler<ShapeRecorder.Content> {

    /** Counts the entries of a directory. */
    static final class Content {
        private final @Nullable Content parent;
        private final int name;
        private final AtomicLong files = new AtomicLong();
        private final AtomicLong subdirectories = new AtomicLong();
        private final AtomicLong records = new AtomicLong();

        Content(@Nullable Content parent, int name) {
            this.parent = parent;
            this.name = name;
        }
    }

    /** The results of all workers. */
    private static final class Found {
        private final AtomicLongArray files = new AtomicLongArray(CLASSES);
        private final AtomicLongArray subdirectories = new AtomicLongArray(CLASSES);
        private final LongAdder fileNames = new LongAdder();
        private final LongAdder directoryNames = new LongAdder();
        private final LongAdder fileCount = new LongAdder();
        private final LongAdder directoryCount = new LongAdder();
        private final AtomicInteger directories = new AtomicInteger();
        private final Queue<Content> tree = new ConcurrentLinkedQueue<>();

        Content enter(@Nullable Content parent, int name) {
            Content content = new Content(parent, name);
            if (directories.incrementAndGet() <= RecordedTree.MOST_DIRECTORIES) {
                tree.add(content);
            } else {
                tree.clear();
            }
            return content;
        }

        /** Returns the tree, level by level; empty for several roots, or for a large or incomplete tree. */
        Optional<RecordedTree> tree() {
            IdentityHashMap<Content, List<Content>> children = new IdentityHashMap<>();
            List<Content> inOrder = new ArrayList<>();
            for (Content content : tree) {
                if (content.parent == null) {
                    inOrder.add(content);
                } else {
                    children.computeIfAbsent(content.parent, parent -> new ArrayList<>()).add(content);
                }
            }
            for (int i = 0; i < inOrder.size(); i++) {
                inOrder.addAll(children.getOrDefault(inOrder.get(i), List.of()));
            }
            if (inOrder.isEmpty() || inOrder.size() < directories.get() || inOrder.getFirst().parent != null
                    || inOrder.size() > 1 && inOrder.get(1).parent == null || inOrder.stream()
                            .anyMatch(c -> children.getOrDefault(c, List.of()).size() != c.subdirectories.get())) {
                return Optional.empty();
            }
            return Optional.of(new RecordedTree(inOrder.stream().map(c -> c.files.get()).toList(),
                    inOrder.stream().map(c -> c.subdirectories.get()).toList(),
                    inOrder.stream().map(c -> (long) c.name).toList(),
                    inOrder.stream().map(c -> mean(c.records.get(), c.files.get() + c.subdirectories.get())).toList()));
        }

        int fileName() {
            return (int) Math.max(1, mean(fileNames.sum(), fileCount.sum()));
        }

        int directoryName() {
            return (int) Math.max(1, mean(directoryNames.sum(), directoryCount.sum()));
        }

        void entry(Content parent, boolean isDirectory, int name) {
            (isDirectory ? parent.subdirectories : parent.files).incrementAndGet();
            (isDirectory ? directoryNames : fileNames).add(name);
            (isDirectory ? directoryCount : fileCount).increment();
            parent.records.addAndGet(UnitSizes.record(name));
        }

        private static long mean(long sum, long count) {
            return count == 0 ? 0 : Math.round((double) sum / count);
        }
    }

    private static final int CLASSES = 40;
    private static final int PARTS = 20;
    private static final ServiceTimes NEVER = new ServiceTimes(List.of(0L));

    /** Durations in classes of an eighth of a power of two, which is finer than measurements are repeatable. */
    private static final class Times {
        private final long[] counts = new long[64 * 8];

        void add(long nanos) {
            long time = Math.max(8, nanos);
            int power = 63 - Long.numberOfLeadingZeros(time);
            counts[power * 8 + (int) (time >> power - 3 & 7)]++;
        }

        /** Returns the merged durations; the default if there are none. */
        static ServiceTimes merged(List<Times> all, ServiceTimes none) {
            long[] sum = new long[64 * 8];
            long count = 0;
            for (Times times : all) {
                for (int i = 0; i < sum.length; i++) {
                    sum[i] += times.counts[i];
                    count += times.counts[i];
                }
            }
            // Each part takes calls class by class, from the shortest on, and keeps their mean. Fewer calls make fewer
            // parts.
            List<Long> means = new ArrayList<>();
            int parts = (int) Math.min(PARTS, count);
            int at = 0;
            long left = sum[0];
            for (int part = 0; part < parts; part++) {
                long wanted = count * (part + 1) / parts - count * part / parts;
                double total = 0;
                for (long missing = wanted; missing > 0;) {
                    while (left == 0) {
                        left = sum[++at];
                    }
                    long some = Math.min(left, missing);
                    total += some * (double) ((8L + at % 8) << Math.max(0, at / 8 - 3));
                    missing -= some;
                    left -= some;
                }
                means.add(Math.round(total / wanted));
            }
            return count == 0 ? none : new ServiceTimes(means);
        }
    }

    private final Found all;
    private final Consumer<EntryFailure> failures;
    private final Times status = new Times();
    private final Times listing = new Times();
    private long lastEnd;
    private boolean opensNext;

    private ShapeRecorder(Found all, Consumer<EntryFailure> failures) {
        this.all = all;
        this.failures = failures;
    }

    /**
     * Walks and records.
     *
     * @param failures receives, on any thread, the entries that could not be read
     * @return the shape; empty when nothing could be read
     */
    public static Optional<TreeShape> record(FileSystemCalls calls, WalkOptions options, List<Root> roots,
            Cancellation cancellation, Consumer<EntryFailure> failures) {
        Found all = new Found();
        WalkResult<ShapeRecorder> result = TreeWalker.of(calls, options.withStatus(false))
                .walkWith(roots, (WalkWorker<Content> worker) -> new ShapeRecorder(all, failures), cancellation);
        ServiceTimes status = Times.merged(result.workers().stream().map(r -> r.status).toList(), NEVER);
        if (status.equals(NEVER)) {
            return Optional.empty();
        }
        // The default for trees with nothing to list: opening, querying the status and reading.
        ServiceTimes listing = Times.merged(result.workers().stream().map(r -> r.listing).toList(), status.times(3));
        return Optional.of(new TreeShape(list(all.files), list(all.subdirectories), status, listing, all.fileName(),
                all.directoryName(), all.tree()));
    }

    private static List<Long> list(AtomicLongArray classes) {
        long[] counts = new long[CLASSES];
        int used = 1;
        for (int i = 0; i < CLASSES; i++) {
            counts[i] = classes.get(i);
            used = counts[i] > 0 ? i + 1 : used;
        }
        return Arrays.stream(counts, 0, used).boxed().toList();
    }

    @Override
    public Step entry(FoundEntry<Content> found) throws SystemCallException {
        long began = System.nanoTime();
        if (opensNext) {
            listed(began);
            began = System.nanoTime();
        }
        found.status();
        lastEnd = System.nanoTime();
        status.add(lastEnd - began);
        WalkDirectory<Content> parent = found.parent();
        if (parent != null) {
            all.entry(parent.attachment(), found.kind() == EntryKind.DIRECTORY, found.nameLength());
        }
        return Step.CONTINUE;
    }

    // Counts from the end of this thread's previous step: opening, querying the status, and reading.
    private void listed(long now) {
        listing.add(now - lastEnd);
        opensNext = false;
    }

    @Override
    public Content enter(WalkDirectory<Content> directory, WalkWorker<Content> worker) {
        opensNext = lastEnd > 0;
        WalkDirectory<Content> parent = directory.parent();
        return all.enter(parent == null ? null : parent.attachment(),
                parent == null ? 0 : directory.path().nameBytes().length);
    }

    @Override
    public void leave(WalkDirectory<Content> directory, WalkWorker<Content> worker) {
        if (opensNext) {
            // The directory that was entered just now is empty.
            long now = System.nanoTime();
            listed(now);
            lastEnd = now;
        }
        if (directory.isAttached() && !directory.isIncomplete()) {
            Content content = directory.attachment();
            all.files.incrementAndGet(Math.min(CLASSES - 1, TreeShape.classOf(content.files.get())));
            all.subdirectories.incrementAndGet(Math.min(CLASSES - 1, TreeShape.classOf(content.subdirectories.get())));
        }
    }

    @Override
    public void idle(WalkWorker<Content> worker) {
        // The next duration would include the wait.
        lastEnd = 0;
        opensNext = false;
    }

    @Override
    public void failed(EntryFailure failure) {
        failures.accept(failure);
    }
}
