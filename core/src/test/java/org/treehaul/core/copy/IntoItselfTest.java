// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.treehaul.core.copy.Copies.archive;

import java.nio.file.Files;
import java.nio.file.Path;

import org.junit.jupiter.api.Test;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.walk.options.Symlinks;

/** Ways from the source into the copy that the paths do not show in advance: the copy must end nevertheless. */
class IntoItselfTest {

    @Test
    void aFollowedLinkToTheCopyIsAFailureAndTheRestIsCopied() throws Exception {
        try (Copies copies = Copies.onTmpfs()) {
            Files.createSymbolicLink(copies.source().resolve("loop"), copies.target());
            Files.writeString(copies.source().resolve("file"), "data");

            Copies.Ran ran = copies.copy(archive().symlinks(Symlinks.ALWAYS).build());

            assertThat(ran.failed()).containsExactly("ERROR loop copy a directory into itself " + Errno.EINVAL);
            assertThat(copies.at("file")).hasContent("data");
            assertThat(copies.at("loop")).doesNotExist();
        }
    }

    @Test
    void aDirectoryBelowTheSourceThatHoldsTheCopyIsNotCopiedIntoIt() throws Exception {
        try (Copies copies = Copies.onTmpfs()) {
            Path above = copies.directory().path();
            Files.createSymbolicLink(copies.source().resolve("above"), above);

            Copies.Ran ran = copies.copy(archive().symlinks(Symlinks.ALWAYS).build());

            // Through "above" the walk reaches the source itself again too, which is a loop of links.
            assertThat(ran.failed()).contains("ERROR above/T copy a directory into itself " + Errno.EINVAL);
            assertThat(ran.result().isComplete()).isTrue();
        }
    }
}
