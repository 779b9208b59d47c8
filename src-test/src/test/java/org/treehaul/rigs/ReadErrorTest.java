// SPDX-License-Identifier: Apache-2.0
package org.treehaul.rigs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.treehaul.rigs.Transfers.name;

import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.treehaul.core.copy.Copies;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.core.walk.options.Root;
import org.treehaul.core.walk.options.WalkOptions;
import org.treehaul.core.walk.summary.TreeSummary;
import org.treehaul.e2e.Cli;
import org.treehaul.packaged.Run;
import org.treehaul.programs.Programs;

/** A disk whose end has become unreadable: the image was truncated under the mounted file system. */
@Tag("rig")
class ReadErrorTest {

    private static final long CUT = 40L << 20;
    private static final int SMALL = 20;
    // More entries than one block of the directory holds.
    private static final int LOST = 40;
    private static final int BEHIND = 12_000;

    @AutoClose
    private TestDirectory directory;
    @AutoClose
    private Mount mount;
    private Path source;
    private Path target;

    // The file "bad", a part of "bad-large" and all but the first block of the directory "lost" are behind the cut.
    @BeforeEach
    void makeDisk() throws Exception {
        Programs.require("debugfs", "e2fsprogs");
        mount = Mount.ext2(48);
        directory = TestDirectory.onTmpfs();
        target = directory.resolve("T");
        source = Transfers.tree(mount.resolve("S"), writer -> {
            for (int i = 0; i < SMALL; i++) {
                writer.file(name("good/f" + i), 10_000, i);
            }
            writer.file(name("bad"), 20_000, 1).file(name("bad-large"), 2_500_000, 2).directory(name("lost"));
            for (int i = 0; i < LOST; i++) {
                writer.file(name("lost/" + i + "x".repeat(200)), new byte[0]);
            }
        });
        mount.renew(() -> {
            for (String pointer : List.of("bad block[0]", "bad-large block[5]", "lost block[1]")) {
                Programs.run("debugfs", "-w", "-R", "set_inode_field S/" + pointer + " " + BEHIND, mount.image());
            }
        });
        try (RandomAccessFile image = new RandomAccessFile(mount.image().toFile(), "rw")) {
            image.setLength(CUT);
        }
    }

    @Test
    void unreadableEntriesAreReportedAndTheRestIsCopied() throws Exception {
        Copies.Ran ran = Transfers.copy(Copies.archive().chunkBytes(1 << 20).build(), source, target);

        assertThat(ran.failed()).containsExactly("ERROR bad read " + Errno.EIO, "ERROR bad-large read " + Errno.EIO,
                "ERROR lost getdents64 " + Errno.EIO);
        assertThat(ran.result().isComplete()).isTrue();
        Transfers.assertCopied(source.resolve("good"), target.resolve("good"));
        assertThat(target.resolve("bad")).doesNotExist();
        assertThat(target.resolve("bad-large")).doesNotExist();
        Transfers.assertNoTemporaries(target);
        assertThat(Files.getLastModifiedTime(target.resolve("lost"))).as("of a directory not read to its end")
                .isNotEqualTo(Files.getLastModifiedTime(source.resolve("lost")));
    }

    @Test
    void existingFilesStayIfTheSourceCannotBeRead() throws Exception {
        Transfers.tree(target, writer -> writer.file(name("bad"), 20_000, 99).file(name("bad-large"), 50, 98));
        byte[] old = Files.readAllBytes(target.resolve("bad"));

        Copies.Ran ran = Transfers.copy(source, target);

        assertThat(ran.failures()).hasSize(3);
        assertThat(target.resolve("bad")).hasBinaryContent(old);
        assertThat(target.resolve("bad-large")).hasSize(50);
    }

    @Test
    void theProgramsNamePathAndCause() throws Exception {
        Cli cli = new Cli(mount.path());
        Run copied = cli.run("cp", "-a", "S", target.toString()).expect(23);
        assertThat(copied.err()).contains("treehaul: cp: S/bad: read: Input/output error (EIO)\n",
                "treehaul: cp: S/bad-large: read: Input/output error (EIO)\n",
                "treehaul: cp: S/lost: getdents64: Input/output error (EIO)\n", "treehaul: cp: 3 failures\n");
        Run walked = cli.run("walk", "S").expect(23);
        assertThat(walked.err()).isEqualTo("treehaul: walk: S/lost: getdents64: Input/output error (EIO)\n");
        Run compared = cli.run("cmp", "--content", "S", target.toString()).expect(2);
        assertThat(compared.err()).contains("S/lost: getdents64: Input/output error (EIO)\n");
    }

    @Test
    void aComparisonDoesNotTakeTheUnreadForDifferentOrMissing() throws Exception {
        Path other = Transfers.tree(directory.resolve("other"), writer -> {
            writer.file(name("bad"), 20_000, 1).file(name("bad-large"), 2_500_000, 2);
            for (int i = 0; i < LOST; i++) {
                writer.file(name("lost/" + i + "x".repeat(200)), new byte[0]);
            }
        });
        Programs.run("cp", "-a", "--attributes-only", source.resolve("bad"), source.resolve("bad-large"), other);

        Transfers.Compared compared = Transfers.compare(other, source);

        assertThat(compared.failures().stream().map(f -> f.path() + " " + f.operation() + " " + f.errno()))
                .contains("bad read " + Errno.EIO, "bad-large read " + Errno.EIO, "lost getdents64 " + Errno.EIO);
        assertThat(compared.differences()).noneMatch(d -> d.startsWith("bad"))
                .noneMatch(d -> d.startsWith("lost/") && d.contains("only in"));
        assertThat(compared.result().hasTrouble()).isTrue();
    }

    @Test
    void aWalkSaysThatItIsNotComplete() {
        TreeSummary sum = TreeSummary.of(Linux.calls(), WalkOptions.defaults(),
                List.of(Root.of(ByteString.of(source.toString()))), event -> {
                }, new Progress(), new Cancellation());

        assertThat(sum.failures()).isEqualTo(1);
        assertThat(sum.totalEntries()).isBetween(SMALL + 5L, SMALL + 4L + LOST);
    }

    @Test
    void aSourceThatCannotBeReadBackIsNoReasonToDoubtTheCopy() throws Exception {
        CopyOptions options = Copies.archive().verify(CopyOptions.Verify.SHA256).build();
        assertThat(Transfers.copy(options, source, target).failures()).hasSize(3);
        Transfers.assertCopied(source.resolve("good"), target.resolve("good"));
    }
}
