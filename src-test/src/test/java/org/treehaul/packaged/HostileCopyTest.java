// SPDX-License-Identifier: Apache-2.0
package org.treehaul.packaged;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.HostileTree;
import org.treehaul.core.testing.HostileTree.Part;
import org.treehaul.core.testing.Privilege;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.core.testing.TreeAssert;
import org.treehaul.core.testing.TreeListing;

/** The packaged program, started in several ways, copies a tree with everything that other programs get wrong. */
class HostileCopyTest {

    private static final String NOBODY = "65534";

    private TestDirectory directory;
    private Path source;
    private Path target;

    @BeforeEach
    void makeDirectory() {
        directory = TestDirectory.make();
        source = directory.directory("source");
        target = directory.resolve("target");
    }

    @AfterEach
    void removeDirectory() {
        directory.close();
    }

    @Test
    void aHostileTreeIsCopiedReadBackAndComparesEqual() throws Exception {
        HostileTree.make(Linux.calls(), source);

        treehaul("cp", "-a", "--verify", source, target).expect(0);

        assertIsCopy();
        treehaul("cmp", "--content", source, target).expect(0);
    }

    @Test
    void rsyncFindsNothingLeftToDo() throws Exception {
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/rsync")), "rsync is not installed");
        // rsync itself cannot name a path longer than 4096 bytes, and reads terabytes of holes.
        HostileTree.make(Linux.calls(), source, EnumSet.complementOf(EnumSet.of(Part.DEEP_PATH, Part.SPARSE)));

        treehaul("cp", "-a", "--verify=sha256", source, target).expect(0);

        Run rsync = Run.of("rsync", "-aHAXn", "--itemize-changes", "--checksum", "--delete", source + "/",
                target + "/");
        assertThat(rsync.out() + rsync.err()).isEmpty();
    }

    @Test
    void theSameUnderAnOlderJavaInTheCLocaleWithABareEnvironment() throws Exception {
        HostileTree.make(Linux.calls(), source);
        Map<String, String> bare = Map.of("PATH", "/usr/bin:/bin", "LC_ALL", "C");

        Run.of(bare, Run.olderJava(), "-jar", Run.JAR, "cp", "-a", source, target).expect(0);

        assertIsCopy();
        Run.of(bare, Run.olderJava(), "-jar", Run.JAR, "cmp", "--content", source, target).expect(0);
    }

    @Test
    void theSameAsAnOrdinaryUser() throws Exception {
        Privilege.requireRoot("it becomes another user");
        HostileTree.make(Linux.calls(), source, EnumSet.of(Part.NAMES, Part.DEEP_PATH, Part.SPARSE, Part.HARD_LINKS,
                Part.SPECIAL_FILES, Part.ATTRIBUTES, Part.TIMES, Part.EMPTY, Part.SYMLINKS, Part.SIZES));
        Run.of("chown", "-Rh", NOBODY + ":" + NOBODY, directory.path()).expect(0);
        List<String> by = List.of("setpriv", "--reuid", NOBODY, "--regid", NOBODY, "--clear-groups");

        Run.of(Run.command(by, Run.copyOfJar(directory.path()), "cp", "-a", "--verify", source, target).toArray())
                .expect(0);

        assertIsCopy();
    }

    @Test
    void aSecondCopyOntoTheFirstChangesNothingAndLeavesNothingBehind() throws Exception {
        HostileTree.make(Linux.calls(), source);
        treehaul("cp", "-aT", source, target).expect(0);

        treehaul("cp", "-aT", source, target).expect(0);

        assertIsCopy();
    }

    private void assertIsCopy() {
        TreeAssert.assertThat(TreeListing.of(Linux.calls(), target)).isCopyOf(TreeListing.of(Linux.calls(), source));
    }

    private static Run treehaul(Object... arguments) throws Exception {
        return Run.treehaul(arguments);
    }
}
