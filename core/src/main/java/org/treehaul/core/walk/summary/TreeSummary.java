// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.walk.summary;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import org.treehaul.core.annotation.Internal;
import org.treehaul.core.entry.Amounts;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.InodeSet;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.event.Event;
import org.treehaul.core.event.EventListener;
import org.treehaul.core.event.KindCounts;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.walk.TreeWalker;
import org.treehaul.core.walk.WalkResult;
import org.treehaul.core.walk.Walker;
import org.treehaul.core.walk.options.Root;
import org.treehaul.core.walk.options.WalkOptions;

/**
 * The content of trees in numbers. The data of a file with several hard links among the entries count once. Immutable.
 */
public final class TreeSummary {

    /**
     * Upper bounds of the size classes of files, exclusive, in bytes: those of Nuss, Table 3.1. The last class has no
     * upper bound.
     */
    public static final List<Long> SIZE_BOUNDS = List.of(1L << 10, 10L << 10, 100L << 10, 1L << 20, 10L << 20,
            100L << 20);

    /**
     * The regular files in a range of sizes.
     *
     * @param from the smallest size in bytes
     * @param to the upper bound in bytes, exclusive; {@link Long#MAX_VALUE} for the last class
     * @param files number of names of regular files
     * @param bytes sum of their sizes; hard-linked data count once
     */
    public record SizeClass(long from, long to, long files, long bytes) {}

    /**
     * The entry with the largest value.
     *
     * @param path the full path, beginning with the root as the user gave it
     * @param value its size in bytes, or its depth
     */
    public record Extreme(ByteString path, long value) {}

    /** Sums up entries that no walk finds. For one thread. */
    @Internal
    public static final class Counter {

        private final SummaryCounts counts = new SummaryCounts();
        private final InodeSet linked = new InodeSet();

        /**
         * Counts an entry.
         *
         * @param path its full path, beginning with the root as the user gave it
         * @param depth the number of names below the root
         */
        public void count(ByteString path, int depth, FileStatus status) {
            counts.count(status, linked);
            if (counts.isLargest(status)) {
                counts.largest = new Extreme(path, status.size());
            }
            if (counts.isDeepest(depth)) {
                counts.deepest = new Extreme(path, depth);
            }
        }

        /** Returns the sum, with the numbers of failures of each kind. */
        public TreeSummary sum(Map<EntryFailure.Kind, Long> failures, boolean isComplete) {
            return new TreeSummary(counts, failures, isComplete);
        }
    }

    private final SummaryCounts counts;
    private final boolean isComplete;
    private final Map<EntryFailure.Kind, Long> failures;

    private TreeSummary(SummaryCounts counts, Map<EntryFailure.Kind, Long> failures, boolean isComplete) {
        this.counts = counts;
        this.failures = failures;
        this.isComplete = isComplete;
    }

    /**
     * Walks the roots and sums up their entries.
     *
     * @param listener receives the entries that could not be read, on any thread
     * @param progress counts the entries while the walk runs
     */
    public static TreeSummary of(FileSystemCalls calls, WalkOptions options, List<Root> roots, EventListener listener,
            Progress progress, Cancellation cancellation) {
        return of(TreeWalker.of(calls, options.withStatus(true)), roots, listener, progress, cancellation);
    }

    /**
     * Sums up the entries that a walker finds at and below the roots. The walker must read the status of each entry.
     *
     * @param listener receives the entries that could not be read, on any thread
     * @param progress counts the entries while the walk runs
     */
    public static TreeSummary of(Walker walker, List<Root> roots, EventListener listener, Progress progress,
            Cancellation cancellation) {
        return of(walker, roots, listener, progress, cancellation, false);
    }

    /**
     * Sums up the part of a walk that this process does while other processes do the rest. {@link #toBytes} and
     * {@link #sum} combine all parts.
     */
    public static TreeSummary ofPart(Walker walker, List<Root> roots, EventListener listener, Progress progress,
            Cancellation cancellation) {
        return of(walker, roots, listener, progress, cancellation, true);
    }

