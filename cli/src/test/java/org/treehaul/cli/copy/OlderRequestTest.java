// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.copy;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.treehaul.core.transfer.Transfers;
import org.treehaul.core.transfer.directory.Timing;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.operation.Operation;

/** The options for jobs of a transfer made before requests had a file of their own. */
class OlderRequestTest {

    @TempDir
    private Path directory;

    @Test
    void moreThanTenValuesComeBackInTheirOrder() throws Exception {
        TransferDirectory transfer = Transfers.in(directory.resolve("state"))
                .create(new Operation.Copy(), "", Timing.defaults());
        assertThat(OlderRequest.exists(transfer)).isFalse();
        List<String> many = IntStream.range(0, 25).mapToObj(i -> "--licenses=" + i).toList();
        Properties file = new Properties();
        IntStream.range(0, 25).forEach(i -> file.setProperty("queue." + i, many.get(i)));
        file.setProperty("jobs.0", "3");
        try (OutputStream out = Files.newOutputStream(transfer.launch().resolve("said"))) {
            file.store(out, null);
        }
        assertThat(OlderRequest.exists(transfer)).isTrue();
        assertThat(OlderRequest.jobs(transfer)).isEqualTo(Map.of("queue", many, "jobs", List.of("3")));
    }
}
