// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.files.index;

import static org.assertj.core.api.Assertions.assertThat;
import static org.treehaul.tuplespace.files.index.IndexedTree.path;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.state.Host;
import org.treehaul.core.testing.TestDirectory;

/** Parts of listings in the directory for temporary files, where the space has none of its own. */
class ListedPartsTest {

    @AutoClose
    final TestDirectory directory = TestDirectory.make();

    @Test
    void filesOfAKilledRunAreRemovedByTheNextOne() throws IOException {
        Path left = Files.createDirectory(directory.resolve("treehaul-index-123"));
        Files.createFile(left.resolve("lock-" + Host.nameOr("")));
        Files.createFile(left.resolve("listing-0.0"));
        try (ListedParts parts = ListedParts.below(directory.path())) {
            parts.add(new Listing(new Place(0, TreePath.root()), path("/d"), List.of(),
                    Map.of(path("f"), EntryFailure.Kind.ERROR), Listing.Extent.PART, 0, null));
            assertThat(left).doesNotExist();
            assertThat(directory.path()).isNotEmptyDirectory();
        }
        assertThat(directory.path()).isEmptyDirectory();
    }
}
