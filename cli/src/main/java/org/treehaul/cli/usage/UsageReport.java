// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.usage;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

import org.jspecify.annotations.Nullable;
import org.treehaul.cli.common.Session;
import org.treehaul.cli.report.JsonLines;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.walk.summary.PathUsage;
import org.treehaul.core.walk.summary.Usage;

/**
 * Prints the space of paths: each as soon as it is known, or all in an order at the end, or only the largest. Any
 * thread may pass paths on.
 */
final class UsageReport {

    /** The order of the lines. */
    enum Order {
        /** As they become known: a directory after everything below it. */
        none,
        /** The largest first, and equal ones by path. */
        size,
        /** By path, a directory before its content. */
        name
    }

    private final Session session;
    private final UsageFormat format;
    private final boolean endsWithNul;
    private final @Nullable Threshold threshold;
    private final Order order;
    private final int most;
    private final boolean onlyFiles;
    // The head is the line that is left out first.
    private final PriorityQueue<PathUsage> kept;

    /**
     * Creates a report.
     *
     * @param threshold the bound of the values to print, or null
     * @param most how many lines are printed at most, the largest
     * @param onlyFiles whether directories are not printed
     */
    UsageReport(Session session, UsageFormat format, boolean endsWithNul, @Nullable Threshold threshold, Order order,
            int most, boolean onlyFiles) {
        this.session = session;
        this.format = format;
        this.endsWithNul = endsWithNul;
        this.threshold = threshold;
        this.order = order;
        this.most = most;
        this.onlyFiles = onlyFiles;
        this.kept = new PriorityQueue<>((a, b) -> bySize(b, a));
    }

    // The largest first. No Comparator.comparingLong, for which the JVM makes classes at each start.
    private int bySize(PathUsage a, PathUsage b) {
        int compared = Long.compare(format.value(b.usage()), format.value(a.usage()));
        return compared == 0 ? a.path().compareTo(b.path()) : compared;
    }

    /** Receives the space of a path. */
    void add(PathUsage line) {
        long value = format.value(line.usage());
        boolean isWanted = (threshold == null || threshold.allows(value))
                && !(onlyFiles && line.kind() == EntryKind.DIRECTORY);
        if (!isWanted) {
            return;
        }
        if (order == Order.none) {
            print(line);
            if (!session.output().isUsable()) {
                session.cancellation().cancel();
            }
            return;
        }
        synchronized (kept) {
            kept.add(line);
            if (kept.size() > most) {
                kept.remove();
            }
        }
    }

    /** Prints the lines that were kept for the order. */
    void end() {
        List<PathUsage> lines;
        synchronized (kept) {
            lines = new ArrayList<>(kept);
            kept.clear();
        }
        lines.sort(order == Order.name ? Comparator.comparing(UsageReport::pathKey) : this::bySize);
        for (PathUsage line : lines) {
            if (!session.isWanted()) {
                return;
            }
            print(line);
        }
    }

    // A slash sorts before all other bytes, so that the content of a directory follows it.
    private static ByteString pathKey(PathUsage line) {
        byte[] bytes = line.path().toBytes();
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = bytes[i] == '/' ? 0 : bytes[i];
        }
        return ByteString.of(bytes);
    }

    private void print(PathUsage line) {
        if (session.json().isEmpty()) {
            text(format.text(line.usage()), line.path());
            return;
        }
        JsonLines json = session.json().get();
        synchronized (json) {
            json.begin("usage")
                    .path("path", line.path())
                    .text("kind", line.kind().label())
                    .number("depth", line.depth());
            numbers(json, line.usage()).end();
        }
    }

    static JsonLines numbers(JsonLines json, Usage usage) {
        return json.number("entries", usage.entries())
                .number("apparent_bytes", usage.apparentBytes())
                .number("allocated_bytes", usage.allocatedBytes());
    }

    /** Prints the sum of all roots. */
    void total(Usage total) {
        if (session.json().isEmpty()) {
            text(format.text(total), ByteString.of("total"));
            return;
        }
        total(session.json().get(), total);
    }

    static void total(JsonLines json, Usage total) {
        synchronized (json) {
            numbers(json.begin("total"), total).end();
        }
    }

    private void text(String number, ByteString path) {
        byte[] head = number.getBytes(StandardCharsets.UTF_8);
        boolean escapes = session.escapes() && !endsWithNul;
        ByteString shown = escapes ? ByteString.of(path.toString()) : path;
        byte[] line = Arrays.copyOf(head, head.length + shown.length() + 2);
        line[head.length] = '\t';
        shown.copyTo(line, head.length + 1);
        line[line.length - 1] = (byte) (endsWithNul ? 0 : '\n');
        session.output().write(line, line.length);
    }
}
