// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.state;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.treehaul.core.testing.TestDirectory;

/** Files that appear completely or not at all. */
class AtomicFilesTest {

    private final TestDirectory directory = TestDirectory.onTmpfs();
    private final Path file = directory.resolve("file");

    @AfterEach
    void remove() {
        directory.close();
    }

    @Test
    void readersSeeTheOldContentUntilTheNewOneIsComplete() throws IOException {
        AtomicFiles.replace(file, false, "old".getBytes(US_ASCII));
        AtomicFiles.replace(file, true, out -> {
            out.write("new".getBytes(US_ASCII));
            assertThat(file).hasContent("old");
            assertThat(directory.path().toFile().list()).hasSize(2)
                    .allMatch(name -> name.equals("file") || AtomicFiles.isHidden(Path.of(name)));
        });
        assertThat(file).hasContent("new");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file))).isEqualTo("rw-------");
        assertThat(directory.path().toFile().list()).containsExactly("file");
    }

    @Test
    void aFailureKeepsTheOldContentAndLeavesNoTemporaryFile() throws IOException {
        AtomicFiles.replace(file, false, "old".getBytes(US_ASCII));
        assertThatThrownBy(() -> AtomicFiles.replace(file, false, out -> {
            out.write(1);
            throw new IOException("no space");
        })).hasMessageContaining("no space");
        assertThatThrownBy(() -> AtomicFiles.replace(file, false, out -> {
            throw new IllegalStateException();
        })).isInstanceOf(IllegalStateException.class);
        assertThat(file).hasContent("old");
        assertThat(directory.path().toFile().list()).containsExactly("file");
    }

    @Test
    void aFileThatCannotBeNamedLeavesNoTemporaryFile() throws IOException {
        Files.createDirectories(file.resolve("full"));
        assertThatThrownBy(() -> AtomicFiles.replace(file, false, new byte[1])).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> AtomicFiles.create(file, new byte[1])).isInstanceOf(FileAlreadyExistsException.class);
        assertThat(directory.path().toFile().list()).containsExactly("file");
    }

    @Test
    void anInterruptedThreadWritesItsFilesAndRemainsInterrupted() throws IOException {
        Thread.currentThread().interrupt();
        AtomicFiles.replace(file, true, "new".getBytes(US_ASCII));
        AtomicFiles.create(directory.resolve("other"), "made".getBytes(US_ASCII));
        assertThat(Thread.interrupted()).isTrue();
        assertThat(file).hasContent("new");
        assertThat(directory.resolve("other")).hasContent("made");
        assertThat(directory.path().toFile().list()).containsExactlyInAnyOrder("file", "other");
    }

    @Test
    void theChecksumIsThatOfTheStandard() {
        // RFC 3720, appendix B.4: 32 bytes of zeros.
        assertThat(Checksum.of(new byte[32])).isEqualTo(0x8a9136aa);
        assertThat(Checksum.line(0xab)).isEqualTo("crc32c\t000000ab\n");
    }
}
