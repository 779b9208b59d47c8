// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.common;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.treehaul.cli.report.Screen;

class OnCompleteTest {

    @TempDir
    private Path directory;

    private static void run(String command, int code) throws InterruptedException {
        // An argument has a character for each byte.
        OnComplete.run(new String(command.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1), code,
                Screen.standard("cp", false));
    }

    @Test
    void theCommandGetsTheExitCodeAndNoStandardInput() throws Exception {
        Path out = directory.resolve("out");
        run("{ echo \"$TREEHAUL_CODE,$TREEHAUL_TRANSFER\"; cat; echo 'end \u00e4'; } > " + out, 23);
        assertThat(out).hasContent("23,\nend \u00e4\n");
    }

    @Test
    void aCommandMayHaveSeveralLinesAndAComment() throws Exception {
        Path out = directory.resolve("out");
        run("echo a > " + out + "\n\n echo b >> " + out + " # a comment", 0);
        assertThat(Files.readAllLines(out)).containsExactly("a", "b");
    }
}
