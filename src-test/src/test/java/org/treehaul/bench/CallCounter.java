// SPDX-License-Identifier: Apache-2.0
package org.treehaul.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.SortedMap;
import java.util.TreeMap;

import org.treehaul.programs.Programs;

/**
 * Counts the system calls that a tool makes for each file, by strace. It runs the tool on two small trees, and divides
 * the additional calls on the larger one by its additional files: so the start of the program does not count, but the
 * cost of a directory of 100 files does.
 */
final class CallCounter {

    private static final int FEW = 200;
    private static final int MORE = 2200;
    /** The name of the line with the sum in the table of strace. */
    static final String TOTAL = "total";

    private final Meter meter;
    private final Place place;
    private final long seed;
    private final Map<List<String>, OptionalDouble> known = new HashMap<>();

    CallCounter(Meter meter, Place place, long seed) {
        this.meter = meter;
        this.place = place;
        this.seed = seed;
    }

    static boolean canCount() {
        return Programs.find("strace").isPresent();
    }

    /**
     * Returns whether counting makes sense for a scenario: with every number of threads the calls are the same, and
     * jobs count in their scenario with many files.
     */
    static boolean isFor(Scenario scenario) {
        return scenario.data().filter(set -> set != DataSet.SLOW && set != DataSet.TEN).isPresent();
    }

    /** Returns the calls for each file; empty if the tool failed under strace. */
    OptionalDouble callsPerFile(Scenario scenario, Tool tool) throws IOException, InterruptedException {
        OptionalDouble before = known.get(tool.command());
        if (before != null) {
            return before;
        }
        long few = calls(scenario, tool, FEW);
        long more = calls(scenario, tool, MORE);
        OptionalDouble count = few < 0 || more < 0
                ? OptionalDouble.empty()
                : OptionalDouble.of((double) (more - few) / (MORE - FEW));
        known.put(tool.command(), count);
        return count;
    }

    /**
     * Returns the calls for each file by the name of the call, without names that do not depend on the number of files.
     *
     * @param repetitions how often the tool runs on each tree; the fewest calls of a name count, as the JVM makes some
     *        at times of its own
     */
    SortedMap<String, Double> callsByName(Scenario scenario, Tool tool, int repetitions)
            throws IOException, InterruptedException {
        Map<String, Long> few = fewest(scenario, tool, FEW, repetitions);
        Map<String, Long> more = fewest(scenario, tool, MORE, repetitions);
        SortedMap<String, Double> perFile = new TreeMap<>();
        more.forEach((name, calls) -> {
            long added = calls - few.getOrDefault(name, 0L);
            if (added != 0) {
                perFile.put(name, (double) added / (MORE - FEW));
            }
        });
        return perFile;
    }

    private Map<String, Long> fewest(Scenario scenario, Tool tool, int files, int repetitions)
            throws IOException, InterruptedException {
        Map<String, Long> fewest = new HashMap<>();
        for (int i = 0; i < repetitions; i++) {
            Optional<String> table = table(scenario, tool, files);
            if (table.isEmpty()) {
                throw new IOException(tool.name() + " failed under strace: " + tool.text());
            }
            byName(table.get()).forEach((name, calls) -> fewest.merge(name, calls, Math::min));
        }
        return fewest;
    }

    private long calls(Scenario scenario, Tool tool, int files) throws IOException, InterruptedException {
        return table(scenario, tool, files).map(table -> byName(table).getOrDefault(TOTAL, -1L)).orElse(-1L);
    }

    // Returns the table of strace; empty if the tool failed.
    private Optional<String> table(Scenario scenario, Tool tool, int files) throws IOException, InterruptedException {
        Path source = place.tree("calls-" + files, Layouts.tiny(files, seed), seed);
        Path target = place.fresh();
        Path other = place.fresh();
        if (scenario.task() == Scenario.Task.COMPARE) {
            Programs.run("cp", "-a", "-T", source, other);
        } else if (scenario.task() == Scenario.Task.REMOVE) {
            Programs.run("cp", "-a", "-T", source, target);
        }
        Path counts = meter.work().resolve("strace");
        // Counts only calls on names and descriptors: calls with which threads wait for each other vary in number.
        List<String> strace = new ArrayList<>(List.of("strace", "-f", "-qq", "-c", "-o", counts.toString(), "-e",
                "trace=%file,%desc", "-e", "signal=none"));
        strace.addAll(tool.on(source, other, target));
        int code = meter.measure(strace).code();
        place.remove(target);
        place.remove(other);
        return code == 0 ? Optional.of(Files.readString(counts)) : Optional.empty();
    }

    // Reads lines such as "100.00    0.004711           3      1467        23 total"; the errors may be missing.
    static Map<String, Long> byName(String table) {
        Map<String, Long> calls = new HashMap<>();
        for (String line : table.lines().toList()) {
            String[] words = line.strip().split("\\s+", -1);
            if (words.length >= 5 && words[3].matches("\\d+")) {
                calls.put(words[words.length - 1], Long.parseLong(words[3]));
            }
        }
        return calls;
    }
}
