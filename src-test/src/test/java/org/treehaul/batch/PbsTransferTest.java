// SPDX-License-Identifier: Apache-2.0
package org.treehaul.batch;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.packaged.Run;
import org.treehaul.schedulers.pbs.PbsDialect;

/** Copies and commands by jobs of an ordinary user under the emulated PBS. */
@Tag("rig")
class PbsTransferTest {

    @Test
    @Tag("happy-path")
    void isCopiedAndResumed() throws Exception {
        copyAndResume(PbsDialect.OPENPBS);
    }

    @Test
    void isCopiedAndResumedByTorque() throws Exception {
        copyAndResume(PbsDialect.TORQUE);
    }

    private static void copyAndResume(PbsDialect dialect) throws Exception {
        try (PbsRig rig = new PbsRig(dialect, false, true);
                TransferCli cli = TransferCli.ofOrdinaryUser(rig.environment())) {
            Path source = cli.tree("source", 100, 100);
            Path copy = cli.resolve("copy");
            // No job begins before this file exists, not even the finishing job.
            Path ready = cli.resolve("ready");
            Run run = cli
                    .run("cp", "-a", "--scheduler", "pbs", "--jobs", 2, "--pre", "[ -e " + ready + " ]", "--walltime",
                            "30", "--wait", source, copy)
                    .expect(23);
            assertThat(run.err()).contains("no job of ", "'treehaul resume " + run.out().strip());
            Run.of("touch", ready).expect(0);
            Run resumed = cli.run("resume", "--wait", "last").expect(0);
            assertThat(resumed.err()).contains("with 2 jobs of ", "complete: 102 of 102 entries");
            cli.expectCopy(source, copy);
            assertThat(cli.of(run.out().strip(), "jobs/2-worker-1")).content().contains("jobs\t2", "[].pbs");
        }
    }

    @Tag("campaign")
    @ParameterizedTest
    @EnumSource
    void isCopiedByOneRankOnEachNode(PbsDialect dialect) throws Exception {
        RankGroup.requireMpj();
        try (PbsRig rig = new PbsRig(dialect, false, true);
                TransferCli cli = TransferCli.ofOrdinaryUser(rig.environment())) {
            Path source = cli.tree("source", 100, 100);
            Path copy = cli.resolve("copy");
            cli.run("cp", "-a", "--scheduler", "pbs", "--ranks", 3, "--wait", source, copy).expect(0);
            cli.expectCopy(source, copy);
        }
    }

    @Test
    void jobsRunACommandForEachFileAndResumeRepeatsWhatFailed() throws Exception {
        try (PbsRig rig = new PbsRig(PbsDialect.OPENPBS, false, true);
                TransferCli cli = TransferCli.ofOrdinaryUser(rig.environment())) {
            Path source = cli.tree("source", 100, 10);
            Path ready = cli.resolve("ready");
            Run failed = cli
                    .run("run", "--scheduler", "pbs", "--jobs", 2, "--wait", "--where", "name=f*", source, "--", "sh",
                            "-c", "case $1 in */f7) [ -e \"$2\" ];; esac", "sh", "{}", ready)
                    .expect(23);
            String id = failed.out().strip();
            assertThat(failed.err()).contains("99 of 100 entries");
            assertThat(cli.run("errors", id).expect(1).out()).contains("d0/f7: the command ended with 1");
            Run.of("touch", ready).expect(0);
            assertThat(cli.run("resume", "--wait", id).expect(0).err()).contains("complete: ");
        }
    }

    /** OpenPBS keeps no history by default. */
    @Test
    void isCopiedByASchedulerThatForgetsEndedJobs() throws Exception {
        try (PbsRig rig = new PbsRig(PbsDialect.OPENPBS, false, false);
                TransferCli cli = TransferCli.ofOrdinaryUser(rig.environment())) {
            Path source = cli.tree("source", 40, 100);
            Path copy = cli.resolve("copy");
            Run run = cli.run("cp", "-a", "--scheduler", "pbs", "--jobs", 3, "--max-running", 1, "--wait", source, copy)
                    .expect(0);
            cli.expectCopy(source, copy);
            assertThat(cli.of(run.out().strip(), "launch/1-finish-1.sh")).content().contains("depend=afterany:");
        }
    }

