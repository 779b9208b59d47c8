// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.treehaul.core.copy.Copies.archive;
import static org.treehaul.core.copy.Copies.path;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Set;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.copy.options.CopyOptionsBuilder;
import org.treehaul.core.copy.options.Preserve;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.Timestamp;
import org.treehaul.core.fs.Call;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.Fault;
import org.treehaul.core.fs.ProcessStatus;
import org.treehaul.core.testing.ListedEntry;
import org.treehaul.core.testing.PosixAcl;
import org.treehaul.core.testing.Privilege;
import org.treehaul.core.testing.TreeWriter;

/** The copying of metadata, and the handling of metadata that cannot be copied. */
class CopyMetadataTest {

    private static final Timestamp LONG_AGO = new Timestamp(1_000_000, 7);

    private Copies copies;

    @BeforeEach
    void make() {
        copies = Copies.onDisk();
    }

    @AfterEach
    void remove() {
        copies.close();
    }

    private static CopyOptionsBuilder plain() {
        return CopyOptions.builder().recursive(true).threads(2);
    }

    private static int umask() throws IOException {
        return ProcessStatus.read().umask();
    }

    private ListedEntry found(String name) {
        return copies.targetListing().find(name).orElseThrow();
    }

    private int mode(String name) {
        return found(name).status().permissions();
    }

    private static void everything(TreeWriter writer) {
        writer.file(path("d/f"), 10, 1)
                .attribute(path("d/f"), ByteString.of("user.a"), ByteString.of("b"))
                .attribute(path("d/f"), PosixAcl.ACCESS, PosixAcl.of(1234, 4321))
                .mode(path("d"), 0711)
                .times(path("d/f"), LONG_AGO)
                .times(path("d"), LONG_AGO)
                .file(path("m"), 300_000, 1)
                .mode(path("m"), 0604)
                .times(path("m"), LONG_AGO)
                .hardLink(path("m"), path("d/m"))
                .special(path("fifo"), EntryKind.FIFO, 0)
                .mode(path("fifo"), 0602)
                .times(path("fifo"), LONG_AGO);
    }

    @Test
    void withoutPreservingModesGoThroughTheUmaskAndSetIdBitsAreDropped() throws IOException {
        copies.with(writer -> {
            for (int mode : new int[]{0666, 0777, 04755, 06711, 0400}) {
                writer.file(path("f" + Integer.toOctalString(mode)), 10, 1)
                        .mode(path("f" + Integer.toOctalString(mode)), mode);
            }
            writer.directory(path("sticky"))
                    .mode(path("sticky"), 01777)
                    .directory(path("gid"))
                    .mode(path("gid"), 02775);
        });
        copies.copy(plain().build()).succeeds();
        for (int mode : new int[]{0666, 0777, 04755, 06711, 0400}) {
            assertThat(mode("f" + Integer.toOctalString(mode))).isEqualTo(mode & 0777 & ~umask());
        }
        assertThat(mode("sticky")).isEqualTo(01777 & ~umask());
        assertThat(mode("gid")).isEqualTo(0775 & ~umask());
    }

    @Test
    void aReplacedFilesModeAndOwnerStayWithoutItsSetIdBits() {
        Privilege.requireRoot("gives a file away");
        copies.with(writer -> writer.file(path("f"), 10, 1).mode(path("f"), 0777))
                .there(writer -> writer.file(path("f"), 5, 2).owner(path("f"), 77, 88).mode(path("f"), 04642));
        copies.copy(plain().build()).succeeds();
        assertThat(mode("f")).isEqualTo(0642);
        assertThat(found("f").status().uid()).isEqualTo(77);
        assertThat(found("f").status().gid()).isEqualTo(88);
        assertThat(found("f").status().size()).isEqualTo(10);
    }

