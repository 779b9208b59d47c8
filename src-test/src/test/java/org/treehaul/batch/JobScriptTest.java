// SPDX-License-Identifier: Apache-2.0
package org.treehaul.batch;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.core.testing.Privilege;
import org.treehaul.packaged.Run;
import org.treehaul.schedulers.JobPhase;
import org.treehaul.schedulers.JobRequest;
import org.treehaul.schedulers.Scheduler;
import org.treehaul.schedulers.discovery.Schedulers;
import org.treehaul.schedulers.pbs.PbsDialect;

/** Job scripts run by hand, in the barest possible environment. */
class JobScriptTest {
    private TransferRig rig;

    @BeforeEach
    void makeRig() throws Exception {
        rig = new TransferRig();
    }

    @AfterEach
    void removeRig() {
        rig.close();
    }

    private String pbsScript() throws Exception {
        return Schedulers.pbs(PbsDialect.OPENPBS).render(rig.workers(1)).getFirst().text();
    }

    private List<Object> command(String... environment) throws Exception {
        Path script = rig.path("script.sh");
        Files.writeString(script, Schedulers.slurm().render(rig.workers(1)).getFirst().text());
        List<Object> words = new ArrayList<>(List.of("env", "-i", "SLURM_SUBMIT_DIR=" + rig.transfer()));
        words.addAll(List.of(environment));
        words.addAll(List.of("/bin/bash", script));
        return words;
    }

    private Run run(String... environment) throws Exception {
        return Run.of(command(environment).toArray());
    }

    @Test
    void theWorkIsStartedWithArgumentsByteForByteInTheDirectoryOfTheTransfer() throws Exception {
        run().expect(0);
        assertThat(rig.ran()).containsOnlyKeys("worker.0");
        assertThat(rig.ran().get("worker.0")).contains("""
                argument=-Da=b c
                argument=-Dd=$e
                argument=--enable-native-access=ALL-UNNAMED
                argument=-cp
                argument=@
                argument=org.treehaul.cli.Main
                argument=worker
                argument=--generation
                argument=1
                argument=--index
                argument=0
                """.replace("@", rig.jar().toString()), "directory=" + rig.transfer() + "\n", "locale=C.UTF-8\n");
    }

    @Test
    void furtherJarsFollowOnTheClassPath() throws Exception {
        Path one = rig.furtherJar("one jar.jar");
        Path two = rig.furtherJar("two.jar");
        run().expect(0);
        assertThat(rig.ran().get("worker.0"))
                .contains("argument=-cp\nargument=" + rig.jar() + ":" + one + ":" + two + "\n");
    }

    @Test
    void aJobThatDoesNotSeeAFurtherJarDoesNotBegin() throws Exception {
        Files.delete(rig.furtherJar("operation.jar"));
        assertThat(run().expect(2).err()).contains("cannot see", "operation.jar", "all nodes must share it");
        assertThat(rig.ran()).isEmpty();
    }

    @Test
    void theExitCodeOfTheWorkIsThatOfTheJob() throws Exception {
        rig.behave("worker", "exit 23");
        run().expect(23);
        rig.behave("worker", "kill -9 $$");
        run().expect(137);
    }

