// SPDX-License-Identifier: Apache-2.0
package org.treehaul.bench.stage;

import static org.treehaul.nodes.FileJob.BUFFERED;
import static org.treehaul.nodes.FileJob.STAGE;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.treehaul.nodes.FileJob;
import org.treehaul.nodes.FileTimes;
import org.treehaul.nodes.Nodes;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * The command: {@code src-test/bench --limits}. Hosts of this machine have links or disks of a known speed, so that the
 * sum of what they give is known, too.
 */
@Command(
        name = "src-test/bench --limits",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = "Measures parallel files over hosts with limited links or disks, beside GlusterFS on the same hosts. Root only.")
public final class LimitRace implements Callable<Integer> {

    private static final int MEBIBYTE = 1 << 20;
    private static final double MILLION = 1e6;
    private static final double GOAL = 0.85;

    @Option(names = "--servers", split = ",", description = "Numbers of servers; 1,2,4,8 by default.")
    List<Integer> servers = new ArrayList<>(List.of(1, 2, 4, 8));

    @Option(
            names = "--megabits",
            description = "What the link of a server gives in a second, and its disk, in millions of bits; 100 by default.")
    int megabits = 100;

    @Option(names = "--megabytes", description = "MiB of a file for each of its servers; 16 by default.")
    int megabytes = 16;

    @Option(names = "--rounds", description = "How often each takes its turn; 3 by default.")
    int rounds = 3;

    @Option(names = "--on", paramLabel = "DIR", description = "Work in this directory; /dev/shm by default.")
    Path on = Path.of("/dev/shm");

    @Option(
            names = "--disk",
            paramLabel = "DIR",
            description = "Limit the disk that has this directory; /var/tmp by default.")
    Path disk = Path.of("/var/tmp");

    @Option(names = "--limited", split = ",", description = "Only hosts with these limits: none, links, disks.")
    List<String> limited = new ArrayList<>(List.of("none", "links", "disks"));

    @Option(names = "--report", paramLabel = "FILE", description = "Write the report there.")
    @Nullable Path report;

    private final Path root = Path
            .of(Objects.requireNonNull(System.getProperty("treehaul.root"), "start it by src-test/bench"));
    private final Path treehaul = root.resolve("treehaul");

    /** Hosts that are limited. */
    private enum Limit {
        LINKS("links"),
        DISKS("disks"),
        NONE("none");

        private final String title;

        Limit(String title) {
            this.title = title;
        }
    }

    /** A way to write and read a file. */
    private enum Way {
        STAGE_FILE("parallel file", STAGE, false),
        STAGE_BUFFERED("with buffers", BUFFERED, false),
        STAGE_LIST("parallel file, lists", STAGE, true),
        GLUSTER("GlusterFS", "", false),
        GLUSTER_LIST("GlusterFS, one by one", "", true);

        private final String title;
        private final String target;
        private final boolean isList;

        Way(String title, String target, boolean isList) {
            this.title = title;
            this.target = target;
            this.isList = isList;
        }
    }

    /** The times of all ways over a number of servers. */
    private record Turn(Limit limit, int servers, Map<Way, FileTimes> times) {
        FileTimes of(Way way) {
            return Objects.requireNonNull(times.get(way), way.title);
        }
    }

    /** Runs the command. */
    public static void main(String[] args) {
        Locale.setDefault(Locale.ROOT);
        System.exit(new CommandLine(new LimitRace()).execute(args));
    }

