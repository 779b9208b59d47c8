// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.TreeRemoval;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.directory.TransferResult;

/** Failures are listed by their cause, not by batch. */
class FailureListTest {

    private final TransferFixture fixture = TransferFixture.onTmpfs();

    @AfterEach
    void close() {
        fixture.close();
    }

    private List<String> errors(TransferDirectory transfer) throws IOException {
        List<String> errors = new ArrayList<>();
        fixture.transfers().failures(transfer, failure -> errors.add(failure.failure().toString()));
        return errors;
    }

    @Test
    void aLargeFileThatIsADirectoryNowIsListedOnceAndSaysSo() throws IOException {
        fixture.with(writer -> writer.file(ByteString.of("large"), 6L * TransferFixture.CHUNK_BYTES, 1));
        TransferDirectory transfer = fixture.planned(3);
        Path large = fixture.source().resolve("large");
        Files.delete(large);
        Files.createDirectory(large);
        int generation = fixture.transfers().start(transfer);
        fixture.work(transfer, generation);
        assertThat(fixture.finish(transfer, generation).state()).isEqualTo(TransferResult.State.PARTIAL);
        assertThat(errors(transfer)).containsExactly(large + ": changed concurrently: is no longer a regular file");
    }

    @Test
    void aDirectoryThatBecameAFileIsListedWithoutAllItsFormerEntries() throws IOException {
        fixture.with(writer -> {
            for (int i = 0; i < 12; i++) {
                writer.file(ByteString.of("d/f" + i), 10, i);
            }
            writer.file(ByteString.of("other"), 10, 1);
        });
        TransferDirectory transfer = fixture.planned(3);
        Path directory = fixture.source().resolve("d");
        TreeRemoval.remove(Linux.calls(), directory);
        Files.writeString(directory, "a file");
        int generation = fixture.transfers().start(transfer);
        fixture.work(transfer, generation);
        fixture.finish(transfer, generation);
        assertThat(errors(transfer)).hasSize(1).first().asString().startsWith(directory + ": ");
    }
}
