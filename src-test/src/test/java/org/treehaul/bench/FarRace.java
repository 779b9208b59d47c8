// SPDX-License-Identifier: Apache-2.0
package org.treehaul.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;

import org.jspecify.annotations.Nullable;
import org.treehaul.bench.Race.Outcome;
import org.treehaul.bench.Scenario.Task;
import org.treehaul.programs.Programs;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The command {@code src-test/bench --far}: the chosen number of threads beside fixed ones on far file systems. */
@Command(
        name = "src-test/bench --far",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = "Measures the number of threads that TreeHaul chooses beside fixed numbers, on file systems "
                + "whose answers take long.")
public final class FarRace implements Callable<Integer> {

    private static final String CHOSEN = "chosen";
    private static final double GOAL = 1 / 0.9;

    @Option(
            names = "--on",
            paramLabel = "DIR",
            description = "Work in this directory; /dev/shm/treehaul-far by default.")
    Path on = Path.of("/dev/shm/treehaul-far");

    @Option(
            names = "--mounts",
            split = ",",
            paramLabel = "NAME",
            description = "gluster, or the milliseconds that each request takes; 0.2,1,5,gluster by default.")
    List<String> mounts = List.of("0.2", "1", "5", "gluster");

    @Option(
            names = "--verbs",
            split = ",",
            paramLabel = "VERB",
            description = "Of walk, copy, cmp, index; all by default.")
    List<Verb> verbs = List.of(Verb.values());

    @Option(
            names = "--threads",
            split = ",",
            paramLabel = "N",
            description = "The fixed numbers; 1,2,4,8,16,32,64,128 by default.")
    List<Integer> threads = List.of(1, 2, 4, 8, 16, 32, 64, 128);

    @Option(
            names = "--scale",
            description = "Size of the trees; 1 by default, 20,000 files at 0.2 ms, fewer if slower.")
    double scale = 1;

    @Option(names = "--rounds", description = "How often each number runs; 3 by default.")
    int rounds = 3;

    @Option(names = "--seed", description = "The tree is made from it; 1 by default.")
    long seed = 1;

    @Option(names = "--treehaul", paramLabel = "PATH", description = "Measure this build; ./treehaul by default.")
    @Nullable String treehaul;

    @Option(names = "--report", paramLabel = "FILE", description = "Write the report there as well.")
    @Nullable Path report;

    private final List<String> arguments;

    private FarRace(String... arguments) {
        this.arguments = List.of(arguments);
    }

    /** An operation with its arguments. */
    enum Verb {
        walk(Task.READ, "{source}"),
        copy(Task.COPY, "-a -T {source} {target}"),
        cmp(Task.COMPARE, "{source} {other}"),
        index(Task.INDEX, "--space {target} {source}");

        private final Task task;
        private final String arguments;

        // Separated by blanks.
        Verb(Task task, String arguments) {
            this.task = task;
            this.arguments = arguments;
        }

        private List<String> command(String treehaul, int threads) {
            List<String> words = new ArrayList<>(List.of(treehaul, this == copy ? "cp" : name()));
            if (threads > 0) {
                words.addAll(List.of("--threads", Integer.toString(threads)));
            }
            words.addAll(List.of(arguments.split(" ")));
            return words;
        }
    }

    /** Runs the command. */
    public static void main(String[] args) {
        Locale.setDefault(Locale.ROOT);
        System.exit(run(args));
    }

