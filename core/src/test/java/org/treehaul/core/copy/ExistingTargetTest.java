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
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.copy.options.CopyOptionsBuilder;
import org.treehaul.core.copy.options.CopyPair;
import org.treehaul.core.copy.options.Preserve;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.Timestamp;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.fs.Call;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.Fault;
import org.treehaul.core.testing.PosixAcl;
import org.treehaul.core.testing.Privilege;
import org.treehaul.core.testing.TreeWriter;
import org.treehaul.core.walk.options.Symlinks;

/** The handling of existing entries under target names. */
class ExistingTargetTest {

    private static final long NULL_DEVICE = 0x103; // makedev(1, 3)
    private static final String OLD = "old content, longer than the new";
    private static final String NEW = "new content";

    private Copies copies;

    @BeforeEach
    void make() {
        copies = Copies.onTmpfs();
    }

    @AfterEach
    void remove() {
        copies.close();
    }

    private void source(String content) {
        copies.with(writer -> writer.file(path("f"), content.getBytes(UTF_8)));
    }

    private void both() {
        source(NEW);
        copies.there(writer -> writer.file(path("f"), OLD.getBytes(UTF_8)));
    }

    private static CopyOptionsBuilder plain() {
        return CopyOptions.builder().threads(1);
    }

    private static Object attribute(Path path, String name) throws IOException {
        return Files.getAttribute(path, "unix:" + name, LinkOption.NOFOLLOW_LINKS);
    }

    private String content() throws IOException {
        return Files.readString(copies.at("f"));
    }

    @Test
    void aFileIsReplacedByANewInodeThatWasSynced() throws IOException {
        both();
        Object inode = attribute(copies.at("f"), "ino");
        Copies.Ran ran = copies.copy(archive().build()).succeeds();
        assertThat(content()).isEqualTo(NEW);
        assertThat(attribute(copies.at("f"), "ino")).isNotEqualTo(inode);
        assertThat(ran.calls().count(Call.FSYNC)).isOne();
        copies.isCopied().hasNoTemporaries();
    }

    @Test
    void noClobberLeavesItAndCopiesTheRest() throws IOException {
        both();
        copies.with(writer -> writer.file(path("d/other"), 5, 1));
        Copies.Ran ran = copies.copy(archive().existing(CopyOptions.Existing.SKIP).build()).succeeds();
        assertThat(content()).isEqualTo(OLD);
        assertThat(Files.exists(copies.at("d/other"))).isTrue();
        assertThat(ran.result().counts().skipped()).isOne();
        copies.hasNoTemporaries();
    }

    @ParameterizedTest
    @CsvSource({"1000,0,999,999999999,true", "1000,0,1000,0,false", "1000,0,1001,0,false", "1000,5,1000,4,true",
            "1000,5,1000,5,false", "1000,123456789,1000,0,true", "1001,123456789,1000,0,true",
            "1000,123456789,1000,123000000,true", "-5,1,-6,0,true", "-7,1,-6,0,false"})
    void updateReplacesOnlyOlderFiles(long seconds, int nanos, long thereSeconds, int thereNanos, boolean isReplaced)
            throws IOException {
        both();
        copies.with(writer -> writer.times(path("f"), new Timestamp(seconds, nanos)))
                .there(writer -> writer.times(path("f"), new Timestamp(thereSeconds, thereNanos)));
        copies.copy(archive().existing(CopyOptions.Existing.UPDATE).build()).succeeds();
        assertThat(content()).isEqualTo(isReplaced ? NEW : OLD);
    }

