// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.treehaul.core.copy.Copies.archive;
import static org.treehaul.core.copy.Copies.path;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.treehaul.core.copy.options.Backup;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.copy.options.CopyOptionsBuilder;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.Timestamp;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.fs.Call;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.Fault;
import org.treehaul.core.walk.options.Symlinks;

/** Links created in place of copies. */
class SourceLinkTest {

    private static final CopyOptions.Form HARD = CopyOptions.Form.HARD_LINK;
    private static final CopyOptions.Form SYMBOLIC = CopyOptions.Form.SYMBOLIC_LINK;

    private Copies copies;

    @BeforeEach
    void make() {
        copies = Copies.onTmpfs();
        copies.with(writer -> writer.file(path("d/f"), "content".getBytes(UTF_8))
                .times(path("d/f"), new Timestamp(1000, 0))
                .symlink(path("d/s"), path("f"))
                .special(path("d/p"), EntryKind.FIFO, 0));
    }

    @AfterEach
    void remove() {
        copies.close();
    }

    private static CopyOptionsBuilder linking(CopyOptions.Form form) {
        return archive().form(form);
    }

    private Path source(String name) {
        return copies.source().resolve(name);
    }

    private static Object inode(Path file, LinkOption... options) throws IOException {
        return Files.getAttribute(file, "unix:ino", options);
    }

    @Test
    void hardLinksAreOfTheSameFiles() throws IOException {
        Copies.Ran ran = copies.copy(linking(HARD).build()).succeeds();
        for (String name : new String[]{"d/f", "d/s", "d/p"}) {
            assertThat(inode(copies.at(name), LinkOption.NOFOLLOW_LINKS)).as(name)
                    .isEqualTo(inode(source(name), LinkOption.NOFOLLOW_LINKS));
        }
        assertThat(ran.done()).isEmpty();
        assertThat(ran.calls().count(Call.READ)).isLessThan(5);
        copies.copy(linking(HARD).build()).succeeds();
        copies.isCopied().hasNoTemporaries();
    }

    @Test
    void followedLinksGiveLinksToTheirTargets() throws IOException {
        copies.copy(linking(HARD).symlinks(Symlinks.ALWAYS).build()).succeeds();
        assertThat(inode(copies.at("d/s"), LinkOption.NOFOLLOW_LINKS)).isEqualTo(inode(source("d/f")));
    }

    @Test
    void symbolicLinksHoldThePathAsItWasGiven() throws IOException {
        copies.copy(linking(SYMBOLIC).build()).succeeds();
        for (String name : new String[]{"d/f", "d/s", "d/p"}) {
            assertThat(Files.readSymbolicLink(copies.at(name))).isEqualTo(source(name));
        }
        assertThat(Files.getLastModifiedTime(copies.at("d/f"), LinkOption.NOFOLLOW_LINKS).toMillis())
                .isEqualTo(1_000_000);
    }

    @Test
    void aRelativeSymbolicLinkIsMadeInTheWorkingDirectoryOnly() {
        Path here = Path.of("").toAbsolutePath();
        Path relative = here.relativize(source("d/f"));
        copies.there(writer -> {
        });
        Copies.Ran ran = Copies.run(linking(SYMBOLIC).build(), List.of(Copies.pair(relative, copies.at("l"))),
                new Cancellation());
        assertThat(ran.failed()).singleElement().asString().contains("relative symbolic link");
        assertThat(copies.at("l")).doesNotExist();
    }

    @ParameterizedTest
    @EnumSource(value = CopyOptions.Form.class, names = {"HARD_LINK", "SYMBOLIC_LINK"})
    void existingFilesStayWithoutForce(CopyOptions.Form form) throws IOException {
        copies.there(writer -> writer.file(path("d/f"), "old".getBytes(UTF_8)));
        Copies.Ran ran = copies.copy(linking(form).build());
        assertThat(ran.failed()).containsExactly("ERROR d/f replace by a link without -f 17");
        assertThat(Files.readString(copies.at("d/f"))).isEqualTo("old");
        copies.copy(linking(form).force(true).build()).failures();
        assertThat(Files.readString(copies.at("d/f"))).isEqualTo("content");
        copies.hasNoTemporaries();
    }

    @ParameterizedTest
    @EnumSource(value = Symlinks.class, names = {"NEVER", "ROOTS"})
    void aLinkToALinkThatIsNotFollowedTakesThePlaceOfAFileAsWithGnuCp(Symlinks followed) throws IOException {
        copies.there(writer -> writer.file(path("d/s"), "old".getBytes(UTF_8)));
        copies.copy(CopyOptions.builder().recursive(true).form(HARD).symlinks(followed).build()).succeeds();
        assertThat(inode(copies.at("d/s"), LinkOption.NOFOLLOW_LINKS))
                .isEqualTo(inode(source("d/s"), LinkOption.NOFOLLOW_LINKS));
    }

    @ParameterizedTest
    @EnumSource(value = CopyOptions.Form.class, names = {"HARD_LINK", "SYMBOLIC_LINK"})
    void anEntryReplacedByALinkIsBackedUp(CopyOptions.Form form) throws IOException {
        copies.there(writer -> writer.file(path("d/f"), "old".getBytes(UTF_8)));
        copies.copy(linking(form).backup(Backup.of(Backup.Control.SIMPLE)).build()).succeeds();
        assertThat(Files.readString(copies.at("d/f"))).isEqualTo("content");
        assertThat(Files.readString(copies.at("d/f~"))).isEqualTo("old");
    }

    @ParameterizedTest
    @EnumSource(value = CopyOptions.Form.class, names = {"HARD_LINK", "SYMBOLIC_LINK"})
    void aLinkThatCannotBeMadeFailsAloneAndTheExistingEntryStays(CopyOptions.Form form) throws IOException {
        copies.there(writer -> writer.file(path("d/f"), "old".getBytes(UTF_8)));
        Call call = form == HARD ? Call.LINKAT : Call.SYMLINKAT;
        Copies.Ran ran = copies.copy(linking(form).threads(1).force(true).build(), Fault.on(call).fails(Errno.EXDEV));
        assertThat(ran.failures()).hasSize(3).allMatch(failure -> failure.errno() == Errno.EXDEV);
        assertThat(Files.readString(copies.at("d/f"))).isEqualTo("old");
        copies.hasNoTemporaries();
    }

    @Test
    void namesOfOneFileBecomeNamesOfOneSymbolicLink() throws IOException {
        copies.with(writer -> writer.hardLink(path("d/f"), path("d/g")));
        copies.copy(linking(SYMBOLIC).build()).succeeds();
        assertThat(inode(copies.at("d/f"), LinkOption.NOFOLLOW_LINKS))
                .isEqualTo(inode(copies.at("d/g"), LinkOption.NOFOLLOW_LINKS));
    }
}
