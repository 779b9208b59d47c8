// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.discovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.schedulers.FakePrograms;
import org.treehaul.schedulers.JobPhase;
import org.treehaul.schedulers.JobRequest;
import org.treehaul.schedulers.JobState;
import org.treehaul.schedulers.Scheduler;
import org.treehaul.schedulers.SchedulerException;
import org.treehaul.schedulers.Submission;
import org.treehaul.schedulers.common.Programs;

/** How schedulers interpret the output of their programs, which are fake. */
class SchedulersTest {
    @TempDir
    Path directory;
    private FakePrograms programs;

    @BeforeEach
    void makePrograms() throws Exception {
        programs = new FakePrograms(directory);
    }

    private Scheduler named(String name) throws SchedulerException {
        return Schedulers.named(name, programs.environment());
    }

    private static SchedulerException failure(ThrowingCallable call) {
        return catchThrowableOfType(SchedulerException.class, call);
    }

    @Test
    void slurmIsPreferredToItsOwnQsub() throws Exception {
        programs.with("sbatch", "echo slurm 22.05.8").with("qsub", "echo pbs_version = 23.06.06");
        assertThat(named("auto").name()).isEqualTo("slurm");
        assertThat(named("pbs").name()).isEqualTo("openpbs");
    }

    @Test
    void theVersionDeterminesTheDialectOfPbs() throws Exception {
        programs.with("sbatch", "echo no configuration >&2; exit 1").with("qsub", "echo pbs_version = 23.06.06");
        assertThat(named("auto").name()).isEqualTo("openpbs");
        programs.with("qsub", "echo Version: 6.1.3 >&2; echo Commit: 0a >&2");
        assertThat(named("auto").name()).isEqualTo("torque");
    }

    @Test
    void withoutASchedulerTheMessageNamesTheProgramsLookedFor() throws Exception {
        SchedulerException none = failure(() -> Schedulers.named("auto", Map.of("PATH", "/nonexistent")));
        assertThat(none).hasMessageContainingAll("sbatch", "qsub", "--scheduler local");
        programs.with("sbatch", "echo fetch_config: DNS SRV lookup failed >&2; exit 1").with("qsub", "exit 2");
        assertThat(failure(() -> named("auto"))).hasMessageContainingAll("DNS SRV lookup failed",
                "qsub belongs to neither OpenPBS nor Torque", "--scheduler local");
        assertThat(failure(() -> named("pbs"))).hasMessageContaining("--scheduler openpbs or --scheduler torque");
        assertThat(failure(() -> named("lsf")))
                .hasMessage("unknown scheduler 'lsf'; choose one of auto, local, slurm, pbs, openpbs, torque, pool");
    }

    @Test
    void theQsubOfSlurmIsNamedInsteadOfItsErrors() throws Exception {
        // The line by which Slurm 22.05.8's script loads its module.
        programs.with("qsub", "use Slurm ':all';").with("sbatch", "exit 1");
        assertThat(failure(() -> named("pbs")))
                .hasMessageContainingAll("/qsub is the qsub of Slurm", "--scheduler slurm")
                .hasMessageNotContaining("not found");
        assertThat(failure(() -> named("auto"))).hasMessageContaining("/qsub is the qsub of Slurm");
    }

    @Test
    void slurmWithoutAConfigurationIsReportedInPlainWords() throws Exception {
        // Recorded from Slurm 22.05.8 without slurm.conf.
        String lines = """
                cat >&2 << 'EOF'
                NAME: error: resolve_ctls_from_dns_srv: res_nsearch error: Unknown host
                NAME: error: fetch_config: DNS SRV lookup failed
                NAME: error: _establish_config_source: failed to fetch config
                NAME: fatal: Could not establish a configuration source
                EOF
                exit 1
                """;
        programs.with("sbatch", lines.replace("NAME", "sbatch")).with("scontrol", lines.replace("NAME", "scontrol"));
        String reason = "Slurm is installed on this host but not configured: there is no slurm.conf";
        assertThat(failure(() -> named("auto"))).hasMessageContaining(reason).hasMessageNotContaining("resolve_ctls");
        SchedulerException refused = failure(() -> named("slurm").submit(programs.workers(9)));
        assertThat(refused).hasMessageStartingWith(reason);
        assertThat(failure(() -> named("slurm").check(programs.workers(9)))).as("before the walk")
                .hasMessageStartingWith(reason);
        assertThat(refused.exitCode()).isEqualTo(1);
    }

