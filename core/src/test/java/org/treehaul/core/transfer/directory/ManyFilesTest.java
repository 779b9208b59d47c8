// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.directory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ManyFilesTest {

    @TempDir
    private Path directory;

    private static String read(ManyFiles files, String name) {
        int length = files.read(name);
        return length < 0 ? "none" : new String(files.content(), 0, length, StandardCharsets.US_ASCII);
    }

    @Test
    void eachReadReturnsTheFileThatHasTheNameThen() throws IOException {
        try (ManyFiles files = new ManyFiles(directory)) {
            assertThat(read(files, "a")).isEqualTo("none");
            Files.writeString(directory.resolve("a"), "first");
            Files.writeString(directory.resolve("b"), "");
            assertThat(read(files, "a")).isEqualTo("first");
            assertThat(read(files, "b")).isEmpty();
            Files.writeString(directory.resolve("c"), "2");
            Files.move(directory.resolve("c"), directory.resolve("a"), StandardCopyOption.REPLACE_EXISTING);
            assertThat(read(files, "a")).isEqualTo("2");
        }
    }

    @Test
    void filesThatAreLargeOrNoFilesAreLeftToOthers() throws IOException {
        Files.write(directory.resolve("large"), new byte[20_000]);
        Files.createDirectory(directory.resolve("directory"));
        try (ManyFiles files = new ManyFiles(directory)) {
            assertThat(read(files, "large")).isEqualTo("none");
            assertThat(read(files, "directory")).isEqualTo("none");
        }
        try (ManyFiles missing = new ManyFiles(directory.resolve("missing"))) {
            assertThat(read(missing, "a")).isEqualTo("none");
        }
    }

    @Test
    void allNamesAreListedHoweverManyThereAre() throws IOException {
        Path many = Files.createDirectory(directory.resolve("many names"));
        Set<String> expected = new TreeSet<>(Set.of(".", ".."));
        // More than one read of a listing returns.
        for (int i = 0; i < 4_000; i++) {
            String name = "x".repeat(i % 200) + i;
            Files.createFile(many.resolve(name));
            expected.add(name);
        }
        Set<String> listed = new TreeSet<>();
        ManyFiles.names(many, (bytes, from, length) -> listed
                .add(new String(Arrays.copyOfRange(bytes, from, from + length), StandardCharsets.US_ASCII)));
        assertThat(listed).isEqualTo(expected);
    }

    @Test
    void aDirectoryThatIsMissingOrNoneIsAnError() throws IOException {
        assertThatThrownBy(() -> ManyFiles.names(directory.resolve("missing"), (bytes, from, length) -> {
        })).isInstanceOf(NoSuchFileException.class);
        Path file = Files.createFile(directory.resolve("file"));
        assertThatThrownBy(() -> ManyFiles.names(file, (bytes, from, length) -> {
        })).isInstanceOf(FileSystemException.class).hasMessageContaining("ENOTDIR").hasMessageContaining("file");
    }
}
