// SPDX-License-Identifier: Apache-2.0
package org.treehaul.trust;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.treehaul.core.testing.Privilege;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.packaged.Run;

/** An index in a directory is read by the users whom the modes of its files let read it, and by no others. */
class SharedIndexTest {
    private static final String OTHER = "65534";
    private static final int GROUP = 4321;

    private final TestDirectory directory = TestDirectory.onTmpfs();
    private final Path tree = directory.resolve("tree");
    private final Path space = directory.resolve("space");
    private final Path jar = directory.resolve("treehaul.jar");

    @AfterEach
    void remove() {
        directory.close();
    }

    private Run query(String group) throws Exception {
        return Run.of(Run.command(List.of("setpriv", "--reuid", OTHER, "--regid", group, "--clear-groups"), jar,
                "query", "--space", space, "name=a*").toArray());
    }

    private void share(int group, String ofDirectory, String ofFile) throws Exception {
        Path file = space.resolve("space.db");
        Files.setAttribute(space, "unix:gid", group);
        Files.setAttribute(file, "unix:gid", group);
        Files.setPosixFilePermissions(space, PosixFilePermissions.fromString(ofDirectory));
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(ofFile));
    }

    private List<String> files() throws Exception {
        try (Stream<Path> files = Files.list(space)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    @Test
    @Tag("rig")
    void aGroupOrAllReadAnIndexIfItsOwnerLetsThem() throws Exception {
        Privilege.requireRoot("it becomes another user");
        Files.createDirectory(tree);
        Files.writeString(tree.resolve("a1"), "1");
        Run.copyOfJar(directory.path());
        Files.setPosixFilePermissions(directory.path(), PosixFilePermissions.fromString("rwxr-xr-x"));
        Run.treehaul("index", "--space", space, tree).expect(0);
        assertThat(query(OTHER).expect(2).err()).contains("no permission to read", "chmod a+rx");

        share(GROUP, "rwxr-x---", "rw-r-----");
        List<String> before = files();
        assertThat(query(String.valueOf(GROUP)).expect(0).out()).isEqualTo(tree.resolve("a1") + "\n");
        assertThat(query(OTHER).expect(2).err()).contains("no permission to read");
        assertThat(files()).isEqualTo(before);

        // A later run of the owner keeps it shared.
        Files.writeString(tree.resolve("a2"), "2");
        Run.treehaul("index", "--space", space).expect(0);
        assertThat(query(String.valueOf(GROUP)).expect(0).out().lines()).hasSize(2);

        share(0, "rwxr-xr-x", "rw-r--r--");
        assertThat(query(OTHER).expect(0).out().lines()).hasSize(2);
        Run refused = Run.of(Run.command(List.of("setpriv", "--reuid", OTHER, "--regid", OTHER, "--clear-groups"), jar,
                "index", "--space", space).toArray());
        assertThat(refused.expect(2).err()).contains(space.toString());
    }
}
