// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;
import org.treehaul.cli.report.MetricsParser;
import org.treehaul.cli.report.Text;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.transfer.BatchStatus;
import org.treehaul.core.transfer.TransferPlaces;
import org.treehaul.core.transfer.TransferStatus;
import org.treehaul.core.transfer.directory.TransferId;
import org.treehaul.core.transfer.journal.WorkInProgress;
import org.treehaul.core.transfer.operation.Operation;

class TransferSummaryTest {

    private static final Instant BEGAN = Instant.parse("2026-11-21T18:16:27Z");
    private static final Instant NOW = BEGAN.plusSeconds(300);

    private static BatchStatus batch(int number, BatchStatus.State state, WorkInProgress current) {
        return new BatchStatus(number, state, 1, 10, 10, 3000, 3000, 5, 5, 1500, 1500, 0, "node" + number, "12_3",
                Optional.of(BEGAN), Optional.of(NOW), current);
    }

    private static WorkInProgress hanging(int silentSeconds, int busySeconds) {
        return new WorkInProgress(0, Optional.of(NOW.minusSeconds(silentSeconds)),
                List.of(new WorkInProgress.Entry("/dead/a", NOW.minusSeconds(busySeconds))));
    }

    private static TransferSummary summary(List<BatchStatus> batches, List<String> sources) {
        return summary(batches, sources, Duration.ZERO);
    }

    private static TransferSummary summary(List<BatchStatus> batches, List<String> sources, Duration paused) {
        return new TransferSummary(new TransferStatus(new TransferId("20261121-181627-6w58"), new Operation.Copy(),
                "cp -a x y", BEGAN, 1, TransferStatus.State.RUNNING, batches, true, 0, Optional.empty(),
                Optional.empty(),
                new TransferPlaces(sources.stream().map(ByteString::of).toList(), Optional.of(ByteString.of("/b"))),
                BEGAN, paused), NOW);
    }

    @Test
    void aSummaryHasOperationPlacesBeginAndRate() {
        TransferSummary summary = summary(List.of(batch(0, BatchStatus.State.RUNNING, WorkInProgress.none()),
                batch(1, BatchStatus.State.DONE, WorkInProgress.none()),
                batch(2, BatchStatus.State.DONE, WorkInProgress.none())), List.of("/a/x", "/a/y", "/a/z"));
        assertThat(summary.what()).isEqualTo("copy /a/x and 2 more -> /b");
        assertThat(summary.when()).isEqualTo("began " + Text.dateTime(BEGAN) + ", 5 min so far, 15 B/s");
        assertThat(summary.batches()).isEqualTo("batches: 1 running, 2 done");
        assertThat(summary.slow()).isEmpty();
    }

    @Test
    void pausesBeforeAResumeCountNeitherAsTimeNorForTheRate() {
        TransferSummary summary = summary(List.of(batch(0, BatchStatus.State.RUNNING, WorkInProgress.none())),
                List.of("/a"), Duration.ofSeconds(290));
        assertThat(summary.when())
                .isEqualTo("began " + Text.dateTime(BEGAN) + ", 10 s so far without pauses of 4 min 50 s, 150 B/s");
    }

    @Test
    void aTerminalGetsAShortLine() {
        TransferStatus status = summary(List.of(batch(0, BatchStatus.State.RUNNING, WorkInProgress.none())),
                List.of("/a/x", "/a/y")).status();
        assertThat(TransferReport.brief(status, NOW)).isEqualTo(
                "20261121-181627-6w58  running; 5 of 10 files, 1.5 KiB; 5 min so far; copy /a/x and 1 more -> /b");
    }

    @Test
    void aTransferThatMovesNoDataIsMeasuredByItsEntries() {
        BatchStatus large = new BatchStatus(0, BatchStatus.State.RUNNING, 1, 600, 500, 9000, 9000, 300, 250, 9000, 9000,
                0, "node", "12_3", Optional.of(BEGAN), Optional.of(NOW), WorkInProgress.none());
        TransferStatus copy = summary(List.of(large), List.of("/a")).status();
        TransferStatus removal = new TransferStatus(copy.id(), new Operation.Remove(), "rm -r a", BEGAN, 1,
                copy.state(), copy.batches(), true, 0, Optional.empty(), Optional.empty(),
                new TransferPlaces(List.of(ByteString.of("/a")), Optional.empty()), BEGAN, Duration.ZERO);
        assertThat(TransferReport.line(removal))
                .isEqualTo("20261121-181627-6w58  running; 50.0%; entries 300 of 600; batches 0 of 1");
        assertThat(TransferReport.brief(removal, NOW))
                .isEqualTo("20261121-181627-6w58  running; 300 of 600 entries; 5 min so far; remove /a");
        assertThat(TransferReport.amounts(large, false)).isEqualTo("50.0%; entries 300 of 600; errors 0");
        assertThat(new TransferSummary(removal, NOW).when())
                .isEqualTo("began " + Text.dateTime(BEGAN) + ", 5 min so far, 1 entries/s");
        assertThat(removal.bytesPerSecond(NOW)).isZero();
        assertThat(removal.entriesPerSecond(NOW)).isEqualTo(1);
        assertThat(copy.bytesPerSecond(NOW)).isEqualTo(30);
    }

    @Test
    void theRateOfSparseFilesIsThatOfTheirData() {
        BatchStatus sparse = new BatchStatus(0, BatchStatus.State.RUNNING, 1, 1, 1, 9_000_000, 9000, 1, 1, 9_000_000,
                9000, 0, "node", "12_3", Optional.of(BEGAN), Optional.of(NOW), WorkInProgress.none());
        assertThat(summary(List.of(sparse), List.of("/a")).when())
                .isEqualTo("began " + Text.dateTime(BEGAN) + ", 5 min so far, 30 B/s without holes");
    }

    @Test
    void aPathThatDoesNotMoveIsNamed() {
        assertThat(summary(List.of(batch(0, BatchStatus.State.RUNNING, hanging(130, 130)),
                batch(1, BatchStatus.State.RUNNING, hanging(5, 90)),
                batch(2, BatchStatus.State.RUNNING, hanging(5, 20)),
                batch(3, BatchStatus.State.DONE, hanging(130, 130))), List.of("/a")).slow()).containsExactly(
                        "batch 0 on node0: nothing has moved for 2 min 10 s; in progress: /dead/a for 2 min 10 s",
                        "batch 1 on node1: in progress for 1 min 30 s: /dead/a");
    }

    @Test
    void onlySomeOfManyPathsAreNamed() {
        assertThat(summary(
                IntStream.range(0, 50).mapToObj(i -> batch(i, BatchStatus.State.RUNNING, hanging(60, 60))).toList(),
                List.of("/a")).slow()).hasSize(11).last().isEqualTo("and 40 batches more like these");
    }

    @Test
    void theMetricsOfATransferAreReadable() {
        TransferStatus status = summary(List.of(batch(0, BatchStatus.State.RUNNING, WorkInProgress.none())),
                List.of("/a")).status();
        Map<MetricsParser.Sample, Double> samples = MetricsParser
                .parse(TransferMetrics.of(List.of(status), NOW).finish());
        Map<String, String> labels = Map.of("id", status.id().text(), "operation", "copy");
        assertThat(samples).containsEntry(new MetricsParser.Sample("treehaul_transfer_bytes_done", labels), 1500.0)
                .containsEntry(new MetricsParser.Sample("treehaul_transfer_elapsed_seconds", labels), 300.0)
                .containsEntry(new MetricsParser.Sample("treehaul_transfer_batches",
                        Map.of("id", status.id().text(), "operation", "copy", "state", "running")), 1.0);
    }
}
