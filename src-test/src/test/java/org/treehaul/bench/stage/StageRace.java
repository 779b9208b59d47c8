// SPDX-License-Identifier: Apache-2.0
package org.treehaul.bench.stage;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.TreeRemoval;
import org.treehaul.programs.Programs;
import org.treehaul.schedulers.stage.SegmentKey;
import org.treehaul.schedulers.stage.SegmentPart;
import org.treehaul.schedulers.stage.Segments;
import org.treehaul.schedulers.stage.StageServer;
import org.treehaul.schedulers.stage.net.RunSecret;
import org.treehaul.schedulers.stage.net.SegmentClients;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The command: {@code src-test/bench --stage}. Each turn copies the same files, one way after another. */
@Command(
        name = "src-test/bench --stage",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = "Measures parallel files in directories of this host, and over the network through the loopback"
                + " interface, beside a copy of the same files.")
public final class StageRace implements Callable<Integer> {

    private static final int MEGABYTE = 1 << 20;
    private static final double MILLION = 1e6;
    private static final int TIMES = 4;

    @Option(names = "--servers", split = ",", description = "Numbers of servers; 1,2,4,8 by default.")
    List<Integer> servers = new ArrayList<>(List.of(1, 2, 4, 8));

    @Option(
            names = "--megabytes",
            split = ",",
            description = "Sizes in MiB of eight files together; 1024 by default. The directory needs room for twice each.")
    List<Integer> megabytes = new ArrayList<>(List.of(1024));

    @Option(names = "--small", description = "Number of files of 4 KiB, measured after them; 10000 by default.")
    int small = 10_000;

    @Option(names = "--rounds", description = "How often each takes its turn; 5 by default.")
    int rounds = 5;

    @Option(names = "--clients", description = "Clients while the memory of a server is measured; 200 by default.")
    int clients = 200;

    @Option(names = "--on", paramLabel = "DIR", description = "Work in this directory; /dev/shm by default.")
    Path on = Path.of("/dev/shm");

    @Option(names = "--report", paramLabel = "FILE", description = "Write the report there.")
    @Nullable Path report;

    private final Path treehaul = Path
            .of(Objects.requireNonNull(System.getProperty("treehaul.root"), "start it by src-test/bench"), "treehaul");

    /** Runs the command. */
    public static void main(String[] args) {
        Locale.setDefault(Locale.ROOT);
        System.exit(new CommandLine(new StageRace()).execute(args));
    }

    @Override
    public Integer call() throws Exception {
        Path work = Files.createTempDirectory(on, "treehaul-stage");
        try {
            Map<String, String> facts = new LinkedHashMap<>();
            facts.put("date", LocalDate.now(ZoneOffset.UTC).toString());
            facts.put("cores", Integer.toString(Runtime.getRuntime().availableProcessors()));
            facts.put("Java", System.getProperty("java.runtime.version"));
            facts.put("file system", Files.getFileStore(work).type());
            facts.put("load at the beginning", load());
            makeSecret(work);
            List<Load> loads = new ArrayList<>(megabytes.stream().map(Load::large).toList());
            if (small > 0) {
                loads.add(Load.small(small));
            }
            StageTimes all = new StageTimes();
            for (Load load : loads) {
                Path source = work.resolve("source");
                load.make(source);
                // The first turn makes the archive of classes.
                turn(work, 1);
                for (int round = 1; round <= rounds; round++) {
                    for (int number : servers) {
                        StageTimes.Turn times = turn(work, number);
                        System.err.println(load + ", round " + round + ": " + number + " servers: " + times.seconds());
                        all.add(load, number, times);
                    }
                }
                remove(source);
            }
            if (clients > 0) {
                facts.put("most memory of a server with " + clients + " clients", memory(work));
            }
            facts.put("load at the end", load());
            write(text(facts, all));
            return 0;
        } finally {
            TreeRemoval.remove(Linux.calls(), work);
        }
    }

    private static String load() throws IOException {
        return Files.readString(Path.of("/proc/loadavg")).strip();
    }

