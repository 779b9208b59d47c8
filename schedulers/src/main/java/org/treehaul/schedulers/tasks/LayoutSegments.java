// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.tasks;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;

import org.treehaul.core.locality.DataExtent;
import org.treehaul.core.locality.DataLayout;

/** Cuts files in segments. */
final class LayoutSegments {

    private LayoutSegments() {}

    static List<Segment> inParts(long size, int count) {
        if (size < 0 || count < 1) {
            throw new IllegalArgumentException("cannot cut " + size + " bytes in " + count + " segments");
        }
        List<Segment> segments = new ArrayList<>();
        long from = 0;
        for (int i = 0; i < count; i++) {
            long length = size / count + (i < size % count ? 1 : 0);
            segments.add(
                    new Segment(i, Optional.empty(), length == 0 ? List.of() : List.of(StripeRange.of(from, length))));
            from += length;
        }
        return List.copyOf(segments);
    }

    static List<Segment> striped(long size, long stripe, List<String> hosts) {
        if (size < 0 || stripe < 1 || hosts.isEmpty()) {
            throw new IllegalArgumentException("cannot cut " + size + " bytes in stripes of " + stripe + " bytes for "
                    + hosts.size() + " segments");
        }
        List<Segment> segments = new ArrayList<>();
        long at = 0;
        for (String host : hosts) {
            segments.add(new Segment(segments.size(), Optional.of(host).filter(name -> !name.isEmpty()),
                    at == size ? List.of() : List.of(blocks(stripe, hosts.size(), at, size))));
            at += Math.min(stripe, size - at);
        }
        return List.copyOf(segments);
    }

    static List<Segment> onServers(DataLayout layout, long size) {
        if (size < 0) {
            throw new IllegalArgumentException("no size of a file: " + size);
        }
        Map<String, List<StripeRange>> byServer = new LinkedHashMap<>();
        List<StripeRange> unknown = new ArrayList<>();
        long from = 0;
        Sweep sweep = new Sweep(layout.extents());
        for (long to : bounds(layout, size)) {
            Optional<DataExtent> extent = sweep.extentOf(from);
            if (extent.isPresent()) {
                add(extent.get(), from, to, byServer);
            } else {
                unknown.add(StripeRange.of(from, to - from));
            }
            from = to;
        }
        List<Segment> segments = new ArrayList<>();
        byServer.forEach((server, ranges) -> segments.add(new Segment(segments.size(), Optional.of(server), ranges)));
        if (!unknown.isEmpty() || segments.isEmpty()) {
            segments.add(new Segment(segments.size(), Optional.empty(), unknown));
        }
        return List.copyOf(segments);
    }

    // Between two of these offsets the same extents have all bytes.
    private static SortedSet<Long> bounds(DataLayout layout, long size) {
        NavigableSet<Long> bounds = new TreeSet<>();
        for (DataExtent extent : layout.extents()) {
            bounds.add(extent.offset());
            bounds.add(extent.end());
        }
        bounds.add(size);
        bounds.remove(0L);
        return bounds.headSet(size, true);
    }

    /** Finds the extents of offsets that only grow, so that a file of many extents is cut in one pass. */
    private static final class Sweep {

        private final List<DataExtent> extents;
        private final List<Integer> byBegin;
        private int begun;
        // In the order of the layout, which names the first of those that overlap.
        private final SortedMap<Integer, DataExtent> current = new TreeMap<>();
        private final Queue<Integer> byEnd;

        Sweep(List<DataExtent> extents) {
            this.extents = extents;
            byBegin = IntStream.range(0, extents.size())
                    .boxed()
                    .filter(i -> !extents.get(i).holders().isEmpty())
                    .sorted(Comparator.comparingLong(i -> extents.get(i).offset()))
                    .toList();
            byEnd = new PriorityQueue<>(Comparator.comparingLong(i -> extents.get(i).end()));
        }

        Optional<DataExtent> extentOf(long offset) {
            for (; begun < byBegin.size() && extents.get(byBegin.get(begun)).offset() <= offset; begun++) {
                int index = byBegin.get(begun);
                current.put(index, extents.get(index));
                byEnd.add(index);
            }
            while (!byEnd.isEmpty() && extents.get(byEnd.element()).end() <= offset) {
                current.remove(byEnd.remove());
            }
            return current.values().stream().findFirst();
        }
    }

    private static void add(DataExtent extent, long from, long to, Map<String, List<StripeRange>> byServer) {
        if (extent.stripeSize() == 0) {
            rangesOf(extent, from, byServer).add(StripeRange.of(from, to - from));
            return;
        }
        long size = extent.stripeSize();
        long at = from;
        // The first stripe may be cut by the beginning of the range; each other one begins the blocks of its server.
        for (int i = 0; i <= extent.stripeCount() && at < to; i++) {
            long next = at + Math.min(size - at % size, to - at);
            boolean isCut = at % size != 0;
            if (isCut) {
                rangesOf(extent, at, byServer).add(StripeRange.of(at, next - at));
            } else if (i < extent.stripeCount() || from % size != 0) {
                rangesOf(extent, at, byServer).add(blocks(size, extent.stripeCount(), at, to));
            }
            at = next;
        }
    }

    private static StripeRange blocks(long stripe, int count, long at, long to) {
        // There is only one block if the next one would begin behind the end.
        return (to - at - 1) / count < stripe
                ? StripeRange.of(at, Math.min(stripe, to - at))
                : new StripeRange(at, to, stripe, stripe * count);
    }

    private static List<StripeRange> rangesOf(DataExtent extent, long at, Map<String, List<StripeRange>> byServer) {
        String server = extent.holdersOf(at).orElseThrow().places().getFirst().server();
        return byServer.computeIfAbsent(server, name -> new ArrayList<>());
    }
}
