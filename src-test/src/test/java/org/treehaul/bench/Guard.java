// SPDX-License-Identifier: Apache-2.0
package org.treehaul.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.treehaul.programs.Programs;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The command {@code src-test/bench --guard}: compares two builds of TreeHaul, and fails if the new one costs more. */
@Command(
        name = "src-test/bench --guard",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = "Compares a new build of TreeHaul with an old one, and with a second copy of the old one in the same "
                + "series; exit code 1 if the new one needs more time, memory or system calls.")
public final class Guard implements Callable<Integer> {

    private static final String OLD = "old";
    private static final String AGAIN = "old again";
    private static final String NEW = "new";
    /** The heap that docs/guide/index-and-query.md promises to be enough. */
    private static final String SMALL_HEAP = "JDK_JAVA_OPTIONS=-Xmx64m";
    private static final int CALL_RUNS = 3;

    @Parameters(index = "0", paramLabel = "OLD.jar", description = "The build to compare with.")
    Path old = Path.of("");

    @Parameters(index = "1", paramLabel = "NEW.jar", description = "The build to judge.")
    Path recent = Path.of("");

    @Parameters(
            index = "2..*",
            paramLabel = "TASK",
            arity = "0..*",
            description = "What to measure: ${DEFAULT-VALUE}.",
            defaultValue = "walk tiny many verify cmp",
            split = " ")
    List<String> tasks = new ArrayList<>();

    @Option(
            names = "--on",
            paramLabel = "DIR",
            description = "Work in this directory, in memory if possible; ${DEFAULT-VALUE} by default.")
    Path on = Path.of("/dev/shm/treehaul-guard");

    @Option(names = "--scale", description = "Size of the data sets of src-test/bench; ${DEFAULT-VALUE} by default.")
    double scale = 0.3;

    @Option(names = "--rounds", description = "How often each build runs; ${DEFAULT-VALUE} by default.")
    int rounds = 15;

    @Option(
            names = "--archives",
            description = "How many archives of classes each build has; its runs use them in turns. An archive also records "
                    + "which methods to compile, so two archives of one build differ in speed. ${DEFAULT-VALUE} by default.")
    int archives = 15;

    @Option(names = "--seed", description = "The seed of the data sets; ${DEFAULT-VALUE} by default.")
    long seed = 1;

    @Option(names = "--no-calls", negatable = false, description = "Count no system calls.")
    boolean noCalls;

    @Option(names = "--no-times", negatable = false, description = "Measure no time and no memory.")
    boolean noTimes;

    @Option(names = "--report", paramLabel = "FILE", description = "Write the tables there as well.")
    @Nullable Path reportFile;

    private Guard() {}

    /** Runs the command and exits with its exit code. */
    public static void main(String[] args) {
        Locale.setDefault(Locale.ROOT);
        System.exit(run(args));
    }

    /** Runs the command; returns 0 if every bar was kept, 1 if not, 2 if the call was wrong. */
    static int run(String... args) {
        return new CommandLine(new Guard()).execute(args);
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        Path root = Path.of(Objects.requireNonNull(System.getProperty("treehaul.root"), "start it by src-test/bench"));
        Path work = Files.createTempDirectory("treehaul-guard");
        Place place = new Place(on, true);
        Runtime.getRuntime().addShutdownHook(Thread.ofPlatform().unstarted(() -> stop(List.of(work, place.out()))));
        try (place) {
            Map<String, String> builds = new LinkedHashMap<>();
            List<String> copies = new ArrayList<>();
            builds.put(OLD, install(root, old, work.resolve("old"), copies));
            builds.put(AGAIN, install(root, old, work.resolve("again"), copies));
            builds.put(NEW, install(root, recent, work.resolve("new"), copies));
            boolean areArchived = start(copies);
            Meter meter = Meter.choose(work);
            GuardTable table = new GuardTable();
            String before = load();
            if (!noCalls && CallCounter.canCount()) {
                count(builds, new CallCounter(meter, place, seed), table);
            }
            if (!noTimes) {
                race(builds, meter, place, table);
                indexInSmallHeap(builds, meter, place, table);
            }
            String text = "Load before: %s, after: %s. Scale %s, medians of %d. Archives of classes: %s.%n%n%s"
                    .formatted(before, load(), scale, rounds, areArchived ? archives + " of each build" : "none",
                            table.markdown());
            System.out.print(text);
            if (reportFile != null) {
                Files.writeString(reportFile, text);
            }
            return table.broken().isEmpty() ? 0 : 1;
        } finally {
            Programs.run("rm", "-rf", "--", work);
        }
    }

    // Installs a build once for each archive; returns a script that starts the copies in turns.
    private String install(Path root, Path jar, Path directory, List<String> copies) throws IOException {
        List<String> scripts = new ArrayList<>();
        for (int i = 1; i <= archives; i++) {
            scripts.add(install(root, jar, directory.resolve(Integer.toString(i))));
        }
        copies.addAll(scripts);
        return inTurns(scripts, directory.resolve("treehaul"));
    }

    /** Writes a script that starts these scripts in turns, without a process of its own, and returns its path. */
    static String inTurns(List<String> scripts, Path script) throws IOException {
        Path turn = Files.writeString(script.resolveSibling(script.getFileName() + ".turn"), "0\n");
        StringBuilder text = new StringBuilder("#!/bin/sh\nread -r turn < '" + turn + "'\necho $(((turn + 1) % "
                + scripts.size() + ")) > '" + turn + "'\ncase $turn in\n");
        for (int i = 0; i < scripts.size(); i++) {
            text.append(i).append(") exec '").append(scripts.get(i)).append("' \"$@\" ;;\n");
        }
        Files.writeString(script, text.append("esac\n"));
        Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwxr-xr-x"));
        return script.toString();
    }

