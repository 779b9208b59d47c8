// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.treehaul.core.operation.EntryOperation;
import org.treehaul.core.operation.OperationProvider;
import org.treehaul.core.operation.OperationTarget;
import org.treehaul.core.operation.Repetition;
import org.treehaul.core.testing.NamedOperation;
import org.treehaul.core.transfer.directory.TransferException;
import org.treehaul.core.transfer.operation.Operation;
import org.treehaul.core.transfer.request.TransferRequest;
import org.treehaul.schedulers.JobState;
import org.treehaul.schedulers.KeptJar;

/** The copy of an operation's jar in the state directory: it stays as long as its transfer, and moves with it. */
class KeptOperationJarTest extends TransfersByHand {

    /** The operation in the jar. */
    public static final class Nothing extends NamedOperation {
        public Nothing() {
            super("nothing", 1, Repetition.READ_ONLY);
        }

        @Override
        public EntryOperation create(SortedMap<String, String> parameters) {
            return new EntryOperation() {
                @Override
                public void entry(OperationTarget target) {}

                @Override
                public void directory(OperationTarget target) {}
            };
        }
    }

    @BeforeEach
    void makeFile() throws IOException {
        Files.createFile(source.resolve("file"));
    }

    private BatchTransfer create() throws Exception {
        Path operation = directory.resolve("operation.jar");
        try (OutputStream out = Files.newOutputStream(operation); JarOutputStream entries = new JarOutputStream(out)) {
            entries.putNextEntry(new JarEntry("META-INF/services/" + OperationProvider.class.getName()));
            entries.write(Nothing.class.getName().getBytes(StandardCharsets.UTF_8));
        }
        OperationRequest request = OperationRequest.of(Operation.Custom.of(new Nothing(), Map.of()), List.of(operation),
                List.of(bytes(source)), 1);
        return BatchTransfer.create(state, jar, request, JOBS, "nothing", scheduler::named);
    }

    private static Path kept(BatchTransfer transfer) throws IOException {
        return TransferRequest.find(transfer.directory()).orElseThrow().jars().getFirst();
    }

    private static Path launched(BatchTransfer transfer) throws IOException {
        return Path.of(Files.readString(transfer.directory().path().resolve("launch/jars")).strip());
    }

    @Test
    void theJarOfATransferThatIsPlannedForDaysIsNotSwept() throws Exception {
        BatchTransfer transfer = create();
        Path kept = kept(transfer);
        Files.setLastModifiedTime(kept, FileTime.from(Instant.EPOCH));
        KeptJar.sweep(state, List.of(transfer.directory().path()));
        assertThat(kept).exists();
    }

    @Test
    void aTransferIsResumedWithTheJarInAStateDirectoryThatWasMoved() throws Exception {
        BatchTransfer before = create();
        submit(before);
        before.cancel();
        Path moved = Files.move(state, directory.resolve("moved"));
        BatchTransfer transfer = BatchTransfer.open(moved, jar, before.id(), scheduler::named);
        transfer.resume();
        Path kept = moved.resolve("programs").resolve(kept(transfer).getFileName());
        assertThat(launched(transfer)).isEqualTo(kept.toRealPath());
        assertThat(kept(transfer)).isEqualTo(kept);
    }

    @Test
    void aMissingJarIsNamedBeforeAnythingIsChanged() throws Exception {
        BatchTransfer transfer = create();
        submit(transfer);
        Path kept = kept(transfer);
        Files.delete(kept);
        assertThatThrownBy(transfer::resume).isInstanceOf(TransferException.class)
                .hasMessage(transfer.id() + " needs " + kept + ", which is missing and has its operation 'nothing': "
                        + "put this jar back, or begin a new transfer; nothing was changed");
        assertThat(transfer.directory().generations().newest()).isEqualTo(1);
        assertThat(scheduler.submitted).hasSize(2);
        assertThat(scheduler.jobs.values()).as("jobs still wait").containsOnly(JobState.WAITING);
    }
}
