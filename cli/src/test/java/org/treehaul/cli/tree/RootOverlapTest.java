// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.tree;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.treehaul.core.entry.ByteString;

class RootOverlapTest {

    @TempDir
    Path directory;

    private List<String> notices(String... names) {
        return RootOverlap.notices(Stream.of(names).map(name -> ByteString.of(directory + "/" + name)).toList())
                .stream()
                .map(notice -> notice.replace(directory + "/", ""))
                .toList();
    }

    @Test
    void aRootThatIsCountedTwiceIsReported() throws IOException {
        Files.createDirectories(directory.resolve("a/b"));
        Files.createDirectories(directory.resolve("a-b/c"));
        Files.createSymbolicLink(directory.resolve("a/link"), directory.resolve("a-b"));
        assertThat(notices("a-b", "a/link", "none", "none")).isEmpty();
        assertThat(notices("a-b/.", "a/link/../a-b")).hasSize(1);
        assertThat(notices("a", "a/link/c")).as("a tree behind a link").isEmpty();
        assertThat(notices("a", "a-b", "none")).isEmpty();
        assertThat(notices("a/b", "a", "a/./b/")).containsExactly("a/b is inside a: its entries are counted twice",
                "a/./b/ is the same as a/b: its entries are counted twice");
    }
}
