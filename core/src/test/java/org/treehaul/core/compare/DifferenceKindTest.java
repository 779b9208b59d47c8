// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DifferenceKindTest {

    @Test
    void wordsAndGroupsOfWordsAreRead() {
        assertThat(DifferenceKind.parse("mode, XATTR")).containsExactlyInAnyOrder(DifferenceKind.MODE,
                DifferenceKind.XATTR);
        assertThat(DifferenceKind.parse("times,ownership")).containsExactlyInAnyOrder(DifferenceKind.ATIME,
                DifferenceKind.MTIME, DifferenceKind.CTIME, DifferenceKind.BTIME, DifferenceKind.OWNER,
                DifferenceKind.GROUP);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "mode,", "kind", "mdoe", "mode mtime"})
    void unknownWordsAreRefusedWithTheKnownOnes(String words) {
        assertThatThrownBy(() -> DifferenceKind.parse(words)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("mtime, atime")
                .hasMessageContaining("times, ownership");
    }

    @Test
    void theKindIsAlwaysCompared() {
        CompareOptions options = CompareOptions.defaults();
        for (DifferenceKind kind : DifferenceKind.values()) {
            options = options.ignoring(java.util.Set.of(kind));
        }
        assertThat(options.compared()).containsExactly(DifferenceKind.KIND);
    }
}