    @Override
    public Integer call() throws Exception {
        Nodes.obstacle().ifPresent(reason -> {
            throw new IllegalStateException(reason);
        });
        List<String> titles = Stream.of(Limit.values()).map(limit -> limit.title).toList();
        if (!titles.containsAll(limited)) {
            throw new IllegalArgumentException("--limited: each must be one of " + String.join(", ", titles));
        }
        Map<String, String> facts = new LinkedHashMap<>();
        facts.put("date", LocalDate.now(ZoneOffset.UTC).toString());
        facts.put("cores", Integer.toString(Runtime.getRuntime().availableProcessors()));
        facts.put("Java", System.getProperty("java.runtime.version"));
        facts.put("load at the beginning", load());
        List<Turn> turns = new ArrayList<>(turns(on, chosen(Limit.NONE, Limit.LINKS)));
        if (Nodes.canThrottle()) {
            turns.addAll(turns(disk, chosen(Limit.DISKS)));
        } else if (!chosen(Limit.DISKS).isEmpty()) {
            facts.put("disks", "not measured: there is no blkio controller of cgroup v1");
        }
        facts.put("load at the end", load());
        String text = text(facts, turns);
        if (report == null) {
            System.out.print(text);
        } else {
            Files.writeString(report, text);
        }
        return 0;
    }

    private static String load() throws IOException {
        return Files.readString(Path.of("/proc/loadavg")).strip();
    }

    private List<Limit> chosen(Limit... limits) {
        return Stream.of(limits).filter(limit -> limited.contains(limit.title)).toList();
    }

    private List<Turn> turns(Path where, List<Limit> limits) throws IOException {
        if (limits.isEmpty()) {
            return List.of();
        }
        int most = servers.stream().mapToInt(Integer::intValue).max().orElseThrow();
        List<Turn> turns = new ArrayList<>();
        try (Nodes nodes = Nodes.up(root, where, most)) {
            Map<Integer, Path> volumes = new LinkedHashMap<>();
            if (Nodes.hasGluster()) {
                nodes.gluster();
                for (int number : servers) {
                    nodes.volume("volume" + number, 1, number);
                    volumes.put(number, nodes.attach(nodes.client(), "volume" + number));
                }
            }
            nodes.serve(treehaul);
            for (Limit limit : limits) {
                turns.addAll(measured(nodes, limit, volumes));
            }
        }
        return turns;
    }

    private double bytesOfOne() {
        return megabits * MILLION / Byte.SIZE;
    }

    private List<Turn> measured(Nodes nodes, Limit limit, Map<Integer, Path> volumes) throws IOException {
        List<Way> ways = Stream.of(Way.values()).filter(way -> !volumes.isEmpty() || !way.target.isEmpty()).toList();
        List<FileJob> jobs = new ArrayList<>();
        for (int number : servers) {
            for (Way way : ways) {
                jobs.add(new FileJob(way.target.isEmpty() ? String.valueOf(volumes.get(number)) : way.target, number,
                        way.isList, MEBIBYTE, (long) megabytes * MEBIBYTE * number));
            }
        }
        List<FileTimes> times = nodes.files(jobs, rounds, limit == Limit.DISKS, () -> limit(nodes, limit));
        List<Turn> turns = new ArrayList<>();
        for (int i = 0; i < servers.size(); i++) {
            Map<Way, FileTimes> byWay = new EnumMap<>(Way.class);
            for (int way = 0; way < ways.size(); way++) {
                byWay.put(ways.get(way), times.get(i * ways.size() + way));
            }
            Turn turn = new Turn(limit, servers.get(i), byWay);
            byWay.keySet().forEach(way -> System.err.print(line(turn, way)));
            turns.add(turn);
        }
        return turns;
    }

    private void limit(Nodes nodes, Limit limit) {
        switch (limit) {
            case LINKS -> nodes.limit(megabits + "mbit", 1, nodes.client() - 1);
            case DISKS -> nodes.throttle((long) bytesOfOne());
            case NONE -> {}
        }
    }

    private String line(Turn turn, Way way) {
        FileTimes times = turn.of(way);
        StringBuilder line = new StringBuilder(
                "| " + turn.limit.title + " | " + turn.servers + " | " + way.title + " |");
        for (boolean isWrite : new boolean[]{true, false}) {
            double rate = times.median(isWrite);
            line.append(String.format(" %.1f |", rate / MILLION));
            line.append(
                    turn.limit == Limit.NONE ? " |" : String.format(" %.2f |", rate / (bytesOfOne() * turn.servers)));
        }
        return line.append('\n').toString();
    }

