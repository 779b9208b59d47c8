// SPDX-License-Identifier: Apache-2.0
package org.treehaul.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.packaged.Run;

/** {@code treehaul run} here and by jobs of this machine, beside xargs. */
class RunCommandTest {

    private static final int FILES = 9;
    private static final Duration LONG = Duration.ofMinutes(10);

    private final TestDirectory directory = TestDirectory.make();
    private final Cli cli = new Cli(directory.path());

    @BeforeEach
    void make() throws Exception {
        cli.sh("mkdir -p d/sub && for i in 1 2 3 4 5 6 7; do echo $i > d/f$i.txt; done && echo 8 > d/sub/-rf"
                + " && f=$(printf \"d/sub/caf\\\\351 '\\\"\\\\n \\$(x)\\\\n\") && echo 9 > \"$f\" && ln -s f1.txt d/link")
                .expect(0);
    }

    @AfterEach
    void delete() {
        directory.close();
    }

    private String out(String script) throws Exception {
        return cli.warmly(script).expect(0).out();
    }

    @Test
    void theSameFilesAreHandledAsByXargs() throws Exception {
        for (String command : new String[]{"cat", "sh -c 'printf \"%s|\" \"$1\" && cat \"$1\"' sh"}) {
            assertThat(out("$T run d -- " + command + " | sort"))
                    .isEqualTo(cli.sh("find d -type f -print0 | xargs -0 -n1 " + command + " | sort").out())
                    .contains("9");
        }
        assertThat(out("$T run --where 'kind=symlink' d -- echo x{/}")).isEqualTo("xlink\n");
        assertThat(out("$T run --where 'kind=directory' d -- basename | sort")).isEqualTo("d\nsub\n");
    }

    @Test
    void wordsAfterTheSeparatorAreNoOptionsAndNoPathsOfTreeHaul() throws Exception {
        String words = "-h -v --file x --preset none --scheduler=pool --threads=9 stage:x";
        Run run = cli.warmly("TREEHAUL_SPACE=no TREEHAUL_THREADS=1 $T run d/f1.txt -- echo " + words).expect(0);
        assertThat(run.out()).isEqualTo(words + " d/f1.txt\n");
    }

    @Test
    void theCommandsOfADryRunDoTheSameInAShell() throws Exception {
        String plan = "$T run --dry-run d -- sh -c 'cat \"$1\"; echo \" $2\"' sh {} x{/.}";
        assertThat(out(plan + " > plan; bash plan | sort")).isEqualTo(out(plan.replace(" --dry-run", "") + " | sort"))
                .contains("xf3");
        assertThat(out("$T run --dry-run -v d -- rm {} > plan; find d -type f | wc -l"))
                .isEqualTo(cli.sh("find d -type f | wc -l").out());
    }

    @Test
    void outputsAreJoinedInTheOrderOfTheFiles() throws Exception {
        String order = out("$T find --threads 1 d kind=regular name=f*");
        List<String> files = order.lines().toList();
        // The first command ends after the others.
        String wait = "case $1 in " + files.getFirst() + ") until [ -e last ]; do :; done;; " + files.getLast()
                + ") : > last;; esac; echo $1";
        assertThat(out("$T run --threads 7 --join --where 'name=f*' d -- sh -c '" + wait + "' sh")).isEqualTo(order);
        assertThat(out("$T run --threads 2 --tag --where 'name=f*' d -- sh -c 'echo a; printf b' | sort")).isEqualTo(
                Stream.concat(files.stream().map(file -> file + "\ta\n"), files.stream().map(file -> file + "\tb\n"))
                        .sorted()
                        .reduce("", String::concat));
    }

