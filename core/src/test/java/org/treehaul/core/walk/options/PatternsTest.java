// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.walk.options;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.Tuple;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.TreePath;

class PatternsTest {

    private static @Nullable GitCheckIgnore git;

    @BeforeContainer
    static void startGit() {
        git = new GitCheckIgnore();
    }

    @AfterContainer
    static void endGit() {
        if (git != null) {
            git.close();
        }
    }

    private static EntryFilter filter(String lines) {
        try {
            return Patterns.builder()
                    .excludeFrom(new ByteArrayInputStream(lines.getBytes(StandardCharsets.ISO_8859_1)), "list")
                    .build();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    // As in a walk: entries in an excluded directory are never asked about.
    private static boolean isExcluded(EntryFilter filter, String text) {
        boolean isDirectory = text.endsWith("/");
        byte[] bytes = (isDirectory ? text.substring(0, text.length() - 1) : text)
                .getBytes(StandardCharsets.ISO_8859_1);
        TreePath path = TreePath.of(bytes);
        TreePath prefix = TreePath.root();
        for (ByteString name : path.names()) {
            prefix = prefix.child(name.toBytes());
            if (filter.excludes(prefix, prefix.depth() < path.depth() || isDirectory)) {
                return true;
            }
        }
        return false;
    }

    private static void assertAgreesWithGit(GitCheckIgnore git, String lines, Set<String> paths) {
        Set<String> directories = new HashSet<>();
        for (String path : paths) {
            for (int slash = path.indexOf('/'); slash >= 0; slash = path.indexOf('/', slash + 1)) {
                directories.add(path.substring(0, slash));
            }
        }
        EntryFilter filter = filter(lines);
        Set<String> excluded = new TreeSet<>();
        for (String path : paths) {
            String plain = path.endsWith("/") ? path.substring(0, path.length() - 1) : path;
            if (isExcluded(filter, directories.contains(plain) ? plain + "/" : plain)) {
                excluded.add(plain);
            }
        }
        assertThat(excluded).as("patterns:\n%s", lines).isEqualTo(new TreeSet<>(git.ignored(lines, paths)));
    }

    @Test
    void agreesWithGitOnPatternsOfAllSorts() {
        Set<String> paths = new LinkedHashSet<>(List.of("a", "b", "a/", "a/b", "b/a", "a/b/c", "x/a/b/c", "x/a/",
                "foo.o", "d/foo.o", "foo.oo", ".o", "o", " lead", "lead", "trail ", "trail", "#hash", "!bang",
                "back\\slash", "ba\tck", "\ttab", "tab\t", "a\nb", "a\rb", "a\u0085b", "caf\u00c3\u00a9",
                "\u00ff\u00fe", "a*", "*", "a?b", "[x]", "x", "y", "]", "-", "a-b", "doc/frotz/", "a/doc/frotz/",
                "frotz", "a/doc/frotz", "foo/", "foo/bar", "a/foo/bar/x", "build", "build/", "src/build/", "1", "7x",
                "A", "_", "a b", "deep/1/2/3/4/file", "deep/file"));
        String patterns = """
                a
                /a
                a/
                a/b
                a/**
                **/b
                a/**/c
                *.o
                foo.*
                f?o.o
                doc/frotz/
                frotz/
                /build/
                [ab]
                [!ab]
                [^ab]
                []-]
                [a-c]*
                [[:digit:]]*
                [[:upper:]_]
                [[:space:]]*
                \\[x\\]
                \\#hash
                \\!bang
                back\\\\slash
                trail\\\s
                *\u00c3\u00a9
                caf??
                a?b
                a*b
                \u00ff*
                \ttab
                tab\t
                a b
                **
                *
                */
                foo/*
                foo/**/bar
                deep/**/file
                *\\ *
                \\a\\*
                a\\*
                \\*
                a\\?b
                """;
        try (GitCheckIgnore own = new GitCheckIgnore()) {
            for (String pattern : (patterns + " lead").split("\n", -1)) {
                assertAgreesWithGit(own, pattern + "\n", paths);
                assertAgreesWithGit(own, "*\n!" + pattern + "\n", paths);
                assertAgreesWithGit(own, pattern + "   \r\n# comment\r\n\r\n", paths);
            }
            assertAgreesWithGit(own, "\u00ef\u00bb\u00bfa\n", paths);
            assertAgreesWithGit(own, "*\n!*/\n!*.o\n#*\n!a\nfoo.oo\n", paths);
        }
    }

    // The seed is fixed so that ./check is the same every time; a longer run without it searches further.
    @Property(tries = 150, seed = "4711", shrinking = ShrinkingMode.BOUNDED)
    void agreesWithGitOnRandomPatterns(@ForAll("patterns") List<String> patterns, @ForAll("paths") Set<String> paths) {
        GitCheckIgnore own = git;
        if (own != null) {
            assertAgreesWithGit(own, String.join("\n", patterns) + "\n", paths);
        }
    }

    @Provide
    Arbitrary<List<String>> patterns() {
        Arbitrary<String> piece = Arbitraries.of("a", "b", "c", "*", "?", "[ab]", "[!a]", "[b-c]", "a*", "*b", "\\a",
                "\\*", " ", "[[:alpha:]]", "\u00e9");
        Arbitrary<String> name = piece.list()
                .ofMinSize(1)
                .ofMaxSize(3)
                .map(pieces -> String.join("", pieces))
                .filter(text -> !text.contains("**") && !text.endsWith(" "));
        Arbitrary<String> segment = Arbitraries.frequencyOf(Tuple.of(4, name), Tuple.of(1, Arbitraries.just("**")));
        Arbitrary<String> path = segment.list().ofMinSize(1).ofMaxSize(3).map(parts -> String.join("/", parts));
        return Combinators
                .combine(Arbitraries.of("", "", "!"), Arbitraries.of("", "", "/"), path, Arbitraries.of("", "", "/"))
                .as((negation, anchor, body, end) -> negation + anchor + body + end)
                .list()
                .ofMinSize(1)
                .ofMaxSize(4);
    }

    @Provide
    Arbitrary<Set<String>> paths() {
        Arbitrary<String> name = Arbitraries.strings().withChars("abc* \u00e9\u0085\n").ofMinLength(1).ofMaxLength(3);
        Arbitrary<String> path = name.list().ofMinSize(1).ofMaxSize(4).map(parts -> String.join("/", parts));
        return Combinators.combine(path, Arbitraries.of("", "/")).as(String::concat).set().ofMinSize(30).ofMaxSize(40);
    }

    @Test
    void lastMatchingPatternDecides() {
        EntryFilter filter = Patterns.builder()
                .exclude(ByteString.of("*.o"))
                .include(ByteString.of("keep.o"))
                .exclude(ByteString.of("/no/keep.o"))
                .build();
        assertThat(isExcluded(filter, "x.o")).isTrue();
        assertThat(isExcluded(filter, "d/keep.o")).isFalse();
        assertThat(isExcluded(filter, "no/keep.o")).isTrue();
        assertThat(isExcluded(filter, "other")).isFalse();
    }

    @Test
    void patternsOfOptionsAreNoLinesOfFiles() {
        EntryFilter filter = Patterns.builder()
                .exclude(ByteString.of("#a"))
                .exclude(ByteString.of("b "))
                .exclude(ByteString.of("!c"))
                .build();
        assertThat(isExcluded(filter, "#a")).isTrue();
        assertThat(isExcluded(filter, "b ")).isTrue();
        assertThat(isExcluded(filter, "b")).isFalse();
        assertThat(isExcluded(filter, "c")).isFalse();
    }

    @Test
    void noPatternsAreNoFilter() {
        assertThat(Patterns.builder().build()).isSameAs(EntryFilter.none());
        assertThat(filter("# only a comment\n\n   \n")).isSameAs(EntryFilter.none());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "/", "a//b", "a\\", "[ab", "[a/b]", "[[:alpha:]", "[[:word:]]", "!"})
    void patternsThatCannotMatchAreRefused(String pattern) {
        assertThatThrownBy(() -> Patterns.builder().exclude(ByteString.of(pattern)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("pattern '");
    }

    @ParameterizedTest
    @CsvSource({"[x,not closed", "a//b,two slashes", "a\\,backslash", "/,contains no name"})
    void badPatternsOfFilesAreReportedWithFileAndLine(String pattern, String reason) {
        assertThatThrownBy(() -> filter("good\n\n" + pattern + "\n")).isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("list, line 3 '")
                .hasMessageContaining(reason);
    }

    @Test
    void negatedIncludeIsRefused() {
        assertThatThrownBy(() -> Patterns.builder().include(ByteString.of("!x")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("exclude pattern without the '!'");
    }
}