    @Test
    void commandsBeforeAndAfterTheJobAreRun() throws Exception {
        rig.launch(List.of("echo \"before $(ls ran | wc -l)\"", "read x; echo \"x=$x\""),
                List.of("echo \"after $TREEHAUL_CODE $(ls ran | wc -l)\"", "exit 9"), Optional.of(rig.java()));
        rig.behave("worker", "exit 3");
        assertThat(run().expect(3).out()).isEqualTo("before 0\nx=\nafter 3 1\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"exit 5", "(exit 5)"})
    void aFailedCommandBeforeTheWorkPreventsIt(String line) throws Exception {
        rig.launch(List.of(line), List.of("echo after $TREEHAUL_CODE"), Optional.of(rig.java()));
        Run run = run().expect(2);
        assertThat(run.err()).contains("treehaul: not started: launch/pre returned 5");
        assertThat(run.out()).isEqualTo("after 2\n");
        assertThat(rig.ran()).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("schedulers")
    void optionsThatCommandsBeforeTheWorkSetDoNotHoldForTheScript(Scheduler scheduler) throws Exception {
        // A Java with a version in a file, and its cache of classes, for which the script does most.
        Path home = rig.path("jdk");
        Path java = Files.createDirectories(home.resolve("bin")).resolve("java");
        Files.copy(rig.java(), java);
        Files.writeString(home.resolve("release"), "JAVA_VERSION=\"25.0.1\"\n");
        Path cache = Files.writeString(rig.jar().resolveSibling("treehaul-25.0.1.aot"), "classes");
        TransferRig.allow("rw-r--r--", cache);
        rig.launch(List.of("set -euf -o pipefail -o posix", "shopt -s failglob", "IFS=:/", "trap 'exit 9' ERR"),
                List.of(), Optional.of(java));
        Path script = Files.writeString(rig.path("script.sh"), scheduler.render(rig.workers(1)).getFirst().text());
        Run.of("env", "-i", "-C", rig.transfer(), "SLURM_SUBMIT_DIR=" + rig.transfer(),
                "PBS_O_WORKDIR=" + rig.transfer(), "PBS_JOBID=7.host", "/bin/bash", script, 0).expect(0);
        assertThat(rig.ran()).containsOnlyKeys("worker.0");
        assertThat(rig.ran().get("worker.0")).contains("argument=-XX:AOTCache=" + cache + "\n");
    }

    static List<Scheduler> schedulers() {
        return List.of(Schedulers.slurm(), Schedulers.local(), Schedulers.pbs(PbsDialect.OPENPBS),
                Schedulers.pbs(PbsDialect.TORQUE));
    }

    @ParameterizedTest
    @CsvSource({"false, 1", "echo $NONESUCH, 1", "'(exit 3) | cat', 3"})
    void theOptionsHoldForTheCommandsBeforeTheWork(String line, int code) throws Exception {
        rig.launch(List.of("set -euo pipefail", line, "touch continued"), List.of(), Optional.of(rig.java()));
        assertThat(run().expect(2).err()).contains("treehaul: not started: launch/pre returned " + code);
        assertThat(rig.path("continued")).doesNotExist();
        assertThat(rig.ran()).isEmpty();
    }

    @Test
    void commandsBeforeTheJobMaySetTheEnvironmentAndTheDirectory() throws Exception {
        Path home = Files.createDirectories(rig.path("jdk/bin"));
        Files.copy(rig.java(), home.resolve("java"));
        rig.launch(List.of("export JAVA_HOME=\"$PWD/jdk\" SLURM_SET=before", "cd /"), List.of(), Optional.empty());
        run().expect(0);
        assertThat(rig.ran().get("worker.0")).contains("environment=SLURM_SET=before", "directory=" + rig.transfer());
    }

    @Test
    void aFinishingJobThatSlurmRequeuesRunsNoCommandOfTheUser() throws Exception {
        rig.behave("finish", "trap 'exit 20' TERM; touch ready; while :; do sleep 0.1; done");
        Path script = rig.path("script.sh");
        Files.writeString(script, Schedulers.slurm().render(rig.finish(List.of()).requeue(true)).getFirst().text());
        // Slurm ends all processes of the run at once: scontrol, and then the sleep of the script.
        Path programs = Files.createDirectory(rig.path("programs"));
        program(programs.resolve("scontrol"), """
                [[ $1 == requeue ]] || exit 1
                script=$PPID
                (while kill -0 $script; do
                    for child in $(< /proc/$script/task/$script/children); do
                        [[ $(< /proc/$child/comm) != sleep ]] || kill $child
                    done
                    sleep 0.1
                done) > /dev/null 2>&1 &
                kill $$
                touch requeued
                """);
        Process process = new ProcessBuilder("env", "-i", "SLURM_SUBMIT_DIR=" + rig.transfer(), "SLURM_JOB_ID=1",
                "PATH=" + programs + ":/usr/bin:/bin", "/bin/bash", script.toString()).start();
        Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> Files.exists(rig.path("ready")));
        Run.of("kill", "-USR1", process.pid()).expect(0);
        assertThat(process.waitFor()).isEqualTo(20);
        assertThat(rig.path("requeued")).exists();
        assertThat(rig.path("completed")).doesNotExist();
    }

    /** The answers of scontrol to requests to requeue a job, in the words of Slurm 22.05. */
    enum Answers {
        LATE(3, true, says("Unable to contact slurm controller (connect failure)"),
                says("Socket timed out on send/recv operation"), "exit 0"),
        LOST(2, true, says("Zero Bytes were transmitted or received"), says("Job is pending execution for job 1")),
        ENDED_MEANWHILE(1, true, "kill $PPID; " + says("Socket timed out on send/recv operation")),
        NEVER(10, false, says("Unable to contact slurm controller (connect failure)")),
        DISABLED(1, false, says("Requested operation is presently disabled")),
        DENIED(1, false, says("Access/permission denied")),
        UNKNOWN(1, false, says("Invalid job id specified")),
        CANCELLED(1, false, "touch generations/2; " + says("Socket timed out on send/recv operation"));

        private final int tries;
        private final boolean isRequeued;
        private final String lines;

        Answers(int tries, boolean isRequeued, String... lines) {
            this.tries = tries;
            this.isRequeued = isRequeued;
            this.lines = String.join("\n", lines) + "\n";
        }

        private static String says(String text) {
            return "echo '" + text + "' >&2; exit 1";
        }
    }

    @ParameterizedTest
    @EnumSource
    void anUnansweredRequestToRequeueIsRepeated(Answers answers) throws Exception {
        rig.behave("finish", "trap 'exit 20' TERM; kill -USR1 $PPID; while :; do /bin/sleep 0.1; done");
        Path script = rig.path("script.sh");
        Files.writeString(script, Schedulers.slurm().render(rig.finish(List.of()).requeue(true)).getFirst().text());
        Path programs = Files.createDirectory(rig.path("programs"));
        Files.writeString(rig.path("answers"), answers.lines);
        program(programs.resolve("scontrol"), """
                echo "$*" >> asked
                line=$(sed -n "$(wc -l < asked)p" answers)
                eval "${line:-$(tail -n 1 answers)}"
                """);
        program(programs.resolve("sleep"), "echo $1 >> slept\n");
        Run.of("env", "-i", "SLURM_SUBMIT_DIR=" + rig.transfer(), "SLURM_JOB_ID=1",
                "PATH=" + programs + ":/usr/bin:/bin", "/bin/bash", script).expect(20);
        assertThat(Files.readAllLines(rig.path("asked"))).hasSize(answers.tries).containsOnly("requeue 1");
        assertThat(Files.exists(rig.path("completed"))).isEqualTo(!answers.isRequeued && answers != Answers.CANCELLED);
        List<Integer> slept = Files.exists(rig.path("slept"))
                ? Files.readAllLines(rig.path("slept")).stream().map(Integer::valueOf).toList()
                : List.of();
        assertThat(slept.stream().filter(time -> time == 60).count()).as("waits for its end")
                .isEqualTo(answers.isRequeued ? 1 : 0);
        assertThat(slept.stream().filter(time -> time != 60)).allMatch(time -> time >= 3 && time <= 10);
    }

    @Test
    void aJobThatAJobOfAnArrayHasSubmittedIsRequeuedAndNotThatOne() throws Exception {
        rig.behave("worker", "trap 'exit 20' TERM; kill -USR1 $PPID; while :; do /bin/sleep 0.1; done");
        Path script = rig.path("script.sh");
        Files.writeString(script, Schedulers.slurm().render(rig.workers(1).requeue(true)).getFirst().text());
        Path programs = Files.createDirectory(rig.path("programs"));
        program(programs.resolve("scontrol"), "echo \"$*\" >> asked\n");
        program(programs.resolve("sleep"), "exit 0\n");
        // sbatch passes the variables of the job in which it runs to the new job, which has no others of an array.
        Run.of("env", "-i", "SLURM_SUBMIT_DIR=" + rig.transfer(), "SLURM_JOB_ID=9", "SLURM_ARRAY_JOB_ID=7",
                "SLURM_ARRAY_TASK_ID=3", "PATH=" + programs + ":/usr/bin:/bin", "/bin/bash", script).expect(20);
        assertThat(rig.ran()).containsOnlyKeys("worker.0");
        assertThat(rig.path("asked")).content().isEqualTo("requeue 9\n");
    }

    private static void program(Path file, String text) throws IOException {
        Files.writeString(file, "#!/bin/bash\n" + text);
        TransferRig.allow("rwxr-xr-x", file);
    }

    @Test
    void aJobThatIsStoppedBeforeTheWorkBeginsDoesNotBeginIt() throws Exception {
        rig.launch(List.of("touch ready", "sleep 2"), List.of(), Optional.of(rig.java()));
        Process process = new ProcessBuilder(command().stream().map(Object::toString).toList()).start();
        Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> Files.exists(rig.path("ready")));
        Run.of("kill", process.pid()).expect(0);
        assertThat(process.waitFor()).isEqualTo(20);
        assertThat(rig.ran()).isEmpty();
    }

    @Test
    void theWorkRunsWithTheUmaskOfTheSubmitter() throws Exception {
        Files.writeString(rig.path("launch/umask"), "0027\n");
        rig.behave("worker", "umask > mask");
        run().expect(0);
        assertThat(rig.path("mask")).hasContent("0027");
    }

    @Test
    void finishingRunsTheCommandOfTheUserOnceAndNotWhenSuperseded() throws Exception {
        rig.behave("finish", "exit 23");
        Path script = Files.writeString(rig.path("script.sh"),
                Schedulers.slurm().render(rig.finish(List.of())).getFirst().text());
        Run.of("env", "-i", "SLURM_SUBMIT_DIR=" + rig.transfer(), "/bin/bash", script).expect(23);
        assertThat(rig.path("completed")).hasContent(TransferRig.ID + " 23");
        Files.delete(rig.path("completed"));
        Files.writeString(rig.path("generations/2"), "");
        Run.of("env", "-i", "SLURM_SUBMIT_DIR=" + rig.transfer(), "/bin/bash", script).expect(23);
        assertThat(rig.path("completed")).doesNotExist();
    }

    @Test
    void aPlanIsMadeInTheDirectoryOfTheUser() throws Exception {
        Path stood = Files.createDirectories(rig.path("where\nhe stood/ran"));
        Files.writeString(rig.path("launch/cwd"), stood.getParent() + "\0");
        Path script = Files.writeString(rig.path("script.sh"),
                Schedulers.slurm()
                        .render(JobRequest.of(TransferRig.ID, 1, JobPhase.PLAN, rig.transfer()))
                        .getFirst()
                        .text());
        Run.of("env", "-i", "SLURM_SUBMIT_DIR=" + rig.transfer(), "/bin/bash", script).expect(0);
        try (Stream<Path> notes = Files.list(stood)) {
            assertThat(Files.readString(notes.findFirst().orElseThrow())).contains("argument=planner\n",
                    "argument=--transfer\nargument=" + rig.transfer() + "\n", "directory=" + stood.getParent());
        }
    }

    @Test
    void aJavaOfTheNodeReplacesAMissingOne() throws Exception {
        rig.launch(List.of(), List.of(), Optional.of(Path.of("/nonexistent/bin/java")));
        Path home = rig.path("jdk");
        Files.createDirectories(home.resolve("bin"));
        Files.copy(rig.java(), home.resolve("bin/java"));
        run("JAVA_HOME=" + home).expect(0);
        rig.launch(List.of(), List.of(), Optional.empty());
        run("PATH=/nonexistent:" + home.resolve("bin") + ":/usr/bin:/bin").expect(0);
        assertThat(rig.times("worker.0")).isEqualTo(2);
    }

    @Test
    void anOlderJavaIsPassedOver() throws Exception {
        Path older = rig.path("older");
        Files.writeString(older, "#!/bin/sh\necho 'java version \"1.8.0_402\"' >&2\necho started older\n");
        assertThat(older.toFile().setExecutable(true)).isTrue();
        rig.launch(List.of(), List.of(), Optional.of(older));
        Path home = Files.createDirectories(rig.path("jdk/bin"));
        Files.copy(rig.java(), home.resolve("java"));
        assertThat(run("JAVA_HOME=" + home.getParent()).expect(0).out()).isEmpty();
        assertThat(rig.ran()).containsKey("worker.0");
    }

    @Test
    void aNodeWithoutJavaSaysWhereItLooked() throws Exception {
        rig.launch(List.of(), List.of(), Optional.empty());
        // The unchanged script, except for the directories of Java installations, because this machine has one of them.
        Path script = rig.path("script.sh");
        command();
        Files.writeString(script,
                Files.readString(script).replaceAll("/(usr/lib/jvm|usr/java|opt|opt/java)/\\*", "/no/*"));
        Run run = Run
                .of(Map.of("PATH", "/nonexistent", "SLURM_SUBMIT_DIR", rig.transfer().toString()), "/bin/bash", script)
                .expect(2);
        assertThat(run.err().lines()).hasSize(1)
                .first()
                .asString()
                .startsWith("treehaul: ")
                .contains("no Java 25", "launch/java", "JAVA_HOME", "/usr/lib/jvm", ".sdkman");
    }

    @Test
    void aNodeThatDoesNotSeeTheTransferSaysSo() throws Exception {
        Run run = Run.of("env", "-i", "SLURM_SUBMIT_DIR=/nonexistent", "/bin/bash", command().getLast()).expect(2);
        assertThat(run.err()).contains("cannot see the directory of transfer " + TransferRig.ID, "/nonexistent");
    }

    @Test
    void aShellThatReadsTheScriptFromItsInputReadsAllOfIt() throws Exception {
        rig.launch(List.of("cat"), List.of("cat"), Optional.of(rig.java()));
        rig.behave("worker", "cat; exit 4");
        Path script = Files.writeString(rig.path("script.sh"), pbsScript());
        Process process = new ProcessBuilder("env", "-i", "PBS_O_WORKDIR=" + rig.transfer(), "PBS_JOBID=7.host",
                "PBS_ARRAY_INDEX=2", "/bin/bash").redirectInput(script.toFile()).start();
        assertThat(process.waitFor()).isEqualTo(4);
        assertThat(rig.ran()).containsOnlyKeys("worker.2");
        assertThat(rig.path("log/th-abcd-worker-7.out")).isEmptyFile();
    }

    @Test
    void signalsReachTheWorkAndItsExitCodeIsKept() throws Exception {
        rig.behave("worker",
                "trap 'echo told >> ran.log; sleep 1; exit 20' TERM; touch ready; while :; do sleep 0.1; done");
        for (String signal : List.of("TERM", "USR1")) {
            Files.deleteIfExists(rig.path("ready"));
            Process process = new ProcessBuilder(command().stream().map(Object::toString).toList())
                    .redirectError(ProcessBuilder.Redirect.to(rig.path("err").toFile()))
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> Files.exists(rig.path("ready")));
            Run.of("kill", "-" + signal, process.pid()).expect(0);
            Run.of("kill", "-" + signal, process.pid()).expect(0);
            assertThat(process.waitFor()).as(signal).isEqualTo(20);
            assertThat(Files.readString(rig.path("err"))).contains("stopped by signal " + signal + ", exit code 20");
        }
        assertThat(Files.readAllLines(rig.path("ran.log"))).contains("told");
    }

