// SPDX-License-Identifier: Apache-2.0
package org.treehaul.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.treehaul.core.testing.TestDirectory;

/** Paths {@code stage:NAME/PATH} in commands that also take directories, beside rsync. */
class StagedPathTest {

    private static final String SAME = "rsync -anic --delete src/ out/\n";

    private final TestDirectory directory = TestDirectory.make();
    private final Cli cli = new Cli(directory.path());

    @BeforeEach
    void make() throws Exception {
        cli.sh("""
                mkdir disk1 disk2 disk3 empty; mkdir -p src/a/b src/e
                head -c 3000000 /dev/urandom > src/large; ln -s ../large src/a/l
                for i in 1 2 3 4 5 6 7 8 9; do head -c $((i * 3000)) /dev/urandom > src/a/b/$i; done
                truncate -s 5M src/sparse; chmod 640 src/large; chmod 555 src/a/b; touch -d 2001-02-03 src/e src/a/b/3
                """).expect(0);
        cli.warmly("$T stage in -q --space cat --directories disk1,disk2,disk3 empty job:x").expect(0);
    }

    @AfterEach
    void delete() {
        directory.close();
    }

    private String err(int code, String command) throws Exception {
        return cli.warmly(command.replace("$T", "TREEHAUL_SPACE=cat $T")).expect(code).err();
    }

    private String out(int code, String command) throws Exception {
        return cli.warmly(command.replace("$T", "TREEHAUL_SPACE=cat $T")).expect(code).out();
    }

    @Test
    void aTreeGoesIntoAStageOnToAnotherPathAndBack() throws Exception {
        assertThat(err(0, "$T cp -a --verify src stage:job/y")).contains("copied 16 entries", "verified");
        assertThat(err(0, "$T cp -a stage:job/y stage:job/z")).contains("copied 16 entries");
        assertThat(err(0, "$T cp -a --fsync stage:job/z out")).contains("copied 16 entries");
        assertThat(cli.sh(SAME).out()).isEmpty();
        assertThat(cli.sh("du -k out/sparse | cut -f 1").out().strip()).isEqualTo("0");
        assertThat(err(0, "$T stage check job:")).contains("agree");
        // A directory that exists is copied into, and -T names the copy itself.
        err(0, "$T cp -a src stage:job/y");
        err(0, "$T cp -aT stage:job/y/src out");
        assertThat(cli.sh(SAME).out()).isEmpty();
        assertThat(err(0, "$T cp -auT src stage:job/y/src")).contains("left 12 alone");
        assertThat(err(0, "$T cp -anT src stage:job/y/src")).contains("left 12 alone");
        err(0, "$T cp -a src/large src/sparse stage:job/two");
        assertThat(out(0, "$T stage ls job:two")).isEqualTo("two/large\ntwo/sparse\n");
        assertThat(out(0, "$T cp -aT --dry-run src stage:job/no")).contains("copy src/large -> stage:job/no/large");
        err(0, "$T cp -r --where 'size>10K' --exclude a/b/8 --errors failed src stage:job/some");
        assertThat(out(0, "$T stage ls job:some")).contains("some/a/b/9", "some/large").doesNotContain("b/8", "b/1");
        assertThat(out(2, "$T stage ls job:no")).isEmpty();
    }

    @Test
    void filesKeepWhatTheOptionsSay() throws Exception {
        assertThat(out(0,
                "umask 027; $T cp -q src/large stage:job/f; $T cp -pq src/large stage:job/p\n" + "$T stage ls -l job:"))
                .containsPattern("0640 .* f ")
                .containsPattern("0640 .* p ");
        cli.sh("chmod 4755 src/large; touch -d 2003-04-05T06:07:08Z src/large").expect(0);
        assertThat(out(0,
                "umask 027; $T cp -q src/large stage:job/f; $T cp -pq src/large stage:job/p\n" + "$T stage ls -l job:"))
                .containsPattern("0750 .* f ")
                .containsPattern("4755 .* 2003-04-05T06:07:08Z p ");
        assertThat(err(0, "$T cp stage:job/f 'stage:job/f g'; $T cp 'stage:job/f g' . ; cmp 'f g' src/large"))
                .contains("copied 1 entry");
    }

    @Test
    void wrongUseIsExplained() throws Exception {
        assertThat(cli.warmly("$T cp src/large stage:job/f").expect(2).err()).contains("no catalogue of the stage");
        assertThat(err(2, "$T cp -r src stage:jbo/f")).contains("stage jbo: there is none of this name in", "stage in");
        assertThat(cli.warmly("$T cp --space nosuch src/large stage:job/f").expect(2).err()).contains("nosuch",
                "'treehaul stage in' makes one");
        assertThat(err(2, "$T cp src stage:job/f")).contains("skipped directory; use -r");
        assertThat(err(2, "$T cp -T src/large stage:job")).contains("only a directory can become the top");
        assertThat(err(2, "$T cp src/large stage:")).contains("stage:NAME/PATH", "./stage:");
        assertThat(err(2, "$T cp src/large stage:job/a/../b")).contains("'..'");
        assertThat(err(2, "$T cp stage:job/nosuch .")).contains("stage:job/nosuch", "ENOENT");
        assertThat(err(2, "$T cp -r stage:job/x nosuch/y")).contains("nosuch", "mkdir -p");
        assertThat(err(2, "$T cp -r stage:job/x stage:job/x/y")).contains("into itself");
        assertThat(err(2, "$T cp -r stage:job/x src/large empty")).contains("a copy out of a stage has no other");
        for (String option : new String[]{"-b", "--in-place", "-i", "--parents", "--chunk-size=1G", "--ranks 2",
                "--jobs 2", "-s", "--manifest m", "--one-file-system", "--files-from f"}) {
            assertThat(err(2, "$T cp -r " + option + " src stage:job/f")).contains(option.split("[ =]", -1)[0],
                    "cannot be combined with a stage");
        }
        assertThat(err(2, "$T cp --preserve=xattr src/large stage:job/f")).contains("--preserve=xattr");
        assertThat(err(2, "$T cp -rL src stage:job/f")).contains("-L");
        assertThat(err(2, "$T cp --reflink src/large stage:job/f")).contains("--reflink=always");
        assertThat(err(2, "$T cp --tls src/large f")).contains("--tls is for stages");
        assertThat(err(2, "$T mv src/large stage:job/f")).contains("cp, cmp and walk", "./stage:job/f");
        assertThat(err(0, "$T cp src/large ./stage:f; cmp src/large stage:f")).contains("copied 1 entry");
    }

    @Test
    void entriesThatAStageCannotHaveFailByNameAndTheRestIsCopied() throws Exception {
        cli.sh("mkfifo src/fifo; mkdir src/in; mv disk2 src/in/; ln -s src/in/disk2 disk2").expect(0);
        assertThat(err(23, "$T cp -r src stage:job/y")).contains("stage:job/y/fifo", "regular files, directories",
                "src/in/disk2/job.stage: this is a directory of the stage itself");
        assertThat(out(0, "$T stage ls job:y/a/b")).contains("y/a/b/9");
        cli.sh("rm disk2; mv src/in/disk2 away").expect(0);
        assertThat(err(23, "$T cp -r stage:job/y out")).contains("stage:job/y/large", "d2 (", "ENOENT");
        assertThat(cli.sh("ls out").out()).isEqualTo("a\ne\nin\n");
    }
}