    @ParameterizedTest
    @EnumSource(Preserve.class)
    void eachIsKeptAloneWhenAskedForAlone(Preserve only) throws IOException {
        copies.with(CopyMetadataTest::everything);
        copies.copy(plain().preserve(EnumSet.of(only)).required(EnumSet.of(only)).build()).succeeds();
        boolean isAcl = only == Preserve.ACL;
        assertThat(mode("m")).isEqualTo(only == Preserve.MODE ? 0604 : 0604 & ~umask());
        assertThat(mode("fifo")).isEqualTo(only == Preserve.MODE ? 0602 : 0602 & ~umask());
        for (String name : new String[]{"m", "d/f", "d", "fifo"}) {
            assertThat(found(name).status().mtime().equals(LONG_AGO)).isEqualTo(only == Preserve.TIMESTAMPS);
        }
        assertThat(found("m").linkGroup().equals(found("d/m").linkGroup())).isEqualTo(only == Preserve.LINKS);
        assertThat(found("d/f").attributes().containsKey(ByteString.of("user.a"))).isEqualTo(only == Preserve.XATTR);
        assertThat(found("d/f").attributes().containsKey(PosixAcl.ACCESS)).isEqualTo(isAcl);
    }

    @Test
    void anOwnerThatCannotBeSetIsAnErrorForRootAndTheDataAreKept() {
        Privilege.requireRoot("gives files away");
        copies.with(writer -> writer.file(path("f"), 10, 1)
                .owner(path("f"), 5, 6)
                .mode(path("f"), 06755)
                .special(path("fifo"), EntryKind.FIFO, 0)
                .owner(path("fifo"), 5, 6));
        for (int errno : new int[]{Errno.EPERM, Errno.EIO}) {
            Copies.Ran ran = copies.copy(archive().build(), Fault.on(Call.FCHOWNAT).fails(errno));
            assertThat(ran.failed()).containsExactly("ERROR f fchown " + errno, "ERROR fifo fchown " + errno);
            assertThat(mode("f")).isEqualTo(0755);
            assertThat(found("f").status().size()).isEqualTo(10);
            // Not the source's time, because it is not a copy of it.
            assertThat(found("f").status().mtime())
                    .isNotEqualTo(copies.sourceListing().find("f").orElseThrow().status().mtime());
        }
    }

    @Test
    void aSetUserIdBitStaysWhereOnlyTheGroupCannotBeSet() {
        Privilege.requireRoot("gives files away");
        copies.with(writer -> writer.file(path("f"), 10, 1).owner(path("f"), 0, 6).mode(path("f"), 06755));
        Copies.Ran ran = copies.copy(archive().build(), Fault.on(Call.FCHOWNAT).fails(Errno.EPERM));
        assertThat(ran.failures()).hasSize(1);
        assertThat(mode("f")).isEqualTo(04755);
    }

    @Test
    void unsupportedAttributesAreReportedOnce() {
        copies.with(writer -> IntStream.range(0, 5)
                .forEach(i -> writer.file(path("f" + i), 10, 1)
                        .attribute(path("f" + i), ByteString.of("user.a" + i), ByteString.of("b"))
                        .attribute(path("f" + i), PosixAcl.ACCESS, PosixAcl.of(1234, 4321))));
        Fault[] faults = {Fault.on(Call.FSETXATTR).fails(Errno.EOPNOTSUPP)};
        Copies.Ran ran = copies.copy(archive().build(), faults).succeeds();
        assertThat(ran.notices()).hasSize(2).allMatch(notice -> notice.contains("not preserved everywhere"));
        ran = copies.copy(archive().required(EnumSet.of(Preserve.XATTR)).build(), faults);
        assertThat(ran.failures()).hasSize(5);
        assertThat(found("f3").status().size()).isEqualTo(10);
    }

    @Test
    void aDefaultAclOfTheDestinationDoesNotReachAnArchive() {
        copies.with(CopyMetadataTest::everything)
                .with(writer -> writer.directory(path("e/g")).mode(path("e"), 02755).file(path("e/f"), 5, 1))
                .there(writer -> writer.attribute(path("."), PosixAcl.DEFAULT, PosixAcl.of(77, 78))
                        .directory(path("d"))
                        .attribute(path("d"), PosixAcl.ACCESS, PosixAcl.of(79, 80)));
        copies.copy(archive().build()).succeeds();
        copies.isCopied().agreesWithRsync();
        copies.copy(archive().build()).succeeds();
        copies.isCopied();
    }

