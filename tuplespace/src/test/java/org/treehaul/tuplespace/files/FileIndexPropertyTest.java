// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.files;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.lifecycle.AfterContainer;
import org.jspecify.annotations.Nullable;
import org.treehaul.core.condition.FileField;
import org.treehaul.core.condition.FileQuery;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.tuplespace.Lease;
import org.treehaul.tuplespace.PostgresServer;
import org.treehaul.tuplespace.TupleSpace;
import org.treehaul.tuplespace.TupleSpaces;
import org.treehaul.tuplespace.tuple.Template;

/** Any query of a space returns the same as a check of every tuple. */
class FileIndexPropertyTest {

    private static @Nullable TupleSpace postgres;

    private static @Nullable TestDirectory directory;

    private static @Nullable TupleSpace inFile;

    private static final List<Path> TEMPORARY = List.of(Path.of(System.getProperty("java.io.tmpdir", "/tmp")));

    @Property(tries = 400)
    void anAnswerIsThatOfLookingAtEveryTuple(@ForAll("tuples") List<FileTuple> tuples,
            @ForAll("templates") List<String> conditions) {
        try (TupleSpace space = TupleSpaces.memory(FileIndex.SPACE)) {
            check(space, tuples, conditions);
        }
    }

    @Property(tries = 100)
    void anAnswerOfAFileIsThatOfLookingAtEveryTuple(@ForAll("tuples") List<FileTuple> tuples,
            @ForAll("templates") List<String> conditions) {
        TupleSpace space = inFile;
        if (space == null) {
            TestDirectory made = TestDirectory.make();
            directory = made;
            space = TupleSpaces.open(made.resolve("space"), FileIndex.SPACE);
            inFile = space;
        }
        space.remove(Template.of(FileTuple.class));
        check(space, tuples, conditions);
    }

    @Property(tries = 50)
    void anAnswerOfPostgresIsThatOfLookingAtEveryTuple(@ForAll("tuples") List<FileTuple> tuples,
            @ForAll("templates") List<String> conditions) {
        TupleSpace space = postgres;
        if (space == null) {
            space = TupleSpaces.open(PostgresServer.shared().fresh(), FileIndex.SPACE);
            postgres = space;
        }
        space.remove(Template.of(FileTuple.class));
        check(space, tuples, conditions);
    }

    @AfterContainer
    static void close() {
        if (postgres != null) {
            postgres.close();
        }
        if (inFile != null) {
            inFile.close();
        }
        if (directory != null) {
            directory.close();
        }
    }

    private static void check(TupleSpace space, List<FileTuple> tuples, List<String> conditions) {
        FileQuery query = Queries.parse(conditions.toArray(String[]::new));
        List<FileTuple> expected = tuples.stream().filter(query::matches).toList();
        space.writeAll(tuples, Lease.FOREVER);
        FileIndex index = new FileIndex(space);
        try (Stream<FileTuple> found = index.entries(query)) {
            assertThat(found).as(query.toString()).containsExactlyInAnyOrderElementsOf(expected);
        }
        assertThat(index.count(query)).isEqualTo(expected.size());
        assertThat(index.sum(query, FileField.SIZE)).isEqualTo(expected.stream().mapToLong(FileTuple::size).sum());
        // With a single byte of memory, all answers are sorted in files.
        for (FileIndex any : List.of(index, new FileIndex(space, new QueryMemory(1, TEMPORARY)))) {
            assertThat(groups(any, query, FileField.KIND)).isEqualTo(groups(expected, FileField.KIND));
            assertThat(groups(any, query, FileField.DIRECTORY)).isEqualTo(groups(expected, FileField.DIRECTORY));
            assertThat(groups(any, query, FileField.EXTENSION)).isEqualTo(groups(expected, FileField.EXTENSION));
            assertThat(top(any, query, FileField.SIZE)).isEqualTo(top(expected, FileTuple::size));
            assertThat(top(any, query, FileField.MTIME)).isEqualTo(top(expected, FileTuple::mtime));
        }
    }

    private static List<FileGroup> groups(FileIndex index, FileQuery query, FileField field) {
        try (FileGroups groups = index.groupBy(query, field); Stream<FileGroup> all = groups.stream()) {
            return all.toList();
        }
    }

    private static List<FileGroup> groups(List<FileTuple> tuples, FileField field) {
        Map<String, List<FileTuple>> groups = tuples.stream()
                .collect(Collectors.groupingBy(tuple -> field == FileField.KIND
                        ? tuple.kind().label()
                        : Objects.toString(tuple.text(field), "")));
        return groups.entrySet()
                .stream()
                .map(group -> new FileGroup(group.getKey(), group.getValue().size(),
                        group.getValue().stream().mapToLong(FileTuple::size).sum(),
                        group.getValue().stream().mapToLong(FileTuple::blocks).sum()))
                .sorted(Comparator.comparingLong(FileGroup::size)
                        .thenComparingLong(FileGroup::count)
                        .reversed()
                        .thenComparing(FileGroup::value))
                .toList();
    }

