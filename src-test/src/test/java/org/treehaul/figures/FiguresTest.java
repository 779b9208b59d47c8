// SPDX-License-Identifier: Apache-2.0
package org.treehaul.figures;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.w3c.dom.Element;
import picocli.CommandLine;

class FiguresTest {

    private static final String SMALL = "0.001";

    @TempDir
    Path directory = Path.of("");

    static List<String> names() {
        return Figures.all().stream().map(Figure::name).toList();
    }

    private static int run(Object... arguments) {
        String[] words = List.of(arguments).stream().map(Object::toString).toArray(String[]::new);
        return new CommandLine(new Figures()).execute(words);
    }

    @Test
    void thereAreTheSixFiguresOfThePaper() {
        assertThat(names()).startsWith("lafon-1", "lafon-2", "lafon-3", "lafon-4", "lafon-5", "lafon-6")
                .doesNotHaveDuplicates();
        assertThat(run("--list")).isZero();
    }

    @ParameterizedTest
    @MethodSource("names")
    void everyFigureIsMadeAsAPictureAndATable(String name) throws Exception {
        assertThat(run("--scale", SMALL, "--output", directory, name)).isZero();
        Figure figure = Figures.all().stream().filter(one -> one.name().equals(name)).findFirst().orElseThrow();
        String picture = Files.readString(directory.resolve(name + ".svg"));
        Element root = DocumentBuilderFactory.newDefaultInstance()
                .newDocumentBuilder()
                .parse(new ByteArrayInputStream(Files.readAllBytes(directory.resolve(name + ".svg"))))
                .getDocumentElement();
        assertThat(root.getTagName()).isEqualTo("svg");
        assertThat(root.getElementsByTagName("rect").getLength()).isGreaterThan(8);
        assertThat(root.getTextContent()).contains(figure.caption(), "The paper says", "Assumptions");
        assertThat(picture).doesNotContain("NaN", "Infinity");
        List<String> lines = Files.readAllLines(directory.resolve(name + ".csv"));
        assertThat(lines.getFirst()).isEqualTo(String.join(",", figure.columns()));
        assertThat(lines).hasSizeGreaterThan(8)
                .allSatisfy(line -> assertThat(line.split(",", -1)).hasSameSizeAs(figure.columns()).doesNotContain(""));
    }

    @Test
    void theSameSizeGivesTheSameBytes() {
        for (Figure figure : Figures.all()) {
            Drawing one = figure.draw(0.0005);
            Drawing other = figure.draw(0.0005);
            assertThat(other.table(figure.columns())).isEqualTo(one.table(figure.columns()));
            assertThat(other.picture(figure.caption())).isEqualTo(one.picture(figure.caption()));
        }
    }

    @Test
    void unknownFiguresAndSizesAreRefused() {
        assertThat(run("lafon-7")).isEqualTo(2);
        assertThat(run("--scale", "0", "lafon-2")).isEqualTo(2);
        assertThat(directory).isEmptyDirectory();
    }
}