    @Test
    void optionsAreTakenBackOnResumeAndFinishingHasItsOwn() throws Exception {
        try (PbsRig rig = new PbsRig(PbsDialect.OPENPBS, false, false);
                TransferCli cli = TransferCli.ofOrdinaryUser(rig.environment())) {
            Path source = cli.tree("source", 20, 100);
            Path copy = cli.resolve("copy");
            String id = cli.submit("cp", "-a", "--scheduler", "pbs", "--jobs", 2, "--queue", "-h -l select=2:mem=1gb",
                    "--walltime", "1", source, copy);
            assertThat(cli.run("status", id).expect(0).out())
                    .contains("  jobs: 2 waiting, finishing job waiting; they wait for: held by the user\n");
            assertThat(cli.run("status", "--json", id).expect(0).out()).contains("\"reason\":\"held by the user\"");
            assertThat(cli.of(id, "launch/1-worker-1.sh")).content()
                    .contains("#PBS -h -l select=2:mem=1gb\n", "#PBS -l walltime=00:01:00\n");
            assertThat(cli.of(id, "launch/1-finish-1.sh")).content()
                    .contains("#PBS -l select=1:mem=1gb\n")
                    .doesNotContain("#PBS -h", "walltime=");

            cli.run("resume", "--queue", "", "--walltime", "", "--finish-queue", "-l select=1:mem=3gb",
                    "--finish-walltime", "1:30", "--wait", id).expect(0);
            assertThat(cli.of(id, "launch/3-worker-1.sh")).content()
                    .contains("#PBS -l select=1\n")
                    .doesNotContain("#PBS -h", "walltime=", "mem=");
            assertThat(cli.of(id, "launch/3-finish-1.sh")).content()
                    .contains("#PBS -l select=1:mem=3gb\n", "#PBS -l walltime=01:30:00\n");
            cli.expectCopy(source, copy);
        }
    }

    @Test
    void jobsMissingFromTheAnswerAreUnknownAndAServerWithoutAnswerIsReported() throws Exception {
        try (PbsRig rig = new PbsRig(PbsDialect.OPENPBS, false, true);
                TransferCli cli = TransferCli.ofOrdinaryUser(rig.environment())) {
            Path source = cli.tree("source", 20, 100);
            String id = cli.submit("cp", "-a", "--scheduler", "pbs", "--jobs", 2, "--queue", "-h", source,
                    cli.resolve("copy"));
            rig.replace("qstat", "exit 0");
            assertThat(cli.run("status", id).expect(0).out()).contains("  jobs: 1 unknown, finishing job unknown\n")
                    .doesNotContain("no job of it is left");
            assertThat(cli.run("status", "--json", id).expect(0).out())
                    .contains("\"jobs\":{\"unknown\":2},\"note\":\"jobs: 1 unknown, finishing job unknown\"");
            rig.replace("qstat", "echo 'qstat: cannot connect to server pbs (errno=15010)' >&2; exit 154");
            String unreachable = "cannot get the state of its jobs from the scheduler: PBS does not report the state of jobs: "
                    + "qstat returned 154: qstat: cannot connect to server pbs (errno=15010)";
            assertThat(cli.run("status", id).expect(0).out()).contains("  " + unreachable + "\n");
            assertThat(cli.run("status", "--json", id).expect(0).out()).contains("\"note\":\"" + unreachable + "\"")
                    .doesNotContain("\"jobs\"");
        }
    }

