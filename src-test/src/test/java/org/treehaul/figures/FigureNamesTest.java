// SPDX-License-Identifier: Apache-2.0
package org.treehaul.figures;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

/** The names of figures in the documentation are those of the command. */
class FigureNamesTest {

    private static final Path DOCS = Path.of(System.getProperty("treehaul.root", "..")).resolve("docs");
    private static final Pattern NAME = Pattern.compile("\\b(?:nuss|lafon|liu|yang|npfs)-[-.0-9a-z]*[0-9a-z]");
    private static final String COMMAND = "src-test/figures ";
    // `src-test/figures FIRST` to `LAST`, as in the page about papers.
    private static final Pattern RANGE = Pattern.compile("(" + NAME + ")` to `(" + NAME + ")`");
    private static final Pattern NUMBERED = Pattern.compile("(.*?)([0-9]+)([^0-9]*)");

    private static final List<String> KNOWN = Figures.all().stream().map(Figure::name).toList();

    private static Stream<String> names(String text) {
        return NAME.matcher(text).results().map(MatchResult::group);
    }

    /** Returns the names from one to another, whose last numbers differ, or else their last letters. */
    private static Stream<String> range(String first, String last) {
        Matcher from = NUMBERED.matcher(first);
        Matcher to = NUMBERED.matcher(last);
        if (from.matches() && to.matches() && from.group(3).equals(to.group(3))) {
            return IntStream.rangeClosed(Integer.parseInt(from.group(2)), Integer.parseInt(to.group(2)))
                    .mapToObj(number -> from.group(1) + number + from.group(3));
        }
        int end = first.length() - 1;
        return IntStream.rangeClosed(first.charAt(end), last.charAt(end))
                .mapToObj(letter -> first.substring(0, end) + (char) letter);
    }

    @Test
    void thePageAboutPapersNamesEachFigureThatTheCommandMakesAndNoOther() throws IOException {
        String page = Files.readString(DOCS.resolve("papers.md"));
        List<String> named = page.lines()
                .filter(line -> line.contains(COMMAND))
                .flatMap(line -> Stream.concat(names(line),
                        RANGE.matcher(line).results().flatMap(found -> range(found.group(1), found.group(2)))))
                .toList();
        assertThat(named).allMatch(KNOWN::contains).containsAll(KNOWN);
        assertThat(page).doesNotContainIgnoringCase("not yet");
    }

    @Test
    void commandsOfAllPagesNameFiguresThatExist() throws IOException {
        List<String> named = new ArrayList<>();
        try (Stream<Path> pages = Files.walk(DOCS)) {
            for (Path page : pages.filter(file -> file.toString().endsWith(".md")).toList()) {
                for (String line : Files.readAllLines(page)) {
                    int at = line.indexOf(COMMAND);
                    if (at >= 0) {
                        names(line.substring(at).split("[`#]", 2)[0]).map(name -> page.getFileName() + " " + name)
                                .forEach(named::add);
                    }
                }
            }
        }
        assertThat(named).hasSizeGreaterThan(50).allMatch(one -> KNOWN.contains(one.substring(one.indexOf(' ') + 1)));
    }
}
