// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.pool.work;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.OptionalInt;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.testing.Campaign;
import org.treehaul.schedulers.pool.BatchOffer;
import org.treehaul.schedulers.pool.Pool;
import org.treehaul.schedulers.pool.TransferOffer;
import org.treehaul.tuplespace.Lease;
import org.treehaul.tuplespace.PostgresServer;
import org.treehaul.tuplespace.Transaction;
import org.treehaul.tuplespace.store.SpaceUri;

/**
 * Four workers take 10,000 batches that need no work from a pool in PostgreSQL, whose server syncs: each is taken once.
 * Prints the rate.
 */
@Tag("rig")
@Tag("campaign")
class ClaimRateTest {

    private static final Duration LEASE = Duration.ofMinutes(1);
    private static final int WORKERS = 4;

    private final TransferOffer offer = ChoiceTestData.offer("a", 0);

    private void offer(Pool pool, int batches) {
        try (Transaction transaction = pool.begin(LEASE)) {
            transaction.writeAll(IntStream.range(0, batches)
                    .mapToObj(batch -> new BatchOffer(offer.transfer(), offer.generation(), batch))
                    .toList(), Lease.FOREVER);
            transaction.commit();
        }
    }

    private List<Integer> takeAll(SpaceUri uri, int worker) throws InterruptedException {
        List<Integer> taken = new ArrayList<>();
        try (Pool pool = Pool.open(uri);
                Presence presence = new Presence(pool, ChoiceTestData.worker("w" + worker, "", 0), LEASE).start()) {
            boolean isLeft = true;
            while (isLeft) {
                try (Turn turn = new Turn(pool, offer, ChoiceTestData.admission(pool), presence, LEASE,
                        new Cancellation(), () -> false, new HashSet<>(), new LocalBatches())) {
                    isLeft = turn.begin() == Turn.Start.TAKEN;
                    for (OptionalInt next = isLeft ? turn.next() : OptionalInt.empty(); next
                            .isPresent(); next = turn.next()) {
                        taken.add(next.getAsInt());
                    }
                }
            }
        }
        return taken;
    }

    @Test
    void eachOfTenThousandBatchesIsTakenOnce() throws Exception {
        int batches = Campaign.cases(10_000);
        try (PostgresServer server = PostgresServer.start();
                ExecutorService threads = Executors.newFixedThreadPool(WORKERS)) {
            SpaceUri uri = server.fresh();
            try (Pool pool = Pool.open(uri)) {
                offer(pool, batches);
            }
            List<Callable<List<Integer>>> workers = new ArrayList<>();
            IntStream.range(0, WORKERS).forEach(worker -> workers.add(() -> takeAll(uri, worker)));
            long start = System.nanoTime();
            List<Integer> taken = new ArrayList<>();
            for (Future<List<Integer>> each : threads.invokeAll(workers)) {
                taken.addAll(each.get());
            }
            double seconds = (System.nanoTime() - start) / 1e9;
            System.out.printf(Locale.ROOT, "%d batches claimed by %d workers in %.1f s: %.0f a second%n", batches,
                    WORKERS, seconds, batches / seconds);
            assertThat(taken).hasSize(batches).doesNotHaveDuplicates();
        }
    }
}
