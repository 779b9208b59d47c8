// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.core.condition.FileField;
import org.treehaul.core.condition.FileQuery;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.state.Host;
import org.treehaul.tuplespace.Lease;
import org.treehaul.tuplespace.TupleSpace;
import org.treehaul.tuplespace.TupleSpaces;

/** Answers that are sorted, in memory or in files. */
class SortedAnswersTest {

    private static final int ENOUGH = 1 << 20;
    private static final int ENTRIES = 500;

    @TempDir
    Path directory;

    private Path temporary;
    private TupleSpace space;

    @SuppressWarnings("NullAway") // set by JUnit
    SortedAnswersTest() {}

    @BeforeEach
    void open() throws IOException {
        temporary = Files.createDirectory(directory.resolve("temporary"));
        space = TupleSpaces.open(directory.resolve("space"), FileIndex.SPACE);
        // The last path comes first, so that an answer in the order of the tuples would be wrong.
        space.writeAll(IntStream.range(0, ENTRIES).mapToObj(i -> file(ENTRIES - 1 - i, 7)).toList(), Lease.FOREVER);
    }

    @AfterEach
    void close() {
        space.close();
    }

    private static FileTuple file(int number, long size) {
        return Queries.tuple(path(number), EntryKind.REGULAR, size, "2025-06-01T00:00:00Z", 0644, null);
    }

    private static String path(int number) {
        return String.format("/s/f%04d", number);
    }

    private FileIndex index(int bytes) {
        return new FileIndex(space, new QueryMemory(bytes, List.of(directory.resolve("missing"), temporary)));
    }