    @Test
    void failuresAreReportedWithTheirCodes() throws Exception {
        Run some = cli.warmly("$T run d -- sh -c 'case $1 in *f3*) exit 7;; *f4*) kill -9 $$;; esac' sh").expect(23);
        assertThat(some.err()).contains("d/f3.txt: the command ended with 7",
                "d/f4.txt: the command was ended by signal 9 (SIGKILL)", "handled 7 entries", "2 failed");
        cli.warmly("$T run d -- false").expect(2);
        assertThat(cli.warmly("$T run --timeout 0.2 d/f1.txt -- sh -c 'sleep 1000' sh").expect(2).err())
                .contains("d/f1.txt: the command did not end within 200 ms");
        assertThat(out("$T run --retries 2 d/f1.txt -- sh -c 'echo x >> n; [ $(wc -l < n) = 3 ]' && cat n"))
                .isEqualTo("x\nx\nx\n");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {"d -- treehaul-none {} | there is no command 'treehaul-none'; check its name and the PATH",
                    "d -- ./treehaul-none | there is no command './treehaul-none'; check its name",
                    "d -- ./d/f1.txt | the command './d/f1.txt' is not executable", "d | no command is given",
                    "d -- | no command is given", "-- cat | no path is given",
                    "--once d -- cat | --once needs --scheduler or --jobs",
                    "--join --output-dir . d -- cat | --output-dir cannot be combined with --join",
                    "--tag --jobs 1 d -- cat | --tag needs --wait, because outputs are printed when the jobs have ended",
                    "--join --jobs 1 --wait d -- cat {@} | --join by jobs cannot be combined with {@}",
                    "--outputs last d -- cat | --outputs runs nothing; leave out the paths and the command",
                    "--state-dir none --outputs last | there is no transfer 'last'",
                    "d -- cat {@} {} | cannot be combined",
                    "--segments 1M d -- cat {} | --segments needs a place for the range",
                    "--segments 1M d -- cat {@} | cannot be combined with segments of files",
                    "--segments 1K d -- cat {offset} | --segments: a segment has 1 MiB or more",
                    "--segments layer d -- cat {offset} | --segments: 'layer' is not a size",
                    "--segments layout --jobs 1 --locality off d -- cat {offset} | cannot be combined with --locality off",
                    "--timeout -1 d -- cat | --timeout must be", "--retries -1 d -- cat | --retries must be",
                    "--output-dir nosuch d -- cat | --output-dir nosuch is not a directory",
                    "--once --jobs 1 --where kind=directory d -- cat | --once is for regular files"})
    void wrongUseIsRefusedBeforeAnythingRuns(String arguments, String message) throws Exception {
        Run refused = cli.warmly("$T run " + arguments).expect(2);
        assertThat(refused.err()).contains(message);
        assertThat(refused.out()).isEmpty();
    }

    @Test
    void outputsAreKeptInFiles() throws Exception {
        assertThat(out(
                "mkdir o && $T run --output-dir o --where 'name=f*' d -- sh -c 'cat \"$1\"; case $1 in *f2*) echo e >&2;;"
                        + " *f5*) exec >&-;; *f6*) exit 1;; esac' sh; cat o/*.out | sort; ls o/*.err"))
                .startsWith("1\n2\n3\n4\n5\n6\n7\no/")
                .endsWith(".f2.txt.err\n");
    }

    @Test
    void listsHaveManyPaths() throws Exception {
        assertThat(out("$T run --batch-files 4 d -- sh -c 'cat \"$1\"; echo $1 >> lists' sh {@} | sort -z > all;"
                + " find d -type f -print0 | sort -z | cmp - all && wc -l < lists")).isEqualTo("3\n");
        for (String list : Files.readAllLines(directory.resolve("lists"))) {
            assertThat(Path.of(list)).doesNotExist();
        }
    }

    // Reads a range as awk, dd and the like would.
    private static final String RANGE = "-- sh -c 'tail -c +$(($2 + 1)) \"$1\" | head -c $3' sh {} {offset} {length}";

    @Test
    void theSegmentsOfALargeFileJoinedInOrderAreTheFile() throws Exception {
        cli.sh("head -c 2500000 /dev/urandom > large; : > empty").expect(0);
        assertThat(out("$T run --segments 1M --threads 3 --join large empty " + RANGE
                + " | cmp - large; $T run --segments 1M --dry-run large empty -- wc {length} | sort"))
                .isEqualTo("wc 0 empty\nwc 1048576 large\nwc 1048576 large\nwc 402848 large\n");
        // This file system has no layouts.
        assertThat(out("$T run --segments layout large " + RANGE + " | cmp - large")).isEmpty();
        assertThat(cli.warmly("$T run --segments 1M large -- sh -c '[ $1 != 2 ]' sh {segment} {}").expect(23).err())
                .contains("large: segment 2 from byte 2097152: the command ended with 1");
    }

    @Test
    void jobsShareTheSegmentsOfAFile() throws Exception {
        cli.sh("head -c 2500000 /dev/urandom > large; mkdir o").expect(0);
        Run run = cli.warmly(jobs("--segments 1M --output-dir o large " + RANGE)).expect(0);
        assertThat(run.err()).contains("3 entries");
        assertThat(out("ls o | wc -l; $T run --state-dir $PWD/state --outputs last | cmp - large")).isEqualTo("3\n");
    }

    @Test
    void pathsMayComeFromAList() throws Exception {
        assertThat(out("find d -type f -print0 | $T run --files-from - -0 -- cat | sort"))
                .isEqualTo("1\n2\n3\n4\n5\n6\n7\n8\n9\n");
    }

    @Test
    void muchOutputNeedsNoMemory() throws Exception {
        assertThat(out("$T run d/f1.txt -- sh -c 'head -c 30000000 /dev/zero' | wc -c")).isEqualTo("30000000\n");
    }

