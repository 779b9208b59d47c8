// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.fs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PrivateFilesTest {

    @Test
    void aDirectoryIsRemovedWithItsContentAndNothingBehindALink(@TempDir Path place) throws IOException {
        Path kept = Files.writeString(Files.createDirectory(place.resolve("other")).resolve("kept"), "");
        Path removed = place.resolve("removed");
        PrivateFiles.removeDirectory(removed);
        Files.writeString(Files.createDirectories(removed.resolve("a/b")).resolve("file"), "");
        Files.createSymbolicLink(removed.resolve("link"), kept.getParent());
        PrivateFiles.removeDirectory(removed);
        assertThat(removed).doesNotExist();
        assertThat(kept).exists();
    }

    @Test
    void aProgramThatCannotBeStartedIsDescribedByItsNameAndTheError() {
        for (ProcessBuilder start : new ProcessBuilder[]{new ProcessBuilder("/no/such/program", "x"),
                new ProcessBuilder("/no/such/program").directory(new File("/"))}) {
            IOException failure = catchThrowableOfType(IOException.class, start::start);
            assertThat(PrivateFiles.describe(failure))
                    .isEqualTo("/no/such/program: No such file or directory (ENOENT)");
        }
    }

    @Test
    void anUncheckedExceptionIsDescribedWithoutTheNamesOfClasses() {
        IOException cause = new NoSuchFileException("/sorted");
        assertThat(PrivateFiles.describe(new UncheckedIOException(cause)))
                .isEqualTo("/sorted: No such file or directory (ENOENT)");
        assertThat(PrivateFiles.describe(new UncheckedIOException("cannot sort in /tmp", cause)))
                .isEqualTo("cannot sort in /tmp");
    }
}
