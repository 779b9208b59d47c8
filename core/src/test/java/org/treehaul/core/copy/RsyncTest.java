// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.util.Set;

import org.junit.jupiter.api.Test;

/** rsync is available as an independent check of copies, and detects differences. */
class RsyncTest {

    @Test
    void rsyncDistinguishesAnEqualTreeFromAnotherOne() throws Exception {
        assumeTrue(Rsync.isInstalled(), "rsync is not installed: copies were judged by the tests' own listing alone");
        try (Copies copies = Copies.onTmpfs()) {
            Files.writeString(copies.source().resolve("file"), "data");
            copies.copy(Copies.archive().build()).succeeds();
            assertThatCode(() -> Rsync.assertEqual(copies.source(), copies.target(), Set.of()))
                    .doesNotThrowAnyException();

            Files.writeString(copies.at("file"), "DATA");

            assertThatThrownBy(() -> Rsync.assertEqual(copies.source(), copies.target(), Set.of()))
                    .isInstanceOf(AssertionError.class)
                    .hasMessageContaining("file");
        }
    }
}
