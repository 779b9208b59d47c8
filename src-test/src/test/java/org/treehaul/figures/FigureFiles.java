// SPDX-License-Identifier: Apache-2.0
package org.treehaul.figures;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;

import org.w3c.dom.Element;
import org.xml.sax.SAXException;

/** Checks the files of a figure. */
final class FigureFiles {

    private FigureFiles() {}

    /** Checks that the picture and the table in a directory are complete. */
    static void check(Figure figure, Path directory) throws IOException {
        picture(figure, directory.resolve(figure.name() + ".svg"));
        List<String> lines = Files.readAllLines(directory.resolve(figure.name() + ".csv"));
        assertThat(lines.getFirst()).isEqualTo(String.join(",", figure.columns()));
        assertThat(figure.columns()).anyMatch(column -> column.startsWith("here"))
                .anyMatch(column -> column.startsWith("paper"))
                .doesNotHaveDuplicates();
        assertThat(lines).hasSizeGreaterThan(3)
                .allSatisfy(line -> assertThat(line.split(",", -1)).hasSameSizeAs(figure.columns()).doesNotContain(""));
    }

    private static void picture(Figure figure, Path file) throws IOException {
        Element root;
        try {
            root = DocumentBuilderFactory.newDefaultInstance()
                    .newDocumentBuilder()
                    .parse(file.toFile())
                    .getDocumentElement();
        } catch (ParserConfigurationException | SAXException e) {
            throw new IOException(file + " is not well-formed", e);
        }
        assertThat(root.getTagName()).isEqualTo("svg");
        assertThat(root.getElementsByTagName("rect").getLength()).isGreaterThan(2);
        assertThat(root.getElementsByTagName("text").getLength()).isGreaterThan(10);
        assertThat(root.getTextContent()).contains(figure.caption(), "The paper says", "Here", "Assumptions");
        assertThat(root.getTextContent()).containsIgnoringCase("scale").contains("seed");
        assertThat(Files.readString(file)).doesNotContain("NaN", "Infinity");
    }
}
