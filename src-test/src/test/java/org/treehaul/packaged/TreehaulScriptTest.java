// SPDX-License-Identifier: Apache-2.0
package org.treehaul.packaged;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TreehaulScriptTest {
    private static final Map<String, String> BARE = Map.of("PATH", "/usr/bin:/bin", "JAVA_HOME",
            Run.JAVA.resolve("../..").toString());

    @TempDir
    Path dir;

    @Test
    void theScriptRunsInABareEnvironment() throws Exception {
        Run run = Run.of(BARE, Run.ROOT.resolve("treehaul"), "--version").expect(0);
        assertThat(run.out()).matches("treehaul \\d+\\.\\d+\\.\\d+.*\n");
        assertThat(run.err()).isEmpty();
    }

    @Test
    void theScriptRunsThroughALinkInADirectoryWithSpaces() throws Exception {
        Path spaced = Files.createDirectories(dir.resolve("with some spaces"));
        Path link = Files.createSymbolicLink(spaced.resolve("th"), Run.ROOT.resolve("treehaul").toRealPath());
        assertThat(Run.of(BARE, link, "--version").expect(0).out()).startsWith("treehaul ");
        Files.delete(link);
    }

    @Test
    void theScriptPassesTheExitCodeOn() throws Exception {
        Run.of(BARE, Run.ROOT.resolve("treehaul"), "--no-such-option").expect(2);
    }

    @Test
    void theScriptPassesArgumentsOnByteForByte() throws Exception {
        // A Java that prints what it was given stands in for the real one.
        Path java = Files.createDirectories(dir.resolve("jdk/bin")).resolve("java");
        Files.writeString(java,
                "#!/bin/sh\nwhile [ \"$1\" != -jar ]; do shift; done\nshift 2\nprintf '<%s>' \"$@\" | od -An -v -tx1 | tr -d ' \\n'\n");
        assertThat(java.toFile().setExecutable(true)).isTrue();
        Files.writeString(dir.resolve("jdk/release"), "JAVA_VERSION=\"99\"\n");
        Path checkout = Files.createDirectories(dir.resolve("a checkout"));
        Files.copy(Run.ROOT.resolve("treehaul"), checkout.resolve("treehaul"));
        Files.createDirectories(checkout.resolve("cli/target"));
        Files.writeString(checkout.resolve("cli/target/treehaul.jar"), "no jar");
        Run run = Run
                .of(Map.of("PATH", "/usr/bin:/bin", "JAVA_HOME", dir + "/jdk"), "/bin/sh", "-c",
                        "exec \"$0\" \"$(printf 'a\\377\\nb')\" '' '*' ' $(x) ' '@f'", checkout.resolve("treehaul"))
                .expect(0);
        assertThat(run.out()).isEqualTo("3c61ff0a623e" + "3c3e" + "3c2a3e" + "3c2024287829203e" + "3c40663e");
    }
}
