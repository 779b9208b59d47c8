// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.pool.work;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.Event;
import org.treehaul.core.event.Progress;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.directory.TransferResult;
import org.treehaul.programs.Median;
import org.treehaul.schedulers.pool.BatchOffer;
import org.treehaul.schedulers.pool.Pool;
import org.treehaul.schedulers.pool.PresentWorker;
import org.treehaul.schedulers.pool.TransferOffer;
import org.treehaul.schedulers.pool.carry.OwnCarriers;
import org.treehaul.schedulers.pool.carry.PoolListener;
import org.treehaul.spaces.SharedSpaceReport;
import org.treehaul.spaces.SharedSpaceReport.Goal;
import org.treehaul.spaces.SharedSpaceReport.Part;
import org.treehaul.tuplespace.Lease;
import org.treehaul.tuplespace.PostgresServer;
import org.treehaul.tuplespace.Transaction;
import org.treehaul.tuplespace.store.SpaceUri;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * The command: {@code src-test/bench --pool}. Workers claim batches that need no work from a pool in PostgreSQL, whose
 * server syncs.
 */
@Command(
        name = "src-test/bench --pool",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = "Measures how many batches workers of a pool claim in a second, on a PostgreSQL server that the"
                + " benchmark starts.")
public final class ClaimRace implements Callable<Integer> {
    private static final Duration LEASE = Duration.ofMinutes(1);
    /** The number of workers to which the goal applies, and the least number of claims in a second. */
    private static final int GOAL_WORKERS = 4;
    private static final double GOAL = 1000;

    @Option(names = "--workers", split = ",", description = "Numbers of workers; 1,2,4,8 by default.")
    List<Integer> workers = new ArrayList<>(List.of(1, 2, 4, 8));

    @Option(names = "--batches", description = "How many batches they claim in a round; 10000 by default.")
    int batches = 10_000;

    @Option(names = "--rounds", description = "How often each takes its turn after a first time; 5 by default.")
    int rounds = 5;

    @Option(
            names = "--on",
            paramLabel = "DIR",
            description = "Where the server has its data; /var/tmp by default, because each claim is synced.")
    Path on = Path.of("/var/tmp");

    @Option(
            names = "--report",
            paramLabel = "FILE",
            description = "Replace the part about pools in this report, instead of printing it.")
    @Nullable Path report;

    /** Batches in the order in which each worker claimed them, and the time until the last one. */
    record Claimed(List<Integer> batches, double seconds) {}

    private record Worker(Pool pool, Presence presence) implements AutoCloseable {

        static Worker open(SpaceUri space, int number) throws IOException {
            Pool pool = Pool.open(space);
            return new Worker(pool,
                    new Presence(pool, new PresentWorker("w" + number, 0, "host", 1, "", 0, Instant.EPOCH), LEASE)
                            .start());
        }

        List<Integer> claimAll(TransferOffer offer) throws InterruptedException {
            List<Integer> claimed = new ArrayList<>();
            boolean isLeft = true;
            while (isLeft) {
                try (Turn turn = new Turn(pool, offer, admission(pool), presence, LEASE, new Cancellation(),
                        () -> false, new HashSet<>(), new LocalBatches())) {
                    isLeft = turn.begin() == Turn.Start.TAKEN;
                    for (OptionalInt next = isLeft ? turn.next() : OptionalInt.empty(); next
                            .isPresent(); next = turn.next()) {
                        claimed.add(next.getAsInt());
                    }
                }
            }
            return claimed;
        }

        @Override
        public void close() {
            try (pool; presence) {
                // Closes the presence first.
            }
        }
    }

    /** Runs the command. */
    public static void main(String[] args) {
        System.exit(new CommandLine(new ClaimRace()).execute(args));
    }

