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
 * Reports entries that failed: each as it comes, but only the first of similar failures, and their number at the end. A
 * tree may contain 10^8 entries that all fail in the same way.
 */
public final class Problems {

    /**
     * The number of failures printed per group: enough to show what they have in common, few enough to keep other
     * groups visible.
     */
    public static final int SHOWN = 20;

    private record Group(EntryFailure.Kind kind, String operation, int errno) {}

    private final Screen screen;
    private volatile boolean silent;
    private final ConcurrentMap<Group, AtomicLong> groups = new ConcurrentHashMap<>();

    /** Creates a reporter that prints on a screen. */
    public Problems(Screen screen) {
        this.screen = screen;
    }

    /** Prints nothing from now on, and only counts. */
    public void silence() {
        silent = true;
    }

    /** Reports a failure and counts it. */
    public void failed(EntryFailure failure) {
        Group group = new Group(failure.kind(), withoutSubject(failure.operation()), failure.errno());
        if (groups.computeIfAbsent(group, g -> new AtomicLong()).incrementAndGet() <= SHOWN && !silent) {
            screen.error(failure.toString());
        }
    }

    // A failure of a stage has the file and the segment in parentheses: each would be a group of its own.
    private static String withoutSubject(String operation) {
        int from = operation.indexOf(" (");
        int open = 0;
        for (int i = from + 1; from >= 0 && i < operation.length(); i++) {
            open += operation.charAt(i) == '(' ? 1 : operation.charAt(i) == ')' ? -1 : 0;
            if (open == 0) {
                return operation.substring(0, from) + operation.substring(i + 1);
            }
        }
        return operation;
    }

    /** Returns the number of failures of each kind. */
    public Map<EntryFailure.Kind, Long> counts() {
        Map<EntryFailure.Kind, Long> counts = new EnumMap<>(EntryFailure.Kind.class);
        groups.forEach((group, count) -> counts.merge(group.kind(), count.get(), Long::sum));
        return counts;
    }

    /** Returns the number of all failures. */
    public long total() {
        return counts().values().stream().mapToLong(Long::longValue).sum();
    }

    /** Prints the number of failures of each group of which not all were shown, and the total. */
    public void summarize() {
        if (silent) {
            return;
        }
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
            screen.error(Text.count(total, "failure", "failures"));
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