    private List<Path> temporaries() throws IOException {
        try (Stream<Path> all = Files.walk(temporary)) {
            return all.filter(path -> !path.equals(temporary)).toList();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 10_000, ENOUGH})
    void entriesWithEqualValuesComeInTheOrderOfTheirPaths(int bytes) throws IOException {
        space.write(file(ENTRIES, 8));
        for (int count : new int[]{1, 3, ENTRIES, 2 * ENTRIES}) {
            try (Stream<FileTuple> top = index(bytes).top(FileQuery.all(), FileField.SIZE, count)) {
                assertThat(top.map(tuple -> tuple.path().toString())).containsExactlyElementsOf(
                        Stream.concat(Stream.of(path(ENTRIES)), IntStream.range(0, ENTRIES).mapToObj(i -> path(i)))
                                .limit(count)
                                .toList());
            }
        }
        assertThat(temporaries()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 10_000, ENOUGH})
    void groupsWithEqualSumsComeInTheOrderOfTheirValues(int bytes) throws IOException {
        space.write(file(ENTRIES, 8));
        try (FileGroups groups = index(bytes).groupBy(FileQuery.all(), FileField.NAME)) {
            for (int round = 0; round < 2; round++) {
                try (Stream<FileGroup> all = groups.stream()) {
                    assertThat(all.map(FileGroup::value)).containsExactlyElementsOf(
                            Stream.concat(Stream.of(path(ENTRIES)), IntStream.range(0, ENTRIES).mapToObj(i -> path(i)))
                                    .map(path -> path.substring(3))
                                    .toList());
                }
            }
        }
        assertThat(temporaries()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void groupsComeInEachOrder(FileGroups.Order order) {
        space.writeAll(List.of(file(ENTRIES, 8), file(ENTRIES + 1, 4)), Lease.FOREVER);
        Comparator<FileGroup> expected = switch (order) {
            case SIZE -> Comparator.comparingLong(FileGroup::size).thenComparingLong(FileGroup::count).reversed();
            case BLOCKS -> Comparator.comparingLong(FileGroup::blocks).reversed();
            case COUNT -> Comparator.comparingLong(FileGroup::count).reversed();
        };
        for (int bytes : new int[]{1, ENOUGH}) {
            for (FileField field : List.of(FileField.SIZE, FileField.NAME, FileField.KIND)) {
                try (FileGroups groups = index(bytes).groupBy(FileQuery.all(), field, order);
                        Stream<FileGroup> all = groups.stream()) {
                    assertThat(all.toList()).isNotEmpty()
                            .isSortedAccordingTo(expected.thenComparing(FileGroup::value))
                            .allMatch(group -> group.count() > 0)
                            .satisfies(found -> assertThat(found.stream().mapToLong(FileGroup::count).sum())
                                    .isEqualTo(ENTRIES + 2));
                }
            }
        }
    }

    @Test
    void filesAreRemovedWhenTheCallerStopsEarly() throws IOException {
        try (Stream<FileTuple> top = index(1).top(FileQuery.all(), FileField.SIZE, 100)) {
            assertThat(top.iterator().next().path()).hasToString(path(0));
            assertThat(temporaries()).hasSizeGreaterThan(1);
        }
        assertThat(temporaries()).isEmpty();
        try (FileGroups groups = index(1).groupBy(FileQuery.all(), FileField.NAME);
                Stream<FileGroup> all = groups.stream()) {
            assertThat(all.iterator().next().value()).isEqualTo("f0000");
            assertThat(temporaries()).hasSizeGreaterThan(1);
        }
        assertThat(temporaries()).isEmpty();
    }

    @Test
    void filesAreRemovedWhenASumIsTooLarge() throws IOException {
        space.writeAll(List.of(file(ENTRIES, Long.MAX_VALUE), file(ENTRIES + 1, Long.MAX_VALUE)), Lease.FOREVER);
        assertThatExceptionOfType(ArithmeticException.class)
                .isThrownBy(() -> index(1).groupBy(FileQuery.all(), FileField.KIND));
        assertThat(temporaries()).isEmpty();
    }

    @Test
    void filesThatAKilledQueryLeftAreRemovedByTheNext() throws IOException {
        Path old = Files.createDirectory(temporary.resolve("treehaul-query-1"));
        Files.createFile(old.resolve("lock-" + Host.name()));
        Files.writeString(old.resolve("top.1"), "left");
        try (Stream<FileTuple> top = index(1).top(FileQuery.all(), FileField.SIZE, 10)) {
            assertThat(old).doesNotExist();
            assertThat(temporaries()).isNotEmpty();
            assertThat(top).hasSize(10);
        }
        assertThat(temporaries()).isEmpty();
    }

    @Test
    void filesAreRemovedWhenTheLastOneCannotBeWritten() throws IOException {
        TopEntries top = new TopEntries(FileField.SIZE, 3, new QueryMemory(1, List.of(temporary)));
        for (int i = 0; i < 3; i++) {
            top.add(file(i, i));
        }
        Path first = temporaries().stream().filter(Files::isRegularFile).findFirst().orElseThrow();
        // The last entry is still in memory, and its file cannot be created here.
        Files.createDirectory(first.resolveSibling("top.2"));
        assertThatExceptionOfType(UncheckedIOException.class).isThrownBy(top::stream);
        assertThat(temporaries()).isEmpty();
    }

    @Test
    void answersThatFitIntoMemoryNeedNoDirectory() {
        FileIndex index = new FileIndex(space, new QueryMemory(ENOUGH, List.of(directory.resolve("missing"))));
        try (Stream<FileTuple> top = index.top(FileQuery.all(), FileField.SIZE, 10)) {
            assertThat(top).hasSize(10);
        }
        try (FileGroups groups = index.groupBy(FileQuery.all(), FileField.NAME);
                Stream<FileGroup> all = groups.stream()) {
            assertThat(all).hasSize(ENTRIES);
        }
    }

    @Test
    void anErrorNamesTheDirectoryAndTheRemedy() {
        Path missing = directory.resolve("missing");
        FileIndex index = new FileIndex(space, new QueryMemory(1, List.of(missing)));
        assertThatExceptionOfType(UncheckedIOException.class)
                .isThrownBy(() -> index.top(FileQuery.all(), FileField.SIZE, 100))
                .withMessageContainingAll("cannot sort the answer in " + missing + ": ", "; set SQLITE_TMPDIR");
        assertThatExceptionOfType(UncheckedIOException.class)
                .isThrownBy(() -> index.groupBy(FileQuery.all(), FileField.NAME))
                .withMessageContainingAll("cannot sort the answer in " + missing + ": ", "; set SQLITE_TMPDIR");
    }

    @Test
    void aDirectoryThatIsNoPathInThisLocaleIsPassedOver() {
        // No path has a NUL in any locale.
        Map<String, String> environment = Map.of("SQLITE_TMPDIR", "/tmp/\0", "TMPDIR", temporary.toString());
        assertThat(QueryMemory.of(environment).directory()).isEqualTo(temporary);
    }
}
