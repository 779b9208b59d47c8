// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.entry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.net.URI;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Map;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PathBytesTest {

    @ParameterizedTest
    @ValueSource(strings = {"", "a", "a/b", "/", "/a", "/a/b", "..", "../a", ".", "/tmp", "a b", "%41", "a?b#c", "/a%"})
    void asciiPathsKeepTheirBytes(String text) {
        assertThat(ByteString.of(Path.of(text))).isEqualTo(ByteString.of(text));
        assertThat(ByteString.of(text).toPath()).isEqualTo(Path.of(text));
    }

    @Property(tries = 300)
    void anyBytesMakeARoundTrip(@ForAll @Size(min = 1, max = 12) byte[] name, @ForAll boolean isAbsolute) {
        byte[] bytes = new byte[name.length + 1];
        bytes[0] = (byte) (isAbsolute ? '/' : 'x');
        for (int i = 0; i < name.length; i++) {
            bytes[i + 1] = name[i] == 0 || name[i] == '/' ? (byte) 0xFF : name[i];
        }
        ByteString all = ByteString.of(bytes);
        assertThat(ByteString.of(all.toPath())).isEqualTo(all);
    }

    @Test
    void slashesAreThoseOfAPath() {
        assertThat(ByteString.of(ByteString.of("/a//b/").toPath())).isEqualTo(ByteString.of("/a/b"));
        assertThat(ByteString.of(ByteString.of("a//b/").toPath())).isEqualTo(ByteString.of("a/b"));
    }

    @Test
    void aNulIsRefused() {
        assertThatExceptionOfType(InvalidPathException.class).isThrownBy(() -> ByteString.of("a\0b").toPath());
    }

    @Test
    void aPathOfAnotherFileSystemIsRefused(@TempDir Path directory) throws Exception {
        URI zip = URI.create("jar:" + directory.resolve("a.zip").toUri());
        try (FileSystem other = FileSystems.newFileSystem(zip, Map.of("create", "true"))) {
            assertThatExceptionOfType(IllegalArgumentException.class)
                    .isThrownBy(() -> ByteString.of(other.getPath("/a")))
                    .withMessageContaining("default file system");
        }
    }
}
