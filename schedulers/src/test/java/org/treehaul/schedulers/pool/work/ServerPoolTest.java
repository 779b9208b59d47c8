// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.pool.work;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Future;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.Progress;
import org.treehaul.core.testing.Campaign;
import org.treehaul.core.transfer.TransferStatus;
import org.treehaul.schedulers.batch.BatchTransfer;
import org.treehaul.tuplespace.PostgresServer;
import org.treehaul.tuplespace.store.SpaceUri;

/** A pool in a database, whose server is killed while workers work, or whose workers are. */
@Tag("rig")
class ServerPoolTest extends LostWorkers {

    @SuppressWarnings("NullAway") // started when the base class asks for the address
    private PostgresServer server;

    @Override
    SpaceUri address() {
        server = PostgresServer.start("fsync=off");
        return server.fresh();
    }

    @AfterEach
    @Override
    void close() {
        // The server waits until the workers have ended and the pool is closed.
        endWorkers();
        super.close();
        server.close();
    }

    @Test
    void workersWaitForAServerThatWasKilledAndLoseNothing() throws Exception {
        Path source = source("source", 40, 1000);
        BatchTransfer transfer = create(limited(copy(source, 1), 200_000), jobs);
        quicken(transfer);
        transfer.submit(event -> {
        }, new Progress(), cancellation);
        Cancellation stop = new Cancellation();
        PoolSettings settings = SETTINGS.withIdle(PoolSettings.FOREVER);
        Future<PoolResult> one = start(settings, stop);
        Future<PoolResult> two = start(settings, stop);
        Awaitility.await()
                .until(() -> Files.exists(target(source).resolve("file0"))
                        || transfer.status().batches().stream().anyMatch(batch -> batch.bytesDone() > 0));
        server.kill();
        Awaitility.await()
                .atMost(Duration.ofMinutes(2))
                .until(() -> notices.stream().anyMatch(notice -> notice.contains("the pool does not answer")));
        server.begin();
        Awaitility.await()
                .atMost(Duration.ofMinutes(2))
                .untilAsserted(() -> assertThat(transfer.status().state()).isEqualTo(TransferStatus.State.COMPLETE));
        Awaitility.await().until(() -> pool.transfers().isEmpty());
        stop.cancel();
        one.get();
        two.get();
        for (int i = 0; i < 40; i++) {
            assertThat(target(source).resolve("file" + i)).hasSameBinaryContentAs(source.resolve("file" + i));
        }
    }

    @Test
    @Tag("campaign")
    void noMomentOfDeathLosesAFile() throws Exception {
        Campaign.each(Campaign.seed(100), Campaign.cases(40), this::loseTwoOfThree);
    }
}
