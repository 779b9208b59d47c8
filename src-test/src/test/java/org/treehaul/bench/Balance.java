// SPDX-License-Identifier: Apache-2.0
package org.treehaul.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;

import org.jspecify.annotations.Nullable;
import org.treehaul.programs.Programs;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The command: {@code src-test/balance}. */
@Command(
        name = "src-test/balance",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = "Says how even the batches of copies by jobs are, in files, bytes and time, on the data sets of Nuss.")
public final class Balance implements Callable<Integer> {

    /** The default of --chunk-size for copies by jobs. */
    private static final long CHUNK = 1L << 30;
    private static final long SMALLEST_CHUNK = 1L << 20;
    /** Slows the first worker down to a quarter of the time, from its first claim. */
    private static final String SLOW = """
            pid=$BASHPID; [[ $SLURM_ARRAY_TASK_ID != 0 ]] || { \
            while kill -0 $pid && ! grep -qs "${SLURM_ARRAY_JOB_ID}_0" attempts/*; do sleep 0.1; done; \
            while kill -STOP $pid; do sleep 0.3; kill -CONT $pid; sleep 0.1; done; } > /dev/null 2>&1 &""";
    private static final int BATCHES_PER_JOB = 8;

    @Option(
            names = "--on",
            paramLabel = "DIR",
            description = "Work in this directory; /dev/shm/treehaul-bench by default.")
    Path on = Path.of("/dev/shm/treehaul-bench");

    @Option(
            names = "--scale",
            description = "Size of what is copied; 1 by default: 4 GB of each set, and all of its files.")
    double scale = 1;

    @Option(
            names = "--plan-scale",
            description = "Number of files of what is only planned; 1 by default: all of them, with their sizes.")
    double planScale = 1;

    @Option(names = "--rounds", description = "How often each copy is made; 3 by default.")
    int rounds = 3;

    @Option(names = "--sets", split = ",", paramLabel = "NAME", description = "Of MANY, FEW, PARTIAL; all by default.")
    List<ThesisSet> sets = List.of(ThesisSet.values());

    @Option(names = "--jobs", split = ",", paramLabel = "N", description = "How many jobs; 1,2,4,8 by default.")
    List<Integer> jobs = List.of(1, 2, 4, 8);

    @Option(
            names = "--strategies",
            split = ",",
            paramLabel = "NAME",
            description = "Of size-balanced, directory-grouped, streaming; all by default.")
    List<String> strategies = List.of("size-balanced", "directory-grouped", "streaming");

    @Option(
            names = "--scheduler",
            paramLabel = "NAME",
            description = "slurm, one of its own; local; or auto, the default: slurm for root, otherwise local.")
    String scheduler = "auto";

    @Option(
            names = "--threads",
            description = "Threads of each worker; 1 by default, as Nuss's jobs had one. 0 lets TreeHaul choose.")
    int threads = 1;

    @Option(names = "--seed", description = "What the data sets are made from; 1 by default.")
    long seed = 1;

    @Option(names = "--treehaul", paramLabel = "PATH", description = "What to measure; ./treehaul by default.")
    @Nullable Path treehaul;

    @Option(names = "--note", paramLabel = "TEXT", description = "What else is to be said of the machine.")
    String note = "";

    @Option(names = "--report", paramLabel = "FILE", description = "Write the report there instead of printing it.")
    @Nullable Path reportFile;

    @Option(names = "--delete-data", description = "Delete the data sets at the end.")
    boolean deleteData;

    private final List<String> arguments;

    private Balance(String... arguments) {
        this.arguments = List.of(arguments);
    }

    /** Runs the command and exits with its exit code. */
    public static void main(String[] args) {
        Locale.setDefault(Locale.ROOT);
        System.exit(run(args));
    }

    /** Runs the command; returns 0 if every copy was right, 1 if not, 2 if the call was wrong. */
    static int run(String... args) {
        return new CommandLine(new Balance(args)).execute(args);
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        Path root = Path
                .of(Objects.requireNonNull(System.getProperty("treehaul.root"), "start it by src-test/balance"));
        boolean isRoot = Programs.run("id", "-u").strip().equals("0");
        String chosen = scheduler.equals("auto") ? isRoot ? "slurm" : "local" : scheduler;
        String program = (treehaul == null ? root.resolve("treehaul") : treehaul).toString();
        try (Place place = new Place(on, deleteData);
                JobRig rig = new JobRig(chosen, root.resolve("src-test/slurm"), program,
                        place.out().resolve("state"))) {
            // Cleans up after a ^C; the Slurm ends by itself.
            Runtime.getRuntime()
                    .addShutdownHook(Thread.ofPlatform().unstarted(() -> Programs.ask("rm", "-rf", "--", place.out())));
            Map<String, String> facts = Machine.facts(List.of(place));
            facts.put("scheduler", chosen + ", threads of a worker: " + (threads == 0 ? "chosen" : threads));
            facts.put("scale, scale of plans, rounds, seed", scale + ", " + planScale + ", " + rounds + ", " + seed);
            if (!note.isEmpty()) {
                facts.put("note", note);
            }
            BalanceReport report = new BalanceReport(facts,
                    "src-test/balance " + String.join(" ", arguments.stream().map(Bench::quoted).toList()));
            for (ThesisSet set : sets) {
                plans(set, place, rig, report);
                write(report);
            }
            for (ThesisSet set : sets) {
                copies(set, place, rig, report);
                write(report);
            }
            if (reportFile == null) {
                System.out.print(report.markdown());
            }
            return report.isValid() ? 0 : 1;
        }
    }