    private static void makeSecret(Path work) throws IOException {
        Path secret = Files.createFile(work.resolve("secret"),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.writeString(secret, "0123456789abcdef0123456789abcdef\n");
    }

    private static void remove(Path path) throws IOException {
        TreeRemoval.remove(Linux.calls(), path);
    }

    /**
     * Copies in each way. The files leave the stage to where they came from, so that there are never more than two
     * copies of them, which may take most of the memory.
     */
    private StageTimes.Turn turn(Path work, int number) throws Exception {
        Map<Way, Double> times = new LinkedHashMap<>();
        Path source = work.resolve("source");
        Path turn = Files.createDirectory(work.resolve("turn"));
        try {
            Path copy = turn.resolve("copy");
            times.put(Way.CP, seconds("cp", "-r", source, copy));
            remove(copy);
            List<String> directories = new ArrayList<>();
            for (int i = 0; i < number; i++) {
                directories.add(Files.createDirectory(turn.resolve("d" + i)).toString());
            }
            Path space = turn.resolve("space");
            times.put(Way.DIRECT_IN, seconds(treehaul, "stage", "in", "-q", "--space", space, "--directories",
                    String.join(",", directories), source, "job:source"));
            remove(source);
            times.put(Way.DIRECT_OUT, seconds(treehaul, "stage", "out", "-q", "--space", space, "job:source", source));
            for (String directory : directories) {
                remove(Path.of(directory));
            }
            network(work, turn, number, times);
            return new StageTimes.Turn(times);
        } finally {
            remove(turn);
        }
    }

    private void network(Path work, Path turn, int number, Map<Way, Double> times) throws Exception {
        Path space = turn.resolve("network");
        Path secret = work.resolve("secret");
        List<Served> started = new ArrayList<>();
        try {
            for (int i = 0; i < number; i++) {
                started.add(start(secret, turn.resolve("s" + i)));
            }
            String addresses = String.join(",", started.stream().map(Served::address).toList());
            Path source = work.resolve("source");
            times.put(Way.NETWORK_IN, seconds(treehaul, "stage", "in", "-q", "--space", space, "--add-servers",
                    addresses, "--secret-file", secret, source, "job:source"));
            remove(source);
            times.put(Way.NETWORK_OUT, seconds(treehaul, "stage", "out", "-q", "--space", space, "--secret-file",
                    secret, "job:source", source));
        } finally {
            for (Served one : started) {
                one.end();
            }
        }
    }

    private static double seconds(Object... command) {
        long begun = System.nanoTime();
        Programs.run(command);
        return (System.nanoTime() - begun) / (MILLION * 1000);
    }

    /** A server in a process of its own. */
    private record Served(Process process, String address) {
        void end() throws InterruptedException {
            process.destroy();
            process.waitFor();
        }
    }

    private Served start(Path secret, Path directory) throws IOException {
        Process process = Programs.start(treehaul, "serve", "--directory", directory, "--listen", "127.0.0.1:0",
                "--secret-file", secret);
        String line = Objects.requireNonNull(process.inputReader().readLine(), "the server did not start");
        // Clients on this host do not find it, and use the network.
        Files.move(directory, directory.resolveSibling(directory.getFileName() + ".hidden"));
        return new Served(process, line.substring(line.lastIndexOf(' ') + 1));
    }

    /** Returns the largest memory of a server while all clients write and read at the same time. */
    private String memory(Path work) throws Exception {
        Path secret = work.resolve("secret");
        Served server = start(secret, work.resolve("many"));
        try (SegmentClients network = new SegmentClients(RunSecret.read(ByteString.of(secret)), false);
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
                Arena arena = Arena.ofShared()) {
            StageServer found = network.find("run", "s1", server.address());
            MemorySegment bytes = arena.allocate(2L * MEGABYTE);
            List<Callable<Void>> tasks = new ArrayList<>();
            for (int i = 0; i < clients; i++) {
                Segments segments = network.open(found);
                SegmentKey key = new SegmentKey(new UUID(1, i), 1, 0);
                tasks.add(() -> {
                    segments.create(key);
                    for (int time = 0; time < TIMES; time++) {
                        segments.write(key, List.of(new SegmentPart(0, bytes)));
                        segments.read(key, List.of(new SegmentPart(0, bytes)));
                    }
                    segments.remove(key);
                    return null;
                });
            }
            for (Future<Void> done : threads.invokeAll(tasks)) {
                done.get();
            }
            return Files.readAllLines(Path.of("/proc/" + server.process().pid() + "/status"))
                    .stream()
                    .filter(line -> line.startsWith("VmHWM:"))
                    .map(line -> Long.parseLong(line.replaceAll("\\D", "")) * 1024 / MEGABYTE + " MiB")
                    .findFirst()
                    .orElse("unknown");
        } finally {
            server.end();
        }
    }

    private String text(Map<String, String> facts, StageTimes all) {
        StringBuilder text = new StringBuilder();
        text.append("# Speed of parallel files\n\n    src-test/bench --stage --servers " + joined(servers)
                + " --megabytes " + joined(megabytes) + " --small " + small + " --rounds " + rounds + " --clients "
                + clients + " --on " + on
                + "\n\nEach turn copies the same files in each of these ways, one after another. The tables show"
                + " the median of the seconds, from the start of the command to its end, and in brackets the"
                + " median of the ratios of `cp -r` to it within a turn. Servers and clients share the"
                + " processors of this machine and use the loopback interface.\n\n|  |  |\n| --- | --- |\n");
        facts.forEach((name, value) -> text.append("| " + name + " | " + value + " |\n"));
        return text.append(all.text()).toString();
    }

    private static String joined(List<Integer> numbers) {
        return String.join(",", numbers.stream().map(String::valueOf).toList());
    }

    private void write(String text) throws IOException {
        if (report == null) {
            System.out.print(text);
        } else {
            Files.writeString(report, text);
        }
    }
}
