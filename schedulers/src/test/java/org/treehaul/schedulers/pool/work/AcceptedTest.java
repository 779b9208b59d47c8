// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.pool.work;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.ProcessStatus;
import org.treehaul.core.state.StateFile;
import org.treehaul.core.task.CommandTask;
import org.treehaul.core.task.CommandTemplate;
import org.treehaul.core.transfer.TransferStatus;
import org.treehaul.core.transfer.directory.SubmittedJobs;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.directory.TransferException;
import org.treehaul.core.transfer.operation.Operation;
import org.treehaul.core.transfer.operation.OperationFormat;
import org.treehaul.core.transfer.request.JobOptions;
import org.treehaul.schedulers.batch.BatchTransfer;
import org.treehaul.schedulers.batch.OperationRequest;
import org.treehaul.schedulers.pool.BatchOffer;
import org.treehaul.schedulers.pool.TransferOffer;
import org.treehaul.schedulers.pool.carry.Accepted;
import org.treehaul.tuplespace.Lease;
import org.treehaul.tuplespace.Transaction;

/** Forged offers, and offers of other versions. */
class AcceptedTest extends PooledTransfers {

    private static TransferOffer changed(TransferOffer offer, String transfer, String path, int generation) {
        return new TransferOffer(transfer, generation, offer.format(), path, offer.destination(), offer.uid(),
                offer.priority(), offer.most(), offer.offered(), offer.since());
    }

    private Optional<TransferDirectory> open(TransferOffer offer) throws IOException {
        return Accepted.open(directory.resolve("state"), offer.transfer(), offer.generation());
    }

    private void assertRefused(TransferOffer offer, String reason) {
        assertThatThrownBy(() -> open(offer)).isInstanceOf(TransferException.class).hasMessageContaining(reason);
    }

    @Test
    void onlyATransferThatItsUserGaveToAPoolIsAccepted() throws Exception {
        submit(copy(source("source", 1), 1));
        TransferOffer offer = pool.transfers().getFirst();
        assertThat(open(offer).orElseThrow().id().text()).isEqualTo(offer.transfer());
        for (String path : List.of("", "\0", "/nonesuch")) {
            assertThat(open(changed(offer, offer.transfer(), path, 1))).as("only a hint").isPresent();
        }
        assertRefused(changed(offer, "20260101-000000-abcd", offer.directory(), 1), "there is no transfer 20260101");
        assertRefused(changed(offer, "../transfers/" + offer.transfer(), offer.directory(), 1), "is not the id");
        assertThat(open(changed(offer, offer.transfer(), offer.directory(), 0))).as("an old one").isEmpty();
        assertRefused(changed(offer, offer.transfer(), offer.directory(), 2), "was not given to a pool");
        Path jobs = Path.of(offer.directory(), "jobs");
        try (var records = Files.list(jobs)) {
            for (Path file : records.toList()) {
                Files.delete(file);
            }
        }
        assertRefused(offer, "was not given to a pool");
    }

    @Test
    void aCopyOfATransferElsewhereIsRefused() throws Exception {
        BatchTransfer transfer = submit(copy(source("source", 1), 1));
        TransferOffer offer = pool.transfers().getFirst();
        // Another user has put an imitation of a transfer into a directory, and the user of the worker copies it.
        Path planted = directory.resolve("planted/transfers/" + offer.transfer());
        assertThat(new ProcessBuilder("cp", "-a", "state", "planted").directory(directory.toFile()).start().waitFor())
                .isZero();
        transfer.cancel();
        transfer.forget(true, event -> {
        });
        assertThat(planted).isDirectory();
        assertRefused(changed(offer, offer.transfer(), planted.toString(), 1),
                "in the state directory " + directory.resolve("state"));
    }

    @Test
    void aTransferThatWasGivenToAnotherSchedulerIsRefused() throws Exception {
        BatchTransfer transfer = submit(copy(source("source", 1), 1));
        TransferOffer offer = pool.transfers().getFirst();
        transfer.directory().record(new SubmittedJobs(2, "slurm", List.of("12"), "worker", 1));
        assertRefused(changed(offer, offer.transfer(), offer.directory(), 2), "was not given to a pool");
    }

    @Test
    void aDirectoryThatOthersOwnOrCanChangeIsRefused() throws Exception {
        submit(copy(source("source", 1), 1));
        TransferOffer offer = pool.transfers().getFirst();
        Path path = Path.of(offer.directory());
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwxrwxrwx"));
        assertRefused(offer, path.toString());
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwx------"));
        open(offer);
        Assumptions.assumeTrue(ProcessStatus.read().effectiveUid() == 0, "only root can give a directory away");
        Files.setAttribute(path, "unix:uid", 4711);
        assertRefused(offer, "4711");
        assertThat(start().get().batches()).isZero();
        assertThat(target(directory.resolve("source"))).doesNotExist();
    }

    @Test
    void aTransferOfAnotherVersionIsLeftToOthers() throws Exception {
        BatchTransfer transfer = submit(copy(source("source", 1), 1));
        Path request = transfer.directory().path().resolve("request");
        StateFile.read(request).with("version", "2").replace(request, true);
        start(SETTINGS.withIdle(Duration.ofSeconds(2)), cancellation).get();
        assertThat(notices).anySatisfy(notice -> assertThat(notice).contains("version '2'"));
        assertThat(pool.transfers()).as("for others").hasSize(1);
        StateFile.read(request).with("version", "1").replace(request, true);
        start().get();
        assertThat(transfer.status().state()).isEqualTo(TransferStatus.State.COMPLETE);
    }

    private Operation.Run command() {
        return new Operation.Run(
                CommandTask.of(new CommandTemplate(List.of(ByteString.of("true"))), ByteString.of("/")));
    }

