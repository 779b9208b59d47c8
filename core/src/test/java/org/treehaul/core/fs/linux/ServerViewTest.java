// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.fs.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** To ask whether something is there changes nothing, whatever the answer. */
class ServerViewTest {

    @TempDir
    private Path directory;

    @Test
    void existingFilesExist() throws IOException {
        Path file = Files.createFile(directory.resolve("file"));
        assertThat(ServerView.fresh(file)).isEqualTo(file);
        assertThat(ServerView.exists(file)).isTrue();
        assertThat(ServerView.exists(directory)).isTrue();
        assertThat(ServerView.exists(Path.of("/"))).isTrue();
    }

    @Test
    void missingFilesAreNotCreated() throws IOException {
        assertThat(ServerView.exists(directory.resolve("none"))).isFalse();
        assertThat(ServerView.exists(directory.resolve("no/ne"))).isFalse();
        assertThat(ServerView.exists(Files.createFile(directory.resolve("file")).resolve("none"))).isFalse();
        assertThatThrownBy(() -> ServerView.fresh(directory.resolve("none"))).isInstanceOf(NoSuchFileException.class)
                .hasMessage(directory.resolve("none").toString());
        Path link = Files.createSymbolicLink(directory.resolve("link"),
                Files.createDirectory(directory.resolve("other")));
        assertThat(ServerView.exists(link.resolve("none"))).isFalse();
        try (Stream<Path> all = Files.walk(directory)) {
            assertThat(all).containsExactlyInAnyOrder(directory, directory.resolve("file"), link,
                    link.resolveSibling("other"));
        }
    }

    @Test
    void noAnswerIsAnError() {
        assertThatThrownBy(() -> ServerView.exists(directory.resolve("n".repeat(300))))
                .isInstanceOf(FileSystemException.class)
                .hasMessageContaining("File name too long");
    }
}
