// SPDX-License-Identifier: Apache-2.0
package org.treehaul.spaces.partitions;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.TreeRemoval;
import org.treehaul.spaces.SharedSpaceReport;
import org.treehaul.spaces.SharedSpaceReport.Part;
import org.treehaul.spaces.partitions.Case.Rates;
import org.treehaul.spaces.partitions.Case.Spread;
import org.treehaul.spaces.partitions.Case.Stores;
import org.treehaul.spaces.partitions.PartitionClient.FileName;
import org.treehaul.tuplespace.partition.Partitions;
import org.treehaul.tuplespace.partition.Placement;
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
    /** Partitions in the first turns of each kind of stores, which do not count: they load classes and compile. */
    private static final int WARM_UP = 4;
    private static final int WARM_UPS = 3;
    /** The driver prepares a statement when it is repeated for the fifth time. */
    private static final int FIRST = 15;

    @Option(
            names = "--stores",
            split = ",",
            description = "Kinds of stores: ${COMPLETION-CANDIDATES}; all by default. CAPPED are PostgreSQL servers with"
                    + " a part of a processor each.")
    List<Stores> stores = new ArrayList<>(List.of(Stores.values()));

    @Option(names = "--partitions", split = ",", description = "Numbers of partitions; 1,2,4 by default.")
    List<Integer> partitions = new ArrayList<>(List.of(1, 2, 4));

    @Option(
            names = "--clients",
            split = ",",
            description = "Numbers of clients in the series over the clients; 1,4,8,16 by default.")
    List<Integer> clients = new ArrayList<>(List.of(1, 4, 8, 16));

    @Option(names = "--over", description = "Number of partitions in the series over the clients; 4 by default.")
    int over = 4;

    @Option(
            names = "--cap",
            paramLabel = "PART",
            description = "The part of a processor that each capped server may use; 0.25 by default.")
    double cap = 0.25;

    @Option(
            names = "--load",
            paramLabel = "CLIENTS",
            description = "Number of clients in the series of equal load over the partitions; 8 by default.")
    int load = 8;

    @Option(
            names = "--processes",
            paramLabel = "N",
            description = "Into how many processes the clients are divided; 1 by default, because more of them use the"
                    + " processors that the servers need.")
    int processes = 1;

    @Option(names = "--rounds", description = "How often each takes its turn; 3 by default.")
    int rounds = 3;

    @Option(
            names = "--millis",
            description = "How long clients create, and then remove, with more names between; 1000 by default.")
    int millis = 1000;

    @Option(
            names = "--on",
            split = ",",
            paramLabel = "DIR",
            description = "Where the files of SQLite are made, in turn; /var/tmp by default.")
    List<Path> on = new ArrayList<>(List.of(Path.of("/var/tmp")));

    @Option(
            names = "--servers-on",
            paramLabel = "DIR",
            description = "Where the servers have their data; /dev/shm by default, because servers of one machine share"
                    + " its disk, and would wait for it and not for their processors.")
    Path serversOn = Path.of("/dev/shm");

    @Option(
            names = "--report",
            paramLabel = "FILE",
            description = "Replace the part about partitions in this report, instead of printing it.")
    @Nullable Path report;

    @Option(
            names = "--figures",
            paramLabel = "DIR",
            description = "Draw figures 4.5 and 4.6 there, as pictures and tables.")
    @Nullable Path figures;

    /** Kinds of stores that cannot be measured here, with the reason. */
    private final Map<Stores, String> absent = new EnumMap<>(Stores.class);

    /** Runs the command. */
    public static void main(String[] args) {
        System.exit(new CommandLine(new PartitionRace()).setCaseInsensitiveEnumValuesAllowed(true).execute(args));
    }

    @Override
    public Integer call() throws IOException {
        Map<Case, List<Rates>> measured = new LinkedHashMap<>();
        Map<String, String> facts = facts();
        try (Servers servers = servers()) {
            cases().forEach(one -> measured.put(one, new ArrayList<>()));
            if (measured.isEmpty()) {
                return 1;
            }
            if (servers.version().isPresent()) {
                facts.put("PostgreSQL", servers.version().get());
            }
            int most = measured.keySet().stream().mapToInt(Case::clients).max().orElse(1);
            try (Clients started = Clients.start(Math.min(processes, most), on.getFirst())) {
                for (Stores kind : measured.keySet()
                        .stream()
                        .map(one -> one.stores() == Stores.CAPPED ? Stores.POSTGRESQL : one.stores())
                        .collect(Collectors.toSet())) {
                    for (int i = 0; i < WARM_UPS; i++) {
                        run(new Case(kind, WARM_UP, most, Spread.ONE_DIRECTORY), started, servers);
                    }
                }
                for (int round = 1; round <= rounds; round++) {
                    for (Map.Entry<Case, List<Rates>> one : measured.entrySet()) {
                        Rates rates = run(one.getKey(), started, servers);
                        System.err.println("round " + round + ": " + one.getKey() + ": " + rates);
                        one.getValue().add(rates);
                    }
                }
            }
        }
        facts.put("load at the end", SharedSpaceReport.load());
        write(new PartitionReport(measured, absent, facts, cap, partitions, clients, over, load));
        return 0;
    }

    private void write(PartitionReport written) throws IOException {
        String command = "src-test/bench --partitions --stores "
                + String.join(",", stores.stream().map(Stores::option).toList()) + " --partitions " + list(partitions)
                + " --clients " + list(clients) + " --over " + over + " --load " + load + " --processes " + processes
                + " --rounds " + rounds + " --millis " + millis + " --cap " + cap + " --servers-on " + serversOn;
        if (figures != null) {
            Files.createDirectories(figures);
            written.figures().write(figures);
        }
        SharedSpaceReport.write(report, Part.PARTITIONS, written.text(command), written.goals());
    }

    private static String list(List<Integer> numbers) {
        return String.join(",", numbers.stream().map(String::valueOf).toList());
    }

    private Map<String, String> facts() throws IOException {
        Map<String, String> facts = SharedSpaceReport.facts();
        facts.put("files of SQLite on", String.join(", ", on.stream().map(PartitionRace::type).toList()));
        facts.put("data of servers on", type(serversOn));
        return facts;
    }

    private static String type(Path directory) {
        try {
            return Files.getFileStore(directory).type();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Starts the servers that are needed; notes what cannot be measured. */
    private Servers servers() throws IOException {
        int most = Math.max(Math.max(over, WARM_UP), partitions.stream().mapToInt(number -> number).max().orElse(1));
        if (stores.contains(Stores.CAPPED)) {
            try {
                return Servers.start(most, serversOn, true);
            } catch (IOException e) {
                leave(Stores.CAPPED, e);
            }
        }
        if (stores.contains(Stores.POSTGRESQL)) {
            try {
                return Servers.start(most, serversOn, false);
            } catch (IOException e) {
                leave(Stores.POSTGRESQL, e);
            }
        }
        return Servers.none();
    }

    private void leave(Stores kind, IOException reason) {
        absent.put(kind, reason.getMessage());
        System.err.println("bench: " + kind.title + " is not measured: " + reason.getMessage());
    }

    /** Returns the cases to measure, those of a kind together; not all of servers without a cap, which share all. */
    private List<Case> cases() {
        List<Case> cases = new ArrayList<>();
        for (Stores kind : stores) {
            if (absent.containsKey(kind)) {
                continue;
            }
            partitions.forEach(number -> cases.add(new Case(kind, number, 2 * number, Spread.ONE_DIRECTORY)));
            if (kind != Stores.POSTGRESQL) {
                partitions.forEach(number -> cases.add(new Case(kind, number, 2 * number, Spread.DIRECTORIES)));
                partitions.forEach(number -> cases.add(new Case(kind, number, load, Spread.ONE_DIRECTORY)));
                if (kind == Stores.CAPPED) {
                    partitions.forEach(number -> cases.add(new Case(kind, number, load, Spread.DIRECTORIES)));
                    partitions.stream()
                            .filter(number -> number > 1)
                            .forEach(number -> cases.add(new Case(kind, number, load, Spread.SEPARATE_SPACES)));
                }
                clients.forEach(number -> cases.add(new Case(kind, over, number, Spread.ONE_DIRECTORY)));
                clients.forEach(number -> cases.add(new Case(kind, 0, number, Spread.ONE_DIRECTORY)));
            }
        }
        return cases;
    }

    private Rates run(Case one, Clients clientProcesses, Servers servers) throws IOException {
        List<Path> places = new ArrayList<>();
        try {
            for (Path place : on) {
                places.add(Files.createTempDirectory(place, "treehaul-partitions"));
            }
            Clients.Limit limit = one.stores() == Stores.CAPPED
                    ? isLimited -> servers.limit(isLimited ? cap : 0)
                    : isLimited -> {
                    };
            return clientProcesses.run(space(one, places, servers), directories(one), millis, first(one), limit,
                    one.stores().hasServers() ? servers::cpu : () -> 0);
        } finally {
            if (one.stores().hasServers()) {
                servers.limit(0);
                servers.removeSpaces();
            }
            for (Path place : places) {
                TreeRemoval.remove(Linux.calls(), place);
            }
        }
    }

    /** Returns how often a client creates and removes a name before it is measured. */
    private static int first(Case one) {
        return !one.stores().hasServers() ? 1 : FIRST * (one.isOneDirectory() ? Math.max(1, one.partitions()) : 1);
    }

    private static String space(Case one, List<Path> places, Servers servers) throws IOException {
        Path first = places.getFirst();
        int number = Math.max(1, one.partitions());
        List<SpaceUri> stores = one.stores().hasServers()
                ? servers.spaces(number)
                : IntStream.range(0, number)
                        .mapToObj(i -> SpaceUri.of(places.get(i % places.size()).resolve("p" + i)))
                        .toList();
        if (one.spread() == Spread.SEPARATE_SPACES) {
            // Each of one partition, so that the servers carry out the same statements.
            List<String> spaces = new ArrayList<>();
            for (int i = 0; i < stores.size(); i++) {
                Path list = first.resolve("list" + i);
                Partitions.create(list, List.of(stores.get(i)), 1, 0);
                spaces.add(new SpaceUri(SpaceUri.PARTITIONS, list.toString()).toString());
            }
            return String.join(PartitionClient.SEPARATOR, spaces);
        }
        if (one.partitions() == 0) {
            return stores.getFirst().toString();
        }
        Path list = first.resolve("list");
        Partitions.create(list, stores, number, 0);
        if (!one.isOneDirectory()) {
            Files.writeString(list, Files.readString(list) + "key=" + FileName.class.getName() + ".directory\n");
        }
        return new SpaceUri(SpaceUri.PARTITIONS, list.toString()).toString();
    }

    /** Returns the directory of each client. Those of different clients are evenly spread over the partitions. */
    static List<String> directories(Case one) {
        List<String> directories = new ArrayList<>();
        for (int number = 0; directories.size() < one.clients(); number++) {
            String name = "d" + (one.isOneDirectory() ? 0 : number);
            int wanted = directories.size() % Math.max(1, one.partitions());
            if (one.isOneDirectory() || Placement.of(new FileName("", name), "directory", one.partitions()) == wanted) {
                directories.add(name);
            }
        }
        return directories;
    }
}
