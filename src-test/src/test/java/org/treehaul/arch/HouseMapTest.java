// SPDX-License-Identifier: Apache-2.0
package org.treehaul.arch;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Test;

/** The map of the house shows the packages that there are. */
class HouseMapTest {

    private static final Path DOCS = Path.of(System.getProperty("treehaul.root")).resolve("docs");
    private static final Pattern ROW = Pattern.compile("^\\| `([a-z.]+)` \\|", Pattern.MULTILINE);

    private final HouseMap map = new HouseMap(ArchitectureTest.ours());

    @Test
    void theTableHasEveryPackage() throws IOException {
        Set<String> listed = new TreeSet<>();
        Matcher row = ROW.matcher(Files.readString(DOCS.resolve("map.md")));
        while (row.find()) {
            listed.add(row.group(1));
        }
        assertThat(listed).isEqualTo(new TreeSet<>(map.packages()));
    }

    @Test
    void thePictureIsDrawnFromTheCode() throws IOException {
        Path picture = DOCS.resolve("map.svg");
        if (Boolean.getBoolean("treehaul.map.draw")) {
            Files.writeString(picture, map.svg());
        }
        assertThat(picture).as("draw it again: run this test with -Dtreehaul.map.draw=true").hasContent(map.svg());
    }
}
