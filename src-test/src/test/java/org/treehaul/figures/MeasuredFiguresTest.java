// SPDX-License-Identifier: Apache-2.0
package org.treehaul.figures;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.treehaul.bench.SpeedHarnessTest;
import org.treehaul.core.testing.TestDirectory;
import picocli.CommandLine;

/** Measures figures that are measured, as small as possible. */
@Tag("rig")
class MeasuredFiguresTest {

    private static final Pattern SLOW = Pattern.compile("yang-3\\..*|liu-.*");
    // One of each kind: the others differ in sizes, and in the numbers of servers and clients.
    private static final Set<String> SLOW_KINDS = Set.of("yang-3.14", "yang-3.22", "yang-3.23", "yang-3.31",
            "liu-11-measured", "liu-transfers");

    @Test
    void everyKindOfMeasuredFigureIsMade() throws IOException {
        List<Figure> figures = FiguresTest.measured()
                .stream()
                .filter(figure -> !SLOW.matcher(figure.name()).matches() || SLOW_KINDS.contains(figure.name()))
                .toList();
        assertThat(figures).extracting(Figure::name).containsAll(SLOW_KINDS);
        make(figures);
    }

    @Test
    @Tag("campaign") // minutes, because servers answer with a delay
    void everySlowFigureIsMade() throws IOException {
        make(FiguresTest.measured().stream().filter(figure -> SLOW.matcher(figure.name()).matches()).toList());
    }

    private static void make(List<Figure> figures) throws IOException {
        try (TestDirectory directory = TestDirectory.onTmpfs()) {
            Path made = directory.directory("made");
            List<String> words = new ArrayList<>(List.of("--scale", "0.001", "--rounds", "1", "--processes", "2",
                    "--on", directory.path().resolve("work").toString(), "--output", made.toString(), "--treehaul",
                    SpeedHarnessTest.treehaul(directory.path()).toString()));
            figures.forEach(figure -> words.add(figure.name()));

            assertThat(new CommandLine(new Figures()).execute(words.toArray(String[]::new))).isZero();

            for (Figure figure : figures) {
                FigureFiles.check(figure, made);
            }
            Path nuss = made.resolve("nuss-table-3.11.csv");
            if (Files.exists(nuss)) {
                assertThat(Files.readAllLines(nuss).get(2)).startsWith("2,32,").doesNotContain("not measured");
            }
            assertThat(directory.path().resolve("work")).isEmptyDirectory();
        }
    }
}
