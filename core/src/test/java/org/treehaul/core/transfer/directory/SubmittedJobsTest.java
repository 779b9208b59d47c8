// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.directory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.treehaul.core.testing.TestDirectory;

/** The records of the jobs of a transfer. */
class SubmittedJobsTest {

    private final TestDirectory directory = TestDirectory.onTmpfs();

    @AfterEach
    void remove() {
        directory.close();
    }

    @Test
    void aRecordOfJobsThatIsBeingWrittenIsNotReadYetAndADamagedOneCanBePutAside() throws IOException {
        SubmittedJobs jobs = new SubmittedJobs(1, "local", List.of("12:34@host"), "worker", 2);
        jobs.writeTo(directory.path());
        Files.createFile(directory.resolve(".1-worker-2.99-1"));
        assertThat(SubmittedJobs.readFrom(directory.path())).containsExactly(jobs);
        Path torn = Files.createFile(directory.resolve("1-finish-1"));
        assertThatThrownBy(() -> SubmittedJobs.readFrom(directory.path())).isInstanceOf(TransferException.class)
                .hasMessageContaining("--force");
        assertThat(SubmittedJobs.putDamagedAside(directory.path())).containsExactly(torn);
        assertThat(SubmittedJobs.readFrom(directory.path())).containsExactly(jobs);
    }
}
