// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies.ranks.simulation;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.Consumer;

import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.walk.Cancellation;
import org.treehaul.core.walk.FoundEntry;
import org.treehaul.core.walk.Root;
import org.treehaul.core.walk.Step;
import org.treehaul.core.walk.TreeWalker;
import org.treehaul.core.walk.WalkDirectory;
import org.treehaul.core.walk.WalkHandler;
import org.treehaul.core.walk.WalkOptions;
import org.treehaul.core.walk.WalkResult;
import org.treehaul.core.walk.WalkWorker;

/** Walks trees and records their shape, and how long the calls took meanwhile. */
public final class ShapeRecorder implements WalkHandler<ShapeRecorder.Content> {

    /** What stands in a directory. */
    static final class Content {
        private final AtomicLong files = new AtomicLong();
        private final AtomicLong subdirectories = new AtomicLong();
    }

    private static final int CLASSES = 40;
    private static final int PARTS = 20;
    private static final ServiceTimes NEVER = new ServiceTimes(List.of(0L));

    /** Times in classes of an eighth of a power of two: finer than any measurement repeats. */
    private static final class Times {
        private final long[] counts = new long[64 * 8];

        void add(long nanos) {
            long time = Math.max(8, nanos);
            int power = 63 - Long.numberOfLeadingZeros(time);
            counts[power * 8 + (int) (time >> power - 3 & 7)]++;
        }

        /** Returns the times of all together; the default where there are none. */
        static ServiceTimes merged(List<Times> all, ServiceTimes none) {
            long[] sum = new long[64 * 8];
            long count = 0;
            for (Times times : all) {
                for (int i = 0; i < sum.length; i++) {
                    sum[i] += times.counts[i];
                    count += times.counts[i];
                }
            }
            // The mean of each part: what fills it, class by class, from the shortest on. Fewer calls make fewer parts.
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

    private final AtomicLongArray files;
    private final AtomicLongArray subdirectories;
    private final Consumer<EntryFailure> failures;
    private final Times status = new Times();
    private final Times listing = new Times();
    private long lastEnd;
    private boolean opensNext;

    private ShapeRecorder(AtomicLongArray files, AtomicLongArray subdirectories, Consumer<EntryFailure> failures) {
        this.files = files;
        this.subdirectories = subdirectories;
        this.failures = failures;
    }

    /**
     * Walks and records.
     *
     * @param failures hears, on any thread, of entries that could not be read
     * @return the shape; empty when nothing could be read
     */
    public static Optional<TreeShape> record(FileSystemCalls calls, WalkOptions options, List<Root> roots,
            Cancellation cancellation, Consumer<EntryFailure> failures) {
        AtomicLongArray files = new AtomicLongArray(CLASSES);
        AtomicLongArray subdirectories = new AtomicLongArray(CLASSES);
        WalkResult<ShapeRecorder> result = TreeWalker.of(calls, options.withStatus(false))
                .walkWith(roots, (WalkWorker<Content> worker) -> new ShapeRecorder(files, subdirectories, failures),
                        cancellation, workers -> {
                        });
        ServiceTimes status = Times.merged(result.workers().stream().map(r -> r.status).toList(), NEVER);
        if (status.equals(NEVER)) {
            return Optional.empty();
        }
        // Where there was nothing to list: opening, asking for the status and reading.
        ServiceTimes listing = Times.merged(result.workers().stream().map(r -> r.listing).toList(), status.times(3));
        return Optional.of(new TreeShape(list(files), list(subdirectories), status, listing));
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
            Content content = parent.attachment();
            (found.kind() == EntryKind.DIRECTORY ? content.subdirectories : content.files).incrementAndGet();
        }
        return Step.CONTINUE;
    }

    // From the end of what this thread did before: opened, asked for its status, and read.
    private void listed(long now) {
        listing.add(now - lastEnd);
        opensNext = false;
    }

    @Override
    public Content enter(WalkDirectory<Content> directory, WalkWorker<Content> worker) {
        opensNext = lastEnd > 0;
        return new Content();
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
            files.incrementAndGet(Math.min(CLASSES - 1, TreeShape.classOf(content.files.get())));
            subdirectories.incrementAndGet(Math.min(CLASSES - 1, TreeShape.classOf(content.subdirectories.get())));
        }
    }

    @Override
    public void idle(WalkWorker<Content> worker) {
        // What comes next would count the waiting too.
        lastEnd = 0;
        opensNext = false;
    }

    @Override
    public void failed(EntryFailure failure) {
        failures.accept(failure);
    }
}
