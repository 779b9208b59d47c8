// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.treehaul.tuplespace.files.Queries.parse;

import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.tuplespace.TupleSpace;
import org.treehaul.tuplespace.TupleSpaces;

/** An exact selection is counted and summed by the store; another one is checked entry by entry. */
class SelectionTest {

    @ParameterizedTest
    @ValueSource(
            strings = {"path=/a/b", "path=/a/*", "path=*/b/*", "path=/a/*/b/*", "path=*b*", "path=*.h5", "path~=*.H5",
                    "path!=*/b/*", "path=*/a/*,*/b/*", "path~=*/B/*", "extension=gz", "extension!=gz,xz", "extension=",
                    "depth<4", "depth=2,5..7", "size>1K"})
    void aStoreAnswersExactly(String condition) {
        assertThat(isExact(condition)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"path=*a*b", "path=*/a/*b", "path!=*b*", "path=*b*,*/a/*", "empty=yes"})
    void otherEntriesAreChecked(String condition) {
        assertThat(isExact(condition)).isFalse();
    }

    @ParameterizedTest
    @CsvSource({"/d/a.\u00e9, extension=\\xe9", "/d/a.b\\c, extension=b\\\\c"})
    void anExtensionThatIsNoPlainTextIsFound(String path, String condition) {
        try (TupleSpace space = TupleSpaces.memory(FileIndex.SPACE)) {
            space.write(Queries.at(path));
            space.write(Queries.at("/d/a.gz"));
            assertThat(Queries.index(space).count(parse(condition))).isOne();
        }
    }

    @Test
    void theLargestNumberMayBeOneOfAList() {
        try (TupleSpace space = TupleSpaces.memory(FileIndex.SPACE)) {
            for (String year : List.of("1500", "2026", "2500")) {
                space.write(Queries.tuple("/d/" + year, EntryKind.REGULAR, 1, year + "-01-01T00:00:00Z", 0644, null));
            }
            // Both are stored as the limits of times.
            assertThat(Queries.index(space).count(parse("mtime=1500,2500"))).isEqualTo(2);
        }
    }

    private static boolean isExact(String condition) {
        try (TupleSpace space = TupleSpaces.memory(FileIndex.SPACE)) {
            return Selection.of(parse(condition), space).isExact();
        }
    }
}
