// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.walk;

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

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.event.Event;
import org.treehaul.core.event.EventListener;
import org.treehaul.core.event.KindCounts;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.FileSystemCalls;

/**
 * What trees hold, in numbers. The data of a file with several hard links among the entries count once.
 */
public final class TreeSummary {

    /**
     * Upper bounds of the classes that file sizes are counted in, exclusive, in bytes: those of Nuss, Table 3.1. The
     * last class has none.
     */
    public static final List<Long> SIZE_BOUNDS = List.of(1L << 10, 10L << 10, 100L << 10, 1L << 20, 10L << 20,
            100L << 20);

    /**
     * Files of a range of sizes.
     *
     * @param from the smallest size in bytes
     * @param to the size that is already too large; {@link Long#MAX_VALUE} for the last class
     * @param files how many names of regular files there are
     * @param bytes their sizes together, hard-linked data once
     */
    public record SizeClass(long from, long to, long files, long bytes) {}

    /**
     * An entry that stands out.
     *
     * @param path the full path, the root as it was named
     * @param value its size in bytes, or its depth
     */
    public record Extreme(ByteString path, long value) {}

    private final SummaryCounts counts;
    private final boolean isComplete;
    private final Map<EntryFailure.Kind, Long> failures;

    private TreeSummary(SummaryCounts counts, Map<EntryFailure.Kind, Long> failures, boolean isComplete) {
        this.counts = counts;
        this.failures = failures;
        this.isComplete = isComplete;
    }

    /**
     * Walks the roots and sums up.
     *
     * @param listener hears of entries that could not be read, on any thread
     * @param progress is counted up meanwhile
     */
    public static TreeSummary of(FileSystemCalls calls, WalkOptions options, List<Root> roots, EventListener listener,
            Progress progress, Cancellation cancellation) {
        return of(TreeWalker.of(calls, options.withStatus(true)), roots, listener, progress, cancellation);
    }

    /**
     * Has something walk the roots, reading the status of each entry, and sums up.
     *
     * @param listener hears of entries that could not be read, on any thread
     * @param progress is counted up meanwhile
     */
    public static TreeSummary of(Walking walking, List<Root> roots, EventListener listener, Progress progress,
            Cancellation cancellation) {
        return of(walking, roots, listener, progress, cancellation, false);
    }

    /**
     * Sums up the part of a walk that is done in this process, while others do the rest of it: {@link #toBytes} and
     * {@link #sum} make one of all parts.
     */
    public static TreeSummary ofPart(Walking walking, List<Root> roots, EventListener listener, Progress progress,
            Cancellation cancellation) {
        return of(walking, roots, listener, progress, cancellation, true);
    }

    private static TreeSummary of(Walking walking, List<Root> roots, EventListener listener, Progress progress,
            Cancellation cancellation, boolean isPart) {
        InodeSet linked = new InodeSet();
        WalkResult<SummaryHandler> result = walking.walkWith(roots,
                worker -> new SummaryHandler(roots, linked, isPart, progress, failure -> {
                    progress.entryFailed();
                    listener.onEvent(new Event.Failed(failure));
                }), cancellation, workers -> progress
                        .setBusy(() -> workers.stream().map(WalkWorker::current).flatMap(Optional::stream).toList()));
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

    /** Returns a part in a form for {@link #sum}, of the same version. */
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
     * Adds up parts. Files that have names in several of them count once.
     *
     * @throws IllegalArgumentException when one is none
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

    /** Returns how many entries there are of each kind; kinds without any are left out. */
    public Map<EntryKind, Long> entries() {
        Map<EntryKind, Long> entries = new EnumMap<>(EntryKind.class);
        for (EntryKind kind : EntryKind.values()) {
            if (counts.count(kind) > 0) {
                entries.put(kind, counts.count(kind));
            }
        }
        return Collections.unmodifiableMap(entries);
    }

    /** Returns how many entries there are in all, the roots included. */
    public long totalEntries() {
        long total = 0;
        for (EntryKind kind : EntryKind.values()) {
            total += counts.count(kind);
        }
        return total;
    }

    /** Returns how many names of files were met that have another name as well. */
    public long linkedNames() {
        return counts.linkedNames;
    }

    /** Returns how many files those names belong to. */
    public long linkedFiles() {
        return counts.linkedFiles;
    }

    /** Returns the sizes of regular files and symbolic links together, as {@code du --apparent-size}. */
    public long apparentBytes() {
        return counts.apparentBytes;
    }

    /** Returns the bytes allocated to entries of all kinds, as {@code du}. */
    public long allocatedBytes() {
        return counts.allocatedBlocks * 512;
    }

    /** Returns the largest regular file; one of them, when several are. */
    public Optional<Extreme> largest() {
        return Optional.ofNullable(counts.largest);
    }

    /** Returns the entry with the most names below its root; one of them, when several are. */
    public Optional<Extreme> deepest() {
        return Optional.ofNullable(counts.deepest);
    }

    /** Returns how the sizes of regular files are distributed, from small to large. */
    public List<SizeClass> sizes() {
        return counts.sizes();
    }

    /** Returns how many entries could not be read; what stands below them is not in the numbers. */
    public long failures() {
        return failures.values().stream().mapToLong(Long::longValue).sum();
    }

    /** Returns how many of these there are of each kind; kinds without any are left out. */
    public Map<EntryFailure.Kind, Long> failuresByKind() {
        return Collections.unmodifiableMap(failures);
    }

    /** Returns whether the walk went on to its end. */
    public boolean isComplete() {
        return isComplete;
    }
}
