// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.plan.spool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.treehaul.core.testing.JavaCommand;

class ScratchDirectoryTest {

    private static final String PREFIX = "treehaul-test-";

    @TempDir
    private Path parent;

    /** Opens a directory, prints its path and waits for the end of its input or a kill. */
    public static void main(String[] args) throws IOException {
        try (ScratchDirectory scratch = ScratchDirectory.open(Path.of(args[0]), PREFIX)) {
            Files.writeString(scratch.path().resolve("data"), "x");
            System.out.println(scratch.path());
            while (System.in.read() >= 0) {
                // Waits for the end.
            }
        }
    }

    @Test
    void aDirectoryGoesWhenItIsClosed() throws IOException {
        try (ScratchDirectory scratch = ScratchDirectory.open(parent, PREFIX)) {
            Files.writeString(scratch.path().resolve("data"), "x");
        }
        assertThat(found()).isEmpty();
    }

    @Test
    void oneThatAnotherProcessHasRemovedIsClosedWithoutAnError() throws IOException {
        ScratchDirectory scratch = ScratchDirectory.open(parent, PREFIX);
        try (Stream<Path> files = Files.list(scratch.path())) {
            for (Path file : files.toList()) {
                Files.delete(file);
            }
        }
        Files.delete(scratch.path());
        scratch.close();
        assertThat(found()).isEmpty();
    }

    @Test
    void theNextOneRemovesWhatAKilledProcessLeftAndNothingThatIsInUse() throws Exception {
        Process process = new ProcessBuilder(JavaCommand.of(ScratchDirectoryTest.class, parent))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try (BufferedReader out = process.inputReader(StandardCharsets.UTF_8)) {
            Path other = Path.of(out.readLine());
            ScratchDirectory first = ScratchDirectory.open(parent, PREFIX);
            ScratchDirectory second = ScratchDirectory.open(parent, PREFIX);
            assertThat(found()).containsExactlyInAnyOrder(other, first.path(), second.path());
            process.destroyForcibly().waitFor();
            assertThat(other.resolve("data")).exists();
            ScratchDirectory third = ScratchDirectory.open(parent, PREFIX);
            assertThat(found()).containsExactlyInAnyOrder(first.path(), second.path(), third.path());
            first.close();
            second.close();
            third.close();
        } finally {
            process.destroyForcibly();
        }
        assertThat(found()).isEmpty();
    }

    @Test
    void otherDirectoriesStay() throws IOException {
        Path unlocked = Files.createDirectory(parent.resolve(PREFIX + "1"));
        Path ofAnotherHost = Files.createDirectory(parent.resolve(PREFIX + "2"));
        Files.createFile(ofAnotherHost.resolve("lock-another.host"));
        Path file = Files.createFile(parent.resolve(PREFIX + "3"));
        Path link = Files.createSymbolicLink(parent.resolve(PREFIX + "4"), ofAnotherHost);
        ScratchDirectory.open(parent, PREFIX).close();
        assertThat(found()).containsExactlyInAnyOrder(unlocked, ofAnotherHost, file, link);
    }

    @Test
    void aFailureNamesThePathAndTheRemedy() {
        Path none = parent.resolve("none");
        assertThatThrownBy(() -> {
            try {
                ScratchDirectory.open(none, PREFIX);
            } catch (IOException e) {
                throw ScratchDirectory.explain(none, e);
            }
        }).hasMessageStartingWith(parent.resolve("none") + "/" + PREFIX)
                .hasMessageEndingWith(": No such file or directory (ENOENT); set TMPDIR to a directory with room for "
                        + "temporary files");
    }

    private List<Path> found() throws IOException {
        try (Stream<Path> paths = Files.list(parent)) {
            return paths.toList();
        }
    }
}