    @Test
    void nodesWithoutTheStateDirectoryAreReportedAndASharedOneContinues() throws Exception {
        try (TestDirectory own = TestDirectory.make()) {
            Path state = own.directory("state");
            Files.setPosixFilePermissions(own.path(), PosixFilePermissions.fromString("rwxr-xr-x"));
            Files.setPosixFilePermissions(state, PosixFilePermissions.fromString("rwx------"));
            Files.setAttribute(state, "unix:uid", TransferRig.USER);
            try (PbsRig rig = PbsRig.hiding(PbsDialect.OPENPBS, state);
                    TransferCli cli = TransferCli.ofOrdinaryUser(rig.environment())) {
                Path source = cli.tree("source", 40, 100);
                Path copy = cli.resolve("copy");
                Run run = cli
                        .run("cp", "-a", "--scheduler", "pbs", "--jobs", 2, "--state-dir", state, "--wait", source,
                                copy)
                        .expect(23);
                String id = run.out().strip();
                Path transfer = state.resolve("transfers").resolve(id);
                String[] told = {"; there is none of 1[].pbs, 2.pbs: ", " on nodes that cannot see " + transfer,
                        "All nodes must share it under this path", "move " + state};
                assertThat(run.err()).contains("no job of " + id + " is left, but it is not finished").contains(told);
                assertThat(cli.run("status", "--state-dir", state, id).expect(0).out())
                        .contains("no job of it is left; 'treehaul resume " + id)
                        .contains(told);
                assertThat(copy).doesNotExist();

                Run.of("cp", "-a", state, cli.state()).expect(0);
                assertThat(cli.run("resume", "--wait", id).expect(0).err()).contains("complete: 42 of 42 entries");
                cli.expectCopy(source, copy);
            }
        }
    }

    @Test
    void requeueOfAnotherSchedulerIsTakenBack() throws Exception {
        try (PbsRig rig = new PbsRig(PbsDialect.OPENPBS, false, true);
                TransferCli cli = TransferCli.ofOrdinaryUser(rig.environment())) {
            Path source = cli.tree("source", 4, 100);
            Path copy = cli.resolve("copy");
            // This PATH contains no Slurm, so no job begins.
            String path = String.valueOf(rig.environment().get("PATH"));
            cli.with("PATH", "/nowhere").run("cp", "-a", "--scheduler", "slurm", "--requeue", source, copy).expect(2);
            cli.with("PATH", path);
            assertThat(cli.run("resume", "--scheduler", "pbs", "last").expect(2).err())
                    .contains("PBS lets only its operators requeue a running job", "--no-requeue");
            cli.run("resume", "--scheduler", "pbs", "--no-requeue", "--wait", "last").expect(0);
            cli.expectCopy(source, copy);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void isCancelledLostAndResumed(boolean history) throws Exception {
        try (PbsRig rig = new PbsRig(PbsDialect.OPENPBS, false, history);
                TransferCli cli = TransferCli.ofOrdinaryUser(rig.environment())) {
            Path source = cli.tree("source", 40, 10_000);
            Path copy = cli.resolve("copy");
            Run refused = cli
                    .run("cp", "-a", "--scheduler", "pbs", "--jobs", 2, "--bandwidth", "60K", "--requeue", source, copy)
                    .expect(2);
            assertThat(refused.err()).contains("PBS lets only its operators requeue a running job")
                    .doesNotContain("the plan is kept");
            assertThat(cli.run("status").expect(0).out()).isEmpty();

            String id = cli.submit("cp", "-a", "--scheduler", "pbs", "--jobs", 2, "--bandwidth", "60K", source, copy);
            TransferCli.awaitBegun(copy);
            cli.signal("STOP", id);
            assertThat(cli.run("status", id).expect(0).out())
                    .containsPattern("  jobs: 2 running, finishing job waiting\n");
            assertThat(cli.run("forget", id).expect(2).err()).contains(id + " is running");
            cli.cancelStopped(id);
            assertThat(cli.workers(id)).isEmpty();
            assertThat(cli.run("status").expect(0).out()).startsWith(id + "  cancelled; ");

            cli.run("resume", "--pre", "sleep 1000", id).expect(0);
            rig.loseJobs();
            assertThat(cli.awaitEnd(id)).doesNotContain("\"state\":\"complete\"");
            assertThat(cli.run("status", id).expect(0).out()).contains("no job of it is left; 'treehaul resume " + id);
            cli.run("resume", "--wait", "--scheduler", "local", "--jobs", 2, "--pre", "true", id).expect(0);
            cli.expectCopy(source, copy);
        }
    }
}
