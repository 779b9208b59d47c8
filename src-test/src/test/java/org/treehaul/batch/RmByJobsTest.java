// SPDX-License-Identifier: Apache-2.0
package org.treehaul.batch;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.RandomTree;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.packaged.Run;

/** {@code rm} as jobs of this machine: only what was planned is removed. */
class RmByJobsTest {

    private final TransferCli program;
    private final TestDirectory directory = TestDirectory.make();
    private final Path state = directory.resolve("state");
    private final Path tree = directory.directory("tree");

    RmByJobsTest() throws IOException {
        program = TransferCli.make();
    }

    @AfterEach
    void close() throws IOException {
        program.close();
        directory.close();
    }

    private Run rm(Object... more) throws Exception {
        return program.run(
                all(new Object[]{"rm", "-r", "--state-dir", state, "--scheduler", "local", "--jobs", 2}, more, tree));
    }

    private static Object[] all(Object[] first, Object[] more, Path last) {
        Object[] all = new Object[first.length + more.length + 1];
        System.arraycopy(first, 0, all, 0, first.length);
        System.arraycopy(more, 0, all, first.length, more.length);
        all[all.length - 1] = last;
        return all;
    }

    @Test
    void aTreeIsRemovedAndTheTransferIsReported() throws Exception {
        RandomTree.make(Linux.calls(), tree, 11, 300);
        Run removed = rm("--wait").expect(0);
        assertThat(removed.err())
                .containsPattern("complete: [0-9]+ of [0-9]+ entries in [0-9.]+ s, [0-9,]+ entries/s\n");
        String id = removed.out().strip();
        assertThat(tree).doesNotExist();
        assertThat(program.run("report", "--state-dir", state, id).expect(0).out()).contains(">entries</th>")
                .doesNotContain(">data</th>", " B/s");
        assertThat(program.run("status", "--json", "--state-dir", state, id).expect(0).out())
                .contains("\"kind\":\"remove\"", "\"state\":\"complete\"");
        assertThat(program.run("resume", "--state-dir", state, id).expect(0).err()).contains("nothing to resume");
        assertThat(program.run("verify", "--state-dir", state, id).expect(2).err()).contains("not a copy");
        program.run("forget", "--state-dir", state, id).expect(0);
    }

    @Test
    void filesRecreatedBeforeTheJobsBeginStay() throws Exception {
        Files.createDirectory(tree.resolve("d"));
        Files.writeString(tree.resolve("d/replaced"), "planned");
        Files.writeString(tree.resolve("d/other"), "planned");
        String replace = "cd '" + tree + "/d' && echo new > n && mv n replaced && echo new > added";
        Run run = rm("--wait", "--jobs", 1, "--pre", replace);
        assertThat(run.code()).isEqualTo(24);
        assertThat(tree.resolve("d/replaced")).hasContent("new");
        assertThat(tree.resolve("d/added")).hasContent("new");
        assertThat(tree.resolve("d/other")).doesNotExist();
        assertThat(run.err()).contains("resume leaves out 1 entry that changed since planning: the same command")
                .doesNotContain("tries again");
        assertThat(program.run("errors", "--state-dir", state, "last").out()).contains("d/replaced: changed");
    }

    @Test
    @Tag("rig")
    void anOperandThatIsMissingIsInTheExitCodeOfTheWait() throws Exception {
        Files.writeString(tree.resolve("file"), "data");
        Run run = rm("--wait", directory.resolve("missing"));
        assertThat(run.code()).as(run.err()).isEqualTo(23);
        assertThat(run.err()).contains("missing: stat: No such file");
        assertThat(tree).doesNotExist();
    }

    @Test
    @Tag("rig")
    void resumeSaysThatAnEntryThatWasNotPlannedStays() throws Exception {
        try (TransferCli cli = TransferCli.ofOrdinaryUser()) {
            Path source = cli.tree("source", 20, 10);
            Path shut = source.resolve("d0");
            Files.setPosixFilePermissions(shut, PosixFilePermissions.fromString("---------"));
            Run removed = cli.run("rm", "-r", "--scheduler", "local", "--wait", source).expect(23);
            String left = "the same command removes them when it is run again, treehaul rm ";
            assertThat(removed.err())
                    .contains("resume leaves out 1 entry that could not be read during planning: " + left,
                            " -r --scheduler local --wait " + source)
                    .doesNotContain("tries again");
            Files.setPosixFilePermissions(shut, PosixFilePermissions.fromString("rwx------"));
            Run resumed = cli.run("resume", "--wait", removed.out().strip()).expect(23);
            assertThat(resumed.err())
                    .contains("1 entry could not be read during planning: resume leaves them out; " + left)
                    .doesNotContain("tried again", "tries again");
            assertThat(shut.resolve("f3")).exists();
            cli.run("rm", "-r", source).expect(0);
        }
    }

    @Test
    void aRefusedOptionRemovesNothing() throws IOException, Exception {
        Files.writeString(tree.resolve("file"), "data");
        rm("--dry-run").expect(2);
        rm("--strategy", "streaming").expect(2);
        rm("--plan-in-job").expect(2);
        program.run("rm", "--state-dir", state, "--scheduler", "local", tree).expect(2);
        assertThat(tree.resolve("file")).hasContent("data");
        assertThat(program.run("status", "--state-dir", state).out()).isEmpty();
    }

    // The jobs have their jars on a class path, whose separator is the colon.
    @Test
    @Tag("rig")
    void theStateDirectoryMayHaveAColonInItsName() throws Exception {
        Path colon = directory.resolve("a:b");
        RandomTree.make(Linux.calls(), tree, 12, 50);
        Path copy = directory.resolve("copy");
        program.run("cp", "-r", "--state-dir", colon, "--scheduler", "local", "--plan-in-job", "--wait", tree, copy)
                .expect(0);
        assertThat(copy).isDirectory();
        program.run("rm", "-r", "--state-dir", colon, "--scheduler", "local", "--wait", tree).expect(0);
        assertThat(tree).doesNotExist();
    }
}
