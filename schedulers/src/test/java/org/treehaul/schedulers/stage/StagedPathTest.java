// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.treehaul.core.entry.ByteString;

class StagedPathTest {

    private static List<String> outermost(String... paths) {
        return StagedPath.outermost(Stream.of(paths).map(ByteString::of).toList())
                .stream()
                .map(ByteString::toString)
                .toList();
    }

    @Test
    void aPathBelowAnotherOneOrEqualToItIsNoOutermostOne() {
        assertThat(outermost("a/b/c", "a", "a-b", "a/b", "b/a", "a")).containsExactly("a", "a-b", "b/a");
        assertThat(outermost("a/b", "", "a")).containsExactly("");
        assertThat(outermost("a/b", "ab")).containsExactly("a/b", "ab");
        assertThat(outermost()).isEmpty();
    }
}
