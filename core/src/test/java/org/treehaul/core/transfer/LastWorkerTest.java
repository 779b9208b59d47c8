// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.treehaul.core.walk.Cancellation;

/** Who is left when another dies. */
class LastWorkerTest {

    private final TransferFixture fixture = TransferFixture.onTmpfs();

    @AfterEach
    void close() {
        fixture.close();
    }

    @Test
    void aBatchWhoseWorkerDiedJustNowIsNotLeftToAResume() throws Exception {
        fixture.withTiming(TransferFixture.CALM.withHeartbeat(Duration.ofSeconds(20), Duration.ofSeconds(80)))
                .with(TransferTest::tree);
        TransferDirectory transfer = fixture.planned(2);
        int generation = fixture.transfers().start(transfer);
        Attempts attempts = Attempts.atBatches(transfer);
        AttemptName other = new AttemptName(1, 1);
        attempts.claim(other, generation).orElseThrow().close();
        CompletableFuture<WorkResult> working = new CompletableFuture<>();
        Thread worker = Thread.ofPlatform().start(() -> {
            try {
                working.complete(fixture.work(transfer, generation));
            } catch (IOException e) {
                working.completeExceptionally(e);
            }
        });
        // Until it looks at what the other does, and has nothing else to do.
        Awaitility.await()
                .atMost(Duration.ofMinutes(2))
                .until(() -> working.isDone()
                        || attempts.exists(new AttemptName(0, 1)) && attempts.end(new AttemptName(0, 1)).isPresent());
        FileTime looked = looked(transfer);
        Awaitility.await()
                .atMost(Duration.ofMinutes(2))
                .until(() -> working.isDone() || !looked(transfer).equals(looked));
        assertThat(working).isNotDone();
        TransferFixture.age(attempts.journal(other), Duration.ofHours(1));
        worker.join();
        assertThat(working.join().batches()).isEqualTo(2);
        assertThat(fixture.finish(transfer, generation).state()).isEqualTo(TransferResult.State.COMPLETE);
        fixture.isCopied();
    }

    // Each look asks what time it is.
    private static FileTime looked(TransferDirectory transfer) throws IOException {
        for (String name : TransferFixture.names(transfer.progress())) {
            if (name.startsWith(".now-")) {
                return Files.getLastModifiedTime(transfer.progress().resolve(name));
            }
        }
        return FileTime.fromMillis(0);
    }

    @Test
    void whoeverLivesIsNotWaitedFor() throws Exception {
        fixture.with(TransferTest::tree);
        TransferDirectory transfer = fixture.planned(2);
        int generation = fixture.transfers().start(transfer);
        try (JournalWriter living = Attempts.atBatches(transfer).claim(new AttemptName(1, 1), generation).orElseThrow();
                Heartbeat heartbeat = new Heartbeat(
                        new Lease(transfer.timing().takeover(), new Cancellation(), Lease.Moment.now()),
                        transfer.timing(), () -> {
                            Files.writeString(transfer.progress().resolve("1.1"), "alive");
                            return Optional.empty();
                        })) {
            heartbeat.start();
            assertThat(fixture.work(transfer, generation).batches()).isEqualTo(1);
            living.flush();
        }
    }
}
