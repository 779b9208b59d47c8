// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.bench;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Checks of the options of {@code bench io}. */
class BenchOptionsTest {

    @Test
    void aDirectBlockIsAMultipleOfThePage() {
        assertThat(BenchOptions.problemOfDirect(8192, 4096)).isEmpty();
        assertThat(BenchOptions.problemOfDirect(131_072, 65_536)).isEmpty();
        assertThat(BenchOptions.problemOfDirect(5000, 4096)).isPresent();
        assertThat(BenchOptions.problemOfDirect(4096, 65_536)).get().asString().contains("multiple of 65536", "4096");
    }
}
