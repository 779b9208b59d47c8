// SPDX-License-Identifier: Apache-2.0
package org.treehaul.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;
import org.treehaul.bench.Race.Outcome;
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

    @Option(names = "--list", description = "Print the scenarios and the tools found for each, and end.")
    boolean list;

    @Option(
            names = "--delete-data",
            description = "Delete the data sets at the end; else they are there for the next time.")
    boolean deleteData;

    private List<String> arguments = List.of();

    /** Runs the command and ends with its exit code. */
    public static void main(String[] args) {
        System.exit(run(args));
    }

    /** Runs the command; 0 if every run of TreeHaul did what it should, 1 if not, 2 if the call was wrong. */
    static int run(String... args) {
        Locale.setDefault(Locale.ROOT);
        Bench bench = new Bench();
        bench.arguments = List.of(args);
        return new CommandLine(bench).execute(args);
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        Path root = Path.of(Objects.requireNonNull(System.getProperty("treehaul.root"), "start it by src-test/bench"));
        if (treehauls.isEmpty()) {
            treehauls.put("treehaul", root.resolve("treehaul").toString());
        }
        Path work = Files.createTempDirectory("treehaul-bench");
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
            Shell.run("rm", "-rf", work.toString());
        }
    }

    private List<Scenario> chosen(List<Scenario> all) {
        for (String name : names) {
            if (all.stream().noneMatch(scenario -> scenario.name().equals(name))) {
                throw new CommandLine.ParameterException(new CommandLine(this), "no scenario " + name + "; there are "
                        + all.stream().map(Scenario::name).collect(Collectors.joining(" ")));
            }
        }
        return all.stream().filter(scenario -> names.isEmpty() || names.contains(scenario.name())).toList();
    }

    private int measure(List<Scenario> scenarios, Path work) throws IOException, InterruptedException {
        List<Place> places = new ArrayList<>();
        try {
            for (Path directory : on.isEmpty() ? defaultPlaces() : on) {
                places.add(Place.at(directory));
            }
            Meter meter = Meter.choose(work);
            // The first start builds what the later ones use.
            treehauls.values().forEach(path -> Shell.ask(List.of(path, "--version")));
            List<Tool> tools = scenarios.stream().flatMap(scenario -> scenario.tools().stream()).toList();
            Report report = new Report(Machine.facts(places, meter), Machine.versions(tools),
                    "src-test/bench " + String.join(" ", arguments));
            Race race = new Race(meter, rounds, scale, seed, System.err::println);
            count(scenarios, places.getFirst(), meter, report);
            for (Scenario scenario : scenarios) {
                run(scenario, places, race, report);
                write(report);
            }
            return report.isValid() ? 0 : 1;
        } finally {
            for (Place place : places) {
                place.close(deleteData);
            }
        }
    }

    private static List<Path> defaultPlaces() {
        return Arrays.asList(Path.of("/dev/shm/treehaul-bench"), Path.of("/var/tmp/treehaul-bench"));
    }

    private void count(List<Scenario> scenarios, Place place, Meter meter, Report report)
            throws IOException, InterruptedException {
        if (noCalls || !CallCounter.canCount()) {
            report.leftOut("system calls for each file: " + (noCalls ? "not asked for" : "no strace"));
            return;
        }
        CallCounter counter = new CallCounter(meter, place, seed);
        KeepProbe probe = new KeepProbe(meter, place);
        for (Scenario scenario : scenarios) {
            if (scenario.data().isPresent() && !scenario.data().get().equals(DataSet.SLOW)) {
                for (Tool tool : scenario.tools()) {
                    System.err.println("counting the system calls of " + tool.name());
                    report.calls(tool, counter.callsPerFile(scenario, tool));
                    if (scenario.task() == Scenario.Task.COPY) {
                        report.lost(tool, probe.lost(tool));
                    }
                }
            }
        }
    }

    private static void run(Scenario scenario, List<Place> all, Race race, Report report) throws InterruptedException {
        List<Place> places = scenario.places(all);
        if (places.isEmpty()) {
            report.leftOut(scenario.name() + ": needs a directory that is not in memory");
        } else if (scenario.tools().isEmpty()) {
            report.leftOut(scenario.name() + ": none of the tools is there");
        } else if (scenario.isCold() && !Race.canDropCaches()) {
            report.leftOut(scenario.name() + ": only root may drop the caches");
        } else {
            for (Place place : places) {
                try {
                    Outcome outcome = race.run(scenario, place);
                    report.add(outcome);
                    System.out.println(report.section(outcome));
                } catch (IOException e) {
                    report.leftOut(scenario.name() + " on " + place.type() + ": " + e.getMessage());
                    System.err.println(scenario.name() + " on " + place.type() + ": " + e.getMessage());
                }
            }
        }
    }

    // After each scenario: what was measured outlives a ^C.
    private void write(Report report) throws IOException {
        if (reportFile != null) {
            Files.writeString(reportFile, report.markdown());
        }
        if (csvFile != null) {
            Files.writeString(csvFile, report.csv());
        }
    }
}
