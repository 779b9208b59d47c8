// SPDX-License-Identifier: Apache-2.0
package org.treehaul.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;

import org.treehaul.bench.Series.Spread;
import org.treehaul.programs.Median;
import org.treehaul.programs.Programs;

/** Copies of the data sets of Nuss on this machine, measured in turns. Used by one thread. */
public final class ThesisCopies implements AutoCloseable {

    /** No file is divided, as with Bpct. */
    private static final long WHOLE_FILES = 1L << 50;

    /**
     * The size and the place of the measurements.
     *
     * @param on the directory for data and copies, which are removed at the end
     * @param root the root of the checkout
     * @param treehaul the program to measure
     * @param scale the fraction of what is copied
     * @param isFull whether files have their full sizes; otherwise a set has 4 GB at scale 1
     * @param rounds the number of runs of each configuration
     * @param seed the seed of the data sets
     * @param scheduler {@code local}, or {@code slurm} for one that is started for the measurement
     * @param log receives progress messages
     */
    public record Settings(Path on, Path root, Path treehaul, double scale, boolean isFull, int rounds, long seed,
            String scheduler, Consumer<String> log) {

        Layout layout(ThesisSet set) {
            return isFull ? set.layout(scale, 1, seed) : set.layout(set.number(scale), set.size(scale, seed), seed);
        }

        /** Returns the files, directories and size of what is copied of a set, in words. */
        public String copied(ThesisSet set) {
            return Race.describe(layout(set));
        }

        /** Returns the fraction of the files of a set that is copied. */
        public double number(ThesisSet set) {
            return isFull ? scale : set.number(scale);
        }
    }

    /**
     * Ranks of pct.
     *
     * @param nodes the number of nodes; here of ranks
     * @param cores the processes on each; here the threads of each rank
     */
    public record Ranks(int nodes, int cores) {
        String tool() {
            return "pct " + nodes + " x " + cores;
        }

        /** Returns the number of processes. */
        public int processes() {
            return nodes * cores;
        }
    }

    /**
     * The seconds of all rounds.
     *
     * @param failure the first failure, or what is wrong with the copy; empty if there was none
     */
    public record Time(double median, double least, double most, String failure) {

        static Time of(double... seconds) {
            Spread spread = Spread.of(seconds);
            return new Time(spread.median(), spread.least(), spread.most(), "");
        }
    }

    /**
     * The times of tools that copied in turns.
     *
     * @param tools the time of each tool by its name, among them {@code cp -a}
     * @param ranks the time of each configuration of ranks
     * @param absent the names of the tools that are not installed
     */
    public record Raced(Map<String, Time> tools, Map<Ranks, Time> ranks, List<String> absent) {

        /** Returns the time of {@code cp -a}, to which the others are compared. */
        public Time cp() {
            return Objects.requireNonNull(tools.get("cp -a"), "cp takes part in every race");
        }
    }

    /**
     * The times of copies by jobs; medians, in seconds from the start of the command unless stated otherwise.
     *
     * @param traversal the end of the plan
     * @param submission the duration of the submission of the jobs
     * @param bestBatch the shortest duration of a batch
     * @param worstBatch the longest duration of a batch
     * @param firstEnd the first end of a job
     * @param lastEnd the last end of a job
     */
    public record Jobs(double traversal, double submission, double bestBatch, double worstBatch, double firstEnd,
            double lastEnd) {}

    /**
     * Copies by {@code cp -a} and by jobs, in turns.
     *
     * @param cp the time of {@code cp -a}
     * @param jobs the times by the number of jobs, each of which has one batch
     */
    public record ByJobs(Time cp, Map<Integer, Jobs> jobs) {}

    private final Settings settings;
    private final Place place;
    private final Thread cleaner;

    /** Begins to work in the directory, and makes it if it is missing. */
    public ThesisCopies(Settings settings) throws IOException {
        this.settings = settings;
        place = new Place(settings.on(), true);
        cleaner = Thread.ofPlatform().unstarted(() -> Programs.ask("rm", "-rf", "--", place.out()));
        Runtime.getRuntime().addShutdownHook(cleaner);
        Machine.recordArchives(settings.treehaul().toString());
    }

    /** Returns names and values that describe the machine. */
    public Map<String, String> machine() throws IOException {
        Map<String, String> facts = Machine.facts(List.of(place));
        facts.put("load", Files.readString(Path.of("/proc/loadavg")).split(" ", 2)[0]);
        return facts;
    }

    private Path source(ThesisSet set) throws IOException {
        return place.tree("thesis-copy-" + set.label(), settings.layout(set), settings.seed());
    }

