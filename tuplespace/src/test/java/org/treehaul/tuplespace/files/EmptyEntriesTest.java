// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.treehaul.tuplespace.files.Queries.parse;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.core.condition.FileField;
import org.treehaul.core.condition.FileQuery;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.tuplespace.TupleSpace;
import org.treehaul.tuplespace.TupleSpaces;
import org.treehaul.tuplespace.files.index.IndexOptions;
import org.treehaul.tuplespace.files.index.Indexer;
import org.treehaul.tuplespace.tuple.Template;

/** Conditions on emptiness, with and without totals of the directories, beside a look at each entry. */
class EmptyEntriesTest {

    @AutoClose
    final TestDirectory directory = TestDirectory.make();

    private TupleSpace space = TupleSpaces.memory(FileIndex.SPACE);

    @BeforeEach
    void makeAnIndex() throws IOException {
        Path tree = directory.resolve("tree");
        for (String name : List.of("empty", "a/b/empty", "linked", "symbolic", "full")) {
            Files.createDirectories(tree.resolve(name));
        }
        Files.createFile(tree.resolve("full/empty.txt"));
        Files.writeString(tree.resolve("full/text.txt"), "text");
        Files.writeString(tree.resolve("two"), "names");
        Files.createLink(tree.resolve("linked/two"), tree.resolve("two"));
        Files.createSymbolicLink(tree.resolve("symbolic/link"), Path.of("nowhere"));
        Path file = directory.resolve("space");
        Indexer.of(Linux.calls(), IndexOptions.defaults()).run(file, List.of(ByteString.of(tree)), failure -> {
            throw new IllegalStateException(failure.toString());
        }, new Progress(), new Cancellation());
        space.close();
        space = TupleSpaces.open(file, FileIndex.SPACE);
    }

    @AfterEach
    void close() {
        space.close();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"empty=yes", "empty=no", "empty=yes kind=directory", "empty=yes kind!=directory",
                    "empty=no kind=regular", "empty=no size<5", "empty=yes name=e*", "empty=yes empty=no",
                    "empty=yes path=*/a/*", "not ( empty=yes or name=two )", "( empty=yes or name=two ) depth>1",
                    "empty=yes ( empty=yes or name=two )", "empty=no kind=symlink,directory"})
    void anAnswerIsThatOfLookingAtEachEntry(String words) {
        FileQuery query = parse(words.split(" "));
        check(query);
        assertThat(IndexedValues.knownEmptiness(space)).isPresent();
        space.remove(Template.of(TotalsState.class));
        assertThat(IndexedValues.knownEmptiness(space)).isEmpty();
        check(query);
    }

    private void check(FileQuery query) {
        FileIndex index = new FileIndex(space);
        List<FileTuple> expected = entries().stream()
                .filter(tuple -> query
                        .matches(IndexedValues.in(space, Set.of(FileField.EMPTY, FileField.DEPTH)).apply(tuple)))
                .toList();
        try (Stream<FileTuple> found = index.entries(query)) {
            assertThat(found).containsExactlyInAnyOrderElementsOf(expected);
        }
        assertThat(index.count(query)).isEqualTo(expected.size());
        assertThat(index.sum(query, FileField.SIZE)).isEqualTo(expected.stream().mapToLong(FileTuple::size).sum());
        Map<String, Long> groups = expected.stream()
                .collect(Collectors.groupingBy(tuple -> tuple.kind().label(), Collectors.counting()));
        try (FileGroups found = index.groupBy(query, FileField.KIND); Stream<FileGroup> all = found.stream()) {
            assertThat(all.collect(Collectors.toMap(FileGroup::value, FileGroup::count))).isEqualTo(groups);
        }
        try (FileGroups found = index.groupBy(query, FileField.EMPTY); Stream<FileGroup> all = found.stream()) {
            assertThat(all.mapToLong(FileGroup::count).sum()).isEqualTo(expected.size());
        }
    }

    private List<FileTuple> entries() {
        try (Stream<FileTuple> all = space.contents(Template.of(FileTuple.class))) {
            return all.toList();
        }
    }
}
