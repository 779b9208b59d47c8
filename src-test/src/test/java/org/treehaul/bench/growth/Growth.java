// SPDX-License-Identifier: Apache-2.0
package org.treehaul.bench.growth;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.treehaul.bench.Meter;
import org.treehaul.bench.growth.GrowthReport.Row;
import org.treehaul.programs.Programs;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The command: {@code src-test/bench --growth}. */
@Command(
        name = "src-test/bench --growth",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = "Measures how time and memory grow with the number of entries, each step in a process with a small heap.")
public final class Growth implements Callable<Integer> {

    @Option(
            names = "--entries",
            split = ",",
            paramLabel = "N",
            description = "Numbers of entries; 10000,100000,1000000 by default.")
    List<Long> entries = List.of(10_000L, 100_000L, 1_000_000L);

    @Option(names = "--files", paramLabel = "N", description = "Files in a directory; 100 by default.")
    int files = 100;

    @Option(
            names = "--steps",
            split = ",",
            paramLabel = "NAME",
            description = "Only these steps. plan, work, status, resume, finish and verify need those before them; so do update, query and group.")
    List<String> steps = List.of();

    @Option(names = "--heap", description = "The heap of each process; 128m by default.")
    String heap = "128m";

    @Option(
            names = "--batch-files",
            paramLabel = "N",
            description = "At most this number of files in a batch, so that there are more batches with more entries; no limit by default.")
    long batchFiles;

    @Option(names = "--seed", description = "What the tree is made from; 1 by default.")
    long seed = 1;

    @Option(
            names = "--real",
            description = "Make the trees on the disk, instead of a source that is computed and a copy that is discarded.")
    boolean isReal;

    @Option(
            names = "--on",
            paramLabel = "DIR",
            description = "Keep plans, journals and the index in this directory; /var/tmp/treehaul-growth by default.")
    Path on = Path.of("/var/tmp/treehaul-growth");

    @Option(
            names = "--report",
            paramLabel = "FILE",
            description = "Write the report there, after each number of entries.")
    @Nullable Path report;

    @Option(names = "--figures", paramLabel = "DIR", description = "Draw the pictures there.")
    @Nullable Path figures;

    private final List<String> arguments;
    private final Path root = Path
            .of(Objects.requireNonNull(System.getProperty("treehaul.root"), "start it by src-test/bench"));

    private Growth(String... arguments) {
        this.arguments = List.of(arguments);
    }

    /** Runs the command and exits with its exit code. */
    public static void main(String[] args) {
        Locale.setDefault(Locale.ROOT);
        System.exit(run(args));
    }

    /** Runs the command; returns 0 if each step did what it must, 1 if not, 2 if the call was wrong. */
    static int run(String... args) {
        return new CommandLine(new Growth(args)).execute(args);
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        List<GrowthStep> chosen = chosen();
        List<Long> numbers = entries.stream().sorted().distinct().toList();
        Path work = Files.createTempDirectory("treehaul-growth");
        try {
            Meter meter = Meter.choose(work);
            GrowthReport all = new GrowthReport("src-test/bench --growth " + String.join(" ", arguments), facts(meter));
            for (long number : numbers) {
                measure(number, chosen, meter, all);
                write(all);
            }
            if (report == null) {
                System.out.print(all.text(""));
            }
            return all.isValid() ? 0 : 1;
        } finally {
            Programs.run("rm", "-rf", work);
        }
    }

    private List<GrowthStep> chosen() {
        List<String> known = Stream.of(GrowthStep.values()).map(GrowthStep::label).toList();
        for (String name : steps) {
            if (!known.contains(name)) {
                throw new CommandLine.ParameterException(new CommandLine(this),
                        "no step " + name + "; there are " + String.join(" ", known));
            }
        }
        return Stream.of(GrowthStep.values()).filter(step -> steps.isEmpty() || steps.contains(step.label())).toList();
    }

    private Map<String, String> facts(Meter meter) throws IOException {
        Map<String, String> facts = new LinkedHashMap<>();
        facts.put("date", LocalDate.now(ZoneOffset.UTC).toString());
        facts.put("cores", Integer.toString(Runtime.getRuntime().availableProcessors()));
        facts.put("Java", System.getProperty("java.runtime.version"));
        facts.put("measured by", meter.name());
        facts.put("heap of each process", heap);
        facts.put("trees", isReal ? "on the disk" : "the source is computed, the copy discarded");
        facts.put("files in a directory", Integer.toString(files));
        facts.put("load at the beginning", Files.readString(Path.of("/proc/loadavg")).strip());
        return facts;
    }

    private void measure(long number, List<GrowthStep> chosen, Meter meter, GrowthReport all)
            throws IOException, InterruptedException {
        GrowthPlace place = new GrowthPlace(on.toAbsolutePath().resolve(Long.toString(number)),
                new GeneratedTree(number, files, seed), isReal, batchFiles);
        try {
            place.make();
            for (GrowthStep step : chosen) {
                Meter.Measurement run = meter.measure(command(step, place));
                Path data = step.data(place).orElse(null);
                Row row = new Row(step, number, run, data == null ? 0 : GrowthPlace.bytes(data));
                all.add(row);
                System.err.println(row.line());
                if (step == GrowthStep.COPY && isReal) {
                    Programs.run("rm", "-rf", place.copy());
                }
            }
        } finally {
            Programs.run("rm", "-rf", place.directory());
        }
    }

    private List<String> command(GrowthStep step, GrowthPlace place) {
        List<Object> command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin/java"),
                "-Xmx" + heap, "-XX:+UseSerialGC", "--enable-native-access=ALL-UNNAMED"));
        List<Object> ofTreehaul = step.arguments(place);
        if (ofTreehaul.isEmpty()) {
            command.addAll(List.of("-cp", System.getProperty("java.class.path"), GrowthRun.class.getName(),
                    step.label(), place.directory(), place.tree().entries(), files, seed, isReal, batchFiles));
        } else {
            command.addAll(List.of("-jar", root.resolve("cli/target/treehaul.jar")));
            command.addAll(ofTreehaul);
        }
        return command.stream().map(Object::toString).toList();
    }

    private void write(GrowthReport all) throws IOException {
        if (figures != null) {
            Files.createDirectories(figures);
            all.draw(figures);
        }
        if (report != null) {
            String pictures = figures == null
                    ? ""
                    : Objects.requireNonNull(report.toAbsolutePath().getParent())
                            .relativize(figures.toAbsolutePath())
                            .toString();
            Files.writeString(report, all.text(pictures));
        }
    }
}