    @Test
    void aRefusalOfSlurmIsShownWithItsExitCodeAndTheSubmittedJobs() throws Exception {
        programs.with("scontrol", "echo 'MaxArraySize            = 4'")
                .with("sbatch", "grep -q 'array=0-3' \"$4\" && [ ! -e first ] && { touch first; echo 7; exit; }",
                        "echo 'sbatch: error: AssocMaxSubmitJobLimit' >&2", "exit 3");
        SchedulerException refused = failure(() -> named("slurm").submit(programs.workers(9)));
        assertThat(refused).hasMessageContaining("AssocMaxSubmitJobLimit");
        assertThat(refused.exitCode()).isEqualTo(3);
        assertThat(refused.command()).startsWith("sbatch", "--parsable", "--ignore-pbs");
        assertThat(refused.submitted()).containsExactly("7");
    }

    // Recorded from sbatch --test-only of Slurm 22.05.8, with its exit codes.
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            1   | allocation failure: Invalid partition name specified
            1   | allocation failure: Invalid license specification
            1   | allocation failure: Requested reservation is invalid
            255 | sbatch: unrecognized option '--nonsense'
            255 | sbatch: error: Invalid --time specification
            """)
    void slurmTestsOptionsWithoutSubmittingThem(int code, String text) throws Exception {
        programs.with("sbatch", "[ \"$4\" = --test-only ] && cat \"$5\" > script",
                "cat >&2 << 'EOF'\n" + text + "\nEOF", "exit " + code);
        SchedulerException refused = failure(() -> named("slurm").check(programs.workers(9)));
        assertThat(refused).hasMessageContainingAll("Slurm would refuse the jobs", text);
        assertThat(refused.exitCode()).isEqualTo(code);
        assertThat(Files.readString(programs.workers(9).directory().resolve("script"))).contains("#SBATCH --output=");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"allocation failure: Requested node configuration is not available",
                    "allocation failure: Requested nodes are busy",
                    "allocation failure: Unable to contact slurm controller (connect failure)",
                    "sbatch: Job 3 to start at 2026-11-23T02:56:00 using 1 processors on nodes node1 in partition main"})
    void slurmThatIsBusyOrDownIsNoRefusalOfOptions(String text) throws Exception {
        programs.with("sbatch", "echo '" + text + "' >&2", "case $* in *Job*) exit 0;; esac", "exit 1");
        named("slurm").check(programs.workers(9));
    }

    @Test
    void aSubmissionRunsInTheDirectoryWithoutTheVariablesThatWouldOverrideIt() throws Exception {
        programs.with("sbatch", "env > environment; echo 'Welcome to 2 clusters'; echo '12;east'");
        Submission submission = named("slurm").submit(programs.workers(1));
        assertThat(submission.ids()).containsExactly("12;east");
        assertThat(programs.written("environment")).contains("LC_ALL=C\n", "PWD=" + programs.transfer() + "\n")
                .doesNotContain("SBATCH_ARRAY_INX");
        assertThat(programs.written("launch/1-worker-1.sh")).startsWith("#!/bin/bash\n#SBATCH ");
    }

    @Test
    void theJobsOfAClusterAreAskedForAndCancelledThere() throws Exception {
        programs.with("squeue", "case $* in *--clusters=east*) echo 'CLUSTER: east'; echo '12|FAILED';; esac")
                .with("scancel", "[ \"$*\" = '--clusters=east 12' ] || echo \"$*\" >&2");
        assertThat(named("slurm").states(List.of("12;east"))).containsExactly(Map.entry("12;east", JobState.FAILED));
        named("slurm").cancel(List.of("12;east"));
    }

    @Test
    void oneJobOfAnArrayIsAskedForAlone() throws Exception {
        programs.with("squeue", "printf '12_0|RUNNING\\n12_1|CANCELLED\\n'");
        assertThat(named("slurm").states(List.of("12_1"))).containsExactly(Map.entry("12_1", JobState.CANCELLED));
    }

    @Test
    void maxArrayTasksIsALimitToo() throws Exception {
        programs.with("scontrol", "echo 'MaxArraySize            = 1001'",
                "echo 'SchedulerParameters     = bf_interval=1,max_array_tasks=4'");
        assertThat(named("slurm").render(programs.workers(9))).hasSize(3);
        programs.with("scontrol", "echo 'MaxArraySize            = 0'");
        assertThat(named("slurm").render(programs.workers(3))).hasSize(3)
                .allSatisfy(script -> assertThat(script.text()).doesNotContain("--array"));
    }

    @Test
    void arraysWithALimitOfRunningJobsFollowEachOther() throws Exception {
        programs.with("scontrol", "echo 'MaxArraySize            = 4'")
                .with("sbatch", "n=$(cat n 2> /dev/null || echo 1); echo $((n + 1)) > n; echo $n");
        assertThat(named("slurm").submit(programs.workers(9).maxRunning(2)).ids()).containsExactly("1", "2", "3");
        assertThat(programs.written("launch/1-worker-1.sh")).contains("--array=0-3%2").doesNotContain("afterany");
        assertThat(programs.written("launch/1-worker-2.sh")).contains("--array=0-3%2", "--dependency=afterany:1\n");
        assertThat(programs.written("launch/1-worker-3.sh")).contains("--dependency=afterany:2\n", "$((8 + ");
    }

    @Test
    void aSchedulerThatDoesNotAnswerIsNoJobThatIsGone() throws Exception {
        programs.with("squeue", "echo 'slurm_load_jobs error: Unable to contact slurm controller' >&2; exit 1")
                .with("qstat", "echo 'qstat: cannot connect to server pbs (errno=111)' >&2; exit 111");
        assertThat(failure(() -> named("slurm").states(List.of("1")))).hasMessageContaining("Unable to contact");
        assertThat(failure(() -> named("openpbs").states(List.of("1.pbs")))).hasMessageContaining("errno=111");
    }

    @Test
    void jobsThatTheControllerForgotAreLookedUpInTheAccountingOfSlurm() throws Exception {
        programs.with("squeue", "exit 0")
                .with("sacct", "case $* in *=12*) printf '12_0|COMPLETED\\n12_1|TIMEOUT\\n'; esac");
        assertThat(named("slurm").states(List.of("12", "13"))).containsEntry("12", JobState.TIMED_OUT)
                .containsEntry("13", JobState.GONE);
        programs.with("sacct", "echo accounting is disabled >&2; exit 1");
        assertThat(named("slurm").states(List.of("12"))).containsEntry("12", JobState.GONE);
    }

    // Recorded from qstat of Slurm 22.05.8, which a site may have on the PATH next to the qsub of PBS.
    @Test
    void theUsageOfAProgramIsNotShownAfterItsMessage() throws Exception {
        programs.with("qstat", """
                cat >&2 << 'END'
                Unknown option: t
                Usage:
                    qstat [-f] [-a|-i|-r] [-n [-1]] [-G|-M] [-u user_list] [-? | --help]
                    [--man] [job_id...]

