// SPDX-License-Identifier: Apache-2.0
package org.treehaul.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.treehaul.core.testing.TestDirectory;

/** {@code treehaul stage} beside rsync, and its messages. */
class StageCommandTest {

    private static final String SAME = "rsync -anic --delete src/ out/\n";
    private static final String IN = "$T stage in -q --space cat --directories disk1,disk2,disk3 ";

    private final TestDirectory directory = TestDirectory.make();
    private final Cli cli = new Cli(directory.path());

    @BeforeEach
    void make() throws Exception {
        cli.sh("mkdir disk1 disk2 disk3 src").expect(0);
    }

    @AfterEach
    void delete() {
        directory.close();
    }

    private String err(int code, String command) throws Exception {
        return cli.warmly(command).expect(code).err();
    }

    @Test
    void aTreeComesBackEqualByRsyncAlsoWithOtherStripesAndSegments() throws Exception {
        cli.sh("""
                mkdir -p src/a/b src/e; head -c 3000000 /dev/urandom > src/large; ln -s ../large src/a/l
                for i in 1 2 3 4 5 6 7 8 9; do head -c $((i * 3000)) /dev/urandom > src/a/b/$i; done
                truncate -s 5M src/sparse; chmod 640 src/large; chmod 555 src/a/b; touch -d 2001-02-03 src/e src/a/b/3
                """).expect(0);
        assertThat(cli.warmly(IN + "src job:x\n$T stage out -q --space cat job:x out\n" + SAME).expect(0).out())
                .isEmpty();
        assertThat(cli.warmly(IN + "--stripe 64K --segments 5 --servers d3,d1 src job:y\nrm -rf out\n"
                + "$T stage out -q --durable --space cat job:y out\n" + SAME).expect(0).out()).isEmpty();
        assertThat(cli.warmly("$T stage ls -l --space cat job:y/large").expect(0).out())
                .matches("regular +0640 +3000000 .* y/large  5 x 64\\.0 KiB on d[13],d[13]\n");
        assertThat(err(0, "$T stage check --space cat job:")).contains("the catalogue and the servers agree");
        assertThat(err(0, "$T stage rm -r --space cat job:x job:y")).contains("removed");
        assertThat(cli.sh(
                "ls disk1/job.stage disk2/job.stage disk3/job.stage | grep -c treehaul-stage; ls disk1/job.stage | wc -l")
                .expect(0)
                .out()).isEqualTo("3\n1\n");
    }

    @Test
    void aRunThatWasKilledIsContinuedByTheNext() throws Exception {
        cli.sh("""
                head -c 20000000 /dev/urandom > src/large
                for d in 0 1 2 3 4 5 6 7 8 9; do mkdir src/$d; for i in 0 1 2 3 4 5 6 7 8 9; do
                  for j in 0 1 2 3 4 5 6 7 8 9; do echo $i$j > src/$d/$i$j; done; done; done
                """).expect(0);
        cli.warmly("mkdir empty\n" + IN + "empty job:empty").expect(0);
        Process killed = cli.start("stage", "in", "--space", "cat", "src", "job:x");
        Path segments = directory.path().resolve("disk1/job.stage");
        // In the middle on most machines; the rest of the test holds at any moment.
        while (killed.isAlive() && count(segments) < 40) {
            Thread.onSpinWait();
        }
        killed.destroyForcibly().waitFor();
        assertThat(cli.warmly("$T stage check --space cat job:").code()).isIn(0, 1);
        assertThat(cli.warmly("$T stage in -q --space cat src job:x\n$T stage check -q --space cat job:\n"
                + "$T stage out -q --space cat job:x out\n" + SAME).expect(0).out()).isEmpty();
        assertThat(err(0, "$T stage check --space cat job:")).contains("agree");
    }

    private static long count(Path path) throws Exception {
        try (Stream<Path> files = Files.list(path)) {
            return files.count();
        }
    }

    @Test
    void aServerThatIsAbsentIsNamedAndTheFilesOfTheOthersComeBack() throws Exception {
        cli.sh("for i in 1 2 3 4 5 6 7 8 9; do echo $i > src/$i; done; head -c 4000000 /dev/zero > src/large")
                .expect(0);
        cli.warmly(IN + "src job:x").expect(0);
        cli.sh("mv disk2 away").expect(0);
        assertThat(err(23, "$T stage out --space cat job:x out")).contains("job:x/large: open", "d2 (", "ENOENT");
        assertThat(cli.sh("ls out | wc -l").out()).isEqualTo("6\n");
        assertThat(err(23, "$T stage verify --space cat job:")).contains(" job:x/large: open").doesNotContain("job:/x");
        assertThat(cli.warmly("$T stage check --space cat job:").expect(1).out()).startsWith("unreachable server d2: ");
        cli.sh("mkdir -p disk2; mv away/job.stage disk2/").expect(0);
        assertThat(cli.warmly("$T stage out -q --space cat job:x out\n" + SAME).expect(0).out()).isEmpty();
    }

