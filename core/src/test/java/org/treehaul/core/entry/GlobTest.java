// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.entry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GlobTest {

    private static boolean matches(String pattern, String name) {
        byte[] bytes = ("<" + name + ">").getBytes(StandardCharsets.ISO_8859_1);
        return Glob.of(pattern.getBytes(StandardCharsets.ISO_8859_1)).matches(bytes, 1, bytes.length - 1);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ' ',
            value = {"abc abc", "* abc", "a*c ac", "a*b*c aXbXbXc", "?b? abc", "[a-c]x bx", "[!a]x bx", "[^a] b",
                    "[]-]* -x", "[a-] -", "[\\]] ]", "[[:digit:][:upper:]] Q", "[[:digit:]-9] -", "[[:punct:]] ]",
                    "[[x] [", "\\* *", "a[*]b a*b", "[z-a] z", "*.[ch] x.h"})
    void takesNames(String pattern, String name) {
        assertThat(matches(pattern, name)).isTrue();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ' ',
            value = {"abc abcd", "abc ab", "a*c acb", "? ab", "[a-c] d", "[!a] a", "[z-a] m", "\\* x", "[[:digit:]] x",
                    "a*b*c aXbX"})
    void doesNotMatch(String pattern, String name) {
        assertThat(matches(pattern, name)).isFalse();
    }

    @Test
    void bytesNeedNotBeCharacters() {
        assertThat(matches("?\u00ff*", "\u00c3\u00ff")).isTrue();
        assertThat(matches("[\u0080-\u00fe]", "\u00ff")).isFalse();
        assertThat(matches("", "")).isTrue();
        assertThat(matches("**", "")).isTrue();
    }

    // Backtracking over each star would take longer than anyone waits.
    @Test
    void manyStarsTakeNoLongTime() {
        assertThat(matches("*a".repeat(50) + "b", "a".repeat(5_000))).isFalse();
    }

    @ParameterizedTest
    @CsvSource({"[a,not closed", "x\\,backslash", "[[:word:]],unknown class", "[,not closed", "[],not closed",
            "[a-,not closed"})
    void saysWhyAPatternIsRefused(String pattern, String reason) {
        assertThatThrownBy(() -> Glob.of(pattern.getBytes(StandardCharsets.ISO_8859_1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(reason);
    }
}
