// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.batch;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;

import org.junit.jupiter.api.Test;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.TreeWriter;

class RankWorkTest extends TransfersByHand {

    @Test
    void aStateDirectoryThatDoesNotAnswerKeepsNoRankFromEnding() throws Exception {
        Files.writeString(source.resolve("one"), "one");
        BatchTransfer transfer = create(copy());
        RankWork work = new RankWork(transfer.directory(), submit(transfer), 0);
        // The thread that opens it waits for a writer, as for a server that does not answer.
        Path generations = transfer.directory().path().resolve("generations");
        try (TreeWriter writer = TreeWriter.in(Linux.calls(), generations)) {
            writer.special(ByteString.of("1.end"), EntryKind.FIFO, 0);
        }
        try {
            assertThat(work.isFinished()).isFalse();
        } finally {
            Files.newOutputStream(generations.resolve("1.end")).close();
        }
    }

    @Test
    void aTransferIsFinishedWhenAllWasTried() throws Exception {
        Files.writeString(source.resolve("one"), "one");
        BatchTransfer transfer = create(copy());
        RankWork work = new RankWork(transfer.directory(), submit(transfer), 0);
        assertThat(work.isFinished()).isFalse();
        work(transfer, 1);
        assertThat(work.isFinished()).isTrue();
    }
}
