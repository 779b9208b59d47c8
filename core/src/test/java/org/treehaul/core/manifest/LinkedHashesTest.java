// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.manifest;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.LinuxConstants;
import org.treehaul.core.fs.linux.Linux;

class LinkedHashesTest {

    private static final byte[] HASH = {1, 2};

    @TempDir
    Path directory;

    private final LinkedHashes hashes = new LinkedHashes(1);

    private FileStatus linked(String name) throws Exception {
        Path file = Files.writeString(directory.resolve(name), name);
        Files.createLink(directory.resolve(name + "-2"), file);
        return status(name);
    }

    private FileStatus status(String name) throws Exception {
        try (FileAccess access = FileAccess.open(Linux.calls())) {
            return access.status(LinuxConstants.AT_FDCWD,
                    access.name(directory.resolve(name).toString().getBytes(java.nio.charset.StandardCharsets.UTF_8)));
        }
    }

    private LinkedHashes.Names names(FileStatus status) {
        return Objects.requireNonNull(hashes.of(status));
    }

    @Test
    void aHashIsKnownUntilTheFileChanges() throws Exception {
        FileStatus file = linked("file");
        assertThat(names(file).hash(file)).isNull();
        names(file).keep(file, HASH);
        assertThat(names(status("file-2")).hash(status("file-2"))).isEqualTo(HASH);
        Files.writeString(directory.resolve("file"), "changed");
        assertThat(names(file).hash(status("file"))).isNull();
    }

    @Test
    void aFileIsForgottenWithItsLastNameAndNoMoreThanTheLimitAreKept() throws Exception {
        FileStatus file = linked("file");
        FileStatus other = linked("other");
        names(file).nameDone();
        assertThat(hashes.of(other)).isNull();
        names(file).nameDone();
        assertThat(hashes.of(other)).isNotNull();
        assertThat(hashes.of(file)).isNull();
        Files.writeString(directory.resolve("single"), "");
        assertThat(hashes.of(status("single"))).isNull();
    }
}
