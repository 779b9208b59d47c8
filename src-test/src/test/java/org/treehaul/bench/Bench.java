// SPDX-License-Identifier: Apache-2.0
package org.treehaul.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;
import org.treehaul.bench.Race.Outcome;
import org.treehaul.programs.Programs;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The command: {@code src-test/bench}. */
@Command(
        name = "src-test/bench",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = "Measures TreeHaul side by side with every other tool on the PATH.")
public final class Bench implements Callable<Integer> {

    @Parameters(
            paramLabel = "SCENARIO",
            arity = "0..*",
            description = "What to measure; everything by default. See --list.")
    List<String> names = new ArrayList<>();

    @Option(
            names = "--on",
            paramLabel = "DIR",
            description = "Work in this directory; repeat it for several file systems. Default: /dev/shm/treehaul-bench and "
                    + "/var/tmp/treehaul-bench.")
    List<Path> on = new ArrayList<>();

    @Option(names = "--scale", description = "Size of the data sets; 1 by default, 0.1 for a tenth.")
    double scale = 1;

    @Option(names = "--rounds", description = "How often each tool runs; 5 by default.")
    int rounds = 5;

    @Option(names = "--seed", description = "What the data sets are made from; 1 by default.")
    long seed = 1;

    @Option(
            names = "--tools",
            split = ",",
            paramLabel = "NAME",
            description = "Only these tools, by their names in the report.")
    Set<String> only = Set.of();

    @Option(
            names = "--treehaul",
            paramLabel = "NAME=PATH",
            description = "The treehaul to measure, or several to compare; treehaul=./treehaul by default.")
    Map<String, String> treehauls = new LinkedHashMap<>();

    @Option(names = "--no-calls", negatable = false, description = "Count no system calls.")
    boolean noCalls;

    @Option(names = "--report", paramLabel = "FILE", description = "Write the report there as well.")
    @Nullable Path reportFile;

    @Option(names = "--csv", paramLabel = "FILE", description = "Write every single run there.")
    @Nullable Path csvFile;

    @Option(
            names = "--all",
            description = "Also the scenarios on 2.5 million files, which need 4 GB of memory; else they run only if "
                    + "they are named.")
    boolean all;

    @Option(names = "--list", description = "Print the scenarios and the tools found for each, and end.")
    boolean list;

    @Option(
            names = "--delete-data",
            description = "Delete the data sets at the end; else they are there for the next time.")
    boolean deleteData;

    private static final List<Path> DEFAULT_PLACES = List.of(Path.of("/dev/shm/treehaul-bench"),
            Path.of("/var/tmp/treehaul-bench"));

    private final List<String> arguments;
    private final List<Place> places = new ArrayList<>();
    private final List<Path> temporary = new CopyOnWriteArrayList<>();
    private volatile boolean isStopped;

    private Bench(String... arguments) {
        this.arguments = List.of(arguments);
    }

    /** Runs the command and exits with its exit code. */
    public static void main(String[] args) {
        Locale.setDefault(Locale.ROOT);
        Bench bench = new Bench(args);
        Runtime.getRuntime().addShutdownHook(Thread.ofPlatform().unstarted(bench::stop));
        System.exit(new CommandLine(bench).execute(args));
    }

    /** Runs the command; returns 0 if every run of TreeHaul was right, 1 if not, 2 if the call was wrong. */
    static int run(String... args) {
        return new CommandLine(new Bench(args)).execute(args);
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        Path root = Path.of(Objects.requireNonNull(System.getProperty("treehaul.root"), "start it by src-test/bench"));
        if (treehauls.isEmpty()) {
            treehauls.put("treehaul", root.resolve("treehaul").toString());
        }
        Path work = Files.createTempDirectory("treehaul-bench");
        temporary.add(work);
        try {
            Tools tools = new Tools(treehauls, Meter.compile("floor", work),
                    name -> only.isEmpty() || only.contains(name));
            List<Scenario> scenarios = chosen(Scenarios.all(tools, root.resolve("cli/target/treehaul.jar")));
            if (list) {
                scenarios.forEach(scenario -> System.out.printf("%-12s %s: %s%n", scenario.name(), scenario.title(),
                        scenario.tools().stream().map(Tool::name).collect(Collectors.joining(", "))));
                return 0;
            }
            return measure(scenarios, work);
        } finally {
            Programs.run("rm", "-rf", work);
        }
    }

