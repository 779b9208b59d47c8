// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.treehaul.core.transfer.TransferTest.path;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;

import org.apache.commons.io.file.PathUtils;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.Call;
import org.treehaul.core.fs.Fault;
import org.treehaul.core.fs.FaultInjectingCalls;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.directory.TransferException;
import org.treehaul.core.transfer.directory.TransferResult;
import org.treehaul.core.transfer.directory.WrongMountException;
import org.treehaul.core.transfer.finish.Finishing;
import org.treehaul.core.transfer.work.WorkResult;
import org.treehaul.core.transfer.work.Worker;

/** A destination that is removed or unmounted while a transfer works on it is not taken for the copy. */
class CopiedRootsTest {

    private final TransferFixture fixture = TransferFixture.onTmpfs();
    private TransferDirectory transfer;
    private int generation;

    @BeforeEach
    void plan() throws IOException {
        fixture.with(writer -> {
            for (int i = 0; i < 8; i++) {
                writer.file(path("d" + i % 2 + "/f" + i), 10, i);
            }
        });
        transfer = fixture.planned(4);
        generation = fixture.transfers().start(transfer);
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    private WorkResult workUntilRemoved(int changes) throws IOException {
        AtomicInteger seen = new AtomicInteger();
        return Worker.of(Linux.calls(), transfer, generation).withChanges(batch -> {
            if (seen.incrementAndGet() == changes) {
                remove(fixture.target());
            }
        }).work(fixture.listener(), new Progress(), new Cancellation());
    }

    private static void remove(Path directory) {
        try {
            PathUtils.deleteDirectory(directory);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void aWorkerDoesNotMakeACopyAgainThatIsGone() throws IOException {
        WorkResult result = workUntilRemoved(2);

        assertThat(result.ending()).isEqualTo(WorkResult.Ending.GAVE_UP);
        assertThat(result.problem()).contains(fixture.target() + " is gone", "forget --force " + transfer.id());
        assertThat(fixture.work(transfer, generation).ending()).as("another worker")
                .isEqualTo(WorkResult.Ending.GAVE_UP);
        assertThat(fixture.target()).doesNotExist();
        assertThatThrownBy(() -> DestinationTraces.requireCopies(transfer)).isInstanceOf(TransferException.class)
                .hasMessageContaining("is gone");
        assertThat(fixture.finish(transfer, generation).state()).isEqualTo(TransferResult.State.INCOMPLETE);
        assertThat(fixture.target()).doesNotExist();
    }

    @Test
    void finishingDoesNotMakeACopyAgainThatIsGone() throws IOException {
        fixture.work(transfer, generation);
        remove(fixture.target());

        assertThatThrownBy(() -> fixture.finish(transfer, generation)).isInstanceOf(TransferException.class)
                .hasMessageContaining(fixture.target() + " is gone");
        TransferStatus status = fixture.transfers().status(transfer);
        assertThat(status.state()).isEqualTo(TransferStatus.State.INCOMPLETE);
        assertThat(status.result().orElseThrow().problem()).contains("is gone");
        assertThat(fixture.target()).doesNotExist();
    }

    @Test
    void aDestinationThatIsAnotherDirectoryAtTheEndIsNotTheCopy() throws IOException {
        fixture.work(transfer, generation);
        Path above = Objects.requireNonNull(fixture.target().getParent());
        AtomicInteger moved = new AtomicInteger();
        FaultInjectingCalls calls = FaultInjectingCalls.over(Linux.calls(), Fault.on(Call.FUTIMENS).runs(invocation -> {
            if (moved.getAndIncrement() == 0) {
                try {
                    Files.move(above, above.resolveSibling("moved"));
                    Files.createDirectory(above);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
        }));

        assertThatThrownBy(() -> Finishing.of(calls, transfer, generation)
                .finish(fixture.listener(), new Progress(), new Cancellation()))
                .isInstanceOf(WrongMountException.class);
        assertThat(fixture.transfers().status(transfer).state()).isEqualTo(TransferStatus.State.INCOMPLETE);
    }

    @Test
    void aCopyThatWasKilledAtItsBeginningAndRemovedBeginsAnew() throws IOException {
        Path mark = transfer.progress().resolve("root-0");
        Files.createFile(mark);
        DestinationTraces.requireCopies(transfer);
        assertThat(mark).doesNotExist();
        Files.createFile(mark);

        assertThat(fixture.run(transfer, generation, 1).state()).isEqualTo(TransferResult.State.COMPLETE);

        fixture.isCopied();
    }
}