    @Test
    void aDefaultAclOfTheDestinationHoldsWhereNothingIsPreserved() {
        copies.with(writer -> writer.file(path("f"), 10, 1).file(path("d/f"), 10, 1).mode(path("f"), 0660))
                .there(writer -> writer.attribute(path("."), PosixAcl.DEFAULT, PosixAcl.of(77, 78)));
        copies.copy(plain().build()).succeeds();
        assertThat(found("f").attributes()).containsKey(PosixAcl.ACCESS);
        assertThat(found("d").attributes()).containsKeys(PosixAcl.ACCESS, PosixAcl.DEFAULT);
        assertThat(found("d/f").attributes()).containsKey(PosixAcl.ACCESS);
    }

    @Test
    void aSetGroupIdDirectoryGivesItsGroupUnlessOwnersAreKept() {
        Privilege.requireRoot("gives a directory away");
        copies.with(writer -> writer.file(path("d/f"), 10, 1).file(path("f"), 10, 1))
                .there(writer -> writer.owner(path(""), 0, 4321).mode(path(""), 02775));
        copies.copy(plain().build()).succeeds();
        assertThat(found("d/f").status().gid()).isEqualTo(4321);
        assertThat(mode("d") & 02000).isEqualTo(02000);
        copies.there(writer -> writer.mode(path(""), 02775));
        copies.copy(archive().build()).succeeds();
        copies.isCopied();
    }

    @Test
    void rootsKeepTheirMetadataToo() throws IOException {
        copies.with(CopyMetadataTest::everything).there(writer -> {
        });
        for (String name : new String[]{"d", "m", "fifo"}) {
            copies.copyOne(archive().build(), name, name).succeeds();
            assertThat(found(name).status().mtime()).isEqualTo(LONG_AGO);
            assertThat(mode(name)).isEqualTo(copies.sourceListing().find(name).orElseThrow().status().permissions());
        }
        Path above = copies.target();
        assertThat(Files.getLastModifiedTime(above).toMillis()).isGreaterThan(1_000_000_000_000L);
    }

    @Test
    void preservingNothingOfATreeTakesNoCallsForIt() {
        copies.with(writer -> writer.file(path("f"), 10, 1));
        Copies.Ran ran = copies.copy(plain().build()).succeeds();
        assertThat(ran.calls().counts().keySet())
                .doesNotContainAnyElementsOf(Set.of(Call.FLISTXATTR, Call.FCHOWNAT, Call.FUTIMENS, Call.FSETXATTR));
    }

    @Test
    void withoutModesNewFilesGetTheUsualModeAndExistingFilesKeepTheirs() throws IOException {
        copies.with(writer -> writer.file(path("d/f"), 3, 1)
                .file(path("d/there"), 3, 1)
                .special(path("d/p"), EntryKind.FIFO, 0)
                .mode(path("d/f"), 0751)
                .mode(path("d/there"), 0711)
                .mode(path("d/p"), 0700)
                .mode(path("d"), 0700))
                .there(writer -> writer.file(path("d/there"), 3, 2).mode(path("d/there"), 0604).mode(path("d"), 0755));
        copies.copy(CopyOptions.builder().recursive(true).newModes(true).build()).succeeds();
        assertThat(mode("d/f")).isEqualTo(0666 & ~umask());
        assertThat(mode("d/p")).isEqualTo(0666 & ~umask());
        assertThat(mode("d/there")).isEqualTo(0604);
        assertThat(mode("d")).isEqualTo(0755);
        copies.remove();
        copies.copy(CopyOptions.builder().recursive(true).newModes(true).build()).succeeds();
        assertThat(mode("d")).isEqualTo(0777 & ~umask());
    }
}
