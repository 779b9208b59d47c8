// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.files;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.IntStream;

import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.treehaul.core.condition.FileField;
import org.treehaul.core.condition.FileQuery;
import org.treehaul.core.condition.NumberSet;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;

class FileQueryPropertyTest {

    // Parses a printed condition as bytes of UTF-8, as from a terminal.
    private static FileQuery read(List<String> conditions) {
        return FileQuery.parse(conditions.stream().map(ByteString::of).toList(), Queries.CONTEXT);
    }

    @Property(tries = 2000)
    void printedQueriesMeanTheSame(@ForAll("templates") List<String> conditions) {
        FileQuery query = Queries.parse(conditions.toArray(String[]::new));
        FileQuery again = read(query.conditions());
        assertThat(again).as("%s printed as %s", conditions, query).isEqualTo(query);
        assertThat(again.hashCode()).isEqualTo(query.hashCode());
        assertThat(again.toString()).isEqualTo(query.toString());
    }

    @Property(tries = 2000)
    void aNegationMatchesTheEntriesThatTheConditionDoesNot(@ForAll("conditions") String condition,
            @ForAll("tuples") FileTuple tuple) {
        int operator = condition.indexOf(condition.startsWith("name~") ? '~' : '=');
        String field = condition.substring(0, operator);
        String value = condition.substring(operator);
        assertThat(Queries.parse(field + "!" + value).matches(tuple)).as("%s for %s", condition, tuple)
                .isNotEqualTo(Queries.parse(field + value).matches(tuple));
    }

    @Property(tries = 2000)
    void aPatternMatchesAsOneThatTriesEverything(@ForAll("names") String name, @ForAll("patterns") String pattern) {
        boolean expected = name.matches(pattern.replace("*", ".*").replace("?", "."));
        FileQuery query = Queries.parse("name=" + pattern);
        assertThat(query.matches(Queries.at("/" + name))).isEqualTo(expected);
        // A walk matches the name where it is in a listing.
        byte[] listing = ("a" + name + "bc").getBytes(StandardCharsets.UTF_8);
        assertThat(query.texts().get(FileField.NAME))
                .allMatch(condition -> condition.matches(listing, 1, listing.length - 2) == expected);
    }

    @Property
    void aPathIsItsDirectoryAndItsName(@ForAll("paths") String path) {
        ByteString whole = Queries.bytes(path);
        assertThat(FileTuple.join(FileTuple.directoryOf(whole), FileTuple.nameOf(whole))).isEqualTo(whole);
    }

    @Provide
    Arbitrary<String> names() {
        return Arbitraries.strings().withChars("ab.").ofMinLength(1).ofMaxLength(8);
    }

    @Provide
    Arbitrary<String> patterns() {
        return Arbitraries.strings().withChars("ab*?").ofMinLength(1).ofMaxLength(6);
    }

    @Provide
    Arbitrary<String> paths() {
        return names().list().ofMaxSize(4).map(names -> "/" + String.join("/", names));
    }

    @Property(tries = 2000)
    void aNegatedGroupMatchesTheEntriesThatTheGroupDoesNot(@ForAll("templates") List<String> conditions,
            @ForAll("tuples") FileTuple tuple) {
        FileQuery query = Queries.parse(conditions.toArray(String[]::new));
        assertThat(query.not().matches(tuple)).as("%s for %s", query, tuple).isNotEqualTo(query.matches(tuple));
    }

    @Provide
    Arbitrary<List<String>> templates() {
        return Arbitraries.oneOf(conditions().list().ofMaxSize(4), Groups.of(conditions()));
    }

    /** Conditions with {@code =}; each character is a byte. */
    @Provide
    Arbitrary<String> conditions() {
        return Arbitraries.oneOf(list("kind", Arbitraries.of("regular", "directory", "symlink", "fifo")),
                list("size", ranges(Arbitraries.of("0", "1", "4096", "1K", "2.5M", "3GB", "7E"), "1", "2G")),
                list("mtime",
                        ranges(Arbitraries.of("1970", "2025-01", "2024-02-29", "2025-06-01T12:30", "@-5.25", "-3w"),
                                "2001-09-09", "2030")),
                list("btime", Arbitraries.of("", "2025", "@0")),
                list("mode", Arbitraries.of("0644", "-4000", "/022", "0")),
                list("owner", Arbitraries.of("alice", "0", "4294967295")),
                list("inode", Arbitraries.of("12", "18446744073709551615")),
                list("unread", Arbitraries.of("yes", "no")), list("hash", Arbitraries.of("", "00ff", "AB")),
                list("name", anyName()), list("extension", anyName().filter(name -> !name.contains("."))),
                anyName().map(name -> "name~=" + name), list("path", anyName().map(name -> "/" + name)),
                list("target", Arbitraries.oneOf(anyName(), Arbitraries.just(""))));
    }

    private static Arbitrary<String> list(String field, Arbitrary<String> values) {
        return values.list().ofMinSize(1).ofMaxSize(3).map(all -> field + "=" + String.join(",", all));
    }

    private static Arbitrary<String> ranges(Arbitrary<String> values, String low, String high) {
        return Arbitraries.oneOf(values, Arbitraries.of(low + ".." + high, low + "..", ".." + high));
    }

    // Every byte except those that end a name; special characters are escaped, or alone.
    private static Arbitrary<String> anyName() {
        Arbitrary<String> bytes = Arbitraries.integers()
                .between(1, 255)
                .filter(b -> b != '/' && b != ',' && b != '*' && b != '?' && b != '[' && b != '\\')
                .map(b -> Character.toString(b));
        Arbitrary<String> parts = Arbitraries.oneOf(bytes, Arbitraries.of("*", "?", "\\*", "\\,", "\\\\", "\\n",
                "\\xff", "\\[", "[a-c]", "[!x\\]]", "[\\xf0-\\xff]", "\u00c3\u00a9"));
        return parts.list().ofMinSize(1).ofMaxSize(6).map(all -> String.join("", all));
    }

    @Provide
    Arbitrary<FileTuple> tuples() {
        Arbitrary<String> targets = Arbitraries.of("", "a", "\u00ff");
        return Combinators
                .combine(names(), Arbitraries.of(EntryKind.class), Arbitraries.of(0L, 1L, 4096L, 1L << 31),
                        Arbitraries.of("1970-01-01T00:00:00Z", "2025-06-01T10:30:00Z", "2031-01-01T00:00:00Z"),
                        Arbitraries.of(0, 0644, 04755), targets)
                .as((name, kind, size, mtime, mode, target) -> Queries.tuple("/" + name, kind, size, mtime, mode,
                        target.isEmpty() ? null : target));
    }

    @Property
    void aSetAndItsComplementAreEverything(@ForAll("sets") NumberSet set) {
        NumberSet.Range domain = new NumberSet.Range(-20, 20);
        NumberSet rest = set.complement(domain);
        assertThat(IntStream.rangeClosed(-20, 20)).allMatch(i -> set.contains(i) != rest.contains(i));
        assertThat(set.intersect(rest).isEmpty()).isTrue();
        assertThat(rest.complement(domain)).isEqualTo(set);
    }

    @Provide
    Arbitrary<NumberSet> sets() {
        Arbitrary<Integer> numbers = Arbitraries.integers().between(-20, 20);
        return Combinators.combine(Combinators.combine(numbers, numbers)
                .as((a, b) -> new NumberSet.Range(Math.min(a, b), Math.max(a, b)))
                .list()
                .ofMaxSize(4), Arbitraries.of(true, false)).as(NumberSet::of);
    }
}