    @Test
    void theFirstSignalLetsCommandsEndAndTheSecondKillsThem() throws Exception {
        String command = "echo $$ >> begun; until [ -e go ]; do sleep 0.01; done; echo >> ended";
        Process first = cli.start("run", "--threads", "2", "d", "--", "sh", "-c", command);
        Awaitility.await().atMost(LONG).until(() -> lines("begun") == 2);
        Cli.signal(first, "INT");
        Cli.awaitSaid(first, "stopping");
        Files.createFile(directory.resolve("go"));
        assertThat(first.waitFor()).isEqualTo(20);
        assertThat(lines("begun")).isEqualTo(2);
        assertThat(lines("ended")).isEqualTo(2);

        cli.sh("rm begun ended go").expect(0);
        Process second = cli.start("run", "--threads", "2", "d", "--", "sh", "-c", command);
        Awaitility.await().atMost(LONG).until(() -> lines("begun") == 2);
        Cli.signal(second, "INT");
        Cli.awaitSaid(second, "stopping");
        Awaitility.await().atMost(LONG).until(() -> {
            // The process may have ended since the last look; then kill fails.
            cli.sh("kill -s INT " + second.pid());
            return !second.isAlive();
        });
        assertThat(second.waitFor()).isEqualTo(20);
        for (String process : Files.readAllLines(directory.resolve("begun"))) {
            awaitEnd(process);
        }
        assertThat(directory.resolve("ended")).doesNotExist();
    }

    // A zombie whose new parent is slow has ended.
    private static void awaitEnd(String process) {
        Awaitility.await().atMost(LONG).until(() -> {
            try {
                return Files.readString(Path.of("/proc", process, "stat"), StandardCharsets.ISO_8859_1)
                        .contains(") Z ");
            } catch (IOException e) {
                return true;
            }
        });
    }

    private long lines(String file) throws Exception {
        Path path = directory.resolve(file);
        return Files.exists(path) ? Files.readString(path, StandardCharsets.ISO_8859_1).lines().count() : 0;
    }

    @Test
    void theOutputsOfDirectoriesAreNotOnStandardOutputOfAWorker() throws Exception {
        List<String> user = OrdinaryUser.owning(directory.path());
        Path jar = Run.copyOfJar(directory.path());
        Path state = directory.resolve("state");
        Path pool = directory.resolve("pool");
        Run.of(Run
                .command(user, jar, "run", "--state-dir", state, "--scheduler", "pool", "--space", pool, "--where",
                        "kind=directory", directory.resolve("d"), "--", "echo", "handled")
                .toArray()).expect(0);
        Run worker = Run
                .of(Run.command(user, jar, "worker", "--state-dir", state, "--pool", pool, "--idle", 0).toArray())
                .expect(0);
        assertThat(worker.out()).doesNotContain("handled");
        assertThat(worker.err()).contains("handled " + directory.path().toRealPath() + "/d/sub\n");
    }

    private String jobs(String more) {
        return "$T run --state-dir $PWD/state --scheduler local --jobs 2 --wait " + more;
    }

    @Test
    void jobsRunTheCommandAndResumeWhatFailed() throws Exception {
        Run failed = cli
                .warmly(jobs(
                        "d -- sh -c 'echo \"$1\" >> ran; echo out; [ -e fixed ] || [ \"${1##*/}\" != f3.txt ]' sh"))
                .expect(23);
        String id = failed.out().strip();
        assertThat(failed.err()).contains("8 of 9 entries");
        assertThat(cli.warmly("$T errors --state-dir $PWD/state " + id).expect(1).out())
                .contains("d/f3.txt: the command ended with 1");
        assertThat(out("cat state/transfers/" + id + "/outputs/*.out | wc -l")).isEqualTo(FILES + "\n");
        assertThat(lines("ran")).isEqualTo(FILES + 1);
        cli.warmly(": > fixed; rm ran; $T resume --state-dir $PWD/state --wait " + id).expect(0);
        assertThat(Files.readString(directory.resolve("ran"))).isEqualTo(directory.path().toRealPath() + "/d/f3.txt\n");
        assertThat(cli.warmly("$T status --state-dir $PWD/state --json " + id).expect(0).out())
                .contains("\"kind\":\"run\"", "\"state\":\"complete\"");
        cli.warmly("$T forget --state-dir $PWD/state " + id).expect(0);
    }

