// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.fs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.treehaul.core.testing.Privilege;
import org.treehaul.core.testing.TestDirectory;

/** Paths that others can change, and the modes of the program's own files. */
class SafePathTest {

    private TestDirectory directory = TestDirectory.make();

    @BeforeEach
    void make() {
        directory.close();
        directory = TestDirectory.make();
    }

    @AfterEach
    void remove() {
        directory.close();
    }

    private Path make(String name, String mode) throws IOException {
        Path made = Files.createDirectories(directory.resolve(name));
        Files.setPosixFilePermissions(made, PosixFilePermissions.fromString(mode));
        return made;
    }

    private static void chmod(Path path, int mode) throws IOException {
        Files.setAttribute(path, "unix:mode", mode);
    }

    @Test
    void aWayThatIsOursOrTheSystemsIsFollowedThroughLinks() throws Exception {
        Path end = make("a/b", "rwxr-xr-x");
        Path link = Files.createSymbolicLink(directory.resolve("link"), Path.of("a/../a/b/."));
        assertThat(SafePath.resolve(link)).isEqualTo(end);
        assertThat(SafePath.resolve(link.resolve("x/y"))).isEqualTo(end.resolve("x/y"));
        assertThat(SafePath.resolve(link.resolve("../../link/x"))).isEqualTo(end.resolve("x"));
        Path away = Files.createSymbolicLink(directory.resolve("away"), end.resolve("none"));
        assertThat(SafePath.resolve(away.resolve("x"))).isEqualTo(end.resolve("none/x"));
        assertThat(SafePath.resolve(Path.of("/"))).isEqualTo(Path.of("/"));
    }

    @Test
    void aDirectoryThatOthersCanRenameInIsNone() throws Exception {
        Path group = make("group", "rwxrwxr-x");
        Path below = make("group/a/b", "rwx------");
        assertThatThrownBy(() -> SafePath.resolve(below)).isInstanceOf(UnsafePathException.class)
                .hasMessageContaining(group + " is writable by others (mode 775)")
                .hasMessageContaining("chmod go-w " + group);
        assertThatThrownBy(() -> SafePath.resolve(group.resolve("new"))).isInstanceOf(UnsafePathException.class);
        // The last component is left to the caller.
        assertThat(SafePath.resolve(group)).isEqualTo(group);
        chmod(group, 01777);
        assertThat(SafePath.resolve(below)).isEqualTo(below);
    }

    @Test
    void aLinkThroughADirectoryThatOthersCanRenameInIsNone() throws Exception {
        Path end = make("end", "rwx------");
        Path open = make("open", "rwxrwxrwx");
        Files.createSymbolicLink(open.resolve("link"), end);
        Path link = Files.createSymbolicLink(directory.resolve("first"), open.resolve("link"));
        assertThatThrownBy(() -> SafePath.resolve(link)).isInstanceOf(UnsafePathException.class)
                .hasMessageContaining(open.toString());
    }

    @Test
    void aPathThroughADirectoryOfAnotherUserIsUnsafe() throws Exception {
        Privilege.requireRoot("it gives files away");
        Path foreign = make("foreign", "rwxr-xr-x");
        Path below = make("foreign/below", "rwxr-xr-x");
        Files.setAttribute(foreign, "unix:uid", 12345);
        assertThatThrownBy(() -> SafePath.resolve(below)).isInstanceOf(UnsafePathException.class)
                .hasMessageContaining(foreign + " belongs to user 12345");
        Path sticky = make("sticky", "rwx------");
        chmod(sticky, 01777);
        Path link = Files.createSymbolicLink(sticky.resolve("link"), directory.path());
        Files.setAttribute(link, "unix:uid", 12345, LinkOption.NOFOLLOW_LINKS);
        assertThatThrownBy(() -> SafePath.resolve(link)).isInstanceOf(UnsafePathException.class)
                .hasMessageContaining("is a symbolic link of user 12345");
    }

    @Test
    void aWayWithoutEndOrThroughAFileIsNone() throws Exception {
        Path loop = Files.createSymbolicLink(directory.resolve("loop"), Path.of("loop"));
        assertThatThrownBy(() -> SafePath.resolve(loop)).isInstanceOf(FileSystemLoopException.class);
        Path file = Files.writeString(directory.resolve("file"), "");
        assertThatThrownBy(() -> SafePath.resolve(file.resolve("x"))).isInstanceOf(NotDirectoryException.class);
    }

    @Test
    void aDirectoryThatOthersCouldReadIsClosedAndOneThatTheyCouldWriteIsRefused() throws Exception {
        Path readable = make("readable", "rwxr-xr-x");
        PrivateFiles.keepDirectory(readable);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(readable))).isEqualTo("rwx------");
        PrivateFiles.keepDirectory(readable);
        Path writable = make("writable", "rwxrwxr-x");
        assertThatThrownBy(() -> PrivateFiles.keepDirectory(writable)).isInstanceOf(UnsafePathException.class)
                .hasMessageContaining(writable + " is open to others (mode 775)");
        Path link = Files.createSymbolicLink(directory.resolve("link"), readable);
        assertThatThrownBy(() -> PrivateFiles.keepDirectory(link)).isInstanceOf(UnsafePathException.class)
                .hasMessageContaining("is not a directory");
    }

    @Test
    void aFileCountsAsOursOnlyWhereOthersCannotWriteToIt() throws Exception {
        Path file = directory.resolve("file");
        PrivateFiles.write(file, new byte[1]);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file))).isEqualTo("rw-------");
        assertThat(SafePath.isOwnFile(file)).isTrue();
        assertThat(SafePath.isOwnFile(Files.createSymbolicLink(directory.resolve("link"), file))).isFalse();
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw--w----"));
        assertThat(SafePath.isOwnFile(file)).isFalse();
    }
}
