// SPDX-License-Identifier: Apache-2.0
package org.treehaul.batch;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.treehaul.packaged.Run;

/** Copies by jobs of an ordinary user under a real Slurm. */
@ExtendWith(SlurmRig.class)
@Tag("rig")
class SlurmTransferTest {
    private SlurmRig.Running rig;
    private TransferCli cli;
    private Path source = Path.of("");
    private Path copy;

    @BeforeEach
    void makeRig(SlurmRig.Running running) throws Exception {
        rig = running;
        cli = TransferCli.ofOrdinaryUser(running.environment());
        source = cli.resolve("source");
        copy = cli.resolve("copy");
    }

    @AfterEach
    void removeRig() throws Exception {
        if (cli != null) {
            Run.of(rig.environment(), "scancel", "--full", "--user=" + TransferRig.USER);
            TransferCli.until(() -> rig.run("squeue", "-h").isEmpty());
            cli.close();
        }
    }

    private String submit(Object... options) throws Exception {
        Object[] command = new Object[options.length + 6];
        List<Object> first = List.of("cp", "-a", "--scheduler", "slurm");
        for (int i = 0; i < 4; i++) {
            command[i] = first.get(i);
        }
        System.arraycopy(options, 0, command, 4, options.length);
        command[command.length - 2] = source;
        command[command.length - 1] = copy;
        return cli.submit(command);
    }

    private void expectEqual(String id) throws Exception {
        cli.expectCopy(source, copy);
        assertThat(cli.run("cmp", "--content", source, copy).expect(0).err()).contains("no differences");
        assertThat(cli.run("status", id).expect(0).out()).contains("  complete; 100%").doesNotContain("jobs: ");
    }

    /** Kills all workers, so that none takes over the batches of another. */
    private void killedAndResumed(int files) throws Exception {
        source = cli.tree("source", files, 200);
        Process waiting = cli.start("cp", "cp", "-a", "--scheduler", "slurm", "--jobs", 4, "--bandwidth", files * 80L,
                "--wait", source, copy);
        TransferCli.awaitBegun(copy);
        String id = cli.read("cp.out").strip();
        cli.killWorkers(id);
        assertThat(waiting.waitFor()).as(cli.read("cp.err")).isEqualTo(23);
        assertThat(cli.read("cp.err")).contains("not complete: ", "'treehaul resume " + id + "' tries again");
        assertThat(cli.run("resume", "--wait", id).expect(0).err()).contains("resumed " + id + " with 4 jobs of slurm");
        expectEqual(id);
    }

    @Test
    @Tag("happy-path")
    void workersAreKilledAndResumeDoesTheRest() throws Exception {
        killedAndResumed(5_000);
    }

    @Test
    @Tag("campaign")
    void workersAreKilledAndResumeDoesTheRestOfManyFiles() throws Exception {
        killedAndResumed(50_000);
    }

    private void takenOver(String id) throws Exception {
        TransferCli.awaitBegun(copy);
        cli.killOneWorker(id);
        assertThat(cli.awaitEnd(id)).contains("\"state\":\"complete\"", "\"generation\":1");
        assertThat(TransferCli.files(cli.of(id, "attempts"), file -> file.toString().endsWith(".2.journal")))
                .isNotEmpty();
        assertThat(cli.run("resume", "--wait", id).expect(0).err()).contains("is complete");
        expectEqual(id);
    }

    @Test
    void aWorkerIsKilledAndTheOthersTakeItsBatchOver() throws Exception {
        source = cli.tree("source", 400, 2_000);
        Path go = cli.resolve("go");
        String id = submit("--jobs", 3, "--bandwidth", "180K", "--pre", "until [ -e " + go + " ]; do sleep 0.1; done");
        cli.timing(id, 400, 3_000);
        Files.createFile(go);
        takenOver(id);
    }

    @Test
    @Tag("campaign")
    void aWorkerIsKilledAndTheOthersTakeItsBatchOverAfterTwoMinutes() throws Exception {
        source = cli.tree("source", 50_000, 200);
        // The rate is so low that the workers still copy after two minutes.
        takenOver(submit("--jobs", 4, "--bandwidth", "56K"));
    }

