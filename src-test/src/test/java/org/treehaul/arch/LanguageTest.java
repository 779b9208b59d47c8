// SPDX-License-Identifier: Apache-2.0
package org.treehaul.arch;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LanguageTest {

    @ParameterizedTest
    @ValueSource(strings = {"core", "strategies", "tuplespace", "schedulers", "cli"})
    void noSentenceHidesItsSubject(String module) throws IOException {
        Path root = Path.of(Objects.requireNonNull(System.getProperty("treehaul.root"), "run by mvn verify"));
        assertThat(Language.below(root.resolve(module).resolve("src/main"))).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"core", "strategies", "tuplespace", "schedulers", "cli", "src-test"})
    void namesOfTestsArePlainStatements(String module) throws IOException {
        Path root = Path.of(Objects.requireNonNull(System.getProperty("treehaul.root"), "run by mvn verify"));
        assertThat(Language.namesBelow(root.resolve(module).resolve("src/test/java"))).isEmpty();
    }

    @Test
    void noSentenceOfTheDocumentationHidesItsSubject() throws IOException {
        Path root = Path.of(Objects.requireNonNull(System.getProperty("treehaul.root"), "run by mvn verify"));
        assertThat(Language.pagesBelow(root.resolve("docs"))).isEmpty();
        for (String page : List.of("README.md", "CONTRIBUTING.md", "CHANGELOG.md")) {
            assertThat(Language.inMarkdown(Files.readString(root.resolve(page)))).as(page).isEmpty();
        }
    }

    @Test
    void badSentencesOfPagesAreFound() {
        assertThat(Language.inMarkdown("""
                # What a heading may ask

                The copy is made. Of the files
                the first counts.

                - Whoever comes second waits.
                - The user is told.
                | what | Who waits |
                |---|---|
                | `cp` | meanwhile stays all the same |

                Sums of files. The list of entries, one line
                of each, shows `what` is there.
                ```
                Of course nobody is told.
                ```
                The printed word `told` is code.
                """)).hasSize(5)
                .anyMatch(text -> text.contains("Of the files"))
                .anyMatch(text -> text.contains("Whoever"))
                .anyMatch(text -> text.contains("is told"))
                .anyMatch(text -> text.contains("Who waits"))
                .anyMatch(text -> text.contains("meanwhile"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"After a failure the copy goes on.", "A worker that went on writes nothing.",
                    "A line of a directory stands for all below it.", "The job ended without a word.",
                    "Resume mends the copy.", "No directory is in hand."})
    void figurativeWordsAreFound(String sentence) {
        assertThat(Language.inMarkdown(sentence)).hasSize(1);
        assertThat(Language.in("/** " + sentence + " */")).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"The jar goes on the class path.", "The handle is closed.", "A standing order.",
                    "The standard and the amended text."})
    void wordsThatLookFigurativeAreLeftAlone(String sentence) {
        assertThat(Language.inMarkdown(sentence)).isEmpty();
    }

    @Test
    void badNamesOfTestsAreFound() {
        assertThat(Language.namesIn("""
                @Test
                RESULT whatIsCopiedIsNotCopiedAgain() {}
                RESULT ofTwoRunsOneIsRefused() throws IOException {}
                RESULT anErrorIsTold() {}
                RESULT offsetsAreCopied() { boolean whoIsThere = whatIs(told); }
                RESULT resumeSkipsCopiedFiles() {}
                """.replace("RESULT", "void"))).containsExactly("whatIsCopiedIsNotCopiedAgain", "ofTwoRunsOneIsRefused",
                "anErrorIsTold");
    }

    @Test
    void eachBannedOpeningIsFound() {
        assertThat(Language.in("""
                /** What is missing is copied. */
                class Bad {
                    /**
                     * Copies files. Whoever comes second
                     * waits.
                     *
                     * @param file what is copied
                     * @param name Of the copy
                     */
                    void copy(String file, String name) {}

                    /** Returns the names.
                     * <p>
                     * Who asks again gets the same. */
                    List<String> names() {
                        option("--all").description("%nOf all entries the newest.");
                        throw new Failure("Nothing was " + "copied. " + "Nobody has to know.");
                    }
                }
                """)).hasSize(5)
                .anyMatch(text -> text.contains("What is missing"))
                .anyMatch(text -> text.contains("Whoever comes second"))
                .anyMatch(text -> text.contains("Who asks again"))
                .anyMatch(text -> text.contains("Of all entries"))
                .anyMatch(text -> text.contains("Nobody has to know"));
        assertThat(Language.in("/** Copies files.\n *\n * @return Of the files, the first. */")).hasSize(1);
    }

    @Test
    void otherSentencesAreLeftAlone() {
        List<String> found = Language.in("""
                /** Copies a file. Often called. Whole files only; see {@link Offset Of}, and what it returns. */
                class Good {
                    // What comments inside methods say is not checked.
                    String name = "WhatIf";
                    String path = "Office of the user";
                }
                """);
        assertThat(found).isEmpty();
    }
}
