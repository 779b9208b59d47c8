// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** Checks with rsync(1) whether two trees are equal: a check that shares no code with the program under test. */
public final class Rsync {

    private Rsync() {}

    static boolean isInstalled() {
        return Stream.of("/usr/bin/rsync", "/usr/local/bin/rsync", "/bin/rsync")
                .anyMatch(p -> Files.isExecutable(Path.of(p)));
    }

    /**
     * Fails if rsync would change something in the copy. If rsync is not installed, only TreeAssert checks.
     *
     * @param leftOut options that exclude something
     */
    public static void assertEqual(Path source, Path target, Set<String> leftOut) {
        if (!isInstalled()) {
            return;
        }
        List<String> command = new ArrayList<>(
                List.of("rsync", "-aHAXn", "--checksum", "--delete", "--itemize-changes"));
        command.addAll(leftOut);
        command.addAll(List.of(source + "/", target + "/"));
        try {
            Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
            assertThat(process.waitFor()).as(output).isZero();
            assertThat(output).isEmpty();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