    @Test
    void jobsThatNeverBeginDoNotKeepACopyUnfinished() throws Exception {
        source = cli.tree("source", 200, 1_000);
        byte[] large = new byte[3 << 20];
        Arrays.fill(large, (byte) 7);
        Path file = Files.write(source.resolve("large"), large);
        Files.setAttribute(file, "unix:uid", TransferRig.USER);
        Files.setAttribute(file, "unix:gid", TransferRig.USER);
        Process waiting = cli.start("cp", "cp", "-a", "--scheduler", "slurm", "--jobs", 4, "--chunk-size", "1M",
                "--queue", "-H", "--wait", source, copy);
        TransferCli.until(() -> rig.run("squeue", "-h", "-r").lines().count() == 5);
        String array = rig.run("squeue", "-h", "-r", "-o", "%F %i")
                .lines()
                .filter(line -> line.contains("_"))
                .findFirst()
                .orElseThrow()
                .split(" ", 2)[0];
        rig.run("scontrol", "release", array + "_2");
        TransferCli.until(() -> !waiting.isAlive());
        assertThat(waiting.exitValue()).as(cli.read("cp.err")).isZero();
        assertThat(cli.read("cp.err")).contains("complete: 205 of 205 entries");
        expectEqual(cli.read("cp.out").strip());
        // The others had nothing left to do.
        TransferCli.until(() -> rig.run("squeue", "-h").isEmpty());
    }

    @Test
    void optionsThatTheSchedulerRefusesAreShownBeforeAnythingIsPlanned() throws Exception {
        source = cli.tree("source", 20, 100);
        for (List<String> options : List.of(List.of("--queue", "-p nonsense"), List.of("--queue", "--nonsense"),
                List.of("--finish-queue", "-C nonsense"))) {
            List<Object> words = new ArrayList<>(List.of("cp", "-a", "--scheduler", "slurm"));
            words.addAll(options);
            words.addAll(List.of(source, copy));
            Run refused = cli.run(words.toArray()).expect(2);
            assertThat(refused.err()).contains("Slurm would refuse the jobs: sbatch returned ")
                    .containsAnyOf("invalid partition specified: nonsense", "unrecognized option '--nonsense'",
                            "Invalid feature specification")
                    .doesNotContain("the plan is kept", "planned");
            assertThat(refused.out()).isEmpty();
        }
        assertThat(cli.run("status").expect(0).out()).isEmpty();
        assertThat(names(cli.resolve("."))).noneMatch(name -> name.startsWith(".treehaul"));
    }

    @Test
    void drainedNodesDoNotPreventSubmission() throws Exception {
        source = cli.tree("source", 20, 100);
        rig.run("scontrol", "update", "nodename=ALL", "state=drain", "reason=test");
        try {
            submit("--jobs", 2);
        } finally {
            rig.run("scontrol", "update", "nodename=ALL", "state=resume");
        }
        cli.run("resume", "--wait", "last").expect(0);
        cli.expectCopy(source, copy);
    }

    @Test
    void refusedJobsAreShownAndSubmittedAgainByResume() throws Exception {
        source = cli.tree("source", 20, 100);
        // The check of the options takes this for nodes that are down now.
        Run refused = cli.run("cp", "-a", "--scheduler", "slurm", "--queue", "--mem=100T", source, copy).expect(2);
        assertThat(refused.err()).contains("Memory specification can not be satisfied",
                "the plan is kept; 'treehaul resume ");
        assertThat(refused.out()).isEmpty();
        assertThat(cli.run("status").expect(0).out()).contains("  not submitted; 0.0%; files 0 of 21; ");
        assertThat(cli.run("status", "last").expect(0).out()).contains("Memory specification can not be satisfied",
                "' submits the jobs again; --queue replaces the options of the queue");
        assertThat(cli.run("status", "--json").expect(0).out()).contains("\"state\":\"not_submitted\"");
        assertThat(cli.run("cancel", "last").expect(0).err()).contains(" is cancelled; 'treehaul resume ");
        assertThat(names(cli.resolve("."))).noneMatch(name -> name.startsWith(".treehaul"));
        assertThat(cli.run("cp", "-a", "--scheduler", "slurm", "--jobs", 1, "--wait", source, copy).expect(0).err())
                .doesNotContain("is not finished and writes to");
        Run again = cli.run("resume", refused(refused)).expect(2);
        assertThat(again.err()).contains("Memory specification can not be satisfied");
        assertThat(names(cli.resolve("."))).noneMatch(name -> name.startsWith(".treehaul"));
        // More jobs than an array may have, and at most two of them at once.
        cli.run("resume", "--queue", "--nice=5", "--jobs", SlurmRig.ARRAY_LIMIT + 2, "--max-running", 2, "--wait",
                refused(refused)).expect(0);
        cli.expectCopy(source, copy);
    }

