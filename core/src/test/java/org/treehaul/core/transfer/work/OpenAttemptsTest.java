// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.work;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.plan.format.Plan;
import org.treehaul.core.transfer.TransferFixture;
import org.treehaul.core.transfer.TransferTest;
import org.treehaul.core.transfer.batch.Claims;
import org.treehaul.core.transfer.batch.TaskSlots;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.journal.FinishingHistory;

/** Attempts at batches beside each other. */
class OpenAttemptsTest {

    @Test
    void attemptsRunOneAfterAnotherIfNoThreadCanBeStarted() throws Exception {
        List<Thread> ran = new ArrayList<>();
        try (TransferFixture fixture = TransferFixture.onTmpfs().with(TransferTest::tree)) {
            TransferDirectory transfer = fixture.planned(3);
            int generation = fixture.transfers().start(transfer);
            Plan plan = Plan.open(transfer.plan());
            try (Claims claims = new Claims(transfer, generation, 0, FinishingHistory.read(transfer));
                    OpenAttempts open = new OpenAttempts(new TaskSlots(2), true, new Cancellation(), thread -> {
                        throw new OutOfMemoryError("unable to create native thread");
                    })) {
                for (int i = 0; i < 3; i++) {
                    open.begin((Claims.Claimed) claims.next(plan), (claim, slots, stop) -> {
                        ran.add(Thread.currentThread());
                        claim.journal().close();
                        return new AttemptRun.Ended(Map.of(), false, false, "");
                    });
                    assertThat(open.awaitTurn()).isTrue();
                    assertThat(open.ended()).hasSize(1);
                }
                assertThat(open.isEmpty()).isTrue();
            }
        }
        assertThat(ran).hasSize(3).containsOnly(Thread.currentThread());
    }
}
