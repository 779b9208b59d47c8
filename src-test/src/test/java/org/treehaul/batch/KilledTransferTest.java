// SPDX-License-Identifier: Apache-2.0
package org.treehaul.batch;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.Campaign;
import org.treehaul.core.testing.Privilege;
import org.treehaul.core.testing.TreeRemoval;
import org.treehaul.packaged.Run;

/**
 * Processes that die during a transfer: planning, submitting, waiting, working; and jobs that outlive their transfer.
 */
class KilledTransferTest extends LocalJobsTests {

    @Test
    void aKilledWorkerIsReportedAndResumeDoesTheRest() throws Exception {
        Path source = cli.tree("source", 30, 15_000);
        Path copy = cli.resolve("copy");
        String id = submitSlowly(source, copy);
        TransferCli.awaitBegun(copy);
        cli.killWorkers(id);
        String status = cli.awaitEnd(id);
        assertThat(status).contains("\"state\":\"incomplete\"");
        assertThat(cli.run("status", id).expect(0).out()).contains("not complete: ", " batches are not done: ",
                "; 'treehaul resume " + id + "' continues");
        assertThat(cli.run("forget", id).expect(2).err()).contains(id + " is incomplete", "--force");
        Run resumed = cli.run("resume", "--wait", id.substring(id.length() - 4)).expect(0);
        assertThat(resumed.err()).contains("resumed " + id + " with 2 jobs of local", "complete: 32 of 32 entries");
        cli.expectCopy(source, copy);
    }

    @Test
    void resumePlansAgainAfterAKilledPlanner() throws Exception {
        Path source = cli.tree("source", 60, 10);
        Path list = cli.resolve("list");
        Run.of("mkfifo", list).expect(0);
        Process planning = cli.start("cp", "cp", "-a", "--scheduler", "local", "--files-from", list, source,
                cli.resolve("copy"));
        TransferCli.until(() -> !TransferCli.files(cli.state(), path -> path.endsWith("request")).isEmpty());
        planning.destroyForcibly().waitFor();
        assertThat(cli.run("status").expect(0).out())
                .matches("[^ ]+  planning; began [^;]*; copy " + source + " -> " + cli.resolve("copy") + "\n");
        Files.delete(list);
        Files.write(list, List.of("d0/f1", "d1"));
        Run resumed = cli.run("resume", "--wait", "last").expect(0);
        assertThat(resumed.err()).contains("complete: 11 of 11 entries");
        assertThat(cli.resolve("copy/d1/f59")).exists();
    }

    @Test
    @Tag("rig")
    void resumePlansAgainAfterAKilledPlannerOfAStreamedPlan() throws Exception {
        Assumptions.assumeTrue(Run.of("sh", "-c", "command -v strace").code() == 0, "strace is not installed");
        Path source = cli.tree("source", 1_000, 10);
        Path go = cli.resolve("go");
        // Each listing takes so long that planning still runs when the first batches have left.
        Process planning = cli.startBy(
                List.of("strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=getdents64", "-e",
                        "inject=getdents64:delay_enter=200000"),
                "cp", "cp", "-a", "--threads", 1, "--scheduler", "local", "--jobs", 2, "--strategy", "streaming",
                "--batch-files", 100, "--pre", "until [ -e " + go + " ]; do sleep 0.1; done", source,
                cli.resolve("copy"));
        TransferCli.until(() -> !TransferCli.files(cli.state(), path -> path.endsWith("jobs/1-finish-1")).isEmpty());
        planning.children().forEach(ProcessHandle::destroyForcibly);
        // The killed process also followed the jobs under strace, which would slow them down; now it releases them.
        planning.destroyForcibly().waitFor();
        String id = cli.run("status").expect(0).out().substring(0, 20);
        assertThat(cli.of(id, "plan/sealed")).doesNotExist();
        cli.timing(id, 500, 3_000);
        Files.createFile(go);
        String status = cli.awaitEnd(id);
        assertThat(status).contains("\"state\":\"incomplete\"", "'treehaul resume' plans again");
        assertThat(TransferCli.files(cli.resolve("copy"), Files::isRegularFile)).as("what was planned").isNotEmpty();
        cli.run("resume", "--wait", "--force", id).expect(0);
        cli.expectCopy(source, cli.resolve("copy"));
    }

