// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.copy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.TreeMap;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.treehaul.core.transfer.Transfers;
import org.treehaul.core.transfer.directory.Timing;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.directory.TransferException;
import org.treehaul.core.transfer.operation.Operation;
import org.treehaul.core.transfer.request.JobOptions;
import org.treehaul.core.transfer.request.TransferRequest;

/** The options for jobs of a transfer made before requests had a file of their own. */
class OlderRequestTest {

    @TempDir
    private Path directory;

    private TransferDirectory create() throws IOException {
        return Transfers.in(directory.resolve("state")).create(new Operation.Copy(), "", Timing.defaults());
    }

    private static void store(TransferDirectory transfer, Map<String, String> values) throws IOException {
        Properties file = new Properties();
        file.putAll(values);
        try (OutputStream out = Files.newOutputStream(transfer.launch().resolve("said"))) {
            file.store(out, null);
        }
    }

    @Test
    void moreThanTenValuesComeBackInTheirOrder() throws Exception {
        TransferDirectory transfer = create();
        assertThat(OlderRequest.exists(transfer)).isFalse();
        List<String> many = IntStream.range(0, 25).mapToObj(i -> "--licenses=" + i).toList();
        Map<String, String> values = new TreeMap<>();
        IntStream.range(0, 25).forEach(i -> values.put("queue." + i, many.get(i)));
        values.put("jobs.0", "3");
        store(transfer, values);
        assertThat(OlderRequest.exists(transfer)).isTrue();
        assertThat(OlderRequest.lastJobs(transfer)).isEqualTo(JobOptions.of("auto").withJobs(3).withQueue(many));
    }

    @Test
    void eachOptionForJobsIsRead() throws Exception {
        TransferDirectory transfer = create();
        Map<String, String> values = new TreeMap<>(Map.of("scheduler.0", "slurm", "max-running.0", "4", "walltime.0",
                "1:30", "finish-queue.0", "", "finish-walltime.0", "5", "requeue.0", "true", "pre.0", "module load",
                "post.0", "@date", "on-complete.0", "mail 'x'"));
        values.putAll(Map.of("ranks.0", "3", "distribution.0", "proximity", "state-dir.0", "/s", "strategy.0", "x"));
        store(transfer, values);
        assertThat(OlderRequest.lastJobs(transfer)).isEqualTo(new JobOptions("slurm", 0, 4, List.of(),
                Optional.of(Duration.ofMinutes(90)), Optional.of(List.of()), Optional.of(Duration.ofMinutes(5)), true,
                List.of("module load"), List.of("@date"), Optional.of("mail 'x'"), 3, "proximity"));
        store(transfer, Map.of("requeue.0", "false"));
        assertThat(OlderRequest.lastJobs(transfer)).isEqualTo(JobOptions.of("auto"));
    }

    @Test
    void aResumedTransferGetsARequest() throws Exception {
        TransferDirectory transfer = create();
        assertThatThrownBy(() -> OlderRequest.adopt(transfer, true)).isInstanceOf(TransferException.class)
                .hasMessageContaining("forget it and copy again");
        store(transfer, Map.of("scheduler.0", "local", "jobs.0", "2"));
        JobOptions last = JobOptions.of("local").withJobs(2);
        assertThat(OlderRequest.adopt(transfer, true)).isEqualTo(last);
        assertThat(TransferRequest.find(transfer)).contains(TransferRequest.of(last));
        TransferRequest.of(last.withJobs(5)).write(transfer);
        assertThat(OlderRequest.adopt(transfer, true)).isEqualTo(last.withJobs(5));
    }

    @Test
    void damagedOptionsAreReported() throws Exception {
        TransferDirectory transfer = create();
        store(transfer, Map.of("jobs.0", "many"));
        assertThatThrownBy(() -> OlderRequest.lastJobs(transfer)).isInstanceOf(TransferException.class)
                .hasMessageContaining("said is damaged: ");
    }
}