    @Test
    void copiesAreBuiltAgainAndServersAreAddedDrainedAndLost() throws Exception {
        cli.sh("head -c 5000000 /dev/urandom > src/large; echo 1 > src/small; mkdir disk4").expect(0);
        cli.warmly(IN + "--copies 2 src job:x").expect(0);
        assertThat(cli.warmly("$T stage ls -l --space cat job:x/large").expect(0).out())
                .endsWith("  3 x 1.0 MiB on d1,d2,d3, 2 copies\n");
        cli.sh("rm disk2/job.stage/*.[012]").expect(0);
        assertThat(cli.warmly("$T stage out -q --space cat job:x out\n" + SAME).expect(0).out()).isEmpty();
        assertThat(err(1, "$T stage check --space cat job:")).contains("0 losses, ", "copies to build");
        assertThat(cli.warmly("$T stage repair --dry-run --space cat job:").expect(1).out())
                .contains("x/large: segment 1, server d2: missing\n");
        assertThat(err(0, "$T stage repair --space cat job:")).contains("built ", " copies");
        assertThat(err(0, "$T stage check --space cat job:")).contains("agree");
        assertThat(cli.warmly("$T stage servers --space cat --directories disk4 job:").expect(0).out())
                .containsPattern("d1 +active +\\d segments, .* free .*disk1/job.stage\n")
                .containsPattern("d4 +active +0 segments, 0 B");
        assertThat(err(2, "$T stage drain --lost --space cat job: d3")).contains("d3 (", "the server answers",
                "--force");
        assertThat(err(1, "$T stage drain --lost --force --space cat job: d3; $T stage check --space cat job:"))
                .contains("d3 is taken out", "copies to build");
        assertThat(err(0, "$T stage drain --undo --space cat job: d3")).contains("server d3 takes new segments");
        assertThat(err(0, "$T stage repair --space cat job:")).contains("built ");
        assertThat(err(0, "$T stage drain --space cat job: d1")).contains("server d1 is drained");
        assertThat(cli.sh("ls disk1/job.stage; rm -r disk1 disk2").expect(0).out()).isEqualTo("treehaul-stage\n");
        assertThat(err(2, "$T stage drain --undo --space cat job: d2")).contains("d2 (", "ENOENT");
        assertThat(err(0, "$T stage drain --lost --space cat job: d2")).contains("d2 is taken out: 0 files are lost");
        assertThat(cli.warmly("$T stage repair --space cat job:").expect(0).out()).contains("server d2 -> d");
        assertThat(cli.warmly("$T stage verify -q --space cat job:\n$T stage check -q --space cat job:\n"
                + "rm -r out\n$T stage out -q --space cat job:x out\n" + SAME).expect(0).out()).isEmpty();
        assertThat(err(2, "$T stage drain --space cat job: d7")).contains("has no such server");
    }

    @Test
    void anOperandThatCannotBeRemovedIsNamedAndTheOthersAreRemoved() throws Exception {
        cli.sh("mkdir src/d && echo 1 > src/f && echo 2 > src/g && echo 3 > src/d/h").expect(0);
        cli.warmly(IN + "src job:").expect(0);
        assertThat(err(23, "$T stage rm --space cat job:nosuch job:f job:d job:g")).contains(
                "job:nosuch: remove: No such file or directory", "job:d: remove: Is a directory",
                "stage: removed 2 entries");
        assertThat(cli.warmly("$T stage ls --space cat job:").expect(0).out()).isEqualTo("d\nd/h\n");
        cli.sh("mkdir away && mv disk* away").expect(0);
        assertThat(err(23, "$T stage rm -r --space cat job:d")).contains(" job:d/h: open", "removed 1 entry");
    }

    @Test
    void resultsThatCannotBeWrittenAreAnError() throws Exception {
        cli.sh("echo 1 > src/f").expect(0);
        cli.warmly(IN + "src job:").expect(0);
        cli.sh("rm disk*/job.stage/*.0").expect(0);
        for (String verb : List.of("servers", "check")) {
            assertThat(cli.sh("$T stage " + verb + " --space cat job: > /dev/full").expect(2).err())
                    .contains("cannot write to standard output");
        }
    }

    @Test
    void resultsWithoutAReaderAreNotComplete() throws Exception {
        cli.sh("echo 1 > src/f").expect(0);
        cli.warmly(IN + "src job:").expect(0);
        cli.sh("rm disk*/job.stage/*.0").expect(0);
        for (String verb : List.of("servers", "check", "ls")) {
            Process stage = cli.start("stage", verb, "--space", "cat", "job:");
            stage.getInputStream().close();
            String err = stage.errorReader().readAllAsString();
            assertThat(stage.waitFor()).as(verb + err).isEqualTo(20);
            assertThat(err).isEmpty();
        }
    }

