// SPDX-License-Identifier: Apache-2.0
package org.treehaul.bench;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalDouble;
import java.util.function.Function;
import java.util.stream.Collectors;

import org.treehaul.bench.Series.Spread;
import org.treehaul.programs.Median;

/** Formats the evenness of batches as Markdown. */
final class BalanceReport {

    private static final String PLANNED = """
            ## What batches hold

            Plans alone, so the load of the machine affects only the seconds. Spread is the largest batch less the
            smallest, in percent of the mean. A file larger than a chunk (1 GiB) is divided; *whole* means that none is,
            as with Bpct. The last column is the number of batches that contain entries of a directory, on average. `streaming` has its own
            limits (20,000 files, 64 GiB), and as many batches as that makes.

            """;

    private static final String COPIED = """
            ## What batches take

            `cp -a --jobs N --batches N`, so that each job has one batch, as each job of Bpct had its script; `streaming`
            ends a batch at the N-th part of the files or of the bytes, which may make more batches than jobs. A batch's
            time is that from its claim to its end. *Workers* got a batch: one that starts late finds its own
            taken by another that is done already. First and last end are those of a job's last batch, from the start of
            the command; speed-up is the time of `cp -a` by the last end: both as in the tables of Nuss. All includes
            finishing (times of directories and the like), which Bpct had not. Medians of all rounds.

            What can be compared with Nuss is how evenly the work ends: last to first. Speed-up cannot: his jobs had a
            node each and a parallel file system of many servers below; here all jobs share the cores of one machine and
            its memory, on which `cp -a` is not slowed by a network, so more jobs than cores cannot be faster, and each
            pays for the start of a JVM.

            """;

    private static final String TAILS = """
            ## Batches that are claimed

            The tail is the last end of a worker in relation to the mean of all workers, from the first claim: 1 where all
            end at once. *One slow*: the first worker is stopped for three quarters of the time from its first claim.
            Eight batches a job is the default.

            """;

    private final Map<String, String> facts;
    private final String command;
    private final Map<ThesisSet, String> planned = new LinkedHashMap<>();
    private final Map<ThesisSet, List<List<String>>> plans = new LinkedHashMap<>();
    private final Map<ThesisSet, String> copied = new LinkedHashMap<>();
    private final Map<ThesisSet, List<Double>> cp = new LinkedHashMap<>();
    private final Map<Case, List<JobRun>> runs = new LinkedHashMap<>();
    private final List<String> wrong = new ArrayList<>();

    /**
     * A measured configuration.
     *
     * @param batching the strategy, or the number of batches
     * @param pace the pace of the workers, empty for one batch for each job
     */
    record Case(ThesisSet set, int jobs, String batching, String pace) {

        @Override
        public String toString() {
            return "%s, %d jobs, %s%s".formatted(set.title(), jobs, batching, pace.isEmpty() ? "" : ", " + pace);
        }
    }

    /**
     * Begins a report.
     *
     * @param facts the environment of the measurements
     * @param command the command that repeats them
     */
    BalanceReport(Map<String, String> facts, String command) {
        this.facts = facts;
        this.command = command;
    }

    private static String describe(Layout layout) {
        return "%,d files in %,d directories, %.1f GB".formatted(layout.files(), layout.directories(),
                layout.bytes() / 1e9);
    }

    void begin(ThesisSet set, Layout layout) {
        planned.put(set, describe(layout));
    }

    void plan(ThesisSet set, String strategy, boolean isWhole, PlanRun run) {
        plans.computeIfAbsent(set, s -> new ArrayList<>())
                .add(List.of(strategy + (isWhole ? ", whole" : ""), Integer.toString(run.batches()),
                        "%,d-%,d".formatted(run.files().least(), run.files().most()),
                        "%.2f".formatted(run.files().percent()),
                        "%.3f-%.3f".formatted(run.bytes().least() / 1e9, run.bytes().most() / 1e9),
                        "%.2f".formatted(run.bytes().percent()), "%.2f".formatted(run.spreadOfDirectories()),
                        "%.1f".formatted(run.seconds())));
    }

    void beginCopies(ThesisSet set, Layout layout, long chunk) {
        copied.put(set, describe(layout) + ", chunks of %.1f MB".formatted(chunk / 1e6));
    }

    void cp(ThesisSet set, double seconds) {
        cp.computeIfAbsent(set, s -> new ArrayList<>()).add(seconds);
    }

    void copy(Case which, JobRun run) {
        runs.computeIfAbsent(which, w -> new ArrayList<>()).add(run);
    }

    /** Records a copy that was not right. */
    void wrong(String line) {
        wrong.add(line);
    }

    boolean isValid() {
        return wrong.isEmpty();
    }

