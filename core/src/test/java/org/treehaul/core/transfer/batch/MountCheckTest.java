// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

import org.apache.commons.io.FileUtils;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.core.copy.CopyArguments;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.Call;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.Fault;
import org.treehaul.core.fs.FaultInjectingCalls;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.TreeRemoval;
import org.treehaul.core.transfer.DestinationTraces;
import org.treehaul.core.transfer.TransferFixture;
import org.treehaul.core.transfer.TransferTest;
import org.treehaul.core.transfer.WalkedPlans;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.directory.TransferResult;
import org.treehaul.core.transfer.directory.WrongMountException;
import org.treehaul.core.transfer.work.WorkResult;
import org.treehaul.core.transfer.work.Worker;

/** A host that does not see the trees of the plan. */
class MountCheckTest {

    private TransferFixture fixture = TransferFixture.onTmpfs();

    @BeforeEach
    void make() {
        fixture.close();
        fixture = TransferFixture.onTmpfs().with(TransferTest::tree);
    }

    @AfterEach
    void remove() {
        fixture.close();
    }

    @Test
    void withoutTheSourceOrTheDestinationNothingIsWritten() throws IOException {
        TransferDirectory transfer = fixture.planned(3);
        int generation = fixture.transfers().start(transfer);
        Path token = fixture.token(transfer);
        Files.delete(token);
        assertThatThrownBy(() -> fixture.work(transfer, generation)).isInstanceOf(WrongMountException.class)
                .hasMessageContaining(token.getFileName().toString());
        Files.writeString(token, "");
        Path away = fixture.directory().resolve("away");
        Files.move(fixture.source(), away);
        Files.createDirectory(fixture.source());
        assertThatThrownBy(() -> fixture.work(transfer, generation)).isInstanceOf(WrongMountException.class)
                .hasMessageContaining("none of the planned entries exist");
        assertThat(fixture.target()).doesNotExist();
        assertThat(TransferFixture.names(transfer.attempts())).isEmpty();
        assertThat(fixture.finish(transfer, generation).state()).isEqualTo(TransferResult.State.INCOMPLETE);
        Files.delete(fixture.source());
        Files.move(away, fixture.source());
        fixture.completes(transfer);
        // After finishing, the token is gone; the directory itself is known now.
        fixture.completes(transfer);
        Files.move(fixture.directory().resolve("D"), away);
        Files.createDirectory(fixture.directory().resolve("D"));
        int next = fixture.transfers().resume(transfer);
        assertThatThrownBy(() -> fixture.work(transfer, next)).isInstanceOf(WrongMountException.class);
        assertThat(fixture.target()).doesNotExist();
    }

    // Two batches, and a worker looks for the destination again before each that it claims a millisecond later.
    private TransferDirectory plannedWithFastHeartbeats() {
        fixture.close();
        fixture = TransferFixture.onTmpfs()
                .withTiming(TransferFixture.CALM.withHeartbeat(Duration.ofMillis(1), Duration.ofMinutes(1)))
                .with(TransferTest::tree);
        return fixture.planned(2);
    }

    @Test
    void aDestinationThatIsUnmountedWhileAWorkerRunsGetsNoFurtherBatch() throws IOException {
        TransferDirectory transfer = plannedWithFastHeartbeats();
        int generation = fixture.transfers().start(transfer);
        Path mounted = fixture.directory().resolve("D");
        Path away = fixture.directory().resolve("away");
        AtomicInteger changes = new AtomicInteger();
        Worker worker = Worker.of(Linux.calls(), transfer, generation).withChanges(batch -> {
            if (changes.incrementAndGet() == 2) {
                unmount(mounted, away);
            }
        });
        assertThatThrownBy(() -> worker.work(fixture.listener(), new Progress(), new Cancellation()))
                .isInstanceOf(WrongMountException.class);
        assertThat(mounted).isEmptyDirectory();
        Files.delete(mounted);
        Files.move(away, mounted);
        // The batch that it had claimed is free.
        assertThat(fixture.work(transfer, generation).batches()).isEqualTo(1);
        assertThat(fixture.finish(transfer, generation).state()).isEqualTo(TransferResult.State.COMPLETE);
        fixture.isCopied();
    }

    @Test
    void aServerThatFailsForAMomentBetweenTwoBatchesIsNoWrongMount() throws IOException {
        TransferDirectory transfer = plannedWithFastHeartbeats();
        int generation = fixture.transfers().start(transfer);
        Path token = fixture.token(transfer);
        FaultInjectingCalls failing = FaultInjectingCalls.over(Linux.calls(),
                Fault.on(Call.STATX).named(String.valueOf(token.getFileName())).from(2).fails(Errno.EIO),
                Fault.on(Call.STATX).named("D").fails(Errno.EIO));
        // Two batches in two heartbeats or more.
        Worker worker = Worker.of(failing, transfer, generation).withChanges(batch -> LockSupport.parkNanos(2_000_000));
        assertThat(worker.work(fixture.listener(), new Progress(), new Cancellation()).batches()).isEqualTo(2);
        assertThat(failing.count(Call.STATX)).isGreaterThan(2);
    }

