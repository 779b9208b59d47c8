// SPDX-License-Identifier: Apache-2.0
package org.treehaul.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * The comparison of an old and a new program, as rows of a table in Markdown. A value of the new program may be larger
 * than that of the old one by {@link #ALLOWED}, or by as much as a second copy of the old one differs from the first in
 * the same series. Used by one thread.
 */
final class GuardTable {

    /** The ratio of new to old that is always allowed. */
    static final double ALLOWED = 1.03;
    /**
     * The calls of one name for each file that may be added: half of one call for each directory, which holds 100
     * files.
     */
    static final double ALLOWED_CALLS = 0.008;
    /** The same for calls that the JVM makes at times of its own: for memory, threads, locks and signals. */
    static final double ALLOWED_JVM_CALLS = 0.05;
    private static final Set<String> JVM_CALLS = Set.of("mmap", "munmap", "mprotect", "madvise", "brk", "futex",
            "sched_yield", "rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "clone", "clone3", "exit", "rseq",
            "set_robust_list", "prctl", "gettid", "clock_nanosleep", "restart_syscall");

    private final List<String> ratios = new ArrayList<>();
    private final List<String> calls = new ArrayList<>();
    private final List<String> broken = new ArrayList<>();

    /**
     * Adds medians of a quantity that should be small.
     *
     * @param task the task of the programs
     * @param quantity the quantity and its unit
     * @param old the median of the old program
     * @param again the median of a second copy of the old program
     * @param recent the median of the new program
     * @return whether the new program keeps to the bar
     */
    boolean addMedians(String task, String quantity, double old, double again, double recent) {
        double same = again / old;
        double bar = Math.max(ALLOWED, Math.max(same, 1 / same));
        double ratio = recent / old;
        // Not a number, if a program did not run, is not below the bar either.
        boolean isKept = ratio < bar;
        ratios.add("| %s | %s | %.3f | %.3f | %.3f | %.3f | %.3f | %s |".formatted(task, quantity, old, recent, same,
                ratio, bar, isKept ? "kept" : "**broken**"));
        if (!isKept) {
            broken.add(
                    "%s: %s: %.3f times that of the old program, allowed: %.3f".formatted(task, quantity, ratio, bar));
        }
        return isKept;
    }

    /**
     * Adds system calls for each file, by the name of the call; only names whose numbers differ are shown, and the sum,
     * which is not judged.
     *
     * @param task the task of the programs
     * @param old the calls of the old program
     * @param again the calls of a second copy of the old program
     * @param recent the calls of the new program
     * @return whether the new program makes no more calls of any name
     */
    boolean addCalls(String task, Map<String, Double> old, Map<String, Double> again, Map<String, Double> recent) {
        TreeSet<String> names = new TreeSet<>(old.keySet());
        names.addAll(again.keySet());
        names.addAll(recent.keySet());
        boolean areKept = true;
        for (String name : names) {
            double before = old.getOrDefault(name, 0.0);
            double same = again.getOrDefault(name, 0.0);
            double now = recent.getOrDefault(name, 0.0);
            double allowed = JVM_CALLS.contains(name) ? ALLOWED_JVM_CALLS : ALLOWED_CALLS;
            boolean isSum = name.equals(CallCounter.TOTAL);
            boolean isKept = isSum || now - before <= Math.max(allowed, Math.abs(same - before));
            if (!isKept || isSum || Math.abs(now - before) > allowed) {
                calls.add("| %s | %s | %.4f | %.4f | %.4f | %s |".formatted(task, name, before, same, now,
                        isSum ? "" : isKept ? "kept" : "**broken**"));
            }
            if (!isKept) {
                broken.add("%s: %.4f calls of %s for each file, %.4f before".formatted(task, now, name, before));
                areKept = false;
            }
        }
        return areKept;
    }

    /** Adds a failure that breaks the guard by itself. */
    void addFailure(String text) {
        broken.add(text);
    }

    /** Returns a sentence for each broken bar. */
    List<String> broken() {
        return List.copyOf(broken);
    }

    /** Returns the tables and a last line that says whether all bars were kept. */
    String markdown() {
        List<String> lines = new ArrayList<>();
        lines.add("| task | median of | old | new | old/old | new/old | bar | |");
        lines.add("|---|---|---|---|---|---|---|---|");
        lines.addAll(ratios);
        if (!calls.isEmpty()) {
            lines.add("");
            lines.add("| task | calls for each file | old | old again | new | |");
            lines.add("|---|---|---|---|---|---|");
            lines.addAll(calls);
        }
        lines.add("");
        if (broken.isEmpty()) {
            lines.add("All bars were kept.");
        } else {
            broken.forEach(text -> lines.add("- " + text));
        }
        return String.join("\n", lines) + "\n";
    }
}
