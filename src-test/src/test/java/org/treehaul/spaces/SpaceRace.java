// SPDX-License-Identifier: Apache-2.0
package org.treehaul.spaces;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.DoubleSummaryStatistics;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;

import org.jspecify.annotations.Nullable;
import org.treehaul.programs.Median;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The command: {@code src-test/bench --spaces}. Each rival runs in a process of its own, in turns. */
@Command(
        name = "src-test/bench --spaces",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = "Measures the tuple space side by side with Outrigger, SemiSpace and Hazelcast.")
public final class SpaceRace implements Callable<Integer> {
    private static final String OURS = "treehaul";
    private static final String FILE = "file";
    private static final String QUERY = "query";

    @Option(names = "--tuples", description = "How many tuples are in a space; 100000 by default.")
    int tuples = 100_000;

    @Option(names = "--rounds", description = "How often each takes its turn; 5 by default.")
    int rounds = 5;

    @Option(names = "--millis", description = "How long each thing is done, at most; 2000 by default.")
    int millis = 2000;

    @Option(
            names = "--rivals",
            split = ",",
            description = "Only these: treehaul, outrigger, semispace, hazelcast, file, query.")
    List<String> rivals = new ArrayList<>();

    @Option(names = "--entries", description = "Of how many entries queries are asked; 2000000 by default.")
    int entries = 2_000_000;

    @Option(names = "--on", paramLabel = "DIR", description = "Where the durable space is made; /var/tmp by default.")
    Path on = Path.of("/var/tmp");

    @Option(names = "--report", paramLabel = "FILE", description = "Write the report there.")
    @Nullable Path report;

    /** Runs the command. */
    public static void main(String[] args) {
        System.exit(new CommandLine(new SpaceRace()).execute(args));
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        List<String> names = new ArrayList<>(rivals.isEmpty() ? Rival.NAMES : rivals);
        if (rivals.isEmpty()) {
            names.add(FILE);
            names.add(QUERY);
        }
        boolean areQueries = names.remove(QUERY);
        // By measurement, then by rival: a number for each round.
        Map<String, Map<String, List<Double>>> numbers = new LinkedHashMap<>();
        for (int round = 0; round < rounds; round++) {
            for (int i = 0; i < names.size(); i++) {
                String name = names.get((round + i) % names.size());
                System.err.println("round " + (round + 1) + ": " + name);
                run(name).forEach((what, number) -> numbers.computeIfAbsent(what, key -> new LinkedHashMap<>())
                        .computeIfAbsent(name, key -> new ArrayList<>())
                        .add(number));
            }
        }
        names.remove(FILE);
        String text = text(numbers, names);
        if (areQueries) {
            Path treehaul = Path.of(System.getProperty("treehaul.root"), "treehaul");
            text += queries(QueryTimes.measure(treehaul, on, entries, rounds));
        }
        if (report == null) {
            System.out.print(text);
        } else {
            Files.writeString(report, text);
        }
        return 0;
    }

    private Map<String, Double> run(String name) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin/java").toString(),
                "-XX:+UseSerialGC", "-Xmx2g", "--enable-native-access=ALL-UNNAMED", "-Djava.io.tmpdir=" + on));
        // SemiSpace, which makes XML of objects by reflection, and Hazelcast access these packages of the JDK.
        for (String open : List.of("java.base/java.lang", "java.base/java.lang.reflect", "java.base/java.util",
                "java.base/java.text", "java.desktop/java.awt.font")) {
            command.addAll(List.of("--add-opens", open + "=ALL-UNNAMED"));
        }
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), SpaceTimes.class.getName(), name,
                Integer.toString(tuples), Integer.toString(millis)));
        Process process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
        Map<String, Double> numbers = new LinkedHashMap<>();
        try (BufferedReader lines = process.inputReader()) {
            lines.lines().forEach(line -> {
                int space = line.indexOf(' ');
                numbers.put(line.substring(space + 1), Double.valueOf(line.substring(0, space)));
            });
        } finally {
            process.destroy();
        }
        if (process.waitFor() != 0) {
            System.err.println(name + " ended with " + process.exitValue());
        }
        return numbers;
    }

    private String text(Map<String, Map<String, List<Double>>> numbers, List<String> names) throws IOException {
        StringBuilder text = new StringBuilder("# Speed of the tuple space\n\n    src-test/bench --spaces --tuples "
                + tuples + " --rounds " + rounds + " --millis " + millis + "\n\n"
                + "In memory operations in a second of CPU time (of the whole process) by one thread on "
                + String.format(Locale.ROOT, "%,d", tuples)
                + " tuples of nine fields,\nin a file operations in a second. Medians of the rounds; in brackets the share of ours.\n"
                + "The measurements are described in [bench.md](../guide/bench.md#tuple-spaces).\n\n"
                + "|  |  |\n| --- | --- |\n| date | " + LocalDate.now(ZoneOffset.UTC) + " |\n| cores | "
                + Runtime.getRuntime().availableProcessors() + " |\n| load before the end | "
                + Files.readString(Path.of("/proc/loadavg")).strip() + " |\n| Java | "
                + System.getProperty("java.runtime.version") + " |\n| durable on | " + Files.getFileStore(on).type()
                + " |\n\n");
        text.append("## In memory\n\n|  | ").append(String.join(" | ", names)).append(" |\n| --- |");
        text.append(" --- |".repeat(names.size())).append('\n');
        numbers.forEach((what, byRival) -> {
            if (!byRival.containsKey(FILE)) {
                text.append("| ").append(what).append(" |");
                double ours = Median.of(byRival.getOrDefault(OURS, List.of()));
                for (String name : names) {
                    double number = Median.of(byRival.getOrDefault(name, List.of()));
                    text.append(' ')
                            .append(number(number))
                            .append(name.equals(OURS) ? "" : " (" + number(number / ours) + ")")
                            .append(" |");
                }
                text.append('\n');
            }
        });
        text.append("\n## In a file\n\n|  | median | least | most |\n| --- | --- | --- | --- |\n");
        numbers.forEach((what, byRival) -> {
            List<Double> found = byRival.get(FILE);
            if (found != null) {
                row(text, what, found, "%,.0f");
            }
        });
        return text.toString();
    }

    private String queries(Map<String, List<Double>> seconds) {
        StringBuilder text = new StringBuilder(
                "\n## Questions of an index of " + String.format(Locale.ROOT, "%,d", entries)
                        + " entries\n\nSeconds of a whole `treehaul query`.\n\n|  | median | least | most |\n"
                        + "| --- | --- | --- | --- |\n");
        seconds.forEach((what, found) -> row(text, what, found, "%.2f"));
        return text.toString();
    }

    private static void row(StringBuilder text, String what, List<Double> found, String format) {
        DoubleSummaryStatistics range = found.stream().mapToDouble(one -> one).summaryStatistics();
        text.append("| ").append(what);
        for (double number : new double[]{Median.of(found), range.getMin(), range.getMax()}) {
            text.append(" | ").append(String.format(Locale.ROOT, format, number));
        }
        text.append(" |\n");
    }

    private static String number(double value) {
        return Double.isNaN(value) ? "-" : String.format(Locale.ROOT, value >= 100 ? "%,.0f" : "%.2g", value);
    }
}
