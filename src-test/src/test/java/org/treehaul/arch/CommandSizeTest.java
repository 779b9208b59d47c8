// SPDX-License-Identifier: Apache-2.0
package org.treehaul.arch;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Commands define their options, call the library and print; anything else belongs elsewhere. */
class CommandSizeTest {

    private static final int LIMIT = 80;

    @Test
    void commandsAreSmall() throws IOException {
        Path root = Path.of(Objects.requireNonNull(System.getProperty("treehaul.root"), "run by mvn verify"));
        Map<String, Integer> sizes = CommandSize.below(root.resolve("cli/src/main/java"));
        assertThat(sizes).containsKeys("CpCommand", "TreehaulCommand");
        assertThat(CommandSize.larger(sizes, LIMIT)).isEmpty();
    }

    @Test
    void largeCommandsAreReported(@TempDir Path directory) throws IOException {
        Files.writeString(directory.resolve("LargeCommand.java"),
                "class LargeCommand {\n" + "work();\n".repeat(3) + "}\n");
        Files.writeString(directory.resolve("SmallCommand.java"), "class SmallCommand {\nwork();\n}\n");
        Files.writeString(directory.resolve("Disguised.java"),
                "class Disguised {\nspec = CommandSpec.wrapWithoutInspection(this);\n" + "work();\n".repeat(4) + "}\n");
        Files.writeString(directory.resolve("Report.java"), "class Report {\n" + "print();\n".repeat(9) + "}\n");
        Map<String, Integer> sizes = CommandSize.below(directory);
        assertThat(CommandSize.larger(sizes, 4)).isEqualTo(Map.of("LargeCommand", 5, "Disguised", 7));
    }

    @Test
    void onlyCodeCounts() {
        assertThat(CommandSize.of("""
                // A license.
                package a;

                import b.C;
                import static b.C.d;

                /**
                 * Text.
                 */
                class Size {
                    // Why.
                    String pattern = "**/*.txt // no comment"; // Counts once.
                    /* Not code. */
                    String other = "\\"/*";
                    int important = 1;
                }
                """)).isEqualTo(5);
    }
}
