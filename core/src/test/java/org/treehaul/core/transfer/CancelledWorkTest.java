// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.Call;
import org.treehaul.core.fs.Fault;
import org.treehaul.core.fs.FaultInjectingCalls;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.work.WorkResult;
import org.treehaul.core.transfer.work.Worker;

/** Work in progress when a transfer is cancelled is finished or withdrawn. */
class CancelledWorkTest {

    private final TransferFixture fixture = TransferFixture.onTmpfs();

    @AfterEach
    void close() {
        fixture.close();
    }

    private static ByteString file(int number) {
        return ByteString.of("d" + number % 7 + "/f" + number);
    }

    private WorkResult work(TransferDirectory transfer, int generation, int threads, Fault fault) {
        try {
            return Worker.of(FaultInjectingCalls.over(Linux.calls(), fault), transfer, generation)
                    .withThreads(threads)
                    .work(fixture.listener(), new Progress(), new Cancellation());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void noPartOfAFileStaysUnderItsName() throws Exception {
        int files = 1000;
        fixture.with(writer -> {
            for (int i = 0; i < files; i++) {
                writer.file(file(i), 1000 + i, i);
            }
        });
        TransferDirectory transfer = fixture.planned(1);
        int generation = fixture.transfers().start(transfer);
        CompletableFuture<WorkResult> working = CompletableFuture
                .supplyAsync(() -> work(transfer, generation, 16, Fault.on(Call.OPENAT).delays(Duration.ofMillis(2))));
        while (!Files.exists(fixture.target().resolve("d3"))) {
            Thread.sleep(5);
        }
        fixture.transfers().cancel(transfer);
        assertThat(working.join().ending()).isEqualTo(WorkResult.Ending.SUPERSEDED);
        List<String> torn = new ArrayList<>();
        for (int i = 0; i < files; i++) {
            Path copy = fixture.target().resolve(file(i).toString());
            if (Files.exists(copy) && Files.mismatch(copy, fixture.source().resolve(file(i).toString())) >= 0) {
                torn.add(copy.toString());
            }
        }
        assertThat(torn).isEmpty();
        assertThat(fixture.failures()).isEmpty();
        fixture.completes(transfer);
    }

    @Test
    void aFileThatWasWrittenToInPlaceIsCopiedByTheResume() throws Exception {
        ByteString name = ByteString.of("f");
        fixture.with(writer -> writer.file(name, 900_000, 1));
        Path copy = Files.createDirectory(fixture.target()).resolve("f");
        Files.write(copy, new byte[900_000]);
        Files.setLastModifiedTime(copy, FileTime.from(Instant.now().minus(Duration.ofDays(1))));
        CopyOptions options = TransferFixture.options()
                .toBuilder()
                .inPlace(true)
                .reflink(CopyOptions.When.NEVER)
                .existing(CopyOptions.Existing.UPDATE)
                .build();
        TransferDirectory transfer = fixture.planned(1, options);
        AtomicBoolean isCancelled = new AtomicBoolean();
        work(transfer, fixture.transfers().start(transfer), 1, Fault.on(Call.WRITE, Call.PWRITE).runs(invocation -> {
            if (!isCancelled.getAndSet(true)) {
                try {
                    fixture.transfers().cancel(transfer);
                    // Waits for some heartbeats, so that the worker has noticed.
                    Thread.sleep(300);
                } catch (IOException | InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            }
        }));
        assertThat(isCancelled).isTrue();
        fixture.completes(transfer);
    }
}