    @Test
    void jobsThatWereRefusedAreNotSubmittedForAnotherDestinationOfThatName() throws Exception {
        source = cli.tree("source", 20, 100);
        Path destination = cli.tree("destination", 1, 1);
        String id = refused(
                cli.run("cp", "-a", "--scheduler", "slurm", "--queue", "--mem=100T", source, destination).expect(2));
        Path away = destination.resolveSibling("away");
        Files.move(destination, away);
        cli.tree("destination", 1, 1);
        assertThat(cli.run("resume", "--queue", "", "--wait", id).expect(2).err()).contains("wrong mount: ",
                " is not the directory that was planned for the copy");
        assertThat(names(destination)).noneMatch(name -> name.startsWith(".treehaul"));
        Files.move(destination, destination.resolveSibling("other"));
        Files.move(away, destination);
        cli.run("resume", "--queue", "", "--wait", id).expect(0);
        cli.expectCopy(source, destination.resolve("source"));
    }

    private static String refused(Run run) {
        return run.err().replaceFirst("(?s).*'treehaul resume ([^']*)'.*", "$1");
    }

    private static List<String> names(Path directory) throws IOException {
        try (var names = Files.list(directory)) {
            return names.map(name -> name.getFileName().toString()).toList();
        }
    }

    @Test
    void cancelLeavesNoJobAndLocalJobsCompleteATransferOfSlurm() throws Exception {
        source = cli.tree("source", 40, 40_000);
        String id = submit("--jobs", 4, "--bandwidth", "200K", "--queue", "--nice=7");
        TransferCli.awaitBegun(copy);
        cli.run("cancel", id).expect(0);
        assertThat(rig.run("squeue", "-h")).isEmpty();
        Run resumed = cli.run("resume", "--scheduler", "local", "--jobs", 2, "--wait", id).expect(0);
        assertThat(resumed.err()).contains("with 2 jobs of local");
        cli.expectCopy(source, copy);
    }

    @Test
    void aNodeWithoutTheStateDirectoryIsReportedAndAnotherContinues() throws Exception {
        source = cli.tree("source", 20, 100);
        Path state = Files.createDirectory(cli.state());
        Files.setPosixFilePermissions(state, PosixFilePermissions.fromString("rwx------"));
        Files.setAttribute(state, "unix:uid", TransferRig.USER);
        rig.kill("node4");
        try {
            rig.startHiding("node4", state);
            Run run = cli
                    .run("cp", "-a", "--scheduler", "slurm", "--jobs", 2, "--queue", "-w node4 -N1", "--wait", source,
                            copy)
                    .expect(23);
            assertThat(run.err()).contains("no job of " + run.out().strip() + " is left, but it is not finished",
                    "; there is none of ", " on nodes that cannot see " + cli.of(run.out().strip(), ""),
                    "All nodes must share it under this path");
            assertThat(copy).doesNotExist();
            cli.run("resume", "--queue", "-w node2", "--wait", "last").expect(0);
        } finally {
            rig.kill("node4");
            rig.start("node4");
        }
        cli.expectCopy(source, copy);
    }

    @Test
    @Tag("campaign")
    void aLostNodeIsReportedAndResumeEndsRight() throws Exception {
        source = cli.tree("source", 60, 40_000);
        String id = submit("--jobs", 2, "--bandwidth", "100K", "--queue", "-w node1 -N1");
        TransferCli.awaitBegun(copy);
        rig.kill("node1");
        try {
            // Slurm waits for the node, because the jobs may run on no other.
            TransferCli.until(() -> cli.run("status", id).out().contains("waiting"));
            cli.run("resume", "--queue", "-w node2", "--wait", id).expect(0);
        } finally {
            rig.start("node1");
        }
        cli.expectCopy(source, copy);
    }

    @Test
    @Tag("campaign")
    void theTimeLimitStopsAWorkerAndResumeOrANewJobContinues() throws Exception {
        source = cli.tree("source", 60, 40_000);
        for (boolean requeue : List.of(false, true)) {
            copy = cli.resolve("copy" + requeue);
            List<Object> options = requeue ? List.of("--requeue") : List.of();
            Object[] all = new Object[options.size() + 4];
            Object[] some = {"--jobs", 1, "--bandwidth", "100K"};
            System.arraycopy(some, 0, all, 0, 4);
            for (int i = 0; i < options.size(); i++) {
                all[4 + i] = options.get(i);
            }
            String id = submit(all);
            TransferCli.awaitBegun(copy);
            String job = Files.readString(cli.of(id, "jobs/1-worker-1")).replaceAll("(?s).*\nids\t([0-9]+).*", "$1");
            rig.run("scancel", "--batch", "--signal=USR1", job);
            if (requeue) {
                assertThat(cli.awaitEnd(id)).contains("\"state\":\"complete\"");
            } else {
                assertThat(cli.awaitEnd(id)).contains("\"state\":\"incomplete\"");
                cli.run("resume", "--wait", id).expect(0);
            }
            cli.expectCopy(source, copy);
        }
    }
}