    String markdown() {
        StringBuilder text = new StringBuilder("# Balance of batches\n\n    " + command + "\n\n");
        text.append(
                """
                        Copies by jobs on data sets with the numbers and sizes of Kevin Nuss, *Parallel Copying Tools* (Boise State
                        University), tables 3.1 to 3.3; beside them his measurements of Bpct, tables 3.11 to 3.15.
                        Conclusions: [README](README.md), [0012](../decisions/0012-default-strategy.md). How to repeat it:
                        [bench.md](../guide/bench.md).

                        """);
        Report.table(text, List.of("", ""), Report.rows(facts));
        text.append(PLANNED);
        plans.forEach((set, rows) -> {
            text.append("### ").append(capital(set)).append("\n\n").append(planned.get(set)).append(".\n\n");
            Report.table(text, List.of("strategy", "batches", "files and chunks", "spread %", "GB", "spread %",
                    "batches of a directory", "s"), rows);
        });
        if (!copied.isEmpty()) {
            text.append(COPIED);
            copied.keySet().forEach(set -> copies(text, set));
            tails(text);
        }
        if (!wrong.isEmpty()) {
            text.append("## Wrong\n\n");
            wrong.forEach(line -> text.append("- ").append(line).append('\n'));
        }
        return text.toString().stripTrailing() + "\n";
    }

    private static String capital(ThesisSet set) {
        return set.title().substring(0, 1).toUpperCase(Locale.ROOT) + set.title().substring(1);
    }

    private static Spread of(List<Double> values) {
        return Spread.of(values.stream().mapToDouble(Double::doubleValue).toArray());
    }

    private void copies(StringBuilder text, ThesisSet set) {
        List<ThesisRuns> his = ThesisRuns.of(set);
        Spread alone = of(Objects.requireNonNull(cp.get(set)));
        String tables = his.stream().map(ThesisRuns::table).collect(Collectors.joining(" / "));
        text.append("### ")
                .append(capital(set))
                .append(", copied\n\n")
                .append(copied.get(set))
                .append(". `cp -a` takes %.1f s (%.1f-%.1f). Nuss: tables %s.\n\n".formatted(alone.median(),
                        alone.least(), alone.most(),
                        his.stream().map(ThesisRuns::title).collect(Collectors.joining(", "))));
        List<List<String>> rows = new ArrayList<>();
        runs.forEach((which, all) -> {
            if (which.set() == set && which.pace().isEmpty()) {
                double submitting = Median.of(all, run -> run.submitted() - run.planned());
                rows.add(List.of(Integer.toString(which.jobs()), which.batching(),
                        "%.0f".formatted(Median.of(all, run -> run.batches().length)),
                        "%.0f".formatted(Median.of(all, run -> run.workers().length)),
                        "%.1f".formatted(Median.of(all, JobRun::planned)),
                        submitting < 0 || which.batching().equals("streaming") ? "" : "%.1f".formatted(submitting),
                        "%.1f".formatted(Median.of(all, JobRun::bestBatch)),
                        "%.1f".formatted(Median.of(all, JobRun::worstBatch)),
                        "%.2f".formatted(Median.of(all, run -> run.worstBatch() / run.bestBatch())),
                        "%.1f".formatted(Median.of(all, JobRun::firstEnd)),
                        "%.1f".formatted(Median.of(all, JobRun::lastEnd)),
                        "%.2f".formatted(Median.of(all, run -> run.lastEnd() / run.firstEnd())),
                        theirs(his, runs -> runs.lastToFirst(which.jobs())),
                        "%.2f".formatted(alone.median() / Median.of(all, JobRun::lastEnd)),
                        theirs(his, runs -> runs.speedUp(which.jobs())),
                        "%.1f".formatted(Median.of(all, JobRun::finished))));
            }
        });
        Report.table(text,
                List.of("N", "strategy", "batches", "workers", "plan s", "submit s", "best batch s", "worst batch s",
                        "worst to best", "first end s", "last end s", "last to first", "Nuss " + tables, "speed-up",
                        "Nuss " + tables, "all s"),
                rows);
    }

    private static String theirs(List<ThesisRuns> his, Function<ThesisRuns, OptionalDouble> what) {
        List<OptionalDouble> values = his.stream().map(what).toList();
        return values.stream().allMatch(OptionalDouble::isEmpty)
                ? ""
                : values.stream()
                        .map(value -> value.isPresent() ? "%.2f".formatted(value.getAsDouble()) : "-")
                        .collect(Collectors.joining(" / "));
    }

    private void tails(StringBuilder text) {
        List<List<String>> rows = new ArrayList<>();
        runs.forEach((which, all) -> {
            if (!which.pace().isEmpty()) {
                rows.add(List.of(which.set().title(), Integer.toString(which.jobs()), which.batching(), which.pace(),
                        "%.0f".formatted(Median.of(all, run -> run.workers().length)),
                        "%.2f".formatted(Median.of(all, JobRun::tail)),
                        "%.1f".formatted(Median.of(all, JobRun::lastEnd)),
                        "%.1f".formatted(Median.of(all, JobRun::finished))));
            }
        });
        text.append(rows.isEmpty() ? "" : TAILS);
        Report.table(text, List.of("set", "jobs", "batches", "pace", "workers", "tail", "last end s", "all s"), rows);
    }
}
