// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import java.io.IOException;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.Call;
import org.treehaul.core.fs.Fault;
import org.treehaul.core.fs.FaultInjectingCalls;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.journal.BatchProgress;
import org.treehaul.core.transfer.journal.SlowFile;
import org.treehaul.core.transfer.journal.WorkInProgress;

/** The files that took a worker longest, which it records with its progress. */
class SlowFilesTest {

    private static final Duration SLOW = Duration.ofMillis(300);
    private static final Duration SLOWER = Duration.ofMillis(600);

    @AutoClose
    private final TransferFixture fixture = TransferFixture.onTmpfs();

    private List<SlowFile> slowest(TransferDirectory transfer, Fault... delays) throws IOException {
        TransferRunner.of(FaultInjectingCalls.over(Linux.calls(), delays), transfer)
                .withWorkers(1)
                .run(fixture.transfers().start(transfer), fixture.listener(), new Progress(), new Cancellation());
        return fixture.transfers().attempts(transfer).getFirst().slowest();
    }

    private String source(String name) {
        return fixture.source().resolve(name).toString();
    }

    @Test
    void filesThatTookLongAreRecordedWithSizeAndTime() throws IOException {
        fixture.with(writer -> {
            for (int i = 0; i < 20; i++) {
                writer.file(ByteString.of("f" + i), 100, i);
            }
            writer.file(ByteString.of("slow"), 1_000, 1).file(ByteString.of("slower"), 2_000, 1);
        });
        List<SlowFile> slowest = slowest(fixture.planned(1), Fault.on(Call.OPENAT).named("slow").nth(1).delays(SLOW),
                Fault.on(Call.READ, Call.PREAD).named("slower").nth(1).delays(SLOWER));
        assertThat(slowest).extracting(SlowFile::path, SlowFile::bytes)
                .contains(tuple(source("slower"), 2_000L), tuple(source("slow"), 1_000L));
        assertThat(slowest.getFirst().time()).isGreaterThanOrEqualTo(SLOWER);
        assertThat(slowest).isSortedAccordingTo(Comparator.comparing(SlowFile::time).reversed());
    }

    @Test
    void aChunkThatTookLongIsRecordedWithItsPlace() throws IOException {
        fixture.with(writer -> writer.file(ByteString.of("big"), 2 * TransferFixture.CHUNK_BYTES, 1));
        // The last call of a chunk.
        List<SlowFile> slowest = slowest(fixture.planned(1), Fault.on(Call.FSYNC).nth(1).delays(SLOW));
        assertThat(slowest.getFirst().path()).matches("\\Q" + source("big") + "\\E from byte (0|1048576)");
        assertThat(slowest.getFirst().bytes()).isEqualTo(TransferFixture.CHUNK_BYTES);
        assertThat(slowest.getFirst().time()).isGreaterThanOrEqualTo(SLOW);
    }

    @Test
    void aPathOfAnyBytesAndLengthIsReadBackPrintable() throws IOException {
        List<SlowFile> written = List.of(new SlowFile("/a/tab\there", 5, SLOWER), new SlowFile("/b", 0, SLOW));
        new BatchProgress(1, BatchProgress.State.COMPLETE, 1, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, "host", "job",
                WorkInProgress.none(), written).write(fixture.directory().resolve("progress"));
        BatchProgress read = BatchProgress.read(fixture.directory().resolve("progress")).orElseThrow();
        assertThat(read.slowest()).containsExactly(new SlowFile("/a/tab\\there", 5, SLOWER),
                new SlowFile("/b", 0, SLOW));
    }
}
