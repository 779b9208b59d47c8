// SPDX-License-Identifier: Apache-2.0
package org.treehaul.arch;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** The map of the house shows the packages that there are. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS) // All classes are imported once.
class HouseMapTest {

    private static final Path DOCS = Path.of(System.getProperty("treehaul.root")).resolve("docs");
    private static final Pattern ROW = Pattern.compile("^\\| `([a-z.]+)` \\| ([^|]+) \\|", Pattern.MULTILINE);

    private final JavaClasses classes = ArchitectureTest.ours();
    private final HouseMap map = new HouseMap(classes);

    @Test
    void theTableHasEveryPackage() throws IOException {
        assertThat(column().keySet()).isEqualTo(map.packages());
    }

    @Test
    void theTableSaysWhichPackagesProgramsMayUse() throws IOException {
        Marks marks = new Marks("org.treehaul");
        Map<String, Boolean> api = new TreeMap<>();
        Map<String, Boolean> internal = new TreeMap<>();
        for (JavaClass type : classes) {
            if (type.getModifiers().contains(JavaModifier.PUBLIC) && type.getEnclosingClass().isEmpty()) {
                String name = type.getPackageName().substring("org.treehaul.".length());
                api.merge(name, marks.isApi(type), Boolean::logicalOr);
                internal.merge(name, !marks.isApi(type), Boolean::logicalOr);
            }
        }
        Map<String, String> expected = new TreeMap<>();
        api.forEach((name, any) -> expected.put(name,
                !any ? "internal" : Boolean.TRUE.equals(internal.get(name)) ? "in part" : "API"));
        assertThat(column()).containsAllEntriesOf(expected);
    }

    /** Returns the second column of the table by package. */
    private static Map<String, String> column() throws IOException {
        Map<String, String> listed = new TreeMap<>();
        Matcher row = ROW.matcher(Files.readString(DOCS.resolve("map.md")));
        while (row.find()) {
            listed.put(row.group(1), row.group(2));
        }
        return listed;
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
