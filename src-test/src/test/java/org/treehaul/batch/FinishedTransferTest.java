// SPDX-License-Identifier: Apache-2.0
package org.treehaul.batch;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.treehaul.core.testing.Privilege;
import org.treehaul.packaged.Run;

/** Transfers that are finished, or were never begun, even if the state of their jobs is unknown. */
class FinishedTransferTest extends LocalJobsTests {

    // Runs on a host of another name, where the state of this host's jobs is unknown.
    private int elsewhere(String name, Object... arguments) throws IOException, InterruptedException {
        return cli
                .startBy(List.of("unshare", "-u", "sh", "-c", "hostname elsewhere; exec \"$@\"", "sh"), name, arguments)
                .waitFor();
    }

    @Test
    void aCompleteTransferStaysCompleteAndIsForgottenOnAnyHost() throws Exception {
        Privilege.requireRoot("to give this host another name");
        Path source = cli.tree("source", 2, 10);
        String id = cli.run("cp", "-a", "--scheduler", "local", "--wait", source, cli.resolve("copy"))
                .expect(0)
                .out()
                .strip();
        assertThat(elsewhere("cancel", "cancel", id)).as(cli.read("cancel.err")).isZero();
        assertThat(cli.read("cancel.err")).contains(id + " is complete already: there is nothing to cancel");
        assertThat(cli.run("status", id).expect(0).out()).startsWith(id + "  complete; ");
        assertThat(elsewhere("forget", "forget", id)).as(cli.read("forget.err")).isZero();
        assertThat(cli.run("status").expect(0).out()).isEmpty();
    }

    @Test
    @Tag("rig")
    void aResumeOnAnotherHostDoesNotWaitForJobsOfTheFirst() throws Exception {
        Privilege.requireRoot("to give this host another name");
        Path source = cli.tree("source", 2, 10);
        String id = cli.submit("cp", "-a", "--scheduler", "local", "--pre", "false", source, cli.resolve("copy"));
        cli.awaitEnd(id);
        assertThat(elsewhere("resume", "resume", "--force", "--wait", id)).as(cli.read("resume.err")).isEqualTo(23);
        assertThat(cli.read("resume.err")).contains("no job of " + id + " is left, but it is not finished");
        assertThat(elsewhere("forget", "forget", "--force", id)).as(cli.read("forget.err")).isZero();
    }

    @Test
    void aTransferThatNeverBeganIsNotOneWithoutErrors() throws Exception {
        String id = cli.submit("cp", "-a", "--scheduler", "local", "--pre", "(exit 3)", cli.tree("source", 2, 10),
                cli.resolve("copy"));
        cli.awaitEnd(id);
        assertThat(cli.run("errors", id).expect(1).err()).contains(id + " is waiting, so entries may be missing");
        assertThat(cli.run("status").expect(0).out())
                .contains("'treehaul status " + id + "' shows whether it still has jobs");
        assertThat(cli.run("status", id).expect(0).out()).contains("no job of it is left",
                "the commands of --pre returned 3, so the work of a job did not begin; its output is in "
                        + cli.of(id, "log/th-"),
                " waiting, as last reported\n");
    }

    @Test
    @Tag("rig")
    void aForcedResumeDoesNotTrustJournalsInAnotherDirectory() throws Exception {
        Path source = cli.tree("source", 2, 10);
        Path late = cli.resolve("late");
        Path mount = Files.createDirectory(cli.path().resolve("mount"));
        Path other = cli.path().resolve("other");
        Run first = cli.run("cp", "-a", "--scheduler", "local", "--wait", source, late, mount).expect(23);
        String id = first.out().strip();
        Files.writeString(late, "there now");
        Files.move(mount, other);
        for (boolean isThere : List.of(false, true)) {
            if (isThere) {
                Files.createDirectory(mount);
            }
            assertThat(cli.run("resume", "--force", "--wait", id).expect(2).err()).contains("wrong mount: " + mount,
                    "no entry of the copy was found there", "'treehaul forget --force " + id + "'");
        }
        assertThat(mount).isEmptyDirectory();
        Files.delete(mount);
        Files.move(other, mount);
        cli.run("resume", "--force", "--wait", id).expect(0);
        assertThat(mount.resolve("late")).hasContent("there now");
    }

    @Test
    @Tag("rig")
    void theLastJobOfACompleteTransferEnds() throws Exception {
        Path source = cli.tree("source", 2, 10);
        Path go = cli.resolve("go");
        Path gone = cli.resolve("gone");
        String id = cli
                .run("cp", "-a", "--scheduler", "local", "--wait", "--on-complete",
                        "until [ -e " + go + " ]; do sleep 0.1; done; touch " + gone, source, cli.resolve("copy"))
                .expect(0)
                .out()
                .strip();
        assertThat(cli.run("cancel", id).expect(0).err())
                .contains(id + " is complete already: there is nothing to cancel");
        assertThat(cli.run("status", id).expect(0).out()).startsWith(id + "  complete; ");
        Process forgetting = cli.start("forget", "forget", id);
        Files.createFile(go);
        assertThat(forgetting.waitFor()).as(cli.read("forget.err")).isZero();
        assertThat(gone).exists();
        assertThat(cli.of(id, "")).doesNotExist();
    }

    @Test
    void aTransferWithoutJobsIsNotTakenForRanksAndNotWatched() throws Exception {
        Path source = cli.tree("source", 2, 10);
        // This PATH contains no Slurm.
        cli.with("PATH", "/nowhere");
        Run run = cli.run("cp", "-a", "--scheduler", "slurm", "--jobs", 1, source, cli.resolve("copy")).expect(2);
        assertThat(run.err()).contains("the plan is kept");
        assertThat(cli.run("status", "--watch", "--progress-interval", 1, "last").expect(0).out())
                .contains("no job of it is submitted; unless a command is about to submit them, 'treehaul resume ")
                .doesNotContain("by hand");
    }
}
