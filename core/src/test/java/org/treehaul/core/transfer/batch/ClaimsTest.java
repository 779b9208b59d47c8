// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.batch;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.plan.format.Plan;
import org.treehaul.core.transfer.TransferFixture;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.journal.FinishingHistory;
import org.treehaul.core.transfer.journal.JournalRecord;

class ClaimsTest {

    private static final int BATCHES = 20;

    private final TransferFixture fixture = TransferFixture.onTmpfs();
    private TransferDirectory transfer = fixture.create();
    private int generation;

    @BeforeEach
    void plan() throws IOException {
        fixture.with(
                writer -> IntStream.range(0, BATCHES).forEach(i -> writer.file(ByteString.of("f" + i), new byte[0])));
        transfer = fixture.planned(BATCHES);
        generation = fixture.transfers().start(transfer);
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    private Claims worker(int index) throws IOException {
        return new Claims(transfer, generation, index, FinishingHistory.none());
    }

    private Plan planned() throws IOException {
        return Plan.open(transfer.plan());
    }

    private static int batch(Claims.Next next, JournalRecord.Ending ending) throws IOException {
        assertThat(next).isInstanceOf(Claims.Claimed.class);
        Claims.Claimed claimed = (Claims.Claimed) next;
        claimed.journal().end(new JournalRecord.End(ending, 1, 0, 0, 0));
        claimed.journal().close();
        return claimed.name().batch();
    }

    @Test
    void workersThatClaimInTurnsClaimEachBatchOnce() throws IOException {
        List<Integer> claimed = new ArrayList<>();
        try (Claims one = worker(0); Claims two = worker(1); Claims three = worker(2)) {
            for (int i = 0; i < BATCHES; i++) {
                Claims turn = List.of(one, two, three).get(i % 3);
                claimed.add(batch(turn.next(planned()), JournalRecord.Ending.COMPLETE));
            }
            for (Claims worker : List.of(one, two, three)) {
                assertThat(worker.next(planned())).isInstanceOf(Claims.Nothing.class);
            }
        }
        assertThat(claimed).containsExactlyInAnyOrderElementsOf(IntStream.range(0, BATCHES).boxed().toList());
        assertThat(TransferFixture.names(transfer.attempts())).hasSize(BATCHES);
    }

    @Test
    void aBatchThatStoppedIsClaimedAgainWhenAllOthersWereBegun() throws IOException {
        try (Claims worker = worker(0)) {
            int stopped = batch(worker.next(planned()), JournalRecord.Ending.STOPPED);
            for (int i = 1; i < BATCHES; i++) {
                assertThat(batch(worker.next(planned()), JournalRecord.Ending.COMPLETE)).isNotEqualTo(stopped);
            }

            assertThat(batch(worker.next(planned()), JournalRecord.Ending.STOPPED)).isEqualTo(stopped);
            assertThat(batch(worker.next(planned()), JournalRecord.Ending.COMPLETE)).isEqualTo(stopped);
            assertThat(worker.next(planned())).isInstanceOf(Claims.Nothing.class);
            assertThat(TransferFixture.names(transfer.attempts())).contains(stopped + ".3.journal");
        }
    }

    @Test
    void aWorkerSkipsBatchesThatOthersBeganSinceItLooked() throws IOException {
        try (Claims early = worker(0); Claims late = worker(0)) {
            int first = batch(early.next(planned()), JournalRecord.Ending.COMPLETE);
            List<Integer> others = new ArrayList<>();
            for (int i = 0; i < BATCHES / 2; i++) {
                others.add(batch(late.next(planned()), JournalRecord.Ending.COMPLETE));
            }

            assertThat(others).doesNotContain(first);
            assertThat(others).doesNotContain(batch(early.next(planned()), JournalRecord.Ending.COMPLETE));
        }
    }

    @Test
    void aNewGenerationEndsTheClaims() throws IOException {
        try (Claims worker = worker(0)) {
            batch(worker.next(planned()), JournalRecord.Ending.COMPLETE);
            fixture.transfers().resume(transfer);

            assertThat(worker.next(planned())).isInstanceOf(Claims.Superseded.class);
        }
    }
}
