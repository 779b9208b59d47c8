// SPDX-License-Identifier: Apache-2.0
package org.treehaul.arch;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The documentation names classes and pages that there are. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS) // All source files are listed once.
class DocumentedNamesTest {

    private static final Path ROOT = Path
            .of(Objects.requireNonNull(System.getProperty("treehaul.root"), "run by mvn verify"))
            .normalize();

    private final DocumentedNames names;

    DocumentedNamesTest() throws IOException {
        names = new DocumentedNames(ROOT);
    }

    @ParameterizedTest
    @ValueSource(strings = {"docs/map.md", "CONTRIBUTING.md", "docs/guide/library.md"})
    void everyClassMemberAndPackageExists(String page) throws IOException {
        assertThat(names.unknownOn(Files.readString(ROOT.resolve(page)))).isEmpty();
    }

    @Test
    void namesThatNothingHasAreFound() throws IOException {
        assertThat(names.unknownOn("""
                `DocumentedNames`, `arch.DocumentedNames.unknownOn`, `core.walk`, `Optional` and `--an-option` exist.
                `arch.bad.DocumentedNames`, `DocumentedNames.absent`, `NoSuchThing` and `core.nowhere` do not.
                ```
                `NorThis` is an example.
                ```
                """)).containsExactly("DocumentedNames.absent", "NoSuchThing", "arch.bad.DocumentedNames",
                "core.nowhere");
    }

    @Test
    void everyLinkLeadsToAPageAndItsHeading() throws IOException {
        try (Stream<Path> pages = Files.walk(ROOT.resolve("docs"))) {
            List<Path> all = Stream
                    .concat(pages.filter(page -> page.toString().endsWith(".md")),
                            Stream.of("README.md", "CONTRIBUTING.md", "CHANGELOG.md").map(ROOT::resolve))
                    .toList();
            for (Path page : all) {
                assertThat(DocumentedNames.brokenLinksOn(page)).as("%s", page).isEmpty();
            }
        }
    }

    @Test
    void linksThatLeadNowhereAreFound(@TempDir Path directory) throws IOException {
        Path page = Files.writeString(directory.resolve("page.md"), """
                # It's *one*, `of` two

                [a](page.md#its-one-of-two), [b](#its-one-of-two), [c](https://example.org/nowhere), [d](.)
                [e](page.md#other), [f](#other), [g](missing.md), `[h](code.md)`
                """);
        assertThat(DocumentedNames.brokenLinksOn(page)).containsExactly("#other", "missing.md", "page.md#other");
    }
}
