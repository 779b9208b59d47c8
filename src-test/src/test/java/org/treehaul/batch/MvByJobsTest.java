// SPDX-License-Identifier: Apache-2.0
package org.treehaul.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.RandomTree;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.core.testing.TreeAssert;
import org.treehaul.core.testing.TreeAssert.Aspect;
import org.treehaul.core.testing.TreeListing;
import org.treehaul.packaged.Run;

/** {@code mv} to another file system as jobs of this machine: a source is removed when its copy is complete. */
class MvByJobsTest {

    @AutoClose
    private final TransferCli program;
    @AutoClose
    private final TestDirectory here = TestDirectory.onTmpfs();
    @AutoClose
    private final TestDirectory there = TestDirectory.make();
    private final Path state = here.resolve("state");
    private final Path tree = here.directory("tree");
    private final Path copy = there.resolve("copy");

    MvByJobsTest() throws IOException {
        program = TransferCli.make();
    }

    @BeforeEach
    void requireTwoFileSystems() throws Exception {
        assumeFalse(Files.getAttribute(here.path(), "unix:dev").equals(Files.getAttribute(there.path(), "unix:dev")),
                "the directory for temporary files is in memory, too");
    }

    private Run mv(Object... more) throws Exception {
        List<Object> all = new ArrayList<>(
                List.of("mv", "--state-dir", state, "--scheduler", "local", "--jobs", 2, "--wait"));
        all.addAll(List.of(more));
        return program.run(all.toArray());
    }

    private void assertNothingIsLeft() throws Exception {
        assertThat(TransferCli.files(there.path(), path -> path.getFileName().toString().startsWith(".treehaul-")))
                .isEmpty();
    }

    @Test
    void aTreeIsMovedAndTheTransferIsReported() throws Exception {
        RandomTree.make(Linux.calls(), tree, 21, 300);
        TreeListing wanted = TreeListing.of(Linux.calls(), tree);
        Run moved = mv(tree, copy).expect(0);
        assertThat(moved.err()).containsPattern("complete: [0-9,]+ of [0-9,]+ entries, .* verified in ");
        String id = moved.out().strip();
        assertThat(tree).doesNotExist();
        TreeAssert.assertThat(TreeListing.of(Linux.calls(), copy)).isCopyOf(wanted);
        assertNothingIsLeft();
        assertThat(program.run("status", "--json", "--state-dir", state, id).expect(0).out())
                .contains("\"kind\":\"move\"", "\"state\":\"complete\"");
        assertThat(program.run("resume", "--state-dir", state, id).expect(0).err()).contains("nothing to resume");
        assertThat(program.run("verify", "--state-dir", state, id).expect(2).err()).contains("not a copy");
    }

    @Test
    @Tag("rig")
    void sourcesOnTheFileSystemOfTheTargetAreRenamed() throws Exception {
        Files.writeString(tree.resolve("file"), "moved");
        Path near = Files.writeString(there.resolve("near"), "renamed");
        Path directory = there.directory("directory");
        Run run = mv("-v", tree, near, here.resolve("missing"), directory);
        assertThat(run.code()).as(run.err()).isEqualTo(23);
        assertThat(run.err()).contains("missing: stat: No such file", "complete: 1 of 1 entry");
        assertThat(directory.resolve("near")).hasContent("renamed");
        assertThat(directory.resolve("tree/file")).hasContent("moved");
        assertThat(tree).doesNotExist();
        assertThat(near).doesNotExist();
        Run renamed = mv(directory.resolve("near"), near).expect(0);
        assertThat(renamed.err()).contains("renamed 1 source");
        assertThat(renamed.out()).isEmpty();
        assertNothingIsLeft();
    }