    /** Offers batches in a new space, and lets workers, each a thread with connections of its own, claim all. */
    static Claimed claim(PostgresServer server, int workers, int batches) throws Exception {
        SpaceUri space = server.fresh();
        TransferOffer offer = new TransferOffer("a", 1, TransferOffer.FORMAT, "/none", "/scratch/a", 0, 0, 0, 0,
                Instant.EPOCH);
        try (Pool pool = Pool.open(space); Transaction transaction = pool.begin(LEASE)) {
            transaction.writeAll(IntStream.range(0, batches)
                    .mapToObj(batch -> new BatchOffer(offer.transfer(), offer.generation(), batch))
                    .toList(), Lease.FOREVER);
            transaction.commit();
        }
        List<Worker> opened = new ArrayList<>();
        try (ExecutorService threads = Executors.newFixedThreadPool(workers)) {
            for (int i = 0; i < workers; i++) {
                opened.add(Worker.open(space, i));
            }
            long start = System.nanoTime();
            List<Integer> claimed = new ArrayList<>();
            for (Future<List<Integer>> each : threads.invokeAll(
                    opened.stream().map(worker -> (Callable<List<Integer>>) () -> worker.claimAll(offer)).toList())) {
                claimed.addAll(each.get());
            }
            return new Claimed(claimed, (System.nanoTime() - start) / 1e9);
        } finally {
            opened.forEach(Worker::close);
        }
    }

    /** Believes all that is in a pool, and opens nothing. */
    private static Admission admission(Pool pool) {
        return new OwnUser(pool, 0, new OwnCarriers(Path.of("/nonexistent"), 1, 0, new PoolListener() {
            @Override
            public void onEvent(Event event) {}

            @Override
            public void onFinished(TransferDirectory transfer, int generation, TransferResult result) {}
        }, new Progress()), text -> {
        });
    }

    @Override
    public Integer call() throws Exception {
        Map<String, String> facts = SharedSpaceReport.facts();
        List<List<Double>> rates = workers.stream().<List<Double>>map(_ -> new ArrayList<>()).toList();
        try (PostgresServer server = PostgresServer.startIn(on)) {
            facts.put("PostgreSQL", version(server));
            facts.put("data of the server on", Files.getFileStore(on).type());
            for (int round = 0; round <= rounds; round++) {
                for (int i = 0; i < workers.size(); i++) {
                    Claimed claimed = claim(server, workers.get(i), batches);
                    if (claimed.batches().size() != batches || new HashSet<>(claimed.batches()).size() != batches) {
                        throw new IllegalStateException(claimed.batches().size() + " claims of " + batches
                                + " batches, of which each must be claimed once");
                    }
                    double rate = batches / claimed.seconds();
                    System.err.printf(Locale.ROOT, "round %d: %d workers: %.0f a second%n", round, workers.get(i),
                            rate);
                    // The first round loads classes and compiles.
                    if (round > 0) {
                        rates.get(i).add(rate);
                    }
                }
            }
        }
        facts.put("load at the end", SharedSpaceReport.load());
        SharedSpaceReport.write(report, Part.POOL, text(facts, rates), goals(rates));
        return 0;
    }

    private static String version(PostgresServer server) throws SQLException {
        try (Connection connection = server.connect()) {
            return connection.getMetaData().getDatabaseProductVersion() + ", fsync on";
        }
    }

    private String text(Map<String, String> facts, List<List<Double>> rates) {
        StringBuilder text = new StringBuilder("    src-test/bench --pool --workers "
                + String.join(",", workers.stream().map(String::valueOf).toList()) + " --batches " + batches
                + " --rounds " + rounds + "\n\n"
                + "Workers claim batches that need no work. Each worker is a thread with connections of its own. Medians of the rounds after a first one that does not count.\n"
                + "The measurement is described in [bench.md](../guide/bench.md#claims-of-a-pool).\n\n"
                + SharedSpaceReport.table(facts)
                + "\n| workers | batches claimed in a second | least | most |\n| --- | --- | --- | --- |\n");
        for (int i = 0; i < workers.size(); i++) {
            List<Double> all = rates.get(i).stream().sorted().toList();
            text.append(String.format(Locale.ROOT, "| %d | %,.0f | %,.0f | %,.0f |%n", workers.get(i), Median.of(all),
                    all.getFirst(), all.getLast()));
        }
        return text.toString();
    }

    private List<Goal> goals(List<List<Double>> rates) {
        int at = workers.indexOf(GOAL_WORKERS);
        if (at < 0) {
            return List.of();
        }
        double rate = Median.of(rates.get(at));
        return List.of(new Goal(GOAL_WORKERS + " workers: at least 1,000 batches claimed in a second",
                String.format(Locale.ROOT, "%,.0f", rate), rate >= GOAL));
    }
}
