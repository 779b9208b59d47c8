// SPDX-License-Identifier: Apache-2.0
package org.treehaul.rigs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.treehaul.core.compare.CompareOptions;
import org.treehaul.core.compare.CompareResult;
import org.treehaul.core.compare.TreeComparer;
import org.treehaul.core.copy.Copies;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.locality.DataPlace;
import org.treehaul.core.locality.Locality;
import org.treehaul.core.state.Host;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.core.walk.options.Root;
import org.treehaul.programs.Programs;

/** Copies to, from and on real network file systems. */
@Tag("rig")
class NetworkFileSystemsTest {

    // Each file's ACL excludes its group, which the mode bits seem to admit.
    private static final String TREE = """
            umask 022; mkdir -p "$1/d/e"; cd "$1"
            echo hi > d/f; : > d/empty; head -c 300000 /dev/urandom > d/large; head -c 3000000 /dev/urandom > d/e/chunked
            ln d/large d/hard; ln -s nowhere link; mkfifo fifo; chmod 620 fifo
            setfacl -m u:1234:r,g::- d/f d/large d/e/chunked; setfacl -m u:1234:rx,g::- d; setfacl -d -m u:1234:rx,g::- d
            chown 5:6 d/f fifo; chown -h 5:6 link; chmod 4755 d/empty
            touch -d '2001-02-03 04:05:06' d/f d/large d/e d; touch -h -d '1999-01-01' link; touch -d '1999-01-02' fifo
            """;

    private static CopyOptions archive() {
        return Copies.archive().chunkBytes(1 << 20).verify(CopyOptions.Verify.XXH3).build();
    }

    private static void copy(Path from, Path to) {
        Copies.run(archive(), List.of(Copies.pair(from, to)), new Cancellation()).succeeds();
    }

    private static ByteString bytes(Path path) {
        return ByteString.of(path.toString());
    }

    private static void isSame(Path a, Path b) throws IOException {
        List<String> differences = Collections.synchronizedList(new ArrayList<>());
        CompareResult result = TreeComparer.of(Linux.calls(), CompareOptions.defaults().withContent(true))
                .compare(Root.of(bytes(a)), bytes(b), difference -> differences.add(difference.toString()), event -> {
                }, new Progress(), new Cancellation());
        assertThat(differences).isEmpty();
        assertThat(result.isSame()).isTrue();
        assertThat(acls(b)).isEqualTo(acls(a));
        try (var left = Files.walk(b)) {
            assertThat(left.map(path -> path.getFileName().toString()))
                    .noneMatch(name -> name.startsWith(".treehaul-"));
        }
    }

    private static String acls(Path tree) {
        return Programs.run("sh", "-c", "cd \"$1\" && find . ! -type l | sort | getfacl -n -", "sh", tree);
    }

    private static void isCopiedEachWay(NetworkFileSystem network) throws IOException {
        Path source = network.local("source");
        Programs.run("sh", "-c", TREE, "sh", source);
        Path there = network.resolve("there");
        for (int i = 0; i < 2; i++) {
            copy(source, there);
            isSame(source, there);
        }
        copy(there, network.local("back"));
        isSame(there, network.local("back"));
        copy(there, network.resolve("beside"));
        isSame(there, network.resolve("beside"));
    }

    private static void isOnTheBricksThatLayoutsName(Path tree) throws IOException {
        Locality locality = Locality.over(Linux.calls());
        try (var all = Files.walk(tree)) {
            for (Path file : all.filter(path -> Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS)).toList()) {
                DataPlace place = locality.layout(bytes(file))
                        .orElseThrow()
                        .extents()
                        .getFirst()
                        .holders()
                        .getFirst()
                        .places()
                        .getFirst();
                assertThat(place.server()).isEqualTo(Host.name());
                Path brick = Path.of(place.path().toString());
                // A file with several names is shown by any of them.
                if (Files.getAttribute(file, "unix:nlink").equals(1)) {
                    assertThat(brick.toString()).endsWith("/there/" + tree.relativize(file));
                }
                assertThat(brick).hasSize(Files.size(file));
            }
        }
    }

    @Test
    @Tag("happy-path")
    void aTreeGoesToGlusterAndBack() throws Exception {
        try (NetworkFileSystem gluster = NetworkFileSystem.gluster()) {
            isCopiedEachWay(gluster);
            isOnTheBricksThatLayoutsName(gluster.resolve("there"));
            // The client continues to apply a default ACL that was removed from a new directory.
            Path source = gluster.local("acls");
            Programs.run("sh", "-c",
                    """
                            umask 022; mkdir -p "$1/p/c/d" "$2/p"; echo hi > "$1/p/c/f"; echo hi > "$1/p/c/d/f"; mkfifo "$1/p/c/fifo"
                            head -c 300000 /dev/zero > "$1/p/c/large"; setfacl -d -m u:77:rx "$1/p" "$2/p"
                            """,
                    "sh", source, gluster.resolve("acls"));
            copy(source, gluster.resolve("acls"));
            isSame(source, gluster.resolve("acls"));
        }
    }

    @Test
    @Tag("happy-path")
    void aTreeGoesToMooseAndBack() throws Exception {
        try (NetworkFileSystem moosefs = NetworkFileSystem.moosefs()) {
            isCopiedEachWay(moosefs);
        }
    }

    @Test
    @Tag("happy-path")
    void filesGoToAMountThatTakesDataInOrderOnly() throws Exception {
        Programs.require("rclone", "rclone");
        Programs.require("fusermount3", "fuse3");
        Mount.requireFuse();
        try (TestDirectory directory = TestDirectory.make()) {
            Path mount = directory.directory("mount");
            Path store = directory.directory("store");
            Path source = directory.directory("source");
            Programs.run("sh", "-c", "cd \"$1\"; echo x > small; head -c 300000 /dev/urandom > large;"
                    + " head -c 3000000 /dev/urandom > chunked; truncate -s 400000 hole", "sh", source);
            Process rclone = Programs.start("rclone", "mount", store, mount, "--vfs-cache-mode", "off", "--config",
                    "/dev/null", "--log-file", directory.resolve("log"));
            try {
                Awaitility.await().until(() -> Programs.ask("mountpoint", "-q", mount).code() == 0);
                CopyOptions options = CopyOptions.builder().recursive(true).threads(4).chunkBytes(1 << 20).build();
                Copies.run(options, List.of(Copies.pair(source, mount.resolve("copy"))), new Cancellation()).succeeds();
                assertThat(Programs.ask("diff", "-r", source, store.resolve("copy")).text()).isEmpty();
            } finally {
                Programs.ask("umount", "-l", mount);
                rclone.destroy();
                rclone.waitFor();
            }
        }
    }
}