    /** Copies a set by every copying tool and by these ranks. */
    public Raced race(ThesisSet set, List<Ranks> configurations) throws IOException, InterruptedException {
        String treehaul = settings.treehaul().toString();
        List<Tool> tools = new ArrayList<>(
                new Tools(Map.of("treehaul cp -a", treehaul), Optional.empty(), name -> true).copiers());
        for (Ranks one : configurations) {
            tools.add(new Tool(one.tool(), Tool.Role.OURS,
                    List.of(treehaul, "cp", "-a", "--ranks", Integer.toString(one.nodes()), "--threads",
                            Integer.toString(one.cores()), "--distribution", "pct", "-T", "{source}", "{target}")));
        }
        Scenario scenario = new Scenario("thesis-" + set.label(), set.title(), Optional.empty(), Scenario.Where.MEMORY,
                false, Scenario.Task.COPY, tools, "cp -a", List.of());
        Race race = new Race(Meter.choose(place.out()), settings.rounds(), settings.scale(), settings.seed(),
                settings.log());
        Map<String, Time> times = new LinkedHashMap<>();
        for (Series series : race.run(scenario, place, source(set), settings.layout(set)).series()) {
            Spread wall = series.wall();
            String failure = series.judgement().startsWith(Judge.WRONG) ? series.judgement() : series.failure();
            times.put(series.tool().name(), new Time(wall.median(), wall.least(), wall.most(), failure));
        }
        Map<Ranks, Time> byRanks = new LinkedHashMap<>();
        for (Ranks one : configurations) {
            byRanks.put(one, times.remove(one.tool()));
        }
        return new Raced(times, byRanks, Tools.absentCopiers());
    }

    /** Copies a set by {@code cp -a} and by each number of jobs. */
    public ByJobs jobs(ThesisSet set, List<Integer> numbers) throws IOException, InterruptedException {
        Path source = source(set);
        List<Double> cp = new ArrayList<>();
        Map<Integer, List<JobRun>> runs = new TreeMap<>();
        try (JobRig rig = new JobRig(settings.scheduler(), settings.root().resolve("src-test/slurm"),
                settings.treehaul().toString(), place.out().resolve("state"))) {
            for (int round = 0; round < settings.rounds(); round++) {
                cp.add(Balance.cp(place, source));
                for (int jobs : numbers) {
                    List<Object> options = List.of("--jobs", jobs, "--batches", jobs, "--strategy", "size-balanced",
                            "--chunk-size", WHOLE_FILES, "--threads", 1);
                    Path target = place.fresh();
                    place.settle();
                    JobRun run = rig.copy(options, source, target);
                    if (round == 0 && jobs == numbers.getLast() && Judge.copy(source, target).startsWith(Judge.WRONG)) {
                        throw new IllegalStateException(
                                "the copy by " + jobs + " jobs is wrong: " + Judge.copy(source, target));
                    }
                    place.discard(target);
                    runs.computeIfAbsent(jobs, n -> new ArrayList<>()).add(run);
                    settings.log()
                            .accept("%s, round %d: %d jobs, last end after %.3f s".formatted(set.title(), round + 1,
                                    jobs, run.lastEnd()));
                }
            }
        }
        Map<Integer, Jobs> times = new TreeMap<>();
        runs.forEach((jobs, all) -> times.put(jobs,
                new Jobs(Median.of(all, JobRun::planned), Median.of(all, run -> run.submitted() - run.planned()),
                        Median.of(all, JobRun::bestBatch), Median.of(all, JobRun::worstBatch),
                        Median.of(all, JobRun::firstEnd), Median.of(all, JobRun::lastEnd))));
        return new ByJobs(Time.of(cp.stream().mapToDouble(Double::doubleValue).toArray()), times);
    }

    /** Copies a set once by ranks of one thread, and returns what {@code --profile} says of each: names and values. */
    public List<Map<String, String>> profile(ThesisSet set, int ranks) throws IOException {
        Path profile = place.fresh();
        Path target = place.fresh();
        Programs.run(settings.treehaul(), "cp", "-a", "--ranks", ranks, "--threads", 1, "--distribution", "pct",
                "--profile", profile, "-T", source(set), target);
        place.discard(target);
        List<String> lines = Files.readAllLines(profile.resolve("ranks.csv"));
        List<String> names = Arrays.asList(lines.getFirst().split(",", -1));
        List<Map<String, String>> all = new ArrayList<>();
        for (String line : lines.subList(1, lines.size())) {
            String[] values = line.split(",", -1);
            Map<String, String> one = new LinkedHashMap<>();
            for (int i = 0; i < values.length; i++) {
                one.put(names.get(i), values[i]);
            }
            all.add(one);
        }
        return all;
    }

    /** Returns seconds as nanoseconds of a profile. */
    public static double seconds(String nanos) {
        return Long.parseLong(nanos) / (double) Duration.ofSeconds(1).toNanos();
    }

    /** Removes the data and the copies. */
    @Override
    public void close() throws IOException {
        place.close();
        Runtime.getRuntime().removeShutdownHook(cleaner);
    }
}