    @Test
    void noWorkerRunsACommandAsRoot() throws Exception {
        BatchTransfer transfer = submit(copy(source("source", 1), 1));
        TransferOffer offer = pool.transfers().getFirst();
        Path hook = Files.writeString(transfer.directory().launch().resolve("on-complete"), "true\n");
        assertRefusedToRoot(offer, "leave out --on-complete");
        Files.delete(hook);
        open(offer);
        Path header = transfer.directory().path().resolve("transfer");
        StateFile forged = StateFile.read(header);
        for (Map.Entry<String, String> line : OperationFormat.lines(command()).entrySet()) {
            forged = forged.with(line.getKey(), line.getValue());
        }
        forged.replace(header, true);
        assertRefusedToRoot(offer, "the commands of 'treehaul run'");
    }

    private void assertRefusedToRoot(TransferOffer offer, String remedy) throws Exception {
        if (ProcessStatus.read().effectiveUid() == 0) {
            assertRefused(offer, "no worker of a pool runs a command as root: ");
            assertRefused(offer, remedy);
            start(SETTINGS.withIdle(Duration.ofSeconds(2)), cancellation).get();
            assertThat(notices).anySatisfy(notice -> assertThat(notice).contains(remedy));
            assertThat(pool.transfers()).hasSize(1);
        } else {
            assertThat(open(offer)).isPresent();
        }
    }

    @Test
    void theCommandOfACopyOrForEntriesIsRefusedToRootBeforeItIsOffered() throws Exception {
        Path source = source("source", 1);
        BatchTransfer copy = create(copy(source, 1), new JobOptions(jobs.scheduler(), 0, 0, List.of(), Optional.empty(),
                Optional.empty(), Optional.empty(), false, List.of(), List.of(), Optional.of("true"), 0, ""));
        BatchTransfer run = BatchTransfer.create(directory.resolve("state"), jar,
                OperationRequest.of(command(), List.of(), List.of(ByteString.of(source.toString())), 1), jobs,
                "a test");
        for (BatchTransfer transfer : List.of(copy, run)) {
            if (ProcessStatus.read().effectiveUid() == 0) {
                assertThatThrownBy(() -> submit(transfer)).hasMessageContaining("runs a command as root");
            } else {
                submit(transfer);
            }
        }
        assertThat(run.exists()).as("nothing was planned").isEqualTo(ProcessStatus.read().effectiveUid() != 0);
        assertThat(pool.transfers()).hasSize(ProcessStatus.read().effectiveUid() == 0 ? 0 : 2);
    }

    @Test
    void anOfferInAnotherFormatOrOfAnotherUserIsNotTouched() throws Exception {
        submit(copy(source("source", 1), 1));
        TransferOffer own = pool.transfers().getFirst();
        pool.withdraw(own.transfer(), 1);
        write(new TransferOffer(own.transfer(), 1, 2, own.directory(), own.destination(), own.uid(), 0, 0, 1,
                own.since()));
        write(new TransferOffer("20260101-000000-abcd", 1, 1, own.directory(), own.destination(), own.uid() + 1, 0, 0,
                1, own.since()));
        assertThat(start().get().batches()).isZero();
        assertThat(pool.transfers()).hasSize(2);
        assertThat(notices).hasSize(ProcessStatus.read().effectiveUid() == 0 ? 1 : 0)
                .allMatch(notice -> notice.contains("a worker of root leaves alone"));
    }

    private void write(Record... tuples) {
        try (Transaction transaction = pool.begin(LEASE)) {
            transaction.writeAll(List.of(tuples), Lease.FOREVER);
            transaction.commit();
        }
    }

    @Test
    void batchesThatThePlanDoesNotHaveAreIgnored() throws Exception {
        BatchTransfer transfer = submit(copy(source("source", 3), 1));
        String id = transfer.id().text();
        write(new BatchOffer(id, 1, -1), new BatchOffer(id, 1, 3), new BatchOffer(id, 1, Integer.MAX_VALUE),
                new BatchOffer(id, 1, 0), new BatchOffer(id, 2, 0));
        assertThat(start().get().batches()).isEqualTo(3);
        assertThat(transfer.status().state()).isEqualTo(TransferStatus.State.COMPLETE);
    }

    @Test
    void anOldOfferOfATransferThatWasResumedIsRemoved() throws Exception {
        BatchTransfer transfer = submit(copy(source("source", 3), 1));
        TransferOffer old = pool.transfers().getFirst();
        transfer.resume();
        write(old, new BatchOffer(old.transfer(), 1, 0));
        assertThat(start().get().batches()).isEqualTo(3);
        assertThat(pool.transfers()).isEmpty();
        assertThat(transfer.status().state()).isEqualTo(TransferStatus.State.COMPLETE);
    }

    @Test
    void aTransferThatWasForgottenDoesNotStopAWorker() throws Exception {
        BatchTransfer gone = submit(copy(source("gone", 3), 1));
        TransferOffer old = pool.transfers().getFirst();
        gone.cancel();
        gone.forget(true, event -> {
        });
        write(old, new BatchOffer(old.transfer(), 1, 0));
        BatchTransfer transfer = create(copy(source("source", 3), 1), jobs);
        transfer.submit(event -> {
        }, new Progress(), cancellation);
        assertThat(start(SETTINGS.withIdle(Duration.ofSeconds(2)), cancellation).get().batches()).isEqualTo(3);
        assertThat(transfer.status().state()).isEqualTo(TransferStatus.State.COMPLETE);
        assertThat(notices).anySatisfy(notice -> assertThat(notice).contains("there is no transfer " + old.transfer()));
    }
}