    private String text(Map<String, String> facts, List<Turn> turns) {
        StringBuilder text = new StringBuilder(
                "# Parallel files over limited links and disks\n\n    src-test/bench --limits --servers ")
                .append(String.join(",", servers.stream().map(String::valueOf).toList()))
                .append(" --megabits " + megabits + " --megabytes " + megabytes + " --rounds " + rounds + " --on " + on
                        + " --disk " + disk
                        + (limited.size() < Limit.values().length ? " --limited " + String.join(",", limited) : "")
                        + "\n\n")
                .append(String.format(
                        """
                                Each server is on a host of its own, a network namespace of this machine; one client, on another host, writes a file of %d MiB for each server, and reads it,
                                by requests of 1 MiB from one thread: 1 MiB in order, or 16 times 64 KiB in no order. A parallel file has stripes of 64 KiB over all servers. GlusterFS has a
                                brick on each of the same hosts, and shards of 4 MiB; a list there is 16 calls, one after another, because a file system has no other way. A time is that from
                                opening the file until it is closed; medians, after a round that does not count. Millions of bytes in a second.

                                - *links*: each server sends and receives %.1f MB in a second (tbf), the client is not limited; all disks are memory.
                                - *disks*: what the processes of each server read and write is limited to %.1f MB in a second (blkio cgroup); the file is on the disks before it is closed,
                                  and no longer in memory before it is read. Links are not limited. Pages that the kernel writes before the server asks for it are not limited
                                  either (cgroup v1): if other programs write much, a file may be written faster than the disks allow.
                                - *none*: the processors are the limit, which clients and servers share.

                                |  |  |
                                | --- | --- |
                                """,
                        megabytes, bytesOfOne() / MILLION, bytesOfOne() / MILLION));
        facts.forEach((name, value) -> text.append("| " + name + " | " + value + " |\n"));
        text.append("\n| limited | servers | file | writes | of the sum | reads | of the sum |\n|")
                .append(" --- |".repeat(7))
                .append('\n');
        turns.forEach(turn -> turn.times.keySet().forEach(way -> text.append(line(turn, way))));
        text.append("\n| goal | limited | servers | writes | reads |\n|").append(" --- |".repeat(5)).append('\n');
        for (Turn turn : turns) {
            if (turn.limit != Limit.NONE) {
                goal(text, turn, "0.85 of the sum: parallel file", way(turn, Way.STAGE_FILE), GOAL);
                goal(text, turn, "0.85 of the sum: with buffers", way(turn, Way.STAGE_BUFFERED), GOAL);
            }
            if (turn.times.containsKey(Way.GLUSTER)) {
                goal(text, turn, "1 MiB: not below GlusterFS",
                        isWrite -> turn.of(Way.STAGE_FILE).ratio(isWrite, turn.of(Way.GLUSTER)), 1);
                goal(text, turn, "1 MiB, buffers: not below GlusterFS",
                        isWrite -> turn.of(Way.STAGE_BUFFERED).ratio(isWrite, turn.of(Way.GLUSTER)), 1);
                goal(text, turn, "64 KiB lists: above GlusterFS",
                        isWrite -> turn.of(Way.STAGE_LIST).ratio(isWrite, turn.of(Way.GLUSTER_LIST)), 1);
            }
        }
        return text.toString();
    }

    /** A value of writing or of reading, to be compared with a goal. */
    private interface Value {
        double of(boolean isWrite);
    }

    private Value way(Turn turn, Way way) {
        return isWrite -> turn.of(way).median(isWrite) / (bytesOfOne() * turn.servers);
    }

    private static void goal(StringBuilder text, Turn turn, String goal, Value value, double least) {
        text.append("| " + goal + " | " + turn.limit.title + " | " + turn.servers + " |");
        for (boolean isWrite : new boolean[]{true, false}) {
            double found = value.of(isWrite);
            text.append(String.format(" %.2f %s |", found, found >= least ? "reached" : "**missed**"));
        }
        text.append('\n');
    }
}