    // Makes a directory like a checkout, in which the script finds the jar and keeps its archive of classes. A jar that lies
    // in a checkout gets the script of that checkout, which knows the class that trains the archive.
    private static String install(Path root, Path jar, Path directory) throws IOException {
        Path target = Files.createDirectories(directory.resolve("cli/target"));
        Files.copy(jar, target.resolve("treehaul.jar"));
        for (String trained : List.of("docs", "core")) {
            Files.createSymbolicLink(directory.resolve(trained), root.resolve(trained));
        }
        Path own = jar.toRealPath().resolveSibling("../../treehaul").normalize();
        return Files
                .copy(Files.isRegularFile(own) ? own : root.resolve("treehaul"), directory.resolve("treehaul"),
                        StandardCopyOption.COPY_ATTRIBUTES)
                .toString();
    }

    // An archive of classes saves as much CPU time as small tasks take, so all builds have one or none has. Returns whether they have one.
    private static boolean start(Collection<String> builds) throws IOException {
        List<Path> archives = new ArrayList<>();
        boolean hasEach = true;
        for (String build : builds) {
            Machine.recordArchives(build);
            try (Stream<Path> files = Files.list(Path.of(build).resolveSibling("cli/target"))) {
                List<Path> ofBuild = files.filter(file -> file.toString().endsWith(".aot")).toList();
                hasEach &= !ofBuild.isEmpty();
                archives.addAll(ofBuild);
            }
        }
        return keepAllOrNone(archives, hasEach);
    }

    /** Empties all archives, which the script then does not use, unless each build has one and none is empty. */
    static boolean keepAllOrNone(List<Path> archives, boolean hasEach) throws IOException {
        boolean areAll = hasEach;
        for (Path archive : archives) {
            areAll &= Files.size(archive) > 0;
        }
        if (!areAll) {
            for (Path archive : archives) {
                Files.write(archive, new byte[0]);
            }
        }
        return areAll;
    }

    private List<Scenario> scenarios(Map<String, String> builds) {
        Tools tools = new Tools(builds, Optional.empty(), builds::containsKey);
        // The scenario "verify" also has the copies without --verify, which are those of "tiny".
        Tools verifying = new Tools(builds, Optional.empty(), name -> name.endsWith(" --verify"));
        List<Scenario> all = new ArrayList<>();
        for (String task : tasks) {
            Tools fitting = task.equals("verify") ? verifying : tools;
            all.add(Scenarios.all(fitting, recent)
                    .stream()
                    .filter(scenario -> scenario.name().equals(task) && scenario.data().isPresent()
                            && !scenario.isCold())
                    .findFirst()
                    .orElseThrow(() -> new CommandLine.ParameterException(new CommandLine(this), "no task " + task)));
        }
        return all;
    }

    private void count(Map<String, String> builds, CallCounter counter, GuardTable table)
            throws IOException, InterruptedException {
        for (Scenario scenario : scenarios(builds)) {
            List<Map<String, Double>> calls = new ArrayList<>();
            for (Tool tool : scenario.tools()) {
                calls.add(counter.callsByName(scenario, tool, CALL_RUNS));
            }
            System.err.println("counted the calls of " + scenario.name());
            table.addCalls(scenario.name(), calls.get(0), calls.get(1), calls.get(2));
        }
    }

    private void race(Map<String, String> builds, Meter meter, Place place, GuardTable table)
            throws IOException, InterruptedException {
        Race race = new Race(meter, rounds, scale, seed, System.err::println);
        for (Scenario scenario : scenarios(builds)) {
            List<Series> all = race.run(scenario, place).series();
            for (Series series : all) {
                if (!series.isValid()) {
                    table.addFailure(scenario.name() + ": " + series.tool().name() + ": " + series.failure()
                            + series.judgement());
                }
            }
            Series first = all.get(0);
            Series again = all.get(1);
            Series last = all.get(2);
            String name = scenario.name();
            table.addMedians(name, "CPU s", first.cpu().median(), again.cpu().median(), last.cpu().median());
            table.addMedians(name, "wall s", first.wall().median(), again.wall().median(), last.wall().median());
            table.addMedians(name, "peak MiB", first.peak().median(), again.peak().median(), last.peak().median());
        }
    }

    private void indexInSmallHeap(Map<String, String> builds, Meter meter, Place place, GuardTable table)
            throws IOException, InterruptedException {
        Path tree = place.tree(DataSet.WALK, scale, seed);
        String build = Objects.requireNonNull(builds.get(NEW));
        Meter.Measurement run = meter.measure(
                List.of("env", SMALL_HEAP, build, "index", "--space", place.fresh().toString(), tree.toString()));
        System.err.printf("index with %s: exit code %d, %d MiB%n", SMALL_HEAP, run.code(), run.peakKib() >> 10);
        if (run.code() != 0) {
            table.addFailure("index with " + SMALL_HEAP + ": exit code " + run.code() + ": " + run.error());
        }
    }

    // Runs after a signal, and at the normal end, when no work is left.
    private static void stop(List<Path> temporary) {
        ProcessHandle.current().descendants().forEach(ProcessHandle::destroyForcibly);
        temporary.forEach(path -> Programs.ask("rm", "-rf", "--", path));
    }

    private static String load() throws IOException {
        return Files.readString(Path.of("/proc/loadavg")).strip().replaceAll(" [0-9]+/.*", "");
    }
}