    @Test
    void theOutputsOfJobsAreJoinedInTheOrderOfTheFiles() throws Exception {
        String order = cli.sh("find $PWD/d -type f ! -name '*caf*' | LC_ALL=C sort").expect(0).out();
        Run run = cli.warmly(jobs(
                "--batches 5 --join --tag --where 'name!=caf*' d -- sh -c 'case $1 in *f3*) echo err >&2;; esac; cat \"$1\"' sh"))
                .expect(0);
        List<String> expected = new ArrayList<>();
        for (String file : order.lines().toList()) {
            expected.add(file + "\t" + Files.readString(Path.of(file)).strip());
        }
        assertThat(run.out().lines()).containsExactlyElementsOf(expected);
        assertThat(run.err()).contains("d/f3.txt\terr\n", "'treehaul status ");
        assertThat(out("$T run --state-dir $PWD/state --outputs last --tag")).isEqualTo(run.out());
        assertThat(out("$T run --state-dir $PWD/state --outputs last")).isEqualTo(
                expected.stream().map(line -> line.replaceFirst(".*\t", "") + "\n").collect(Collectors.joining()));
        assertThat(cli.sh(jobs("--join d/f3.txt -- cat > /dev/full")).expect(2).err())
                .contains("cannot write to standard output: No space left on device; 'treehaul run --outputs ");
    }

    @Test
    void aKilledJobIsResumedWithTheRest() throws Exception {
        Run submitted = cli.warmly("$T run --state-dir $PWD/state --scheduler local --jobs 1 --threads 2 d -- sh -c '"
                + "echo \"$PPID $$\" >> begun; [ -e go ] || [ $(wc -l < begun) -lt 4 ] || { echo $$ >> asleep; exec sleep 1000; }; printf \"%s\\0\" \"$1\" >> ended' sh")
                .expect(0);
        String id = submitted.out().strip();
        Awaitility.await().atMost(LONG).until(() -> lines("asleep") == 2);
        cli.sh("kill -9 $(head -1 begun | cut -d' ' -f1); xargs kill -9 < asleep").expect(0);
        cli.warmly(": > go; $T resume --state-dir $PWD/state --wait " + id).expect(0);
        assertThat(cli.sh("sort -z ended > all; find $PWD/d -type f -print0 | sort -z | cmp - all").expect(0).out())
                .isEmpty();
    }

    @Test
    void theNumbersOfOutputsHaveTheSameDigitsInEveryLocale() throws Exception {
        Run run = cli
                .sh("mkdir out && JDK_JAVA_OPTIONS='-Duser.language=ar -Duser.country=EG' $T run -q --output-dir out "
                        + "d/f1.txt d/sub -- sh -c 'cat \"$1\"; : > out/ran' sh; ls out")
                .expect(0);
        assertThat(run.out()).contains("0000000.", "0000002.").doesNotContain("?");
    }

    @Test
    void listsAreInTheDirectoryOfTheUserForTemporaryFiles() throws Exception {
        String run = "mkdir tmp; TMPDIR=$PWD/tmp $T run -q d -- sh -c 'echo \"$1\"' sh {@}";
        assertThat(cli.sh(run).expect(0).out()).startsWith(directory.resolve("tmp/treehaul-list-").toString());
        assertThat(directory.resolve("tmp")).isEmptyDirectory();
    }

    @Test
    void anOutputThatCannotBeReadIsReported() throws Exception {
        cli.warmly(jobs("d/f1.txt d/f2.txt -- cat")).expect(0);
        cli.sh("f=$(ls $PWD/state/transfers/*/outputs/*.f1.txt.out) && rm $f && mkdir $f").expect(0);
        Run run = cli.warmly("$T run --state-dir $PWD/state --outputs last").expect(2);
        assertThat(run.err()).contains("read the output (for ", "d/f1.txt): ");
    }

    @Test
    void noCommandThatWaitsForItsTurnBeginsAfterASignal() throws Exception {
        cli.sh("mkdir many && cd many && for i in $(seq 300); do : > $i; done").expect(0);
        Path out = directory.resolve("printed");
        ProcessBuilder builder = Cli.builder(
                Run.command(List.of(), Run.JAR, "run", "-q", "--join", "--threads", "2", "many", "--", "sh", "-c",
                        "if mkdir slow 2> none; then until [ -e go ]; do sleep 0.01; done; echo slow; else echo fast; "
                                + "echo >> ran; fi"));
        Process run = builder.directory(directory.path().toFile()).redirectOutput(out.toFile()).start();
        // So many may end before one whose output comes first.
        Awaitility.await().atMost(LONG).until(() -> lines("ran") >= 199);
        Cli.signal(run, "INT");
        Cli.awaitSaid(run, "stopping");
        Files.createFile(directory.resolve("go"));
        assertThat(run.waitFor()).isEqualTo(20);
        assertThat(lines("ran")).isLessThanOrEqualTo(199 + Files.readAllLines(out).indexOf("slow"));
    }
}
