// SPDX-License-Identifier: Apache-2.0
package org.treehaul.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.EventListener;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.plan.PlanRequest;
import org.treehaul.core.plan.Planner;
import org.treehaul.core.plan.format.BatchLimits;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.core.testing.TreeAssert;
import org.treehaul.core.testing.TreeListing;
import org.treehaul.core.testing.TreeWriter;
import org.treehaul.core.transfer.TransferStatus;
import org.treehaul.core.transfer.Transfers;
import org.treehaul.core.transfer.directory.Timing;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.operation.CopySettings;
import org.treehaul.core.transfer.operation.Operation;
import org.treehaul.core.walk.options.Root;
import org.treehaul.packaged.Run;
import org.treehaul.strategies.Strategies;

/** The commands that jobs run, {@code worker} and {@code finish}, in the directory of the transfer. */
class JobCommandsTest {

    private TestDirectory directory;
    private Transfers transfers;
    private TransferDirectory transfer;

    @BeforeEach
    void plan() throws IOException {
        directory = TestDirectory.make();
        Path source = directory.directory("S");
        try (TreeWriter writer = TreeWriter.in(Linux.calls(), source)) {
            for (int i = 0; i < 300; i++) {
                writer.file(ByteString.of("d" + i % 20 + "/f" + i), 20_000 + i, i);
            }
        }
        transfers = Transfers.in(directory.resolve("state"));
        transfer = transfers.create(new Operation.Copy(), "cp -a S T", Timing.defaults());
        CopyOptions options = CopyOptions.archive().bandwidth(3_000_000).build();
        PlanRequest.Pair pair = new PlanRequest.Pair(Root.of(ByteString.of(source.toString())),
                ByteString.of(directory.resolve("T").toString()));
        Planner.of(Linux.calls(),
                PlanRequest.of(transfer.id().text(), List.of(pair), Strategies.sizeBalanced())
                        .withLimits(1, BatchLimits.batches(3))
                        .withSettings(CopySettings.of(options)))
                .plan(transfer.plan(), EventListener.none(), new Progress(), new Cancellation());
    }

    @AfterEach
    void remove() {
        directory.close();
    }

    @Test
    void aWorkerThatIsStoppedRepeatedlyEndsInOrderAndTheNextContinues() throws Exception {
        Cli cli = new Cli(transfer.path());
        String generation = String.valueOf(transfers.start(transfer));
        assertThat(cli.runWarmly("finish", "--generation", generation).expect(23).err())
                .contains("not complete: 3 of 3 batches");
        Process worker = cli.start("worker", "--generation", generation, "--threads", "2");
        try {
            Cli.awaitSignalHandlers(worker);
            while (!Files.exists(directory.resolve("T"))) {
                Thread.sleep(20);
            }
            // Signals the job as a scheduler does, which signals each of its processes, and repeats it a little later.
            for (int i = 0; i < 3 && worker.isAlive(); i++) {
                Cli.signal(worker, "TERM");
                TimeUnit.MILLISECONDS.sleep(i * 400L);
            }
            assertThat(worker.waitFor()).isEqualTo(20);
        } finally {
            worker.destroyForcibly();
        }
        Run last = cli.runWarmly("worker", "--generation", generation, "--index", "1").expect(0);
        assertThat(last.err()).contains("no work is left", "copied all of 300 entries");
        assertThat(transfers.status(transfer).state()).isEqualTo(TransferStatus.State.COMPLETE);
        // Later workers have nothing to do.
        assertThat(cli.runWarmly("worker", "--generation", generation, "--index", "2").expect(0).err())
                .contains("0 batches, no work is left")
                .doesNotContain("copied all");
        assertThat(cli.runWarmly("finish", "--generation", generation).expect(0).err())
                .contains("copied all of 300 entries");
        TreeAssert.assertThat(TreeListing.of(Linux.calls(), directory.resolve("T")))
                .isCopyOf(TreeListing.of(Linux.calls(), directory.resolve("S")));
        assertThat(cli.runWarmly("worker", "--generation", "9").expect(20).err()).contains("resumed or cancelled");
    }

    @Test
    void aPlanningJobFindsATransferWhoseStateDirectoryIsNotAscii() throws Exception {
        Cli cli = new Cli(directory.path());
        String id = transfer.id().text();
        // The shell makes the name, because the locale of this process may lack it.
        assertThat(cli.sh("export LC_ALL=C.UTF-8 name=$(printf 'st\\303\\274'); mv state \"$name\"; "
                + "$T planner --generation 5 --transfer \"$PWD/$name/transfers/" + id + "\"").expect(0).err())
                .contains("generation 5 of " + id + " is over");
    }

    @Test
    void showExplainsThePlanOfATransfer() throws Exception {
        Cli cli = new Cli(directory.path());
        String state = directory.resolve("state").toString();
        assertThat(cli.runWarmly("show", "--state-dir", state, "last").expect(0).out())
                .isEqualTo(cli.runWarmly("show", transfer.plan().toString()).expect(0).out())
                .contains("300");
        assertThat(cli.runWarmly("show", "--state-dir", state, "nothing").expect(2).err())
                .contains("there is no plan nothing here, and there is no transfer 'nothing' in " + state);
        TransferDirectory unplanned = transfers.create(new Operation.Copy(), "cp -a S T", Timing.defaults());
        assertThat(cli.runWarmly("show", "--state-dir", state, unplanned.id().text()).expect(2).err())
                .contains(unplanned.id() + " is not planned yet");
    }

    @Test
    void elsewhereThanInATransferTheySayWhatIsWrong() throws Exception {
        Cli cli = new Cli(directory.path());
        assertThat(cli.runWarmly("worker", "--generation", "1").expect(2).err()).contains("there is no transfer in");
        assertThat(cli.runWarmly("finish", "--generation", "1").expect(2).err()).contains("there is no transfer in");
        assertThat(cli.runWarmly("worker").expect(2).err()).contains("--pool URI is missing");
        Files.delete(directory.resolve(".treehaul-" + transfer.id()));
        String generation = String.valueOf(transfers.start(transfer));
        assertThat(new Cli(transfer.path()).run("worker", "--generation", generation).expect(2).err())
                .contains("wrong mount");
        assertThat(directory.resolve("T")).doesNotExist();
    }
}
