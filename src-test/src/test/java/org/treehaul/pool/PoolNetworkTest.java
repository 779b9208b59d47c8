// SPDX-License-Identifier: Apache-2.0
package org.treehaul.pool;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.treehaul.core.testing.Campaign;
import org.treehaul.schedulers.pool.BatchOffer;
import org.treehaul.schedulers.pool.Pool;
import org.treehaul.schedulers.pool.PresentWorker;
import org.treehaul.tuplespace.PostgresServer;
import org.treehaul.tuplespace.store.SpaceUri;
import org.treehaul.tuplespace.tuple.Template;

/**
 * Four workers on hosts of their own, and a server that they reach by a network: one is killed, one is stopped until
 * its lease has ended, and one is cut off until it has noticed. No file is lost, and no batch is done by two at once.
 */
@Tag("rig")
class PoolNetworkTest {

    private static final int KILLED = 0;
    private static final int STOPPED = 1;
    private static final int CUT = 2;
    private static final int WORKERS = 4;

    @SuppressWarnings("NullAway.Init")
    private Nodes nodes;
    @SuppressWarnings("NullAway.Init")
    private PostgresServer server;
    @SuppressWarnings("NullAway.Init")
    private PoolNodes pool;

    @BeforeEach
    void start() throws Exception {
        nodes = Nodes.make(WORKERS);
        server = PostgresServer.start("listen_addresses=127.0.0.1," + nodes.address());
        server.admit(nodes.network());
        pool = new PoolNodes();
    }

    @AfterEach
    void end() {
        if (pool != null) {
            pool.close();
        }
        if (server != null) {
            server.close();
        }
        if (nodes != null) {
            nodes.close();
        }
    }

    private static Set<String> present(Pool space) {
        return space.workers().stream().map(PresentWorker::host).collect(Collectors.toSet());
    }

    private void loseThreeOfFour(int files, int bytes, String slowly) throws Exception {
        SpaceUri here = server.fresh();
        String space = here.toString().replace("127.0.0.1", nodes.address());
        Path source = pool.tree(files, bytes);
        Path target = pool.directory.resolve("target");
        String id = pool.submit(space, source, target, "--batch-files", 1, "--bandwidth", slowly);
        for (int i = 0; i < WORKERS; i++) {
            pool.worker(nodes.on(i), space);
        }
        PoolNodes.await("all work").until(() -> pool.hosts(id).size() == WORKERS);
        pool.kill(KILLED);
        pool.signal("STOP", STOPPED);
        nodes.cut(CUT);
        List<Attempt> begun = Attempt.all(pool.transfer(id));
        try (Pool offers = Pool.open(here)) {
            PoolNodes.await("the leases have ended").until(() -> present(offers).equals(Set.of(nodes.name(3))));
            pool.awaitSaid(CUT, "the pool does not answer");
            nodes.join(CUT);
            pool.signal("CONT", STOPPED);
            pool.awaitSaid(CUT, "the pool answers again");
            Map<String, Integer> then = pool.hosts(id);
            PoolNodes.await("both work again")
                    .until(() -> Stream.of(STOPPED, CUT)
                            .map(nodes::name)
                            .allMatch(node -> pool.hosts(id).getOrDefault(node, 0) > then.getOrDefault(node, 0)));
            pool.treehaul("limit", id, "none").expect(0);
            pool.awaitComplete(id);
            PoolNodes.await("nothing is offered").until(() -> offers.transfers().isEmpty());
            assertThat(offers.begin(Duration.ofMinutes(1)).takeAll(Template.of(BatchOffer.class), 1)).isEmpty();
        }
        for (int i = STOPPED; i < WORKERS; i++) {
            pool.end(i);
        }
        pool.assertCopied(source, target);
        checkJournals(begun, Attempt.all(pool.transfer(id)), files);
    }

    private void checkJournals(List<Attempt> begun, List<Attempt> all, int files) {
        Map<Integer, List<Attempt>> batches = all.stream()
                .collect(Collectors.groupingBy(attempt -> attempt.name().batch()));
        assertThat(batches.size()).as("batches").isGreaterThanOrEqualTo(files);
        batches.forEach((batch, attempts) -> {
            assertThat(attempts.getLast().hasEnd()).as("batch %s is done", batch).isTrue();
            for (int i = 1; i < attempts.size(); i++) {
                Attempt before = attempts.get(i - 1);
                Attempt next = attempts.get(i);
                assertThat(next.done()).as("%s repeats what %s has on disk", next, before)
                        .filteredOn(before.durable()::contains)
                        .isEmpty();
                // Within its lease, a worker that continues completes its entry and ends the batch; then the next one begins.
                if (before.last().isAfter(next.begun().plusMillis(1))) {
                    Optional<Attempt> then = begun.stream()
                            .filter(attempt -> attempt.name().equals(before.name()))
                            .filter(attempt -> attempt.host().equals(nodes.name(STOPPED)))
                            .findFirst();
                    assertThat(then).as("%s while %s works", before, next).isPresent();
                    assertThat(before.done()).as("what %s did after %s had its batch", before, next)
                            .isEqualTo(then.orElseThrow().done());
                }
            }
        });
    }

    @Test
    void aWorkerThatIsCutOffStopsItsBatchInTimeAndEndsWhenItIsAsked() throws Exception {
        String space = server.fresh().toString().replace("127.0.0.1", nodes.address());
        Path source = pool.tree(2, 2_000_000);
        Path target = pool.directory.resolve("target");
        // The batch would last for longer than the lease of a minute.
        String id = pool.submit(space, source, target, "--batch-files", 1, "--bandwidth", "20K");
        pool.worker(nodes.on(0), space);
        PoolNodes.await("it works").until(() -> pool.hosts(id).size() == 1);
        nodes.cut(0);
        pool.awaitSaid(0, "the pool has not answered for too long");
        pool.end(0);
        pool.treehaul("limit", id, "none").expect(0);
        pool.worker(nodes.on(1), space);
        pool.awaitComplete(id);
        pool.end(1);
        pool.assertCopied(source, target);
    }

    @Test
    void threeOfFourWorkersAreLostAndNoFileIs() throws Exception {
        loseThreeOfFour(300, 20_000, "40K");
    }

    @Test
    @Tag("campaign")
    void threeOfFourWorkersAreLostAndNoneOfTenThousandBatchesIs() throws Exception {
        // However many files there are, their bytes last for longer than the leases.
        int files = Math.max(100, Campaign.cases(10_000));
        loseThreeOfFour(files, 20_000_000 / files, "100K");
    }
}
