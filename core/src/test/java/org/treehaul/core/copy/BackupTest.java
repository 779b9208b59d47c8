// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.treehaul.core.copy.Copies.archive;
import static org.treehaul.core.copy.Copies.path;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.core.copy.options.Backup;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.copy.options.CopyOptionsBuilder;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.fs.Call;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.Fault;
import org.treehaul.core.fs.linux.Linux;

/** Files that a copy replaces are kept under backup names. */
class BackupTest {

    private Copies copies;

    @BeforeEach
    void make() {
        copies = Copies.onTmpfs();
    }

    @AfterEach
    void remove() {
        copies.close();
    }

    private static CopyOptionsBuilder backing(Backup.Control control) {
        return archive().backup(Backup.of(control));
    }

    private void source(String... names) {
        for (String name : names) {
            copies.with(writer -> writer.file(path(name), ("new " + name).getBytes(UTF_8)));
        }
    }

    private void there(String... names) {
        for (String name : names) {
            copies.there(writer -> writer.file(path(name), ("old " + name).getBytes(UTF_8)));
        }
    }

    private static Fault links(boolean hasLinks) {
        Fault fault = Fault.on(Call.LINKAT);
        return (hasLinks ? fault.named("never") : fault).fails(Errno.EPERM);
    }

    // Returns name and content of each file in the target.
    private String state() throws IOException {
        TreeMap<String, String> found = new TreeMap<>();
        try (var files = Files.list(copies.target())) {
            for (Path file : files.toList()) {
                found.put(file.getFileName().toString(),
                        Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS) ? Files.readString(file) : "-");
            }
        }
        return found.toString();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {"SIMPLE|f|{f=new f, f~=old f}", "SIMPLE|f f~ f.~1~|{f=new f, f.~1~=old f.~1~, f~=old f}",
                    "EXISTING|f|{f=new f, f~=old f}", "EXISTING|f f~|{f=new f, f~=old f}",
                    "EXISTING|f f~ f.~1~|{f=new f, f.~1~=old f.~1~, f.~2~=old f, f~=old f~}",
                    "NUMBERED|f|{f=new f, f.~1~=old f}",
                    "NUMBERED|f f.~1~ f.~9~ f.~010~ g.~20~|{f=new f, f.~010~=old f.~010~, f.~10~=old f, "
                            + "f.~1~=old f.~1~, f.~9~=old f.~9~, g.~20~=old g.~20~}",
                    "NUMBERED|other|{f=new f, other=old other}", "NONE|f f~|{f=new f, f~=old f~}"})
    void theNameIsThatOfGnuCp(Backup.Control control, String there, String expected) throws IOException {
        source("f");
        there(there.split(" "));
        copies.copy(backing(control).build()).succeeds();
        assertThat(state()).isEqualTo(expected);
        copies.hasNoTemporaries();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aFileSystemWithoutHardLinksHasBackupsToo(boolean isNumbered) throws IOException {
        source("f", "g");
        there("f", "f~", "g");
        copies.copy(backing(isNumbered ? Backup.Control.NUMBERED : Backup.Control.SIMPLE).build(),
                Fault.on(Call.LINKAT).fails(Errno.EPERM), Copies.noUnnamedFiles(true)).succeeds();
        assertThat(state()).isEqualTo(isNumbered
                ? "{f=new f, f.~1~=old f, f~=old f~, g=new g, g.~1~=old g}"
                : "{f=new f, f~=old f, g=new g, g~=old g}");
        copies.hasNoTemporaries();
    }

    @ParameterizedTest
    @CsvSource({"SIMPLE,true", "SIMPLE,false", "NUMBERED,true", "NUMBERED,false"})
    void whereverItIsStoppedTheOldFileIsThere(Backup.Control control, boolean hasLinks) throws IOException {
        source("f");
        Fault links = links(hasLinks);
        int states = 0;
        for (int last = 1; last < 200; last++) {
            copies.there(writer -> {
            });
            copies.remove();
            there("f");
            // Simulates a killed process: from a certain call on, nothing has an effect.
            Copies.Ran ran = copies.copy(backing(control).threads(1).build(), links, Copies.noUnnamedFiles(true),
                    Fault.on(Call.LINKAT, Call.RENAMEAT2, Call.UNLINKAT).from(last).fails(Errno.EIO));
            assertThat(state()).as("stopped at the call %d", last).contains("=old f");
            if (ran.failures().isEmpty()) {
                states = last;
                break;
            }
        }
        assertThat(states).isGreaterThan(1);
        assertThat(state()).contains("=new f").contains("=old f");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whereTheCopyGetsNoNameTheOldFileHasItsOwnAgain(boolean hasLinks) throws IOException {
        source("f");
        there("f");
        Copies.Ran ran = copies.copy(backing(Backup.Control.NUMBERED).build(), Copies.noUnnamedFiles(true),
                links(hasLinks), Fault.on(Call.RENAMEAT2).nth(hasLinks ? 1 : 2).fails(Errno.EIO));
        assertThat(ran.failed()).containsExactly("ERROR f rename 5");
        assertThat(state()).contains("{f=old f");
        copies.hasNoTemporaries();
    }

    @Test
    void aNumberTakenByAnotherProcessIsNotUsed() throws IOException {
        source("f");
        there("f");
        copies.copy(backing(Backup.Control.NUMBERED).build(), Copies.noUnnamedFiles(true),
                Fault.on(Call.LINKAT).nth(1).runs(call -> {
                    Files.writeString(copies.at("f.~1~"), "another's");
                })).succeeds();
        assertThat(state()).isEqualTo("{f=new f, f.~1~=another's, f.~2~=old f}");
    }

    @Test
    void everythingButDirectoriesIsBackedUpAndNoLinkIsWrittenThrough() throws IOException {
        source("file", "link");
        copies.with(writer -> writer.directory(path("d")).symlink(path("symlink"), path("file")));
        there("elsewhere", "symlink");
        copies.there(writer -> writer.directory(path("d"))
                .symlink(path("link"), path("elsewhere"))
                .special(path("file"), EntryKind.FIFO, 0));
        copies.copy(backing(Backup.Control.SIMPLE).build()).succeeds();
        assertThat(state()).isEqualTo("{d=-, elsewhere=old elsewhere, file=new file, file~=-, link=new link, link~=-, "
                + "symlink=-, symlink~=old symlink}");
        assertThat(Files.readSymbolicLink(copies.at("link~"))).isEqualTo(Path.of("elsewhere"));
    }

    @Test
    void eachNameOfAFileWithSeveralHasItsBackup() throws IOException {
        source("a");
        copies.with(writer -> writer.hardLink(path("a"), path("b")));
        there("a", "b");
        copies.copy(backing(Backup.Control.NUMBERED).build()).succeeds();
        assertThat(state()).isEqualTo("{a=new a, a.~1~=old a, b=new a, b.~1~=old b}");
        assertThat(Files.getAttribute(copies.at("a"), "unix:nlink")).isEqualTo(2);
    }

    @Test
    void aFileInThePlaceOfALinkThatIsBackedUpIsReadBackAndLeadsItsOtherNames() throws IOException {
        source("a");
        copies.with(writer -> writer.hardLink(path("a"), path("b")));
        for (String name : List.of("a", "b")) {
            copies.there(writer -> writer.symlink(path(name), path("elsewhere")));
        }
        Copies.Ran ran = copies.copy(backing(Backup.Control.NUMBERED).verify(CopyOptions.Verify.XXH3).build())
                .succeeds();
        assertThat(state()).isEqualTo("{a=new a, a.~1~=-, b=new a, b.~1~=-}");
        assertThat(Files.getAttribute(copies.at("a"), "unix:nlink")).isEqualTo(2);
        assertThat(ran.result().counts().verifiedBytes()).isEqualTo("new a".length());
    }

    @Test
    void theCopyBesideABackupIsANewFile() throws IOException {
        source("f");
        there("f");
        copies.with(writer -> writer.mode(path("f"), 0751)).there(writer -> writer.mode(path("f"), 0604));
        copies.copy(CopyOptions.builder().recursive(true).backup(Backup.of(Backup.Control.SIMPLE)).build()).succeeds();
        assertThat((int) Files.getAttribute(copies.at("f~"), "unix:mode") & 0777).isEqualTo(0604);
        assertThat((int) Files.getAttribute(copies.at("f"), "unix:mode") & 0700).isEqualTo(0700);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aBackupThatWouldTakeThePlaceOfAnotherCopyIsRefused(boolean isFiltered) throws IOException {
        source("f", "f~");
        there("f");
        CopyOptionsBuilder options = backing(Backup.Control.SIMPLE);
        if (isFiltered) {
            options.filter((path, isDirectory) -> path.name().equals(path("f~")));
        }
        Copies.Ran ran = copies.copy(options.build());
        if (isFiltered) {
            assertThat(state()).isEqualTo("{f=new f, f~=old f}");
        } else {
            assertThat(ran.failed()).singleElement().asString().contains("f back up to a name that is copied too");
            assertThat(state()).isEqualTo("{f=old f, f~=new f~}");
        }
    }

    @Test
    void aBackupThatWouldTakeThePlaceOfTheSourceIsRefused() throws IOException {
        there("a", "a~");
        Copies.Ran ran = Copies.run(backing(Backup.Control.SIMPLE).build(),
                List.of(Copies.pair(copies.at("a~"), copies.at("a"))), new Cancellation());
        assertThat(ran.failed()).singleElement().asString().contains("it might destroy the source");
        assertThat(state()).isEqualTo("{a=old a, a~=old a~}");
    }

    @ParameterizedTest
    @CsvSource({"SIMPLE,f~", "NUMBERED,f.~1~"})
    void aFileThatIsItsOwnDestinationIsCopiedToItsBackupByForce(Backup.Control control, String backup)
            throws IOException, CopyRefusedException {
        there("f");
        ByteString file = Copies.bytes(copies.at("f"));
        CopyArguments arguments = CopyArguments.of(List.of(file, file));
        assertThatThrownBy(() -> CopyLayout.of(Linux.calls(), arguments, backing(control).build()))
                .isInstanceOf(CopyRefusedException.class)
                .hasMessageContaining("are the same file");
        CopyOptions forced = backing(control).force(true).build();
        for (int i = 0; i < 2; i++) {
            CopyLayout layout = CopyLayout.of(Linux.calls(), arguments, forced);
            Copies.run(layout.adapt(forced), layout.pairs(), new Cancellation()).succeeds();
        }
        assertThat(state()).isEqualTo(control == Backup.Control.SIMPLE
                ? "{f=old f, " + backup + "=old f}"
                : "{f=old f, f.~1~=old f, f.~2~=old f}");
    }

    @Test
    void theUserIsAskedOnceForEachAndMayLeaveIt() throws IOException {
        source("a", "b", "new");
        there("a", "b");
        List<String> asked = new ArrayList<>();
        Copies.Ran ran = copies.copy(backing(Backup.Control.SIMPLE).threads(1).confirmation(path -> {
            asked.add(path.toString());
            return path.toString().endsWith("/a");
        }).build(), Copies.noUnnamedFiles(true), Fault.on(Call.RENAMEAT2).nth(2).fails(Errno.ESTALE)).succeeds();
        assertThat(asked).containsExactlyInAnyOrder(copies.at("a").toString(), copies.at("b").toString());
        assertThat(state()).isEqualTo("{a=new a, a~=old a, b=old b, new=new new}");
        assertThat(ran.result().counts().skipped()).isOne();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "/", "a/b", "/a", "a/"})
    void aSuffixIsNoPath(String suffix) {
        assertThatThrownBy(() -> new Backup(Backup.Control.SIMPLE, ByteString.of(suffix)))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
