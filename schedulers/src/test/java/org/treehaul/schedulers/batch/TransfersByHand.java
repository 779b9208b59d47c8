// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.batch;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.EventListener;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.transfer.TransferRunner;
import org.treehaul.core.transfer.request.CopyRequest;
import org.treehaul.core.transfer.request.JobOptions;
import org.treehaul.schedulers.StandInScheduler;

/** Transfers over a scheduler that starts nothing: the test carries out its jobs. */
abstract class TransfersByHand {

    static final JobOptions JOBS = JobOptions.of("stand-in").withJobs(2);
    static final EventListener NO_LISTENER = event -> {};

    @TempDir
    Path directory;
    Path state;
    Path jar;
    Path source;
    Path target;
    final StandInScheduler scheduler = new StandInScheduler();
    final Cancellation cancellation = new Cancellation();

    @BeforeEach
    void makeDirectories() throws IOException {
        state = directory.resolve("state");
        jar = Files.writeString(directory.resolve("treehaul.jar"), "jar");
        source = Files.createDirectory(directory.resolve("source"));
        target = directory.resolve("target");
    }

    static ByteString bytes(Path path) {
        return ByteString.of(path.toString());
    }

    /** Returns the request of a copy of the source. */
    CopyRequest copy() {
        return CopyRequest.of(List.of(bytes(source), bytes(target)), CopyOptions.archive().build(), 2);
    }

    BatchTransfer create(CopyRequest copy) throws Exception {
        return BatchTransfer.create(state, jar, copy, JOBS, "a test", Optional.empty(), scheduler::named);
    }

    /** Plans and submits a transfer, and returns its generation. */
    int submit(BatchTransfer transfer) throws Exception {
        return transfer.submit(NO_LISTENER, new Progress(), cancellation).orElseThrow();
    }

    /** Does the work of the jobs of a generation. */
    static void work(BatchTransfer transfer, int generation) throws IOException {
        TransferRunner.of(Linux.calls(), transfer.directory())
                .run(generation, NO_LISTENER, new Progress(), new Cancellation());
    }
}
