// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.fs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.treehaul.core.fs.LinuxConstants.AT_EMPTY_PATH;
import static org.treehaul.core.fs.LinuxConstants.AT_FDCWD;
import static org.treehaul.core.fs.LinuxConstants.AT_REMOVEDIR;
import static org.treehaul.core.fs.LinuxConstants.AT_SYMLINK_FOLLOW;
import static org.treehaul.core.fs.LinuxConstants.O_CREAT;
import static org.treehaul.core.fs.LinuxConstants.O_DIRECTORY;
import static org.treehaul.core.fs.LinuxConstants.O_EXCL;
import static org.treehaul.core.fs.LinuxConstants.O_NOFOLLOW;
import static org.treehaul.core.fs.LinuxConstants.O_PATH;
import static org.treehaul.core.fs.LinuxConstants.O_RDONLY;
import static org.treehaul.core.fs.LinuxConstants.O_TMPFILE;
import static org.treehaul.core.fs.LinuxConstants.O_WRONLY;
import static org.treehaul.core.fs.LinuxConstants.RENAME_EXCHANGE;
import static org.treehaul.core.fs.LinuxConstants.RENAME_NOREPLACE;
import static org.treehaul.core.fs.LinuxConstants.RESOLVE_BENEATH;
import static org.treehaul.core.fs.LinuxConstants.RESOLVE_NO_SYMLINKS;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;

import org.junit.jupiter.api.Test;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.testing.Names;
import org.treehaul.core.testing.Privilege;

/**
 * The behaviour of calls that open, create, rename and remove names, and the errors with which each fails on the real
 * kernel.
 */
public abstract class NamesContract extends CallsFixture {

    @Test
    void openatMakesFilesThatAreClosedOnExec() throws IOException {
        int f = opened(calls.openat(directory, name("f"), O_WRONLY | O_CREAT | O_EXCL, 0600));
        String flags = Files.readString(Path.of("/proc/self/fdinfo/" + f))
                .lines()
                .filter(l -> l.startsWith("flags:"))
                .findFirst()
                .orElseThrow()
                .replaceFirst("flags:\\s+", "");
        assertThat(Integer.parseInt(flags, 8) & LinuxConstants.O_CLOEXEC).isEqualTo(LinuxConstants.O_CLOEXEC);
        assertThat(status("f").permissions()).isEqualTo(0600);
        assertThat(calls.close(f)).isZero();
    }

    @Test
    void openatFailsWithTheKernelsError() {
        closedFile("f", "");
        assertThat(calls.symlinkat(name("f"), directory, name("link"))).isZero();
        assertThat(calls.openat(directory, name("none"), O_RDONLY, 0)).isEqualTo(-Errno.ENOENT);
        assertThat(calls.openat(directory, name("f"), O_DIRECTORY, 0)).isEqualTo(-Errno.ENOTDIR);
        assertThat(calls.openat(directory, name("f/g"), O_RDONLY, 0)).isEqualTo(-Errno.ENOTDIR);
        assertThat(calls.openat(directory, name("f"), O_WRONLY | O_CREAT | O_EXCL, 0600)).isEqualTo(-Errno.EEXIST);
        assertThat(calls.openat(directory, name("link"), O_RDONLY | O_NOFOLLOW, 0)).isEqualTo(-Errno.ELOOP);
        assertThat(calls.openat(directory, name("."), O_WRONLY, 0)).isEqualTo(-Errno.EISDIR);
        assertThat(calls.openat(directory, name("n".repeat(256)), O_RDONLY, 0)).isEqualTo(-Errno.ENAMETOOLONG);
        assertThat(calls.openat(BAD, name("f"), O_RDONLY, 0)).isEqualTo(-Errno.EBADF);
    }

    @Test
    void everyHostileNameCanBeMadeAndFound() {
        for (var hostile : Names.hostile()) {
            int f = calls.openat(directory, name(hostile), O_WRONLY | O_CREAT | O_EXCL, 0600);
            assertThat(f).as(hostile.toString()).isNotNegative();
            assertThat(calls.close(f)).isZero();
            assertThat(calls.unlinkat(directory, name(hostile), 0)).as(hostile.toString()).isZero();
        }
    }

    @Test
    void openat2StaysBeneath() {
        assertThat(calls.mkdirat(directory, name("d"), 0700)).isZero();
        assertThat(calls.symlinkat(name("/etc"), directory, name("d/out"))).isZero();
        assertThat(calls.symlinkat(name("."), directory, name("d/in"))).isZero();
        int d = opened(calls.openat2(directory, name("d"), O_DIRECTORY, 0, RESOLVE_BENEATH));
        int f = opened(calls.openat2(d, name("in/f"), O_WRONLY | O_CREAT | O_EXCL, 0640, RESOLVE_BENEATH));
        assertThat(status("d/f").permissions()).isEqualTo(0640);
        assertThat(calls.openat2(d, name("out"), O_RDONLY, 0, RESOLVE_BENEATH)).isEqualTo(-Errno.EXDEV);
        assertThat(calls.openat2(d, name(".."), O_RDONLY, 0, RESOLVE_BENEATH)).isEqualTo(-Errno.EXDEV);
        assertThat(calls.openat2(d, name("in/f"), O_RDONLY, 0, RESOLVE_NO_SYMLINKS)).isEqualTo(-Errno.ELOOP);
        assertThat(calls.openat2(d, name("f"), O_RDONLY, 0600, 0)).isEqualTo(-Errno.EINVAL);
        assertThat(calls.openat2(d, name("none"), O_RDONLY, 0, 0)).isEqualTo(-Errno.ENOENT);
        assertThat(calls.close(f)).isZero();
        assertThat(calls.close(d)).isZero();
    }