    @ParameterizedTest
    @CsvSource({"2020,2010,2024,false", "2020,2024,2010,true"})
    void updateThroughALinkGoesByTheFileThatItLeadsTo(int year, int link, int there, boolean isReplaced)
            throws IOException {
        source(NEW);
        copies.with(writer -> writer.times(path("f"), new Timestamp(year * 31_000_000L, 0)))
                .there(writer -> writer.file(path("real"), OLD.getBytes(UTF_8))
                        .times(path("real"), new Timestamp(there * 31_000_000L, 0))
                        .symlink(path("f"), path("real"))
                        .times(path("f"), new Timestamp(link * 31_000_000L, 0)));
        CopyOptionsBuilder update = plain().existing(CopyOptions.Existing.UPDATE);
        Copies.Ran dry = copies.copyOne(update.dryRun(true).build(), "f", "f").succeeds();
        assertThat(dry.result().counts().skipped()).isEqualTo(isReplaced ? 0 : 1);
        copies.copyOne(update.dryRun(false).build(), "f", "f").succeeds();
        assertThat(Files.readString(copies.at("real"))).isEqualTo(isReplaced ? NEW : OLD);
        assertThat(Files.isSymbolicLink(copies.at("f"))).isTrue();
    }

    @Test
    void updateThroughALinkThatLeadsNowhereIsAnErrorAsWithoutUpdate() {
        source(NEW);
        copies.with(writer -> writer.times(path("f"), new Timestamp(1000, 0)))
                .there(writer -> writer.symlink(path("f"), path("nowhere")));
        assertThat(copies.copyOne(plain().existing(CopyOptions.Existing.UPDATE).build(), "f", "f").failed())
                .containsExactly("ERROR . open 2");
    }

    @Test
    void removeDestinationUnlinksFirst() throws IOException {
        both();
        copies.there(writer -> writer.hardLink(path("f"), path("elsewhere")));
        copies.copy(archive().removeDestination(true).build()).succeeds();
        assertThat(content()).isEqualTo(NEW);
        assertThat(Files.readString(copies.at("elsewhere"))).isEqualTo(OLD);
    }

    @ParameterizedTest
    @EnumSource(value = EntryKind.class, names = {"FIFO", "SYMLINK", "SOCKET"})
    void removeDestinationRemovesWhateverIsNoDirectory(EntryKind kind) throws IOException {
        source(NEW);
        copies.there(writer -> {
            if (kind == EntryKind.SYMLINK) {
                writer.file(path("outside"), 3, 1).symlink(path("f"), path("outside"));
            } else {
                writer.special(path("f"), kind, 0);
            }
        });
        copies.copy(archive().removeDestination(true).build()).succeeds();
        assertThat(Files.isRegularFile(copies.at("f"), LinkOption.NOFOLLOW_LINKS)).isTrue();
        assertThat(content()).isEqualTo(NEW);
    }

