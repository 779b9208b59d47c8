// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.util.Optional;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.treehaul.core.walk.Cancellation;

/** Who is left when another dies. */
class LastWorkerTest {

    private final TransferFixture fixture = TransferFixture.onTmpfs().withTiming(TransferFixture.FAST);

    @AfterEach
    void close() {
        fixture.close();
    }

    @Test
    void aBatchWhoseWorkerDiedJustNowIsNotLeftToAResume() throws IOException {
        fixture.with(TransferTest::tree);
        TransferDirectory transfer = fixture.planned(2);
        int generation = fixture.transfers().start(transfer);
        // Claimed a moment ago, and never heard of again.
        Attempts.atBatches(transfer).claim(new AttemptName(1, 1), generation).orElseThrow().close();
        assertThat(fixture.work(transfer, generation).batches()).isEqualTo(2);
        assertThat(fixture.finish(transfer, generation).state()).isEqualTo(TransferResult.State.COMPLETE);
        fixture.isCopied();
    }

    @Test
    void whoeverLivesIsNotWaitedFor() throws Exception {
        fixture.with(TransferTest::tree);
        TransferDirectory transfer = fixture.planned(2);
        int generation = fixture.transfers().start(transfer);
        try (JournalWriter living = Attempts.atBatches(transfer).claim(new AttemptName(1, 1), generation).orElseThrow();
                Heartbeat heartbeat = new Heartbeat(new Lease(transfer.timing().takeover(), new Cancellation()),
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
