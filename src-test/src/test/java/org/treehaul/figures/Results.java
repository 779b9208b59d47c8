// SPDX-License-Identifier: Apache-2.0
package org.treehaul.figures;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.treehaul.bench.ThesisCopies;
import org.treehaul.bench.ThesisCopies.ByJobs;
import org.treehaul.bench.ThesisCopies.Raced;
import org.treehaul.bench.ThesisRuns;
import org.treehaul.bench.ThesisSet;

/** The results that the figures of one command share: each is simulated or measured once. Used by one thread. */
final class Results implements AutoCloseable {

    private final ThesisCopies.Settings settings;
    private final int processes;
    private final Map<String, Object> made = new HashMap<>();
    private final List<String> wrong = new ArrayList<>();
    private @Nullable ThesisCopies copies;

    /** Computes a result. */
    interface Source<T> {
        T get() throws IOException, InterruptedException;
    }

    /**
     * Begins without any result.
     *
     * @param settings the scale of all figures, and the place of the measurements
     * @param processes the most processes that copy at the same time in a measurement
     */
    Results(ThesisCopies.Settings settings, int processes) {
        this.settings = settings;
        this.processes = processes;
    }

    double scale() {
        return settings.scale();
    }

    int processes() {
        return processes;
    }

    ThesisCopies.Settings settings() {
        return settings;
    }

    /** Returns how often each copy was made, in words. */
    String rounds() {
        return settings.rounds() == 1 ? "One round" : settings.rounds() + " rounds in turns; medians";
    }

    /** Returns what is wrong with copies of our own. */
    List<String> wrong() {
        return wrong;
    }

    /** Returns the result of this name; computes it the first time. */
    @SuppressWarnings("unchecked") // a name is used for one type only
    <T> T once(String name, Source<T> source) throws IOException, InterruptedException {
        Object found = made.get(name);
        if (found == null) {
            found = source.get();
            made.put(name, found);
        }
        return (T) found;
    }

    private ThesisCopies copies() throws IOException {
        ThesisCopies open = copies;
        if (open == null) {
            open = new ThesisCopies(settings);
            copies = open;
        }
        return open;
    }

    /** Returns the times of copying tools, and of ranks in each configuration of the tables of the set. */
    Raced raced(ThesisSet set) throws IOException, InterruptedException {
        return once("raced " + set, () -> {
            Raced raced = copies().race(set, PctTable.configurations(set, processes));
            raced.ranks().forEach((ranks, time) -> note(set + ", " + ranks, time));
            raced.tools().forEach((tool, time) -> {
                if (tool.startsWith("treehaul")) {
                    note(set + ", " + tool, time);
                }
            });
            return raced;
        });
    }

    private void note(String what, ThesisCopies.Time time) {
        if (!time.failure().isEmpty()) {
            wrong.add(what + ": " + time.failure());
        }
    }

    /** Returns the times of copies by the numbers of jobs in the tables of the set. */
    ByJobs byJobs(ThesisSet set) throws IOException, InterruptedException {
        return once("jobs " + set,
                () -> copies().jobs(set,
                        ThesisRuns.of(set)
                                .stream()
                                .flatMap(runs -> runs.rows().stream())
                                .map(ThesisRuns.Row::jobs)
                                .filter(jobs -> jobs <= processes)
                                .distinct()
                                .sorted()
                                .toList()));
    }

    /** Returns what the profile of one copy by ranks says of each rank. */
    List<Map<String, String>> profile(ThesisSet set, int ranks) throws IOException, InterruptedException {
        return once("profile " + set, () -> copies().profile(set, ranks));
    }

    /** Returns facts about this machine. */
    Map<String, String> machine() throws IOException, InterruptedException {
        return once("machine", () -> copies().machine());
    }

    /** Returns the assumptions of every measured figure, followed by those for this one. */
    List<String> assumptions(ThesisSet set, String... more) throws IOException, InterruptedException {
        Map<String, String> machine = machine();
        List<String> all = new ArrayList<>();
        all.add("Measured on one machine, not on a cluster: " + String.join("; ",
                machine.entrySet().stream().map(fact -> fact.getKey() + " " + fact.getValue()).toList()) + ".");
        all.add(LafonFigures.text("Scale %s: %s of %s, whose files are random data%s; seed %d.", settings.scale(),
                settings.copied(set), LafonFigures.text("%.1f GB", set.total() / 1e9),
                settings.isFull() ? "" : ", all sizes made smaller by the same factor", settings.seed()));
        all.add(LafonFigures.text("At most %d processes at once (--processes); what would take more is not measured.",
                processes));
        all.addAll(List.of(more));
        return all;
    }

    /** Removes the data and the copies. */
    @Override
    public void close() throws IOException {
        if (copies != null) {
            copies.close();
        }
    }
}