    @Test
    void inPlaceKeepsInodeAndLinks() throws IOException {
        both();
        copies.there(writer -> writer.hardLink(path("f"), path("elsewhere")));
        Object inode = attribute(copies.at("f"), "ino");
        Set<Preserve> kept = EnumSet.of(Preserve.MODE, Preserve.TIMESTAMPS);
        copies.copy(plain().recursive(true).preserve(kept).inPlace(true).build()).succeeds();
        assertThat(content()).isEqualTo(NEW);
        assertThat(attribute(copies.at("f"), "ino")).isEqualTo(inode);
        assertThat(Files.readString(copies.at("elsewhere"))).isEqualTo(NEW);
        assertThat(Files.getLastModifiedTime(copies.at("f")))
                .isEqualTo(Files.getLastModifiedTime(copies.source().resolve("f")));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aMountPointIsNamedAndInPlaceWritesToIt(boolean removes) throws Exception {
        Privilege.requireCapability(Privilege.SYS_ADMIN, "mounts a file");
        both();
        copies.there(writer -> writer.file(path("mounted"), 3, 1));
        String at = copies.at("f").toString();
        Process mount = new ProcessBuilder("mount", "--bind", copies.at("mounted").toString(), at).start();
        Assumptions.assumeTrue(mount.waitFor() == 0, "cannot mount here");
        try {
            Copies.Ran ran = copies.copy(archive().removeDestination(removes).build());
            assertThat(ran.failed()).containsExactly(
                    "ERROR f replace a mount point (unmount it, or write to it with --in-place) " + Errno.EBUSY);
            copies.hasNoTemporaries();
            copies.copy(archive().inPlace(true).build()).succeeds();
            assertThat(Files.readString(copies.at("mounted"))).isEqualTo(NEW);
        } finally {
            new ProcessBuilder("umount", at).start().waitFor();
        }
    }

    private ByteString acl() {
        return copies.targetListing().find("f").orElseThrow().attributes().getOrDefault(PosixAcl.ACCESS, path(""));
    }

    @ParameterizedTest
    @ValueSource(ints = {11, 300_000})
    void aReplacementKeepsTheAclOfTheReplacedFile(int size) throws IOException {
        copies.with(writer -> writer.file(path("f"), size, 1))
                .there(writer -> writer.file(path("f"), OLD.getBytes(UTF_8))
                        .attribute(path("f"), PosixAcl.ACCESS, PosixAcl.of(1234, 4321)));
        copies.copy(plain().recursive(true).build()).succeeds();
        assertThat(acl()).isEqualTo(PosixAcl.of(1234, 4321));
        assertThat((int) attribute(copies.at("f"), "mode") & 0777).as("with the mask").isEqualTo(0670);
    }

    @Test
    void aReplacementWhoseAclCannotBeKeptIsNotOpenedToItsGroup() throws IOException {
        both();
        copies.there(writer -> writer.attribute(path("f"), PosixAcl.ACCESS, PosixAcl.of(1234, 4321)));
        Copies.Ran ran = copies.copy(plain().recursive(true).build(), Fault.on(Call.FSETXATTR).fails(Errno.EOPNOTSUPP));
        assertThat(ran.notices()).singleElement().asString().startsWith("ACLs are not preserved everywhere");
        assertThat((int) attribute(copies.at("f"), "mode") & 0777).isEqualTo(0640);
    }

    @Test
    void aReplacementOfAFileWithoutAclInheritsNone() throws IOException {
        both();
        copies.there(
                writer -> writer.mode(path("f"), 0640).attribute(path(""), PosixAcl.DEFAULT, PosixAcl.of(1234, 4321)));
        copies.copy(plain().recursive(true).build()).succeeds();
        assertThat(content()).isEqualTo(NEW);
        assertThat(acl().length()).isZero();
        assertThat((int) attribute(copies.at("f"), "mode") & 0777).isEqualTo(0640);
    }

    @Test
    void inPlaceDoesNotMakeTwoFilesOneWhereLinksAreKept() throws IOException {
        both();
        copies.with(writer -> writer.file(path("g"), 2000, 7)).there(writer -> writer.hardLink(path("f"), path("g")));
        copies.copy(archive().inPlace(true).build()).succeeds();
        copies.isCopied();
    }

    @Test
    void inPlaceSetsTheOwnerOfAFileOfAnotherUser() {
        Privilege.requireRoot("gives a file away");
        both();
        copies.there(writer -> writer.owner(path("f"), 1234, 4321).mode(path("f"), 04755));
        copies.with(writer -> writer.mode(path("f"), 04711));
        copies.copy(archive().inPlace(true).build()).succeeds();
        copies.isCopied();
    }

    @Test
    void aDirectoryThatIsThereGetsTheSourcesOwnerAndMode() {
        Privilege.requireRoot("gives a directory away");
        copies.with(writer -> writer.file(path("d/f"), 5, 1).mode(path("d"), 0711))
                .there(writer -> writer.file(path("d/f"), 5, 2).owner(path("d"), 1234, 4321).mode(path("d"), 02775));
        copies.copy(archive().build()).succeeds();
        copies.isCopied();
        copies.there(writer -> writer.owner(path("d"), 1234, 4321));
        // Now the owner of new files is known when the directory is complete.
        copies.copy(archive().build()).succeeds();
        copies.isCopied();
    }

    @Test
    void attributesOnlyLeavesDataAndMakesEmptyFiles() throws IOException {
        both();
        copies.with(writer -> writer.file(path("n"), 10, 1).mode(path("f"), 0604));
        copies.copy(archive().attributesOnly(true).build()).succeeds();
        assertThat(content()).isEqualTo(OLD);
        assertThat(Files.size(copies.at("n"))).isZero();
        assertThat((int) attribute(copies.at("f"), "mode") & 0777).isEqualTo(0604);
    }

    @ParameterizedTest
    @ValueSource(ints = {11, 300_000})
    void aDeviceIsWrittenToAndNeverReplaced(int size) throws IOException {
        Privilege.requireRoot("makes a device");
        copies.with(writer -> writer.file(path("f"), size, 1))
                .there(writer -> writer.special(path("f"), EntryKind.CHARACTER, NULL_DEVICE).mode(path("f"), 0666));
        copies.copy(archive().build()).succeeds();
        copies.copyOne(plain().build(), "f", "f").succeeds();
        copies.copyOne(archive().verify(CopyOptions.Verify.XXH3).build(), "f", "f").succeeds();
        assertThat((int) attribute(copies.at("f"), "mode")).isEqualTo(EntryKind.CHARACTER.typeBits() | 0666);
        copies.hasNoTemporaries();
    }

    @ParameterizedTest
    @ValueSource(ints = {11, 300_000, 3_000_000})
    void aFifoWithAReaderIsWritten(int size) throws IOException {
        copies.with(writer -> writer.file(path("f"), size, 1))
                .there(writer -> writer.special(path("f"), EntryKind.FIFO, 0));
        CompletableFuture<byte[]> read = CompletableFuture.supplyAsync(() -> {
            try {
                return Files.readAllBytes(copies.at("f"));
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        });
        Copies.Ran ran = copies.copyOne(plain().build(), "f", "f");
        // Until the reader has opened the FIFO, it has none.
        while (!ran.result().isSuccess()) {
            assertThat(ran.failed()).containsExactly("ERROR . open 6");
            ran = copies.copyOne(plain().build(), "f", "f");
        }
        assertThat(read.join()).isEqualTo(Files.readAllBytes(copies.source().resolve("f")));
        assertThat(Files.isRegularFile(copies.at("f"))).isFalse();
    }

    @Test
    void aFifoWithoutAReaderIsAnErrorAndNoHang() {
        source(NEW);
        copies.there(writer -> writer.special(path("f"), EntryKind.FIFO, 0));
        assertThat(copies.copy(archive().build()).failed()).containsExactly("ERROR f open 6");
    }

    @Test
    void aLinkThatTheUserNamesIsWrittenThrough() throws IOException {
        source(NEW);
        copies.there(writer -> writer.file(path("real"), OLD.getBytes(UTF_8)).symlink(path("f"), path("real")));
        copies.copyOne(archive().recursive(false).verify(CopyOptions.Verify.XXH3).build(), "f", "f").succeeds();
        assertThat(Files.isSymbolicLink(copies.at("f"))).isTrue();
        assertThat(Files.readString(copies.at("real"))).isEqualTo(NEW);
        assertThat(Files.getLastModifiedTime(copies.at("real")))
                .isEqualTo(Files.getLastModifiedTime(copies.source().resolve("f")));
    }

    // As with cp -d, which replaces a link to a file with several names.
    @ParameterizedTest
    @ValueSource(ints = {11, 300_000})
    void aFileThatReplacesALinkDoesNotGetThePermissionsOfTheLink(int size) throws IOException {
        copies.with(writer -> writer.file(path("f"), size, 1).mode(path("f"), 0600))
                .there(writer -> writer.file(path("real"), OLD.getBytes(UTF_8))
                        .hardLink(path("real"), path("other"))
                        .symlink(path("f"), path("real")));
        copies.copyOne(plain().symlinks(Symlinks.NEVER).preserve(EnumSet.of(Preserve.LINKS)).build(), "f", "f")
                .succeeds();
        assertThat((int) attribute(copies.at("f"), "mode")).isEqualTo(EntryKind.REGULAR.typeBits() | 0600);
        assertThat(Files.readString(copies.at("real"))).isEqualTo(OLD);
    }

    @ParameterizedTest
    @EnumSource(value = EntryKind.class, names = {"SYMLINK", "FIFO", "SOCKET"})
    void aFileThatTakesTheNameOfAnotherKindGetsTheModeOfItsSource(EntryKind kind) throws IOException {
        source(NEW);
        copies.with(writer -> writer.mode(path("f"), 0600)).there(writer -> {
            if (kind == EntryKind.SYMLINK) {
                writer.symlink(path("f"), path("real"));
            } else {
                writer.special(path("f"), kind, 0).mode(path("f"), 0666);
            }
        });
        copies.copy(plain().recursive(true).takesNames(true).build()).succeeds();
        assertThat((int) attribute(copies.at("f"), "mode")).isEqualTo(EntryKind.REGULAR.typeBits() | 0600);
        assertThat(content()).isEqualTo(NEW);
    }

    @Test
    void aLinkThatLeadsToTheSourceIsRefusedBeforeItIsCutToNothing() throws IOException {
        source(NEW);
        copies.there(writer -> writer.symlink(path("f"), path("../S/f")));
        assertThat(copies.copyOne(plain().build(), "f", "f").failed())
                .containsExactly("ERROR . copy a file onto itself 22");
        assertThat(Files.readString(copies.source().resolve("f"))).isEqualTo(NEW);
    }

    @Test
    void aLinkThatLeadsNowhereIsNotWrittenThrough() {
        source(NEW);
        copies.there(writer -> writer.symlink(path("f"), path("nowhere")));
        assertThat(copies.copyOne(plain().build(), "f", "f").failed()).containsExactly("ERROR . open 2");
        assertThat(Files.exists(copies.at("nowhere"))).isFalse();
    }

    @Test
    void aLinkBelowTheRootIsRefusedAndNothingWrittenOutside() throws IOException {
        copies.with(writer -> writer.file(path("d/f"), 10, 1).file(path("e/f"), 300_000, 1))
                .there(writer -> writer.file(path("outside/f"), OLD.getBytes(UTF_8))
                        .symlink(path("d"), path("outside"))
                        .symlink(path("e/f"), path("../outside/f")));
        assertThat(copies.copy(archive().build()).failed()).containsExactly("ERROR d replace by a directory 20",
                "ERROR e/f write through a symbolic link 40");
        assertThat(Files.readString(copies.at("outside/f"))).isEqualTo(OLD);
        assertThat(copies.at("outside").toFile().list()).hasSize(1);
    }

    @Test
    void aDirectoryAndAFileDoNotReplaceEachOther() throws IOException {
        copies.with(writer -> writer.file(path("x"), 10, 1).file(path("y/f"), 10, 1).symlink(path("z"), path("x")))
                .there(writer -> writer.file(path("x/f"), 10, 2).file(path("y"), 10, 2).directory(path("z")));
        assertThat(copies.copy(archive().build()).failed()).containsExactly("ERROR x replace a directory 21",
                "ERROR y replace by a directory 20", "ERROR z replace a directory 21");
        assertThat(Files.isDirectory(copies.at("x"))).isTrue();
        assertThat(Files.isRegularFile(copies.at("y"))).isTrue();
        copies.hasNoTemporaries();
    }

    @Test
    void aSymbolicLinkReplacesAFileAndALink() {
        copies.with(writer -> writer.symlink(path("a"), path("to")).symlink(path("b"), path("to")))
                .there(writer -> writer.file(path("a"), 5, 1).symlink(path("b"), path("other")));
        copies.copy(archive().build()).succeeds();
        copies.isCopied().hasNoTemporaries();
    }

    @Test
    void aSourceIsNotCopiedOntoItself() {
        source(NEW);
        CopyPair pair = Copies.pair(copies.source().resolve("f"), copies.source().resolve("f"));
        assertThat(Copies.run(archive().build(), List.of(pair), new Cancellation()).failed())
                .containsExactly("ERROR . copy a file onto itself 22");
    }

    @ParameterizedTest
    @EnumSource(value = EntryKind.class, names = {"FIFO", "SYMLINK", "SOCKET"})
    void attributesOnlyReplacesNoDataByALinkOrNode(EntryKind kind) throws IOException {
        copies.with(writer -> make(writer, kind, path("f")))
                .there(writer -> writer.file(path("f"), OLD.getBytes(UTF_8)));
        int errno = Errno.EEXIST;
        String call = kind == EntryKind.SYMLINK ? "symlink " : "mknod ";
        CopyOptionsBuilder only = archive().attributesOnly(true);
        assertThat(copies.copy(only.build()).failed()).containsExactly("ERROR f " + call + errno);
        assertThat(copies.copy(only.dryRun(true).build()).failed()).containsExactly("ERROR f " + call + errno);
        assertThat(copies.copy(only.dryRun(false).force(true).build()).failed())
                .containsExactly("ERROR f " + call + errno);
        assertThat(content()).isEqualTo(OLD);
        copies.copy(only.removeDestination(true).build()).succeeds();
        copies.isCopied().hasNoTemporaries();
    }

    @ParameterizedTest
    @EnumSource(value = EntryKind.class, names = {"FIFO", "SYMLINK", "SOCKET"})
    void attributesOnlyAreSetOnAnEntryThatEqualsItsSource(EntryKind kind) throws IOException {
        copies.with(writer -> make(writer, kind, path("f")).times(path("f"), new Timestamp(1000, 0)));
        copies.copy(archive().build()).succeeds();
        Object inode = attribute(copies.at("f"), "ino");
        copies.with(writer -> writer.times(path("f"), new Timestamp(2000, 0)));
        copies.copy(archive().attributesOnly(true).build()).succeeds();
        copies.isCopied();
        assertThat(attribute(copies.at("f"), "ino")).isEqualTo(inode);
    }

    @Test
    void attributesOnlyKeepsALinkThatLeadsElsewhere() throws IOException {
        copies.with(writer -> writer.symlink(path("f"), path("here")))
                .there(writer -> writer.symlink(path("f"), path("there")));
        assertThat(copies.copy(archive().attributesOnly(true).build()).failed())
                .containsExactly("ERROR f symlink " + Errno.EEXIST);
        assertThat(Files.readSymbolicLink(copies.at("f"))).hasToString("there");
    }

    @Test
    void attributesOnlyOfHardLinksKeepTheDataOfFilesThatAreApart() throws IOException {
        copies.with(writer -> writer.file(path("f"), NEW.getBytes(UTF_8)).hardLink(path("f"), path("g")))
                .there(writer -> writer.file(path("f"), OLD.getBytes(UTF_8)).file(path("g"), NEW.getBytes(UTF_8)));
        copies.copy(archive().attributesOnly(true).threads(1).build()).succeeds();
        assertThat(content()).isEqualTo(OLD);
        assertThat(copies.at("g")).hasContent(NEW);
        assertThat(Files.getLastModifiedTime(copies.at("g")))
                .isEqualTo(Files.getLastModifiedTime(copies.source().resolve("g")));
    }

    private static TreeWriter make(TreeWriter writer, EntryKind kind, ByteString name) {
        return kind == EntryKind.SYMLINK ? writer.symlink(name, path("nowhere")) : writer.special(name, kind, 0);
    }
}