    private static TreeSummary of(Walker walker, List<Root> roots, EventListener listener, Progress progress,
            Cancellation cancellation, boolean isPart) {
        InodeSet linked = new InodeSet();
        WalkResult<SummaryHandler> result = walker.walkWith(roots,
                worker -> new SummaryHandler(walker.options().where(), roots, linked, isPart, progress, failure -> {
                    progress.entryFailed();
                    listener.onEvent(new Event.Failed(failure));
                }), cancellation, progress);
        SummaryCounts sum = new SummaryCounts();
        if (isPart) {
            sum.keepLinked();
        }
        Map<EntryFailure.Kind, Long> failures = new EnumMap<>(EntryFailure.Kind.class);
        for (SummaryHandler handler : result.workers()) {
            sum.add(handler.counts());
            handler.failures().forEach((kind, count) -> failures.merge(kind, count, Long::sum));
        }
        return new TreeSummary(sum, failures, result.isComplete());
    }

    /** Returns a part in a form that {@link #sum} of the same version reads. */
    public byte[] toBytes() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeBoolean(isComplete);
            KindCounts.write(out, EntryFailure.Kind.values(), failures);
            counts.write(out);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    /**
     * Adds up parts. A file with names in several parts counts once.
     *
     * @throws IllegalArgumentException if an element is not a part of a summary
     */
    public static TreeSummary sum(List<byte[]> parts) {
        InodeSet known = new InodeSet();
        SummaryCounts sum = new SummaryCounts();
        Map<EntryFailure.Kind, Long> failures = new EnumMap<>(EntryFailure.Kind.class);
        boolean isComplete = true;
        for (byte[] part : parts) {
            try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(part))) {
                isComplete &= in.readBoolean();
                KindCounts.read(in, EntryFailure.Kind.values(), failures);
                SummaryCounts counts = SummaryCounts.read(in);
                counts.countOnce(known);
                sum.add(counts);
            } catch (IOException e) {
                throw new IllegalArgumentException("not a part of a summary: " + part.length + " bytes", e);
            }
        }
        return new TreeSummary(sum, failures, isComplete);
    }

    /** Returns the number of entries of each kind; kinds without entries are left out. */
    public Map<EntryKind, Long> entries() {
        Map<EntryKind, Long> entries = new EnumMap<>(EntryKind.class);
        for (EntryKind kind : EntryKind.values()) {
            if (counts.count(kind) > 0) {
                entries.put(kind, counts.count(kind));
            }
        }
        return Collections.unmodifiableMap(entries);
    }

    /** Returns the number of all entries, including the roots. */
    public long totalEntries() {
        long total = 0;
        for (EntryKind kind : EntryKind.values()) {
            total += counts.count(kind);
        }
        return total;
    }

    /** Returns the number of names that belong to files with several links. */
    public long linkedNames() {
        return counts.linkedNames;
    }

    /** Returns the number of files that those names belong to. */
    public long linkedFiles() {
        return counts.linkedFiles;
    }

    /** Returns the sum of the sizes of regular files and symbolic links, as {@code du --apparent-size}. */
    public long apparentBytes() {
        return counts.apparentBytes;
    }

    /** Returns the bytes allocated to entries of all kinds, as {@code du}. */
    public long allocatedBytes() {
        return Amounts.bytesOfBlocks(counts.allocatedBlocks);
    }

    /** Returns the largest regular file, or one of several. */
    public Optional<Extreme> largest() {
        return Optional.ofNullable(counts.largest);
    }

    /** Returns the entry with the most names below its root, or one of several. */
    public Optional<Extreme> deepest() {
        return Optional.ofNullable(counts.deepest);
    }

    /** Returns the distribution of the sizes of regular files, from small to large. */
    public List<SizeClass> sizes() {
        return counts.sizes();
    }

    /** Returns the number of entries that could not be read; entries below them are not counted. */
    public long failures() {
        return failures.values().stream().mapToLong(Long::longValue).sum();
    }

    /** Returns the number of failures of each kind; kinds without failures are left out. */
    public Map<EntryFailure.Kind, Long> failuresByKind() {
        return Collections.unmodifiableMap(failures);
    }

    /** Returns whether the walk ran to its end. */
    public boolean isComplete() {
        return isComplete;
    }
}