    private void plans(ThesisSet set, Place place, JobRig rig, BalanceReport report) throws IOException {
        Layout layout = set.layout(planScale, 1, seed);
        Path source = place.hollowTree("thesis-" + set.label() + "-" + planScale, layout, seed);
        report.begin(set, layout);
        boolean hasLarge = set != ThesisSet.MANY;
        int number = 0;
        for (String strategy : strategies) {
            for (boolean isWhole : hasLarge ? new boolean[]{true, false} : new boolean[]{false}) {
                List<Integer> batches = new ArrayList<>(jobs.stream().filter(n -> n > 1).toList());
                batches.add(BATCHES_PER_JOB * jobs.getLast());
                for (int wanted : batches) {
                    boolean isStreaming = strategy.equals("streaming");
                    List<Object> options = new ArrayList<>(List.of("--strategy", strategy, "--chunk-size",
                            isWhole ? Long.toString(1L << 50) : Long.toString(CHUNK)));
                    if (!isStreaming) {
                        options.addAll(List.of("--batches", wanted));
                    }
                    Path plan = place.out().resolve("plan-" + set.label() + number++);
                    PlanRun run = rig.plan(options, source, place.fresh(), plan);
                    place.remove(plan);
                    report.plan(set, strategy, isWhole, run);
                    System.err.printf("%s, %d batches of %s: planned in %.1f s%n", set.title(), run.batches(), strategy,
                            run.seconds());
                    if (isStreaming) {
                        // The batches of streaming do not depend on the number of jobs.
                        break;
                    }
                }
            }
        }
    }

    private void copies(ThesisSet set, Place place, JobRig rig, BalanceReport report)
            throws IOException, InterruptedException {
        double size = set.size(scale, seed);
        Layout layout = set.layout(set.number(scale), size, seed);
        Path source = place.tree("thesis-copy-" + set.label() + "-" + scale, layout, seed);
        long chunk = Math.max(SMALLEST_CHUNK, (long) (CHUNK * size));
        report.beginCopies(set, layout, chunk);
        for (int round = 0; round < rounds; round++) {
            report.cp(set, cp(place, source));
            for (int workers : jobs) {
                for (String strategy : strategies) {
                    List<Object> options = new ArrayList<>(common(workers, strategy, chunk));
                    if (strategy.equals("streaming")) {
                        options.addAll(List.of("--batch-files", (layout.files() + workers - 1) / workers,
                                "--batch-bytes", Math.max(1, layout.bytes() / workers)));
                    } else {
                        options.addAll(List.of("--batches", workers));
                    }
                    boolean isJudged = round == 0 && workers == jobs.getLast();
                    copy(new BalanceReport.Case(set, workers, strategy, ""), options, source, place, rig, report,
                            isJudged);
                }
            }
            int most = jobs.getLast();
            if (most > 1 && set == sets.getFirst() && rig.namesWorkers()) {
                for (String pace : List.of("even", "one slow")) {
                    for (int each : List.of(1, BATCHES_PER_JOB)) {
                        List<Object> options = new ArrayList<>(common(most, "size-balanced", chunk));
                        options.addAll(List.of("--batches", each * most));
                        if (!pace.equals("even")) {
                            options.addAll(List.of("--pre", SLOW));
                        }
                        copy(new BalanceReport.Case(set, most, each + " a job", pace), options, source, place, rig,
                                report, false);
                    }
                }
            }
        }
    }

    private List<Object> common(int workers, String strategy, long chunk) {
        List<Object> options = new ArrayList<>(
                List.of("--jobs", workers, "--strategy", strategy, "--chunk-size", chunk));
        if (threads > 0) {
            options.addAll(List.of("--threads", threads));
        }
        return options;
    }

    private static void copy(BalanceReport.Case which, List<Object> options, Path source, Place place, JobRig rig,
            BalanceReport report, boolean isJudged) throws IOException, InterruptedException {
        Path target = place.fresh();
        place.settle();
        try {
            JobRun run = rig.copy(options, source, target);
            report.copy(which, run);
            System.err.printf("%s: %.1f s, batches %.1f to %.1f s%n", which, run.finished(), run.bestBatch(),
                    run.worstBatch());
            String judgement = isJudged ? Judge.copy(source, target) : Judge.EXACT;
            if (judgement.startsWith(Judge.WRONG)) {
                report.wrong(which + ": " + judgement);
            }
        } catch (IllegalStateException failure) {
            report.wrong(which + ": " + failure.getMessage());
            System.err.println(which + ": " + failure.getMessage());
        } finally {
            place.discard(target);
        }
    }

    /** Returns the seconds of a copy by {@code cp -a}. */
    static double cp(Place place, Path source) throws IOException {
        Path target = place.fresh();
        place.settle();
        Instant start = Instant.now();
        Programs.run("cp", "-a", "-T", source, target);
        double seconds = JobRun.seconds(start, Instant.now());
        place.discard(target);
        return seconds;
    }

    // Writes the report after each set, so that a ^C loses no finished measurement.
    private void write(BalanceReport report) throws IOException {
        if (reportFile != null) {
            Files.writeString(reportFile, report.markdown());
        }
    }
}