    private static List<FileTuple> top(FileIndex index, FileQuery query, FileField field) {
        try (Stream<FileTuple> found = index.top(query, field, 3)) {
            return found.toList();
        }
    }

    private static List<FileTuple> top(List<FileTuple> tuples, ToLongFunction<FileTuple> value) {
        return tuples.stream()
                .sorted(Comparator.comparingLong(value)
                        .reversed()
                        .thenComparing(tuple -> tuple.path().toBytes(), Arrays::compareUnsigned))
                .limit(3)
                .toList();
    }

    @Provide
    Arbitrary<List<FileTuple>> tuples() {
        return Combinators
                .combine(paths(), Arbitraries.of(EntryKind.class), Arbitraries.of(0L, 1L, 5L, 1024L, 1L << 31),
                        Arbitraries.of("1960-01-01T00:00:00Z", "2025-06-01T10:30:00Z", "2025-12-31T23:30:00Z"),
                        Arbitraries.of(0, 0644, 04755, 07777), Arbitraries.of("", "a", "/a/b"),
                        Arbitraries.of(true, false))
                .as((path, kind, size, mtime, mode, target, isUnread) -> Queries
                        .tuple(path, kind, size, mtime, mode, target.isEmpty() ? null : target)
                        .withUnread(isUnread, 1 + size % 3)
                        .withHash(isUnread ? ByteString.of(new byte[]{0, (byte) 0xFF}) : null))
                .list()
                .uniqueElements(FileTuple::path)
                .ofMaxSize(12);
    }

    private static Arbitrary<String> paths() {
        return Arbitraries.oneOf(Arbitraries.just("/"),
                Arbitraries.of("a", "b", "ab", "a*", "c\u00e9", "a.b", ".b")
                        .list()
                        .ofMinSize(1)
                        .ofMaxSize(4)
                        .map(names -> "/" + String.join("/", names)));
    }

    @Provide
    Arbitrary<List<String>> templates() {
        Arbitrary<String> patterns = Arbitraries.of("a", "b", "*", "a*", "*b", "?", "a?", "*a*", "c\\xe9", "[a-b]",
                "a\\*", "*\\*", "a*b", "c?");
        Arbitrary<String> paths = Arbitraries.of("/", "/a", "/a/", "/a/b", "/a/b/", "/b/a/ab", "/ab");
        Arbitrary<String> pathPatterns = Arbitraries.of("/*", "/a*", "/a/*", "*/b", "*b", "/a/*/b", "*/a/*", "/a?b",
                "/*a", "/a/b*", "*", "/b/a/*b", "/c\\xe9/*", "*b*", "*/b/*", "*/a?*", "*/a/*b*", "*a", "?a/*",
                "*/[a/]*", "*/*/*", "[!a]*/b/*", "*.b", "/*/a*/b/*");
        Arbitrary<String> operators = Arbitraries.of("=", "!=");
        Arbitrary<String> conditions = Arbitraries.oneOf(condition("name", operators, lists(patterns)),
                condition("directory", operators, lists(paths)), condition("directory", Arbitraries.just("^="), paths),
                condition("path", Arbitraries.just("^="), paths), condition("path", operators, lists(paths)),
                condition("path", Arbitraries.of("=", "!=", "~=", "!~="), lists(pathPatterns)),
                condition("extension", Arbitraries.of("=", "!=", "~="), lists(Arbitraries.of("b", "A", "*", ""))),
                condition("name", Arbitraries.of("~=", "!~="), lists(Arbitraries.of("A", "*B", "?", "C\\xe9"))),
                condition("target", operators, lists(Arbitraries.oneOf(patterns, Arbitraries.just("")))),
                condition("kind", operators, lists(Arbitraries.of("regular", "directory", "symlink"))),
                condition("size", Arbitraries.of("=", "!=", "<", "<=", ">", ">="),
                        Arbitraries.of("0", "1", "5", "1K", "2G")),
                condition("size", operators, lists(Arbitraries.of("1..5", "..1", "1K..", "0"))),
                condition("mtime", Arbitraries.of("=", "!=", "<", ">"),
                        Arbitraries.of("2025", "2026-01-01", "1960-01-01", "-1y")),
                condition("btime", operators, lists(Arbitraries.of("", "2025"))),
                condition("mode", operators, Arbitraries.of("0644", "-4000", "/022", "0")),
                condition("hash", operators, lists(Arbitraries.of("", "00ff", "01"))),
                condition("unread", operators, Arbitraries.of("yes", "no")),
                condition("owner", operators, lists(Arbitraries.of("alice", "0"))),
                condition("generation", Arbitraries.of("=", ">"), Arbitraries.of("1", "2")));
        return Arbitraries.oneOf(conditions.list().ofMaxSize(3), Groups.of(conditions));
    }

    private static Arbitrary<String> condition(String field, Arbitrary<String> operators, Arbitrary<String> values) {
        return Combinators.combine(operators, values).as((operator, value) -> field + operator + value);
    }

    private static Arbitrary<String> lists(Arbitrary<String> values) {
        return values.list().ofMinSize(1).ofMaxSize(3).map(all -> String.join(",", all));
    }
}