    @Test
    void changedEntriesStayUntilTheCommandIsRepeated() throws Exception {
        Files.writeString(tree.resolve("changed"), "planned");
        Files.writeString(tree.resolve("other"), "planned");
        // The job that finishes runs it too, perhaps after the command has ended.
        String once = "if mkdir '" + here.resolve("once") + "'; then cd '" + tree
                + "' && echo new > n && mv n changed && echo new > added; fi";
        Run run = mv("--jobs", 1, "--pre", once, tree, copy);
        assertThat(run.code()).as(run.err()).isEqualTo(24);
        assertThat(run.err())
                .contains("resume leaves out 1 entry that changed since planning: the same command moves them")
                .doesNotContain("tries again");
        assertThat(program.run("errors", "--state-dir", state, "last").out())
                .contains("changed: changed concurrently: compare with the plan");
        assertThat(tree.resolve("changed")).hasContent("new");
        assertThat(tree.resolve("other")).doesNotExist();
        Run again = mv(tree, copy).expect(0);
        assertThat(again.err()).contains("continues the unfinished move to '" + copy + "'");
        assertThat(tree).doesNotExist();
        assertThat(copy.resolve("changed")).hasContent("new");
        assertThat(copy.resolve("added")).hasContent("new");
        assertThat(copy.resolve("other")).hasContent("planned");
        assertThat(copy.resolve("tree")).doesNotExist();
        assertNothingIsLeft();
    }

    @Test
    @Tag("rig")
    void aMoveThatIsPlannedInAJobCanBeResumed() throws Exception {
        RandomTree.make(Linux.calls(), tree, 22, 100);
        TreeListing wanted = TreeListing.of(Linux.calls(), tree);
        Run stopped = program.run("mv", "--state-dir", state, "--scheduler", "local", "--plan-in-job", "--wait",
                "--pre", "test -e '" + here.resolve("may-begin") + "'", tree, copy);
        assertThat(stopped.code()).as(stopped.err()).isNotZero();
        TreeAssert.assertThat(TreeListing.of(Linux.calls(), tree)).isCopyOf(wanted);
        Files.createFile(here.resolve("may-begin"));
        program.run("resume", "--state-dir", state, "--wait", stopped.out().strip()).expect(0);
        assertThat(tree).doesNotExist();
        TreeAssert.assertThat(TreeListing.of(Linux.calls(), copy)).ignoring(Aspect.DIRECTORY_TIMES).isCopyOf(wanted);
        assertNothingIsLeft();
    }

    @Test
    void aRefusedMoveLeavesNoMark() throws Exception {
        Files.writeString(tree.resolve("file"), "data");
        assertThat(mv("-i", tree, copy).expect(2).err()).contains("-i cannot be combined with jobs or ranks");
        assertThat(mv("--log-file", here.resolve("log"), tree, copy).expect(2).err()).contains("--log-file cannot be");
        assertThat(program.run("mv", "--walltime", "1:00", tree, copy).expect(2).err()).contains("needs --scheduler");
        assertThat(program.run("mv", "--ranks", 2, "-i", tree, copy).expect(2).err()).contains("-i cannot be");
        assertThat(program.run("mv", "--scheduler", "nosuch", tree, copy).expect(2).err()).contains("nosuch");
        assertThat(mv("-t", here.resolve("missing"), tree).expect(2).err()).contains("missing");
        assertThat(tree.resolve("file")).hasContent("data");
        assertThat(copy).doesNotExist();
        assertNothingIsLeft();
    }

    @Test
    void ranksInOneProcessMove() throws Exception {
        RandomTree.make(Linux.calls(), tree, 23, 200);
        TreeListing wanted = TreeListing.of(Linux.calls(), tree);
        Run run = program.run("mv", "--ranks", 2, "--distribution", "random-split", tree, copy).expect(0);
        assertThat(run.err()).contains("from the source");
        assertThat(tree).doesNotExist();
        TreeAssert.assertThat(TreeListing.of(Linux.calls(), copy)).isCopyOf(wanted);
        assertNothingIsLeft();
    }
}
