// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.copy;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.treehaul.core.transfer.Transfers;
import org.treehaul.core.transfer.directory.Timing;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.operation.Operation;

/** What was said of the jobs of a transfer is kept for those that go on with it. */
class JobOrdersTest {

    @TempDir
    private Path directory;

    @Test
    void moreThanTenValuesComeBackInTheirOrder() throws Exception {
        TransferDirectory transfer = Transfers.in(directory.resolve("state"))
                .create(new Operation.Copy(), "", Timing.defaults());
        List<String> many = IntStream.range(0, 25).mapToObj(i -> "--licenses=" + i).toList();
        Map<String, List<String>> said = Map.of("queue", many, "jobs", List.of("3"));
        JobOrders.remember(transfer, said);
        assertThat(JobOrders.recall(transfer)).isEqualTo(said);
    }
}