    @Test
    void aDestinationThatCannotBeMadeIsNamed() throws Exception {
        cli.sh("echo 1 > src/f").expect(0);
        cli.warmly(IN + "src job:").expect(0);
        assertThat(err(2, "$T stage out --space cat job: nosuch/tree")).contains("nosuch/tree: mkdir: ", "ENOENT");
        assertThat(err(2, "$T stage out --space cat job:f nosuch/f")).contains("nosuch/f: open: ", "ENOENT");
        assertThat(err(2, "$T stage out --space cat job:f src")).contains("src: open: Is a directory");
        assertThat(err(2, "$T stage out --space cat job:f ''")).contains("the path DEST is empty");
    }

    @Test
    void aStageWhoseServersTakeNothingNewIsNotOneWithoutServers() throws Exception {
        cli.sh("echo 1 > src/f").expect(0);
        cli.warmly("$T stage in -q --space cat --directories disk1 src job:").expect(0);
        assertThat(cli.warmly("$T stage drain --space cat job: d1").code()).isNotZero();
        assertThat(err(2, "$T stage in --space cat src job:y"))
                .contains("no server of the stage job takes new segments", "d1 is draining", "drain --undo");
    }

    @Test
    void wrongUseIsExplained() throws Exception {
        cli.sh("echo 1 > src/f; echo > disk3/other; mkdir disk3/job.stage; echo > disk3/job.stage/x").expect(0);
        assertThat(err(2, "$T stage")).contains("use 'treehaul stage in");
        assertThat(err(2, "$T stage in src job:")).contains("no catalogue of the stage is given");
        assertThat(err(2, "$T stage in --space cat src job:")).contains("has no servers yet: name directories");
        assertThat(directory.path().resolve("cat")).doesNotExist();
        assertThat(err(2, "$T stage in --space cat src job")).contains("NAME:[PATH]", "not 'job'");
        assertThat(err(2, "$T stage in --space cat src job:a/../b")).contains("'..'");
        assertThat(err(2, "$T stage in --space cat --directories disk1,,disk2 src job:")).contains("commas between");
        assertThat(err(2, "$T stage in --space cat --directories nosuch src job:")).contains("nosuch/job.stage",
                "ENOENT");
        assertThat(err(2, "$T stage in --space cat --directories disk3 src job:")).contains("not empty");
        for (String wrong : List.of("--stripe 1K", "--segments 0", "--segments 5000", "--copies 4")) {
            assertThat(err(2, "$T stage in --space new --directories disk1 " + wrong + " src job:"))
                    .contains(wrong.split(" ", -1)[0]);
        }
        assertThat(directory.path().resolve("new")).doesNotExist();
        assertThat(directory.path().resolve("disk1")).isEmptyDirectory();
        assertThat(err(2, "$T stage in --space cat --directories disk1 nosuch job:")).contains("nosuch", "ENOENT");
        assertThat(err(2, "$T stage in --space cat --servers d1,d7 src job:")).contains("no server 'd7', only d1");
        assertThat(err(2, "$T stage in --space cat src/f job:")).contains("only a directory");
        assertThat(err(2, "$T stage in --space cat --copies 2 src job:"))
                .contains("--copies 2 needs 2 servers, not only d1");
        assertThat(err(2, "$T stage in --space cat --copies 0 src job:")).contains("--copies");
        assertThat(err(2, "$T stage check --space cat --durable job:")).contains("--durable is for in and out and");
        assertThat(err(2, "$T stage drain --space cat --force job: d1")).contains("--force is for drain --lost");
        assertThat(err(2, "$T stage drain --space cat --undo --lost job: d1")).contains("--undo cannot be combined");
        assertThat(err(2, "$T stage in --space cat --clean src job:")).contains("--clean is for check, not for in");
        assertThat(err(2, "$T stage in --space new --secret-file nosuch --add-servers h:1 src job:"))
                .contains("nosuch");
        assertThat(err(2, "$T stage in --space new --add-servers h:1 src job:"))
                .contains("--secret-file FILE is missing");
        assertThat(directory.path().resolve("new")).doesNotExist();
        assertThat(err(0, "$T stage in --space cat src job:")).contains("staged 2 entries");
        assertThat(err(0, "$T stage unsaved --space cat job:")).contains("everything is saved");
        assertThat(err(2, "$T stage ls --space cat job:x")).contains("no such entry");
        assertThat(err(2, "$T stage unsaved --space cat job:x")).contains("job:x: there is no such entry");
        assertThat(err(2, "$T stage out --space cat job:x out")).contains("job:x: open", "ENOENT");
        assertThat(err(2, "$T stage rm --space cat job:")).contains("EISDIR");
        assertThat(err(2, "$T stage rm --space cat job:f b:f")).contains("one stage at a time");
        assertThat(err(2, "$T stage check --space cat job:f")).contains("a whole stage");
        for (String verb : new String[]{"ls", "rm -r", "verify", "check"}) {
            assertThat(err(2, "$T stage " + verb + " --space cat jbo:"))
                    .contains("stage jbo: there is none of this name");
        }
        assertThat(err(2, "$T stage ls --space nosuch job:")).contains("no tuple space in nosuch",
                "'treehaul stage in' makes one");
        assertThat(cli.warmly("TREEHAUL_SPACE=cat $T stage ls job:").expect(0).out()).isEqualTo("f\n");
    }
}
