// SPDX-License-Identifier: Apache-2.0
package org.treehaul.figures;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.treehaul.bench.SpeedHarnessTest;
import org.treehaul.core.testing.TestDirectory;
import picocli.CommandLine;

/** Measures every figure that is measured, as small as possible. */
@Tag("rig")
class MeasuredFiguresTest {

    @Test
    void everyMeasuredFigureIsMade() throws IOException {
        try (TestDirectory directory = TestDirectory.onTmpfs()) {
            Path made = directory.directory("made");
            List<String> words = new ArrayList<>(List.of("--scale", "0.001", "--rounds", "1", "--processes", "2",
                    "--on", directory.path().resolve("work").toString(), "--output", made.toString(), "--treehaul",
                    SpeedHarnessTest.treehaul(directory.path()).toString()));
            FiguresTest.measured().forEach(figure -> words.add(figure.name()));

            assertThat(new CommandLine(new Figures()).execute(words.toArray(String[]::new))).isZero();

            for (Figure figure : FiguresTest.measured()) {
                FigureFiles.check(figure, made);
            }
            assertThat(Files.readAllLines(made.resolve("nuss-table-3.11.csv")).get(2)).startsWith("2,32,")
                    .doesNotContain("not measured");
            assertThat(directory.path().resolve("work")).isEmptyDirectory();
        }
    }
}
