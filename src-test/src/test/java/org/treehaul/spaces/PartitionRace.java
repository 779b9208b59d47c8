// SPDX-License-Identifier: Apache-2.0
package org.treehaul.spaces;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.TreeRemoval;
import org.treehaul.tuplespace.partition.Partitions;
import org.treehaul.tuplespace.store.SpaceUri;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * The command: {@code src-test/bench --partitions}. The benchmark metarates, as Yang measures scalable directories with
 * it (chapter 4.3): clients create and remove files in one directory or in one each.
 */
@Command(
        name = "src-test/bench --partitions",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = "Measures how many names of files clients create and remove in a second, over the number of"
                + " partitions and of clients.")
public final class PartitionRace implements Callable<Integer> {

    @Option(names = "--partitions", split = ",", description = "Numbers of partitions; 1,2,4,8 by default.")
    List<Integer> partitions = new ArrayList<>(List.of(1, 2, 4, 8));

    @Option(
            names = "--clients",
            split = ",",
            description = "Numbers of clients with the most partitions; 1,2,4,8,16 by default.")
    List<Integer> clients = new ArrayList<>(List.of(1, 2, 4, 8, 16));

    @Option(names = "--rounds", description = "How often each takes its turn; 3 by default.")
    int rounds = 3;

    @Option(names = "--millis", description = "How long clients create, and then remove; 2000 by default.")
    int millis = 2000;

    @Option(
            names = "--on",
            split = ",",
            paramLabel = "DIR",
            description = "Where the stores are made, in turn; /var/tmp by default.")
    List<Path> on = new ArrayList<>(List.of(Path.of("/var/tmp")));

    @Option(names = "--report", paramLabel = "FILE", description = "Write the report there.")
    @Nullable Path report;

    /** A case to measure: the number of partitions, 0 for a space in one store; of clients; one directory or many. */
    private record Case(int partitions, int clients, boolean isOneDirectory) {}

    /** Creations and removals in a second. */
    private record Rates(double created, double removed) {}

    /** Runs the command. */
    public static void main(String[] args) {
        System.exit(new CommandLine(new PartitionRace()).execute(args));
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        int most = partitions.stream().mapToInt(number -> number).max().orElse(1);
        Map<Case, List<Rates>> measured = new LinkedHashMap<>();
        for (boolean isOneDirectory : new boolean[]{true, false}) {
            partitions.forEach(number -> measured.put(new Case(number, 2 * number, isOneDirectory), new ArrayList<>()));
        }
        for (int number : clients) {
            measured.putIfAbsent(new Case(most, number, true), new ArrayList<>());
            measured.put(new Case(0, number, true), new ArrayList<>());
        }
        for (int round = 0; round < rounds; round++) {
            for (Map.Entry<Case, List<Rates>> one : measured.entrySet()) {
                System.err.println("round " + (round + 1) + ": " + one.getKey());
                one.getValue().add(run(one.getKey()));
            }
        }
        String text = text(measured, most);
        if (report == null) {
            System.out.print(text);
        } else {
            Files.writeString(report, text);
        }
        return 0;
    }

    private Rates run(Case one) throws IOException, InterruptedException {
        List<Path> places = new ArrayList<>();
        List<Process> processes = new ArrayList<>();
        try {
            for (Path place : on) {
                places.add(Files.createTempDirectory(place, "treehaul-partitions"));
            }
            String space = space(one, places);
            for (int client = 0; client < one.clients(); client++) {
                processes.add(start(space, one.isOneDirectory() ? "d" : "d" + client, client));
            }
            for (Process process : processes) {
                if (!"ready".equals(reader(process).readLine())) {
                    throw new IllegalStateException("a client did not begin");
                }
            }
            double created = phase(processes);
            double removed = phase(processes);
            for (Process process : processes) {
                go(process);
                process.waitFor();
            }
            return new Rates(created, removed);
        } finally {
            for (Process process : processes) {
                process.destroyForcibly().waitFor();
            }
            for (Path place : places) {
                TreeRemoval.remove(Linux.calls(), place);
            }
        }
    }

    private static String space(Case one, List<Path> places) throws IOException {
        Path first = places.getFirst();
        if (one.partitions() == 0) {
            return SpaceUri.of(first.resolve("space")).toString();
        }
        Path list = first.resolve("list");
        Partitions.create(list,
                IntStream.range(0, one.partitions())
                        .mapToObj(i -> SpaceUri.of(places.get(i % places.size()).resolve("p" + i)))
                        .toList(),
                one.partitions(), 0);
        if (!one.isOneDirectory()) {
            Files.writeString(list,
                    Files.readString(list) + "key=" + PartitionClient.FileName.class.getName() + ".directory\n");
        }
        return new SpaceUri(SpaceUri.PARTITIONS, list.toString()).toString();
    }

