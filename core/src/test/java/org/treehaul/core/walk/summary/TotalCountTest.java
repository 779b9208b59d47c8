// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.walk.summary;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.util.List;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.core.testing.TreeWriter;
import org.treehaul.core.walk.options.Root;
import org.treehaul.core.walk.options.WalkOptions;

class TotalCountTest {

    private static final int BLOCK = 4096;
    private static final long SPARSE = 1L << 40;

    @ParameterizedTest
    @CsvSource({"true, 1", "true, 2", "false, 1"})
    void holesCountOnlyWhereTheyAreWork(boolean skipsHoles, int passes) throws InterruptedException {
        try (TestDirectory directory = TestDirectory.onTmpfs();
                TreeWriter writer = TreeWriter.in(Linux.calls(), directory.path())) {
            writer.file(ByteString.of("file"), 2 * BLOCK, 1).sparse(ByteString.of("sparse"), SPARSE, 5L * BLOCK);
            List<Root> roots = List.of(Root.of(ByteString.of(directory.path().toString())));
            try (TotalCount count = count(roots, new TotalCount.Work(passes, skipsHoles, false))) {
                TotalCount.Total total = count.total();
                assertThat(total.entries()).isEqualTo(3);
                assertThat(total.bytes()).isEqualTo(2 * BLOCK + (skipsHoles ? BLOCK : SPARSE));
                assertThat(total.work()).isEqualTo(passes * total.bytes());
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"true, 2", "false, 4"})
    void theDataOfAFileWithSeveralNamesCountOnceIfTheyAreTransferredOnce(boolean linksOnce, long blocks)
            throws Exception {
        try (TestDirectory directory = TestDirectory.onTmpfs();
                TreeWriter writer = TreeWriter.in(Linux.calls(), directory.path())) {
            writer.file(ByteString.of("file"), 2 * BLOCK, 1);
            Files.createLink(directory.path().resolve("link"), directory.path().resolve("file"));
            try (TotalCount count = count(List.of(Root.of(ByteString.of(directory.path().toString()))),
                    new TotalCount.Work(1, false, linksOnce))) {
                assertThat(count.total().entries()).isEqualTo(3);
                assertThat(count.total().bytes()).isEqualTo(blocks * BLOCK);
            }
        }
    }

    private static TotalCount count(List<Root> roots, TotalCount.Work work) throws InterruptedException {
        TotalCount count = TotalCount.start(Linux.calls(), WalkOptions.defaults(), roots, work);
        count.await();
        return count;
    }
}