    private List<Scenario> chosen(List<Scenario> known) {
        for (String name : names) {
            if (known.stream().noneMatch(scenario -> scenario.name().equals(name))) {
                throw new CommandLine.ParameterException(new CommandLine(this), "no scenario " + name + "; there are "
                        + known.stream().map(Scenario::name).collect(Collectors.joining(" ")));
            }
        }
        return known.stream()
                .filter(scenario -> names.isEmpty()
                        ? all || list || !scenario.isLarge()
                        : names.contains(scenario.name()))
                .toList();
    }

    private int measure(List<Scenario> scenarios, Path work) throws IOException, InterruptedException {
        try {
            for (Path directory : on.isEmpty() ? DEFAULT_PLACES : on) {
                Place place = new Place(directory, deleteData);
                places.add(place);
                temporary.add(place.out());
            }
            Meter meter = Meter.choose(work);
            treehauls.values().forEach(Machine::recordArchives);
            Report report = new Report(facts(meter), Machine.versions(scenarios, treehauls),
                    "src-test/bench " + String.join(" ", arguments.stream().map(Bench::quoted).toList()));
            Race race = new Race(meter, rounds, scale, seed, System.err::println);
            Optional<CallCounter> counter = Optional.empty();
            if (noCalls || !CallCounter.canCount()) {
                report.leftOut("system calls for each file: " + (noCalls ? "not asked for" : "no strace"));
            } else {
                counter = Optional.of(new CallCounter(meter, places.getFirst(), seed));
            }
            for (Scenario scenario : scenarios) {
                run(scenario, race, counter, report);
                write(report);
            }
            probe(scenarios, new KeepProbe(meter, places.getFirst()), report);
            write(report);
            return report.isValid() ? 0 : 1;
        } finally {
            for (Place place : places) {
                place.close();
            }
        }
    }

    private Map<String, String> facts(Meter meter) throws IOException {
        Map<String, String> facts = Machine.facts(places);
        facts.put("measured by", meter.name());
        facts.put("scale, rounds, seed", scale + ", " + rounds + ", " + seed);
        return facts;
    }

    private void run(Scenario scenario, Race race, Optional<CallCounter> counter, Report report)
            throws InterruptedException {
        List<Place> fitting = scenario.places(places);
        if (fitting.isEmpty()) {
            report.leftOut(scenario.name() + ": needs a directory that is not in memory");
        } else if (scenario.tools().isEmpty()) {
            report.leftOut(scenario.name() + ": none of the tools is there");
        } else if (scenario.isCold() && !Race.canDropCaches()) {
            report.leftOut(scenario.name() + ": only root may drop the caches");
        } else {
            for (Place place : fitting) {
                try {
                    Outcome outcome = race.run(scenario, place);
                    if (counter.isPresent() && CallCounter.isFor(scenario)) {
                        for (Series series : outcome.series()) {
                            series.calls(counter.get().callsPerFile(scenario, series.tool()));
                        }
                    }
                    report.add(outcome);
                    System.out.println(Report.section(outcome));
                } catch (IOException | IllegalStateException e) {
                    report.leftOut(scenario.name() + " on " + place.type() + ": " + e.getMessage());
                    System.err.println(scenario.name() + " on " + place.type() + ": " + e.getMessage());
                }
            }
        }
    }

    private static void probe(List<Scenario> scenarios, KeepProbe probe, Report report)
            throws IOException, InterruptedException {
        for (Scenario scenario : scenarios) {
            if (scenario.task() == Scenario.Task.COPY && CallCounter.isFor(scenario)) {
                for (Tool tool : scenario.tools()) {
                    report.lost(tool, probe.lost(tool));
                }
            }
        }
    }

    static String quoted(String word) {
        return word.matches("[\\w./=,:@%+-]+") ? word : "'" + word.replace("'", "'\\''") + "'";
    }

    // Writes the report after each scenario, so that a ^C loses no finished measurement.
    private void write(Report report) throws IOException {
        if (isStopped) {
            return;
        }
        if (reportFile != null) {
            Files.writeString(reportFile, report.markdown());
        }
        if (csvFile != null) {
            Files.writeString(csvFile, report.csv());
        }
    }

    // Runs after a signal, and at the normal end, when no work is left.
    private void stop() {
        isStopped = true;
        ProcessHandle.current().descendants().forEach(ProcessHandle::destroyForcibly);
        for (Path path : temporary) {
            Programs.ask("rm", "-rf", "--", path);
        }
    }
}