    @Test
    void aSourceThatIsDeletedWhileAWorkerRunsIsReportedByItsEntries() throws IOException {
        TransferDirectory transfer = plannedWithFastHeartbeats();
        int generation = fixture.transfers().start(transfer);
        AtomicInteger changes = new AtomicInteger();
        Worker worker = Worker.of(Linux.calls(), transfer, generation).withChanges(batch -> {
            if (changes.incrementAndGet() == 2) {
                remove(fixture.source());
            }
        });
        assertThat(worker.work(fixture.listener(), new Progress(), new Cancellation()).batches()).isEqualTo(2);
        assertThat(fixture.failures()).isNotEmpty();
    }

    // "cp -a S/. T" plans the target T/. and "cp -a -T S T/" the target T/.
    @Test
    void anEmptyDirectoryIsNotTheDestinationOfTheContentOfASource() throws IOException {
        Path target = Files.createDirectory(fixture.target());
        Path away = fixture.directory().resolve("away");
        for (CopyArguments arguments : List.of(WalkedPlans.arguments(fixture.source() + "/.", target),
                WalkedPlans.arguments(fixture.source(), target + "/").withNoTargetDirectory(true))) {
            TransferDirectory transfer = WalkedPlans.plan(fixture, arguments, TransferFixture.options());
            fixture.work(transfer, fixture.transfers().start(transfer));
            unmount(target, away);
            assertThatThrownBy(() -> DestinationTraces.renewTokens(transfer)).isInstanceOf(WrongMountException.class)
                    .hasMessageContaining("no entry of the copy was found there");
            assertThat(target).isEmptyDirectory();
            Files.delete(target);
            Files.move(away, target);
            DestinationTraces.renewTokens(transfer);
            fixture.completes(transfer);
        }
    }

    // FUSE file systems such as sshfs have other inode numbers on each host.
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aSourceIsRecognisedByTheSizesOfItsFiles(boolean isStreamed) throws IOException {
        fixture.close();
        fixture = TransferFixture.onTmpfs()
                .with(writer -> writer.file(TransferTest.path("d/a"), 10, 1).file(TransferTest.path("d/b"), 20, 1));
        TransferDirectory transfer = WalkedPlans.plan(fixture,
                WalkedPlans.arguments(fixture.source(), fixture.target()), TransferFixture.options(), Linux.calls(),
                isStreamed);
        Path away = fixture.directory().resolve("away");
        Files.move(fixture.source(), away);
        FileUtils.copyDirectory(away.toFile(), fixture.source().toFile());
        assertThat(fixture.work(transfer, fixture.transfers().start(transfer)).ending())
                .isEqualTo(WorkResult.Ending.DONE);
    }

    @Test
    void aDestinationThatIsMountedDoesNotStandForAnother() throws IOException {
        Path one = Files.createDirectory(fixture.source().resolveSibling("one"));
        Files.writeString(one.resolve("file"), "data");
        Path target = Files.createDirectory(fixture.target());
        Files.createDirectory(target.resolve("one"));
        Path unmounted = Files.createDirectory(target.resolve(fixture.source().getFileName()));
        TransferDirectory transfer = WalkedPlans.plan(fixture, WalkedPlans.arguments(one, fixture.source(), target),
                TransferFixture.options());
        fixture.work(transfer, fixture.transfers().start(transfer));
        Path away = fixture.directory().resolve("away");
        unmount(unmounted, away);
        assertThatThrownBy(() -> DestinationTraces.renewTokens(transfer)).isInstanceOf(WrongMountException.class)
                .hasMessageContaining(unmounted + " on host")
                .hasMessageContaining("no entry of the copy was found there");
        assertThat(unmounted).isEmptyDirectory();
        Files.delete(unmounted);
        Files.move(away, unmounted);
        DestinationTraces.renewTokens(transfer);
        assertThat(fixture.run(transfer, fixture.transfers().resume(transfer), 1).state())
                .isEqualTo(TransferResult.State.COMPLETE);
    }

    private static void remove(Path tree) {
        try {
            TreeRemoval.remove(Linux.calls(), tree);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void unmount(Path mounted, Path away) {
        try {
            Files.move(mounted, away);
            Files.createDirectory(mounted);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
