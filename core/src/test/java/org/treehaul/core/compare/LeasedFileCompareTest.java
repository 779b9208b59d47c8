// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.treehaul.core.compare.Trees.path;

import java.nio.file.Path;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.treehaul.core.testing.LeaseHolder;
import org.treehaul.core.testing.TestDirectory;

/** Comparisons of files on which another process holds a lease: they wait for the lease. */
class LeasedFileCompareTest {

    @ParameterizedTest
    @EnumSource(Side.class)
    void theFileOfEitherSideIsWaitedFor(Side side) {
        try (Trees trees = new Trees(TestDirectory.onTmpfs())) {
            trees.a(writer -> writer.file(path("f"), 10, 1)).b(writer -> writer.file(path("f"), 10, 2));
            Path leased = (side == Side.A ? trees.a() : trees.b()).resolve("f");
            try (LeaseHolder holder = LeaseHolder.of(leased)) {
                Trees.Found found = trees.compare(holder.calls(), Trees.NO_TIMES.withContent(true));
                assertThat(holder.wasAsked()).isTrue();
                assertThat(found.failures()).isEmpty();
                assertThat(found.differences()).singleElement().asString().startsWith("f: content");
            }
        }
    }
}
