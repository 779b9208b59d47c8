// SPDX-License-Identifier: Apache-2.0
package org.treehaul.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Collectors;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.treehaul.core.testing.TestDirectory;

/** {@code --where} of {@code cp} and {@code plan}: which entries of a tree are copied. */
class CopyWhereTest {

    private final TestDirectory directory = TestDirectory.make();
    private final Cli cli = Cli.withJobs(directory.path());

    @BeforeEach
    void make() throws Exception {
        cli.sh("mkdir -p d/raw/deep d/none && echo 1 > d/raw/a.h5 && printf 22222 > d/raw/deep/B.H5 && : > d/empty"
                + " && ln d/raw/a.h5 d/hard && ln -s raw/a.h5 d/link && mkfifo d/fifo && printf 333 > 'd/two words'"
                + " && touch -d '40 days ago' d/raw/a.h5 d/none && : > old && touch -d '20 days ago' old").expect(0);
    }

    @AfterEach
    void delete() {
        directory.close();
    }

    private String copied(String root) throws Exception {
        return cli.sh("cd " + root + " && find . ! -type d | sort").expect(0).out();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {"-type f -size +2c | kind=regular size>2", "-iname *.h5 | name~=*.h5",
                    "-mtime +29 -o -type l | age>30d or kind=symlink", "-newer ../old | newer-than=old",
                    "! -links +1 | not links>1", "-path ./raw/* | path=d/raw/*", "-name two?words | name=two\\ words",
                    "-mindepth 2 ! -empty | depth>=2 empty=no", "-name x | name=x"})
    void copiesTheEntriesThatFindSelectsAndAllDirectories(String find, String where) throws Exception {
        String wanted = cli.sh("set -f; cd d && set -- " + find + " && find . ! -type d \\( \"$@\" \\) | sort")
                .expect(0)
                .out();
        assertThat(cli.runWarmly("cp", "-aT", "--where", where, "--dry-run", "d", "e")
                .expect(0)
                .out()
                .lines()
                .filter(line -> !line.startsWith("directory "))
                .map(line -> "." + line.substring(line.lastIndexOf(" -> e") + 5) + "\n")
                .sorted()
                .collect(Collectors.joining())).isEqualTo(wanted);
        cli.runWarmly("cp", "-aT", "--verify", "--where", where, "d", "plain").expect(0);
        assertThat(copied("plain")).isEqualTo(wanted);
        assertThat(cli.sh("cd d && find . -type d -printf '%P %m %T@\\n' | sort").out())
                .isEqualTo(cli.sh("cd plain && find . -type d -printf '%P %m %T@\\n' | sort").out());
        cli.runWarmly("cp", "-aT", "--ranks", "2", "--where", where, "d", "ranks").expect(0);
        assertThat(copied("ranks")).isEqualTo(wanted);
    }

    @Test
    void jobsAndTheirVerificationKeepTheConditions() throws Exception {
        jobsKeepTheConditions("--jobs 2");
    }

    @Test
    @Tag("rig")
    void aJobThatPlansKeepsTheConditions() throws Exception {
        jobsKeepTheConditions("--plan-in-job");
    }

    private void jobsKeepTheConditions(String jobs) throws Exception {
        String run = "$T cp -aT --scheduler local --state-dir S --wait " + jobs
                + " --where 'age < 30d kind=regular' --where 'not name=empty' d t";
        String id = cli.warmly(run).expect(0).out().strip();
        assertThat(copied("t")).isEqualTo("./raw/deep/B.H5\n./two words\n");
        cli.warmly("printf 9 > t/empty; $T verify --state-dir S --wait " + id).expect(0);
        cli.warmly("printf wrong > t/raw/deep/B.H5; $T verify --state-dir S --wait " + id).expect(23);
        assertThat(cli.warmly("$T errors --state-dir S --relative last").expect(1).out()).isEqualTo("raw/deep/B.H5\n");
    }

    @Test
    @Tag("rig")
    void aPlanKeepsTheMomentOfAnAge() throws Exception {
        cli.warmly("$T plan -aT -o P --where 'age<30d' d t").expect(0);
        // By its new time the file is outside, and as it was planned it is copied.
        cli.warmly("touch -d '50 days ago' d/raw/deep/B.H5 && $T cp --plan P --scheduler local --state-dir S --wait");
        assertThat(copied("t")).contains("./raw/deep/B.H5").doesNotContain("a.h5").doesNotContain("hard");
    }

    @Test
    @Tag("rig")
    void resumeAppliesTheConditionsToSourcesThatWereMissing() throws Exception {
        cli.warmly(
                "mkdir t && $T cp -a --scheduler local --state-dir S --wait --where 'path=new/* kind=regular or name=empty' d new t")
                .expect(23);
        cli.warmly(
                "mkdir -p new/sub && echo 1 > new/sub/x && ln -s x new/sub/link && $T resume --state-dir S --wait last")
                .expect(0);
        assertThat(copied("t")).isEqualTo("./d/empty\n./new/sub/x\n");
        String copy = cli.sh("ls S/transfers").out().strip();
        // An entry of the destination that the conditions exclude at the source is no difference.
        cli.warmly("ln -s other t/new/sub/link; touch -r new/sub t/new/sub; $T verify --state-dir S --wait " + copy)
                .expect(0);
        cli.warmly("printf wrong > t/new/sub/x; $T verify --state-dir S --wait " + copy).expect(23);
        assertThat(cli.warmly("$T errors --state-dir S --relative last").expect(1).out()).isEqualTo("sub/x\n");
        assertThat(cli.warmly("$T verify --repair --state-dir S --wait last").expect(0).err()).contains("1 of 1 entry");
        assertThat(cli.sh("cat t/new/sub/x").out()).isEqualTo("1\n");
    }

    @Test
    @Tag("rig")
    void aRepairCopiesWhatWasPlannedAndNothingElse() throws Exception {
        cli.warmly("$T cp -aT --scheduler local --state-dir S --wait --where 'path=d/raw/* age<30d' d t").expect(0);
        assertThat(copied("t")).isEqualTo("./raw/deep/B.H5\n");
        String copy = cli.sh("ls S/transfers").out().strip();
        cli.warmly("echo 1 > d/raw/deep/later && rm -r t/raw/deep && $T verify --state-dir S --wait " + copy)
                .expect(23);
        cli.warmly("$T verify --repair --state-dir S --wait last").expect(0);
        assertThat(copied("t")).isEqualTo("./raw/deep/B.H5\n");
        cli.warmly("$T verify --state-dir S --wait " + copy).expect(0);
    }

    @Test
    void aSourceThatIsNoDirectoryMustMeetTheConditionsToo() throws Exception {
        cli.warmly("mkdir t && $T cp --where 'size>2' d/empty 'd/two words' t").expect(0);
        assertThat(copied("t")).isEqualTo("./two words\n");
    }

    @Test
    void wrongConditionsAreRefusedBeforeAnythingIsWritten() throws Exception {
        assertThat(cli.runWarmly("cp", "-aT", "--where", "siez>1", "d", "t").expect(2).err())
                .contains("--where: 'siez>1', character 1: unknown field 'siez'");
        assertThat(cli.runWarmly("plan", "-aT", "-o", "P", "--where", "hash=00", "d", "t").expect(2).err())
                .contains("only an index knows hash");
        assertThat(cli.sh("ls").out()).isEqualTo("d\nold\n");
    }
}