                    qstat -Q [-f]

                    qstat -q

                END
                exit 2""");
        assertThat(failure(() -> named("openpbs").states(List.of("1.pbs"))))
                .hasMessage("PBS does not report the state of jobs: qstat returned 2: Unknown option: t");
        programs.with("qsub", "printf 'usage: qsub [-a date_time]\n\t[-A account_string]\n' >&2", "exit 2");
        assertThat(failure(() -> named("openpbs").submit(programs.workers(2))))
                .hasMessage("PBS refused the job: qsub returned 2: usage: qsub [-a date_time]");
    }

    @Test
    void jobsOfPbsAreRead() throws Exception {
        programs.with("qstat", "cat << 'END'", "Job Id: 2[].host.domain", "    Job_Name = th-abcd-worker",
                "    job_state = B", "    Variable_List = PBS_O_HOME=/x,", "\tjob_state = Q", "",
                "Job Id: 2[0].host.domain", "    job_state = X", "    Exit_status = 0", "", "Job Id: 2[1].host.domain",
                "    job_state = X", "    Exit_status = 271", "", "Job Id: 2[2].host.domain", "    job_state = X",
                "    Exit_status = -29", "", "Job Id: 2[3].host.domain", "    job_state = R", "",
                "Job Id: 3.host.domain", "    job_state = H", "", "END", "echo 'qstat: Unknown Job Id 4.host' >&2",
                "exit 153");
        assertThat(named("openpbs").states(List.of("2[].host", "3.host", "4.host"))).containsExactly(
                Map.entry("2[0].host.domain", JobState.SUCCEEDED), Map.entry("2[1].host.domain", JobState.CANCELLED),
                Map.entry("2[2].host.domain", JobState.TIMED_OUT), Map.entry("2[3].host.domain", JobState.RUNNING),
                Map.entry("3.host.domain", JobState.WAITING), Map.entry("4.host", JobState.GONE));
    }

    @Test
    void anArrayOfWhichOnlyEndedJobsAreListedIsNotOverWhileItIsThereItself() throws Exception {
        programs.with("qstat", "cat << 'END'", "Job Id: 2[].host", "    job_state = B", "Job Id: 2[0].host",
                "    job_state = X", "    Exit_status = 0", "Job Id: 5[].host", "    job_state = Q", "END");
        assertThat(named("openpbs").states(List.of("2[].host", "5[].host"))).containsExactly(
                Map.entry("2[0].host", JobState.SUCCEEDED), Map.entry("2[].host", JobState.WAITING),
                Map.entry("5[].host", JobState.WAITING));
    }

    @Test
    void whereOpenPbsKeepsNoHistoryItIsNotAskedForIt() throws Exception {
        programs.with("qstat", "echo \"$*\" >> \"$0.asked\"",
                "case $* in -x*) echo 'qstat: PBS is not configured to maintain job history 1.pbs' >&2; exit 0;; esac",
                "echo 'qstat: Unknown Job Id 1.pbs' >&2", "exit 153");
        Scheduler pbs = named("openpbs");
        for (int i = 0; i < 2; i++) {
            assertThat(pbs.states(List.of("1.pbs"))).containsExactly(Map.entry("1.pbs", JobState.GONE));
        }
        Path qstat = Path.of(programs.environment().getOrDefault("PATH", "").split(":", -1)[0], "qstat.asked");
        assertThat(qstat).content().isEqualTo("-x -t -f 1.pbs\n-t -f 1.pbs\n-t -f 1.pbs\n");
    }

    @Test
    void aJobThatPbsLeavesOutOfItsAnswerIsUnknownAndNotGone() throws Exception {
        programs.with("qstat", "echo 'Job Id: 2.pbs'", "echo '    job_state = R'");
        assertThat(named("openpbs").states(List.of("1[].pbs", "2.pbs")))
                .containsExactly(Map.entry("1[].pbs", JobState.UNKNOWN), Map.entry("2.pbs", JobState.RUNNING));
        programs.with("qstat", "echo 'qstat: a word of the site' >&2");
        assertThat(named("torque").states(List.of("1.pbs"))).containsExactly(Map.entry("1.pbs", JobState.UNKNOWN));
    }

    @Test
    void aJobThatPbsSaysIsUnknownOrFinishedIsGone() throws Exception {
        programs.with("qstat", "echo 'qstat: Unknown Job Id Error 1.pbs12' >&2",
                "echo 'qstat: 2[].pbs12 Job has finished, use -x or -H to obtain historical job information' >&2",
                "exit 35");
        assertThat(named("openpbs").states(List.of("1.pbs12", "2[].pbs12", "12.pbs12"))).containsExactly(
                Map.entry("1.pbs12", JobState.GONE), Map.entry("2[].pbs12", JobState.GONE),
                Map.entry("12.pbs12", JobState.UNKNOWN));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"exit 0", "echo 'qstat: cannot connect to server pbs (errno=15010)' >&2; exit 154",
                    "echo 'qstat: PBS is not configured to maintain job history 5[].pbs' >&2"})
    void aDependencyStaysWherePbsDoesNotSayThatItsJobHasEnded(String qstat) throws Exception {
        programs.with("qstat", qstat).with("qsub", "echo 7.pbs");
        JobRequest finish = JobRequest.of("20261121-120000-abcd", 1, JobPhase.FINISH, programs.transfer());
        assertThat(named("openpbs").submit(finish.after(List.of("5[].pbs"))).ids()).containsExactly("7.pbs");
        assertThat(programs.written("launch/1-finish-1.sh")).contains("#PBS -W depend=afterany:5[].pbs\n");
        assertThat(programs.transfer().resolve("launch/1-finish-2.sh")).doesNotExist();
    }

    @Test
    void whyJobsWaitIsAskedFor() throws Exception {
        programs.with("squeue", "printf 'Dependency\\nNone\\nJobHeldUser\\nResources\\nResources\\n'");
        assertThat(named("slurm").reasons(List.of("12"))).containsExactly("JobHeldUser", "Resources");
        programs.with("qstat", "cat << 'END'", "Job Id: 2[].host", "    job_state = B",
                "    comment = Job Array Began at Sun Nov 22 at 22:22", "Job Id: 2[1].host", "    job_state = Q",
                "    comment = Job Array Began at Sun Nov 22 at 22:22", "Job Id: 3.host", "    job_state = Q",
                "    comment = Can Never Run: Insufficient amount of resource: ncpus (R: 99 A: 8", "\t T: 8)",
                "Job Id: 4.host", "    job_state = H", "    Hold_Types = s", "Job Id: 5.host", "    job_state = H",
                "    Hold_Types = u", "END");
        assertThat(named("openpbs").reasons(List.of("2[].host", "3.host", "4.host", "5.host"))).containsExactly(
                "Can Never Run: Insufficient amount of resource: ncpus (R: 99 A: 8 T: 8)", "held by the user");
    }

    @Test
    void theLimitOfPbsIsAskedFor() throws Exception {
        programs.with("qmgr", "echo 'set server max_array_size = 3'");
        assertThat(named("openpbs").render(programs.workers(7))).hasSize(3)
                .last()
                .satisfies(script -> assertThat(script.text()).doesNotContain("-J "));
        programs.with("qmgr", "echo 'set server max_job_array_size = 4'");
        assertThat(named("torque").render(programs.workers(7))).hasSize(2);
        programs.with("qmgr", "exit 1");
        assertThat(named("openpbs").render(programs.workers(10_001))).hasSize(2);
    }

    @Test
    void pbsCannotRequeueAndSaysSo() {
        assertThat(failure(() -> named("openpbs").submit(programs.workers(2).requeue(true))))
                .hasMessageContaining("operators");
    }

    @Test
    void unwritableLogsAreFoundBeforeJobsAreSubmitted() throws Exception {
        Files.writeString(programs.transfer().resolve("log"), "in the way");
        programs.with("sbatch", "touch submitted; echo 1");
        assertThat(failure(() -> named("slurm").submit(programs.workers(1)))).hasMessageContaining("log");
        assertThat(programs.transfer().resolve("submitted")).doesNotExist();
    }

    @Test
    void theOutputOfAProgramIsInNoFileThatAKillLeaves() throws Exception {
        Programs.Ran ran = new Programs(System.getenv()).run(Duration.ofMinutes(1), "bash", "-c", """
                until [[ $(readlink /proc/$$/fd/1) == *'(deleted)' && $(readlink /proc/$$/fd/2) == *'(deleted)' ]]
                do :; done
                echo out; echo err >&2; exit 3
                """);
        assertThat(List.of(ran.out(), ran.err(), ran.code())).containsExactly("out\n", "err\n", 3);
    }

    @Test
    void aProgramThatDoesNotEndIsKilled() throws Exception {
        programs.with("squeue", "echo $$ > \"$OUT\"; exec sleep 1000");
        Path pid = directory.resolve("pid");
        Programs slow = new Programs(
                Map.of("PATH", programs.environment().getOrDefault("PATH", ""), "OUT", pid.toString()));
        assertThat(failure(() -> slow.run(Duration.ofMillis(500), "squeue"))).hasMessageContaining("did not end");
        ProcessHandle.of(Long.parseLong(Files.readString(pid).strip())).ifPresent(process -> process.onExit().join());
    }
}
