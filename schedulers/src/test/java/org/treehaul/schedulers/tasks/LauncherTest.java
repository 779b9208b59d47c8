// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.tasks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LauncherTest {

    private static final List<String> COMMAND = List.of("printf", "<%s>", "a b", "it's", "$HOME", "");

    @TempDir
    private Path directory;

    @Test
    void wordsBeforeACommandNameTheHost() throws Exception {
        assertThat(output(Launcher.prefix(List.of("echo", "-n", "on", "{host}")), "node7"))
                .isEqualTo("on node7 printf <%s> a b it's $HOME ");
        assertThat(output(Launcher.prefix(List.of("false")), "")).isEqualTo("<a b><it's><$HOME><>");
        assertThat(output(Launcher.here(), "node7")).isEqualTo("<a b><it's><$HOME><>");
    }

    @Test
    void aShellReceivesEachWordQuoted() throws Exception {
        // As ssh does: the words after the host are joined by blanks and given to a shell.
        Path ssh = Files.writeString(directory.resolve("ssh"), "#!/bin/sh\nshift\nexec sh -c \"$*\"\n");
        Files.setPosixFilePermissions(ssh, PosixFilePermissions.fromString("rwx------"));
        assertThat(output(Launcher.shellPrefix(List.of("sh", ssh.toString(), "{host}")), "node7"))
                .isEqualTo("<a b><it's><$HOME><>");
    }

    private static String output(Launcher launcher, String host) throws Exception {
        Process process = launcher.start(host, new ProcessBuilder(COMMAND));
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).isZero();
        return output;
    }

    @Test
    void aHostThatLooksLikeAnOptionIsRefused() {
        assertThatThrownBy(
                () -> Launcher.prefix(List.of("ssh", "{host}")).start("-oProxyCommand=x", new ProcessBuilder(COMMAND)))
                .hasMessageContaining("no name of a host");
        assertThatThrownBy(() -> Launcher.prefix(List.of())).isInstanceOf(IllegalArgumentException.class);
    }
}