    private void killTheSubmitter(int kills, long seed) throws Exception {
        Path source = cli.tree("source", 60, 300);
        Path copy = cli.resolve("copy");
        Object[] command = {"cp", "-aT", "--scheduler", "local", "--jobs", 2, source, copy};
        // In a process of its own, as those that are killed.
        long start = System.nanoTime();
        assertThat(cli.start("cp", command).waitFor()).as(cli.read("cp.err")).isZero();
        long nanos = System.nanoTime() - start;
        cli.awaitEnd(cli.read("cp.out").strip());
        Random random = new Random(seed);
        int begun = 0;
        for (int i = 0; i < kills; i++) {
            cli.run("forget", "--force", "all").expect(0);
            TreeRemoval.remove(Linux.calls(), copy);
            Process submitting = cli.start("cp", command);
            // One kill in each part of the time, so that few kills, too, are spread over all of it.
            TimeUnit.NANOSECONDS.sleep((nanos * i + random.nextLong(nanos)) / kills);
            submitting.destroyForcibly().waitFor();
            String listed = cli.run("status").expect(0).out();
            Run resumed = listed.isEmpty() ? null : cli.run("resume", "--wait", "--force", "last");
            if (resumed != null && resumed.code() == 0) {
                begun++;
            } else {
                // The command had not recorded what to copy, and reports that.
                assertThat(resumed == null ? "forget it" : resumed.err()).as("kill " + i + ": " + listed)
                        .contains("forget it");
                cli.run("forget", "--force", "all").expect(0);
                cli.run("cp", "-aT", "--scheduler", "local", "--wait", source, copy).expect(0);
            }
            cli.expectCopy(source, copy);
        }
        assertThat(begun).as("transfers that had begun").isPositive();
    }

    @Tag("campaign")
    @ParameterizedTest
    @ValueSource(longs = {1, 2})
    void theSubmitterMayBeKilledAtAnyMoment(long seed) throws Exception {
        killTheSubmitter(Campaign.cases(140), seed);
    }

    @Test
    @Tag("rig")
    void aWaitingCommandMayBeInterruptedAndTheJobsContinue() throws Exception {
        Path source = cli.tree("source", 30, 20_000);
        Path copy = cli.resolve("copy");
        Path gate = cli.resolve("gate");
        Process waiting = cli.start("cp", "cp", "-a", "--scheduler", "local", "--jobs", 2, "--pre",
                "until test -e " + gate + "; do sleep 0.1; done", "--wait", source, copy);
        TransferCli.until(() -> !cli.read("cp.out").isEmpty());
        String id = cli.read("cp.out").strip();
        Run.of("kill", "-INT", waiting.pid()).expect(0);
        assertThat(waiting.waitFor()).as(cli.read("cp.err")).isEqualTo(20);
        Files.createFile(gate);
        assertThat(cli.read("cp.err")).contains("the jobs continue: 'treehaul status " + id + "' shows them");
        assertThat(cli.awaitEnd(id)).contains("\"state\":\"complete\"");
        cli.expectCopy(source, copy);
    }

    @Test
    @Tag("rig")
    void jobsOfBeforeAResumeThatStartLateTouchNothing() throws Exception {
        Path source = cli.tree("source", 20, 10);
        Path copy = cli.resolve("copy");
        Path ready = cli.resolve("ready");
        String id = cli.submit("cp", "-a", "--scheduler", "local", "--pre", "[ -e " + ready + " ]", source, copy);
        assertThat(cli.awaitEnd(id)).contains("\"entries_done\":0");
        Files.createFile(ready);
        cli.run("resume", "--wait", id).expect(0);
        cli.expectCopy(source, copy);
        String result = Files.readString(cli.of(id, "generations/2.end"));
        // Later changes to the copy by the user are not undone either.
        Files.delete(copy.resolve("d0/f7"));
        for (String script : List.of("launch/1-worker-1.sh", "launch/1-finish-1.sh", "launch/1-worker-1.sh")) {
            Run.of("sh", "-c", "cd \"$1\" && exec env -i HOME=/ bash \"$2\" 0", "sh", cli.of(id, ""), script)
                    .expect(20);
        }
        assertThat(copy.resolve("d0/f7")).doesNotExist();
        assertThat(cli.of(id, "generations/2.end")).hasContent(result.strip());
        assertThat(TransferCli.files(cli.of(id, "attempts"), file -> file.toString().endsWith(".2.journal"))).isEmpty();
    }

    @Test
    void aNodeThatSeesAnotherSourceOrDestinationWritesNothing() throws Exception {
        Privilege.requireRoot("to mount file systems");
        Path source = cli.tree("source", 20, 10);
        Path there = Files.createDirectory(cli.path().resolve("there"));
        Path go = cli.resolve("go");
        String id = cli.submit("cp", "-a", "--scheduler", "local", "--pre",
                "until [ -e " + go + " ]; do sleep 0.1; done", source, there.resolve("copy"));
        for (Path hidden : List.of(source, there)) {
            Run run = cli.sh("""
                    hidden='%s' directory='%s'
                    export hidden directory T
                    exec unshare -m --propagation private sh -c '
                        mount -t tmpfs none "$hidden" && cd "$directory" || exit 99
                        $T worker --generation 1
                        code=$?
                        ls -A "$hidden"
                        exit $code'
                    """.formatted(hidden, cli.of(id, ""))).expect(2);
            assertThat(run.out()).isEmpty();
            assertThat(run.err()).contains("wrong mount: ", hidden.toString());
        }
        assertThat(TransferCli.files(cli.of(id, "attempts"), Files::isRegularFile)).isEmpty();
        assertThat(there.resolve("copy")).doesNotExist();
        Files.createFile(go);
        assertThat(cli.awaitEnd(id)).contains("\"state\":\"complete\"");
        cli.expectCopy(source, there.resolve("copy"));
    }
}