    /** Runs the command; returns 0 if every run was right. */
    static int run(String... args) {
        return new CommandLine(new FarRace(args)).execute(args);
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        Path root = Path.of(Objects.requireNonNull(System.getProperty("treehaul.root"), "start it by src-test/bench"));
        String program = treehaul == null ? root.resolve("treehaul").toString() : treehaul;
        Files.createDirectories(on);
        Machine.recordArchives(program);
        Path work = Files.createTempDirectory(on, "run");
        try (Place place = new Place(work, true)) {
            Meter meter = Meter.choose(work);
            Map<String, String> facts = Machine.facts(List.of(place));
            facts.put("load at the beginning", Files.readString(Path.of("/proc/loadavg")).strip());
            facts.put("scale, rounds, seed", scale + ", " + rounds + ", " + seed);
            StringBuilder text = new StringBuilder();
            text.append("# The number of threads on far file systems\n\n    src-test/bench --far ")
                    .append(String.join(" ", arguments.stream().map(Bench::quoted).toList()))
                    .append("\n\n")
                    .append("""
                            Whole processes with their start, in turns: the number of threads that TreeHaul chooses, and fixed ones.
                            [bench.md](../guide/bench.md#far-file-systems) describes the measurement.

                            """);
            Report.table(text, List.of("", ""), Report.rows(facts));
            boolean isRight = true;
            for (String name : mounts) {
                try (FarMount mount = FarMount.of(name, work.resolve("mount-" + name))) {
                    isRight &= race(mount, program, meter, text);
                }
            }
            return isRight ? 0 : 1;
        } finally {
            Programs.run("rm", "-rf", "--one-file-system", "--", work);
        }
    }

    private boolean race(FarMount mount, String program, Meter meter, StringBuilder text)
            throws IOException, InterruptedException {
        Layout layout = DataSet.SLOW.layout(scale * mount.share(), seed);
        Path source = mount.path().resolve("tree");
        Path other = mount.path().resolve("other");
        new LayoutWriter(layout, seed, false).write(mount.near(source));
        Programs.run("cp", "-a", "-T", mount.near(source), mount.near(other));
        boolean isRight = true;
        try (Place place = new Place(mount.path(), true)) {
            for (Verb verb : verbs) {
                List<Tool> tools = new ArrayList<>();
                tools.add(new Tool(CHOSEN, Tool.Role.OURS, verb.command(program, 0)));
                threads.forEach(number -> tools
                        .add(new Tool("threads " + number, Tool.Role.PEER, verb.command(program, number))));
                Scenario scenario = new Scenario("far-" + verb, "%s, %s".formatted(verb, mount.title()),
                        Optional.of(DataSet.SLOW), Scenario.Where.EACH, false, verb.task, tools, CHOSEN,
                        List.of(Goal.ratio(Goal.FASTEST_PEER, GOAL)));
                List<Series> all = tools.stream().map(Series::new).toList();
                StringBuilder found = new StringBuilder();
                for (int round = 0; round < rounds; round++) {
                    for (int i = 0; i < all.size(); i++) {
                        Series series = all.get((i + round) % all.size());
                        Path target = (verb == Verb.index ? mount.directory() : mount.path())
                                .resolve("target-" + verb + "-" + round + "-" + i);
                        found.append(once(mount, meter, series, source, other, target));
                    }
                }
                isRight &= all.stream().allMatch(Series::isValid);
                String section = Report.section(new Outcome(scenario, place, Race.describe(layout), all)) + found
                        + "\n";
                System.out.println(section);
                text.append(section);
                if (report != null) {
                    Files.writeString(report, text.toString().stripTrailing() + "\n");
                }
            }
        }
        return isRight;
    }

    // Returns a line about the chosen number, or nothing.
    private static String once(FarMount mount, Meter meter, Series series, Path source, Path other, Path target)
            throws IOException, InterruptedException {
        ThreadWatch watch = ThreadWatch.begin();
        try (watch) {
            series.add(meter.measure(series.tool().on(source, other, target)));
        }
        Path near = target.startsWith(mount.path()) ? mount.near(target) : target;
        if (target.startsWith(mount.path()) && Files.exists(near) && series.judgement().isEmpty()) {
            series.judge(Judge.copy(mount.near(source), near));
        }
        Programs.run("rm", "-rf", "--", near);
        return series.tool().name().equals(CHOSEN) ? "- threads: " + String.join(", ", watch.steps()) + "\n" : "";
    }
}