    @Test
    void unnamedFileGetsItsNameByLinkat() {
        int f = opened(calls.openat(directory, name("."), O_TMPFILE | O_WRONLY, 0600));
        assertThat(calls.write(f, data("whole"))).isEqualTo(5);
        MemorySegment self = name("/proc/self/fd/" + f);
        assertThat(calls.linkat(AT_FDCWD, self, directory, name("f"), AT_SYMLINK_FOLLOW)).isZero();
        assertThat(status("f").size()).isEqualTo(5);
        assertThat(calls.linkat(AT_FDCWD, self, directory, name("f"), AT_SYMLINK_FOLLOW)).isEqualTo(-Errno.EEXIST);
        assertThat(calls.close(f)).isZero();
    }

    @Test
    void linkatMakesHardLinksAndFailsWithTheKernelsError() {
        closedFile("f", "data");
        assertThat(calls.mkdirat(directory, name("d"), 0700)).isZero();
        assertThat(calls.linkat(directory, name("f"), directory, name("d/g"), 0)).isZero();
        assertThat(status("f").isSameFile(status("d/g"))).isTrue();
        assertThat(status("f").linkCount()).isEqualTo(2);
        assertThat(calls.linkat(directory, name("f"), directory, name("d/g"), 0)).isEqualTo(-Errno.EEXIST);
        assertThat(calls.linkat(directory, name("none"), directory, name("h"), 0)).isEqualTo(-Errno.ENOENT);
        assertThat(calls.linkat(directory, name("d"), directory, name("h"), 0)).isEqualTo(-Errno.EPERM);
        assertThat(calls.linkat(AT_FDCWD, name("/proc/self/status"), directory, name("h"), 0)).isEqualTo(-Errno.EXDEV);
    }

    @Test
    void symlinksHoldAnyTargetUpTo4095Bytes() {
        MemorySegment buffer = memory(4096);
        for (var target : new String[]{"t", "a\nb", "t".repeat(4095)}) {
            assertThat(calls.symlinkat(name(target), directory, name("link"))).isZero();
            int length = calls.readlinkat(directory, name("link"), buffer);
            assertThat(text(buffer, length)).isEqualTo(target);
            assertThat(calls.unlinkat(directory, name("link"), 0)).isZero();
        }
        assertThat(calls.symlinkat(name(Names.INVALID_UTF8), directory, name("link"))).isZero();
        int link = opened(calls.openat(directory, name("link"), O_PATH | O_NOFOLLOW, 0));
        assertThat(calls.readlinkat(link, name(""), buffer)).isEqualTo(Names.INVALID_UTF8.length());
        assertThat(calls.readlinkat(directory, name("link"), memory(2))).as("cut").isEqualTo(2);
        assertThat(calls.symlinkat(name("t"), directory, name("link"))).isEqualTo(-Errno.EEXIST);
        assertThat(calls.symlinkat(name(""), directory, name("other"))).isEqualTo(-Errno.ENOENT);
        assertThat(calls.symlinkat(name("t".repeat(4096)), directory, name("other"))).isEqualTo(-Errno.ENAMETOOLONG);
        closedFile("f", "");
        assertThat(calls.readlinkat(directory, name("f"), buffer)).isEqualTo(-Errno.EINVAL);
        assertThat(calls.readlinkat(directory, name("none"), buffer)).isEqualTo(-Errno.ENOENT);
        assertThat(calls.close(link)).isZero();
    }

    @Test
    void directoriesAreMadeAndRemoved() {
        assertThat(calls.mkdirat(directory, name("d"), 0700)).isZero();
        assertThat(status("d").kind()).isEqualTo(EntryKind.DIRECTORY);
        assertThat(status("d").permissions()).isEqualTo(0700);
        assertThat(calls.mkdirat(directory, name("d"), 0700)).isEqualTo(-Errno.EEXIST);
        assertThat(calls.mkdirat(directory, name("none/d"), 0700)).isEqualTo(-Errno.ENOENT);
        closedFile("d/f", "");
        assertThat(calls.unlinkat(directory, name("d"), AT_REMOVEDIR)).isEqualTo(-Errno.ENOTEMPTY);
        assertThat(calls.unlinkat(directory, name("d"), 0)).isEqualTo(-Errno.EISDIR);
        assertThat(calls.unlinkat(directory, name("d/f"), AT_REMOVEDIR)).isEqualTo(-Errno.ENOTDIR);
        assertThat(calls.unlinkat(directory, name("d/f"), 0)).isZero();
        assertThat(calls.unlinkat(directory, name("d"), AT_REMOVEDIR)).isZero();
        assertThat(calls.unlinkat(directory, name("d"), 0)).isEqualTo(-Errno.ENOENT);
    }