    private Process start(String space, String directory, int client) throws IOException {
        return new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin/java").toString(), "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1", "-Xmx64m", "--enable-native-access=ALL-UNNAMED",
                "-Djava.io.tmpdir=" + on.getFirst(), "-cp", System.getProperty("java.class.path"),
                PartitionClient.class.getName(), space, directory, Integer.toString(client), Integer.toString(millis))
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
    }

    private static BufferedReader reader(Process process) {
        return process.inputReader();
    }

    private static void go(Process process) throws IOException {
        Writer commands = process.outputWriter();
        commands.write("go\n");
        commands.flush();
    }

    /** Lets all clients do one thing, and returns the sum of their rates. */
    private static double phase(List<Process> processes) throws IOException {
        for (Process process : processes) {
            go(process);
        }
        double rate = 0;
        for (Process process : processes) {
            String[] said = reader(process).readLine().split(" ", 2);
            rate += Integer.parseInt(said[0]) / (Long.parseLong(said[1]) / 1e9);
        }
        return rate;
    }

    private String text(Map<Case, List<Rates>> measured, int most) throws IOException {
        StringBuilder text = new StringBuilder("# Speed of partitions\n\n    src-test/bench --partitions --rounds "
                + rounds + " --millis " + millis + "\n\n"
                + "Clients, each a process, create names of files as tuples, each durable before the next, and remove them, in the way of the benchmark metarates.\n"
                + "Medians of the rounds, in operations in a second; in brackets the ratio to the first row. The stores are SQLite files.\n"
                + "The measurements are described in [bench.md](../guide/bench.md#partitions).\n\n"
                + "|  |  |\n| --- | --- |\n| date | " + LocalDate.now(ZoneOffset.UTC) + " |\n| cores | "
                + Runtime.getRuntime().availableProcessors() + " |\n| load before the end | "
                + Files.readString(Path.of("/proc/loadavg")).strip() + " |\n| Java | "
                + System.getProperty("java.runtime.version") + " |\n| durable on | "
                + Files.getFileStore(on.getFirst()).type() + ", " + on.size() + " directories |\n");
        for (boolean isOneDirectory : new boolean[]{true, false}) {
            text.append("\n## ")
                    .append(isOneDirectory ? "One directory" : "A directory for each client")
                    .append(", twice as many clients as partitions")
                    .append(isOneDirectory ? " (figure 4.5)" : "")
                    .append("\n\n| partitions | clients | created | removed |\n| --- | --- | --- | --- |\n");
            Rates first = median(measured, new Case(partitions.getFirst(), 2 * partitions.getFirst(), isOneDirectory));
            for (int number : partitions) {
                Case one = new Case(number, 2 * number, isOneDirectory);
                row(text, "| " + number + " | " + one.clients(), median(measured, one), first);
            }
        }
        text.append(
                "\n## One directory, over the clients (figure 4.6)\n\n| clients | partitions | created | removed |\n")
                .append("| --- | --- | --- | --- |\n");
        for (int number : new int[]{most, 0}) {
            Rates first = median(measured, new Case(number, clients.getFirst(), true));
            for (int client : clients) {
                row(text, "| " + client + " | " + (number == 0 ? "one space" : number),
                        median(measured, new Case(number, client, true)), first);
            }
        }
        return text
                .append("""

                        ## Beside the paper

                        Yang (*A Persistent Storage Model for Extreme Computing*, chapter 4.3) measured OrangeFS on a cluster, with a server for each partition, and without splits. The text
                        gives these numbers of its figures:

                        | figure | servers | clients | created | removed |
                        | --- | --- | --- | --- | --- |
                        | 4.5 | 64 | 128 | more than 8,000 | more than 11,000 |
                        | 4.6 | 64 | 192, 256 | more than 8,000 | from 11,000 down to more than 8,000 |

                        There, more servers add processors and disks. Here, all partitions and all clients share those of one machine.
                        """)
                .toString();
    }

    private static Rates median(Map<Case, List<Rates>> measured, Case one) {
        List<Rates> all = measured.getOrDefault(one, List.of());
        return new Rates(median(all.stream().map(Rates::created).toList()),
                median(all.stream().map(Rates::removed).toList()));
    }

    private static double median(List<Double> numbers) {
        List<Double> sorted = numbers.stream().sorted().toList();
        return sorted.isEmpty()
                ? Double.NaN
                : (sorted.get((sorted.size() - 1) / 2) + sorted.get(sorted.size() / 2)) / 2;
    }

    private static void row(StringBuilder text, String what, Rates rates, Rates first) {
        text.append(what)
                .append(String.format(Locale.ROOT, " | %,.0f (%.2f) | %,.0f (%.2f) |%n", rates.created(),
                        rates.created() / first.created(), rates.removed(), rates.removed() / first.removed()));
    }
}
