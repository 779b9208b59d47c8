// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.report;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicLong;

import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.fs.Errno;

/**
 * Tells of entries that failed: each as it comes, but of failures that are alike only the first ones, and at the end
 * how many there were. A tree may hold 10^8 entries that all fail in the same way.
 */
public final class Problems {

    /**
     * How many of a group are printed. Enough to see what they have in common, few enough to leave the rest in sight.
     */
    public static final int SHOWN = 20;

    private record Group(EntryFailure.Kind kind, String operation, int errno) {}

    private final Screen screen;
    private final ConcurrentMap<Group, AtomicLong> groups = new ConcurrentHashMap<>();

    /** Tells on a screen. */
    public Problems(Screen screen) {
        this.screen = screen;
    }

    /** Tells of a failure and counts it. */
    public void failed(EntryFailure failure) {
        Group group = new Group(failure.kind(), failure.operation(), failure.errno());
        if (groups.computeIfAbsent(group, g -> new AtomicLong()).incrementAndGet() <= SHOWN) {
            screen.error(failure.toString());
        }
    }

    /** Returns how many failures of each kind there were. */
    public Map<EntryFailure.Kind, Long> counts() {
        Map<EntryFailure.Kind, Long> counts = new EnumMap<>(EntryFailure.Kind.class);
        groups.forEach((group, count) -> counts.merge(group.kind(), count.get(), Long::sum));
        return counts;
    }

    /** Returns how many failures there were. */
    public long total() {
        return counts().values().stream().mapToLong(Long::longValue).sum();
    }

    /** Says how many failures of each group there were, where not all were shown, and how many in all. */
    public void summarize() {
        List<Map.Entry<Group, AtomicLong>> large = new ArrayList<>();
        for (Map.Entry<Group, AtomicLong> group : groups.entrySet()) {
            if (group.getValue().get() > SHOWN) {
                large.add(group);
            }
        }
        large.sort((a, b) -> Long.compare(b.getValue().get(), a.getValue().get()));
        for (Map.Entry<Group, AtomicLong> group : large) {
            long count = group.getValue().get();
            screen.error(describe(group.getKey()) + ": " + Text.count(count) + " entries, " + Text.count(count - SHOWN)
                    + " of them not shown");
        }
        long total = total();
        if (total > 1) {
            screen.error(Text.count(total) + " failures");
        }
    }

    private static String describe(Group group) {
        String what = switch (group.kind()) {
            case ERROR -> "";
            case VANISHED -> "vanished: ";
            case CHANGED -> "changed: ";
            case CORRUPT -> "reads back differently: ";
        };
        return what + group.operation() + (group.errno() == 0 ? "" : ": " + Errno.describe(group.errno()));
    }
}