    @Test
    void specialFilesAreMade() {
        assertThat(calls.mknodat(directory, name("fifo"), EntryKind.FIFO.typeBits() | 0600, 0)).isZero();
        assertThat(calls.mknodat(directory, name("socket"), EntryKind.SOCKET.typeBits() | 0600, 0)).isZero();
        assertThat(status("fifo").kind()).isEqualTo(EntryKind.FIFO);
        assertThat(status("socket").kind()).isEqualTo(EntryKind.SOCKET);
        assertThat(calls.mknodat(directory, name("fifo"), EntryKind.FIFO.typeBits(), 0)).isEqualTo(-Errno.EEXIST);
        assertThat(calls.mknodat(directory, name("d"), EntryKind.DIRECTORY.typeBits(), 0)).isEqualTo(-Errno.EPERM);
    }

    @Test
    void deviceNumbersAreWhole() {
        Privilege.requireRoot("mknod of devices");
        for (long device : new long[]{0x103, 0x7c8, 0xfff00L << 12 | 0xfff << 8 | 0xff}) {
            assertThat(calls.mknodat(directory, name("dev"), EntryKind.CHARACTER.typeBits() | 0600, device)).isZero();
            assertThat(status("dev").kind()).isEqualTo(EntryKind.CHARACTER);
            assertThat(status("dev").specialDevice()).isEqualTo(device);
            assertThat(calls.unlinkat(directory, name("dev"), 0)).isZero();
        }
    }

    @Test
    void renamesReplaceExchangeOrRefuse() {
        closedFile("a", "a");
        closedFile("b", "bb");
        assertThat(calls.renameat2(directory, name("a"), directory, name("b"), RENAME_NOREPLACE))
                .isEqualTo(-Errno.EEXIST);
        assertThat(calls.renameat2(directory, name("a"), directory, name("b"), RENAME_EXCHANGE)).isZero();
        assertThat(status("a").size()).isEqualTo(2);
        assertThat(calls.renameat2(directory, name("a"), directory, name("c"), RENAME_NOREPLACE)).isZero();
        assertThat(calls.renameat2(directory, name("c"), directory, name("b"), 0)).isZero();
        assertThat(status("b").size()).isEqualTo(2);
        assertThat(calls.renameat2(directory, name("a"), directory, name("b"), 0)).isEqualTo(-Errno.ENOENT);
        assertThat(calls.renameat2(directory, name("b"), directory, name("x"), RENAME_NOREPLACE | RENAME_EXCHANGE))
                .isEqualTo(-Errno.EINVAL);
        assertThat(calls.mkdirat(directory, name("d"), 0700)).isZero();
        assertThat(calls.renameat2(directory, name("b"), directory, name("d"), 0)).isEqualTo(-Errno.EISDIR);
        assertThat(calls.renameat2(directory, name("d"), directory, name("d/e"), 0)).isEqualTo(-Errno.EINVAL);
    }

    @Test
    void statxFailsWithTheKernelsErrorAndTakesDescriptors() {
        int f = file("f", "data");
        MemorySegment result = memory(LinuxConstants.STATX_SIZE);
        int mask = LinuxConstants.STATX_BASIC_STATS;
        assertThat(calls.statx(f, name(""), AT_EMPTY_PATH, mask, result)).isZero();
        assertThat(new StatxLayout().read(result).size()).isEqualTo(4);
        assertThat(calls.statx(f, name(""), 0, mask, result)).isEqualTo(-Errno.ENOENT);
        assertThat(calls.statx(directory, name("none"), 0, mask, result)).isEqualTo(-Errno.ENOENT);
        assertThat(calls.statx(BAD, name("f"), 0, mask, result)).isEqualTo(-Errno.EBADF);
        assertThat(calls.close(f)).isZero();
    }

    @Test
    void statxOfSeveralNamesAnswersForEach() {
        assertThat(calls.close(file("f", "data"))).isZero();
        assertThat(calls.close(file("other", "longer"))).isZero();
        MemorySegment names = name("f\0none\0other");
        MemorySegment results = memory(4 * LinuxConstants.STATX_SIZE);
        int[] answers = {1, 1, 1, 1};
        calls.statxEach(directory, names, new int[]{7, 2, 0, 0}, 3, LinuxConstants.AT_SYMLINK_NOFOLLOW,
                LinuxConstants.STATX_BASIC_STATS, results, answers);
        assertThat(answers[0]).isZero();
        assertThat(answers[1]).isNotZero();
        assertThat(answers[2]).isZero();
        assertThat(answers[3]).as("not asked for").isOne();
        assertThat(new StatxLayout().read(results).size()).isEqualTo(6);
        assertThat(new StatxLayout().read(results.asSlice(2 * LinuxConstants.STATX_SIZE)).size()).isEqualTo(4);
    }
}
