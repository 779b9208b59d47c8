// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.Call;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.Fault;
import org.treehaul.core.fs.FaultInjectingCalls;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.directory.TransferResult;
import org.treehaul.core.transfer.finish.Finishing;
import org.treehaul.core.transfer.work.Worker;

/** Finishing that its time limit stopped continues where it was, unless something was written since. */
class StoppedFinishingTest {

    private static final int DIRECTORIES = 10_000;
    /** Two slices of directories and a part of the third. */
    private static final int STOPPED_AT = 9_000;
    private static final int TWO_SLICES = 8_192;

    private final TransferFixture fixture = TransferFixture.onTmpfs();
    private final AtomicInteger done = new AtomicInteger();

    @BeforeEach
    void makeTree() {
        fixture.with(writer -> {
            for (int i = 0; i < DIRECTORIES; i++) {
                writer.directory(ByteString.of("many/" + i));
            }
            // Wherever the plan begins.
            for (int i : new int[]{0, DIRECTORIES / 2, DIRECTORIES - 1}) {
                writer.file(ByteString.of("many/" + i + "/file"), 10, 1)
                        .file(ByteString.of("many/" + i + "/large"), 2L * TransferFixture.CHUNK_BYTES, 2);
            }
        });
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    // Stops after this many directories have got their times; never for 0.
    private TransferResult finish(TransferDirectory transfer, int generation, int stopAt, Fault... others)
            throws IOException {
        Cancellation stop = new Cancellation();
        done.set(0);
        FaultInjectingCalls calls = FaultInjectingCalls.over(Linux.calls(), others);
        return Finishing.of(FaultInjectingCalls.over(calls, Fault.on(Call.FUTIMENS).runs(invocation -> {
            if (done.incrementAndGet() == stopAt) {
                stop.cancel();
            }
        })), transfer, generation).withAnother().finish(fixture.listener(), new Progress(), stop);
    }

    private void completes(TransferDirectory transfer, int generation) throws IOException {
        assertThat(finish(transfer, generation, 0).state()).isEqualTo(TransferResult.State.COMPLETE);
        fixture.isCopied();
    }

    @Test
    void finishingContinuesAfterTheDirectoriesThatAreDone() throws IOException {
        TransferDirectory transfer = fixture.planned(2);
        int generation = fixture.transfers().start(transfer);
        fixture.work(transfer, generation);
        assertThat(finish(transfer, generation, STOPPED_AT).state()).isEqualTo(TransferResult.State.STOPPED);
        assertThat(fixture.transfers().status(transfer).result()).as("another follows").isEmpty();
        completes(transfer, generation);
        assertThat(done.get()).isBetween(DIRECTORIES - TWO_SLICES, DIRECTORIES - TWO_SLICES + 10);
    }

    @Test
    @Tag("rig")
    void finishingContinuesThereAfterAResumeThatFoundEveryBatchDone() throws IOException {
        TransferDirectory transfer = fixture.planned(2);
        int generation = fixture.transfers().start(transfer);
        fixture.work(transfer, generation);
        finish(transfer, generation, STOPPED_AT);
        int resumed = fixture.transfers().resume(transfer);
        fixture.work(transfer, resumed);
        completes(transfer, resumed);
        assertThat(done.get()).isLessThan(DIRECTORIES / 2);
    }

    @Test
    void directoriesThatSomethingWasCopiedIntoSinceAreDoneAgain() throws IOException {
        TransferDirectory transfer = fixture.planned(2);
        int generation = fixture.transfers().start(transfer);
        Worker.of(FaultInjectingCalls.over(Linux.calls(),
                Fault.on(Call.OPENAT).named("file").from(1).fails(Errno.EACCES)), transfer, generation)
                .work(fixture.listener(), new Progress(), new Cancellation());
        assertThat(finish(transfer, generation, STOPPED_AT).state()).isEqualTo(TransferResult.State.STOPPED);
        int resumed = fixture.transfers().resume(transfer);
        fixture.work(transfer, resumed);
        completes(transfer, resumed);
    }

    @Test
    @Tag("rig")
    void directoriesThatALargeFileWasNamedInSinceAreDoneAgain() throws IOException {
        TransferDirectory transfer = fixture.planned(2);
        int generation = fixture.transfers().start(transfer);
        fixture.work(transfer, generation);
        Fault unnamed = Fault.on(Call.LINKAT).from(1).fails(Errno.EIO);
        Fault unmoved = Fault.on(Call.RENAMEAT2).from(1).fails(Errno.EIO);
        assertThat(finish(transfer, generation, STOPPED_AT, unnamed, unmoved).state())
                .isEqualTo(TransferResult.State.STOPPED);
        assertThat(fixture.failures()).isNotEmpty();
        int resumed = fixture.transfers().resume(transfer);
        fixture.work(transfer, resumed);
        completes(transfer, resumed);
    }

    @Test
    @Tag("rig")
    void aDirectoryThatFailedIsTriedAgainWithThoseBehindIt() throws IOException {
        TransferDirectory transfer = fixture.planned(2);
        int generation = fixture.transfers().start(transfer);
        fixture.work(transfer, generation);
        Fault once = Fault.on(Call.FUTIMENS).nth(50).fails(Errno.EIO);
        assertThat(finish(transfer, generation, STOPPED_AT, once).state()).isEqualTo(TransferResult.State.STOPPED);
        assertThat(fixture.failures()).isNotEmpty();
        completes(transfer, generation);
    }
}