    @Test
    void aWorkThatDiesOfTheSignalCountsAsStopped() throws Exception {
        rig.behave("worker", "touch ready; exec sleep 100");
        Process process = new ProcessBuilder(command().stream().map(Object::toString).toList()).start();
        Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> Files.exists(rig.path("ready")));
        Run.of("kill", process.pid()).expect(0);
        assertThat(process.waitFor()).isEqualTo(20);
    }

    @Test
    void underPbsTheScriptItselfStopsTheWorkBeforeTheTimeIsOver() throws Exception {
        rig.behave("worker", "trap 'exit 20' TERM; while :; do sleep 0.1; done");
        Path script = Files.writeString(rig.path("script.sh"),
                Schedulers.pbs(PbsDialect.TORQUE)
                        .render(rig.workers(1).walltime(Duration.ofSeconds(2)))
                        .getFirst()
                        .text());
        Run.of("env", "-i", "PBS_O_WORKDIR=" + rig.transfer(), "PBS_JOBID=7.host", "/bin/bash", script).expect(20);
    }

    /** A permission or link through which another user could have changed the program of a job. */
    enum Door {
        TRANSFER("open to others") {
            @Override
            void open(TransferRig rig) throws IOException {
                TransferRig.allow("rwxr-x---", rig.transfer());
            }
        },
        STATE("writable by others") {
            @Override
            void open(TransferRig rig) throws IOException {
                TransferRig.allow("rwxrwxr-x", parent(rig.transfer()));
            }
        },
        ABOVE("writable by others") {
            @Override
            void open(TransferRig rig) throws IOException {
                TransferRig.allow("rwxr-xrwx", parent(parent(rig.transfer())));
            }
        },
        PROGRAMS("writable by others") {
            @Override
            void open(TransferRig rig) throws IOException {
                TransferRig.allow("rwxrwx---", parent(rig.jar()));
            }
        },
        JAR("open to others") {
            @Override
            void open(TransferRig rig) throws IOException {
                TransferRig.allow("rw-rw-r--", rig.jar());
            }
        },
        FURTHER_JAR("open to others") {
            @Override
            void open(TransferRig rig) throws IOException {
                TransferRig.allow("rw-rw-r--", rig.furtherJar("operation.jar"));
            }
        },
        LINK("symbolic link") {
            @Override
            void open(TransferRig rig) throws IOException {
                Files.move(rig.jar(), rig.path("elsewhere"));
                Files.createSymbolicLink(rig.jar(), rig.path("elsewhere"));
            }
        };

        private final String said;

        Door(String said) {
            this.said = said;
        }

        private static Path parent(Path path) {
            return Objects.requireNonNull(path.getParent());
        }

        abstract void open(TransferRig rig) throws IOException;
    }

    @ParameterizedTest
    @EnumSource
    void noProgramStartsThatOtherUsersCouldHaveReplaced(Door door) throws Exception {
        rig.launch(List.of("touch before"), List.of("touch after"), Optional.of(rig.java()));
        door.open(rig);
        Run run = run().expect(2);
        assertThat(run.err()).contains(door.said, "is not trusted and nothing is started", "chmod go-w");
        assertThat(rig.ran()).isEmpty();
        assertThat(rig.path("before")).doesNotExist();
        assertThat(rig.path("after")).doesNotExist();
    }

    @Test
    void noProgramOfAnotherUserStarts() throws Exception {
        Privilege.requireRoot("it gives files away");
        for (Path path : List.of(rig.jar(), Objects.requireNonNull(rig.jar().getParent()), rig.transfer(),
                Objects.requireNonNull(rig.transfer().getParent()))) {
            Files.setAttribute(path, "unix:uid", 12345);
            assertThat(run().expect(2).err()).contains(path + " belongs to user 12345", "is not trusted");
            Files.setAttribute(path, "unix:uid", 0);
        }
        assertThat(rig.ran()).isEmpty();
        run().expect(0);
    }

    @Test
    void aDirectoryAboveThatIsStickyDoesNoHarm() throws Exception {
        Path above = Objects.requireNonNull(Objects.requireNonNull(rig.transfer().getParent()).getParent());
        Run.of("chmod", "1777", above).expect(0);
        run().expect(0);
    }
}
