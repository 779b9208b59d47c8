// SPDX-License-Identifier: Apache-2.0
package org.treehaul.batch;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.treehaul.packaged.Run;

/** A copy by one rank on each of the four nodes of a real Slurm, as one job. */
@ExtendWith(SlurmRig.class)
@Tag("rig")
class SlurmCopyRanksTest {

    private SlurmRig.Running rig;
    private TransferCli cli;

    @BeforeEach
    void makeCli(SlurmRig.Running running) throws Exception {
        RankGroup.requireMpj();
        rig = running;
        Map<String, String> environment = new TreeMap<>(running.environment());
        environment.remove("MPJ_HOME");
        cli = TransferCli.make(environment);
    }

    @AfterEach
    void removeCli() throws Exception {
        if (cli != null) {
            Run.of(rig.environment(), "scancel", "--full", "--me");
            TransferCli.until(() -> rig.run("squeue", "-h").isEmpty());
            cli.close();
        }
    }

    @Test
    @Tag("happy-path")
    void oneJobOfFourNodesCopiesAndAnotherFinishes() throws Exception {
        Path source = cli.tree("src", 500, 3000);
        Run run = cli
                .run("cp", "-aT", "--scheduler", "slurm", "--ranks", 4, "--distribution", "random-split", "--wait",
                        source, cli.resolve("dst"))
                .expect(0);
        String id = run.out().strip();
        cli.expectCopy(source, cli.resolve("dst"));
        assertThat(cli.run("status", id).expect(0).out()).contains("complete; 100%", "batches 32 of 32");
        List<Path> scripts = TransferCli.files(cli.of(id, "launch"), file -> file.toString().endsWith(".sh"));
        assertThat(scripts).hasSize(2);
        List<Path> logs = TransferCli.files(cli.of(id, "log"), file -> file.toString().contains("-worker-"));
        assertThat(logs).hasSize(1);
        assertThat(Files.readString(logs.getFirst())).contains("0: treehaul: worker: ", "3: treehaul: worker: ");
    }

    @Test
    void whenARankIsKilledTheFinishingJobSaysWhichAndResumeByRanksDoesTheRest() throws Exception {
        Path source = cli.tree("src", 400, 20_000);
        String id = cli.submit("cp", "-aT", "--bandwidth", "2000k", "--scheduler", "slurm", "--ranks", 4, source,
                cli.resolve("dst"));
        TransferCli.until(() -> TransferCli.files(cli.resolve("dst"), Files::isRegularFile).size() > 8);
        cli.killRank(id, 2);
        assertThat(cli.awaitEnd(id)).contains("\"state\":\"incomplete\"", "rank 2 on node3 is gone");
        assertThat(cli.run("resume", id, "--wait").expect(0).err()).contains("with 4 ranks of slurm", "complete: ");
        cli.expectCopy(source, cli.resolve("dst"));
        assertThat(cli.run("cmp", "--content", source, cli.resolve("dst")).code()).isZero();
    }

    @Test
    @Tag("campaign")
    void aGroupThatIsStoppedBySlurmIsResumedByJobs() throws Exception {
        Path source = cli.tree("src", 400, 20_000);
        String id = cli.submit("cp", "-aT", "--bandwidth", "2000k", "--scheduler", "slurm", "--ranks", 4, source,
                cli.resolve("dst"));
        TransferCli.until(() -> TransferCli.files(cli.resolve("dst"), Files::isRegularFile).size() > 8);
        String job = rig.run("squeue", "-h", "-t", "RUNNING", "-o", "%i").strip();
        // Slurm sends the same signal before the time limit.
        rig.run("scancel", "--batch", "--signal=USR1", job);
        assertThat(cli.awaitEnd(id)).contains("\"state\":\"incomplete\"");
        List<Path> logs = TransferCli.files(cli.of(id, "log"), file -> file.toString().contains("-worker-"));
        assertThat(Files.readString(logs.getFirst())).contains("stopped by signal USR1, exit code 20");
        assertThat(cli.run("resume", id, "--jobs", 3, "--wait").expect(0).err()).contains("with 3 jobs of slurm");
        cli.expectCopy(source, cli.resolve("dst"));
    }

    @Test
    @Tag("campaign")
    void aGroupAtItsTimeLimitIsRequeuedAndContinues() throws Exception {
        Path source = cli.tree("src", 400, 20_000);
        String id = cli.submit("cp", "-aT", "--bandwidth", "600k", "--scheduler", "slurm", "--requeue", "--ranks", 4,
                source, cli.resolve("dst"));
        TransferCli.until(() -> TransferCli.files(cli.resolve("dst"), Files::isRegularFile).size() > 8);
        String job = rig.run("squeue", "-h", "-t", "RUNNING", "-o", "%i").strip();
        rig.run("scancel", "--batch", "--signal=USR1", job);
        assertThat(cli.awaitEnd(id)).contains("\"state\":\"complete\"", "\"generation\":1");
        List<Path> logs = TransferCli.files(cli.of(id, "log"), file -> file.toString().contains("-worker-"));
        assertThat(logs).hasSize(1);
        assertThat(Files.readString(logs.getFirst())).contains("stopped by signal USR1, exit code 20",
                "the time limit is reached: job " + job + " is requeued");
        cli.expectCopy(source, cli.resolve("dst"));
    }

    @Test
    @Tag("campaign")
    void nodesWithoutMpjSaySo() throws Exception {
        Path source = cli.tree("src", 3, 10);
        Run run = cli
                .run("cp", "-aT", "--scheduler", "slurm", "--ranks", 2, "--pre", "export MPJ_HOME=/nowhere", "--wait",
                        source, cli.resolve("dst"))
                .expect(23);
        assertThat(run.err()).contains("MPJ_HOME=/nowhere has no lib/mpj.jar", "apt-get install libmpj-java");
    }

    @Test
    @Tag("campaign")
    void aNodeWithoutMpjEndsAllRanksAndResumeContinuesWithoutIt() throws Exception {
        Path source = cli.tree("src", 3, 10);
        Run run = cli.run("cp", "-aT", "--scheduler", "slurm", "--ranks", 3, "--pre",
                "[ $SLURMD_NODENAME != node2 ] || export MPJ_HOME=/nowhere", "--wait", source, cli.resolve("dst"))
                .expect(23);
        assertThat(run.err()).contains("; cannot find MPJ Express: MPJ_HOME=/nowhere has no lib/mpj.jar",
                "; rank 1 on node2 cannot join: cannot find MPJ Express");
        cli.run("resume", run.out().strip(), "--queue", "--exclude=node2", "--wait").expect(0);
        cli.expectCopy(source, cli.resolve("dst"));
    }
}
