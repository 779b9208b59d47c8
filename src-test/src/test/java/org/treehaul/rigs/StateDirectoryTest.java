// SPDX-License-Identifier: Apache-2.0
package org.treehaul.rigs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.Event;
import org.treehaul.core.event.EventListener;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.plan.PlanRequest;
import org.treehaul.core.plan.Planner;
import org.treehaul.core.plan.format.BatchLimits;
import org.treehaul.core.testing.Privilege;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.core.testing.TreeAssert;
import org.treehaul.core.testing.TreeListing;
import org.treehaul.core.transfer.TransferRunner;
import org.treehaul.core.transfer.directory.Timing;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.directory.TransferException;
import org.treehaul.core.transfer.directory.TransferResult;
import org.treehaul.core.transfer.operation.CopySettings;
import org.treehaul.core.transfer.operation.Operation;
import org.treehaul.core.transfer.work.WorkResult;
import org.treehaul.core.transfer.work.Worker;
import org.treehaul.core.walk.options.Root;
import org.treehaul.strategies.Strategies;

/** A state directory that is full or read-only: the work stops, reports it, and continues when there is room. */
@Tag("rig")
class StateDirectoryTest {

    private static final int FILES = 400;

    // A worker without room leaves an empty journal, which counts as claimed for three heartbeats.
    private static final Timing SOON = Timing.defaults().withHeartbeat(Duration.ofMillis(500), Duration.ofMinutes(2));

    private TestDirectory directory;
    private Path source;
    private final List<String> notices = Collections.synchronizedList(new ArrayList<>());

    @BeforeEach
    void make() throws Exception {
        Privilege.requireRoot("it mounts file systems");
        directory = TestDirectory.make();
        source = Transfers.files(directory.resolve("S"), FILES, 500);
        directory.directory("D");
    }

    @AfterEach
    void remove() {
        if (directory != null) {
            directory.close();
        }
    }

    private final EventListener listener = event -> {
        if (event instanceof Event.Notice notice) {
            notices.add(notice.text());
        }
    };

    private Path target() {
        return directory.resolve("D").resolve("T");
    }

    private TransferDirectory planned(Path state) throws IOException {
        TransferDirectory transfer = org.treehaul.core.transfer.Transfers.in(state)
                .create(new Operation.Copy(), "", SOON);
        CopyOptions options = CopyOptions.archive().threads(2).build();
        PlanRequest.Pair pair = new PlanRequest.Pair(Root.of(ByteString.of(source.toString())),
                ByteString.of(target().toString()));
        PlanRequest request = PlanRequest.of(transfer.id().text(), List.of(pair), Strategies.sizeBalanced())
                .withLimits(1, BatchLimits.batches(4))
                .withSettings(CopySettings.of(options));
        Planner.of(Linux.calls(), request).plan(transfer.plan(), listener, new Progress(), new Cancellation());
        return transfer;
    }

    private void isCopied() {
        TreeAssert.assertThat(TreeListing.of(Linux.calls(), target())).isCopyOf(TreeListing.of(Linux.calls(), source));
        assertThat(TreeListing.of(Linux.calls(), directory.resolve("D")).byPath().keySet())
                .noneMatch(path -> path.toString().contains(".treehaul-"));
    }

    @Test
    void aFullStateDirectoryStopsTheWorkUntilThereIsRoom() throws Exception {
        try (Mount mount = Mount.tmpfs("size=2m")) {
            TransferDirectory transfer = planned(mount.resolve("state"));
            org.treehaul.core.transfer.Transfers transfers = org.treehaul.core.transfer.Transfers
                    .in(mount.resolve("state"));
            int generation = transfers.start(transfer);
            Path ballast = mount.fillBut(0);
            assertThatThrownBy(() -> {
                WorkResult result = Worker.of(Linux.calls(), transfer, generation)
                        .work(listener, new Progress(), new Cancellation());
                assertThat(result.ending()).isEqualTo(WorkResult.Ending.GAVE_UP);
                throw new IOException(result.problem());
            }).hasMessageContaining("No space left on device");
            Files.delete(ballast);
            TransferResult result = TransferRunner.of(Linux.calls(), transfer)
                    .run(transfers.resume(transfer), listener, new Progress(), new Cancellation());
            assertThat(result.state()).as(result + " " + notices).isEqualTo(TransferResult.State.COMPLETE);
            isCopied();
        }
    }

    @Test
    void readOnlyOneIsRefusedBeforeAnythingIsWritten() throws Exception {
        TransferDirectory transfer = planned(directory.resolve("state"));
        int generation = org.treehaul.core.transfer.Transfers.in(directory.resolve("state")).start(transfer);
        try (Mount mount = Mount.readOnlyBind(directory.resolve("state"))) {
            assertThatThrownBy(() -> org.treehaul.core.transfer.Transfers.in(mount.path()))
                    .isInstanceOf(TransferException.class)
                    .hasMessageContaining("is not writable");
            org.treehaul.core.transfer.Transfers seen = org.treehaul.core.transfer.Transfers.reading(mount.path());
            assertThat(seen.list()).containsExactly(transfer.id());
            assertThat(seen.status(seen.open(transfer.id())).generation()).isEqualTo(generation);
            TransferDirectory there = TransferDirectory
                    .open(mount.path().resolve("transfers").resolve(transfer.id().text()));
            assertThatThrownBy(() -> Worker.of(Linux.calls(), there, generation)
                    .work(listener, new Progress(), new Cancellation())).hasMessageContaining("Read-only file system");
            assertThat(target()).doesNotExist();
        }
        TransferResult result = TransferRunner.of(Linux.calls(), transfer)
                .withWorkers(2)
                .run(generation, listener, new Progress(), new Cancellation());
        assertThat(result.state()).isEqualTo(TransferResult.State.COMPLETE);
        isCopied();
    }
}
