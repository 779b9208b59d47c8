// SPDX-License-Identifier: Apache-2.0
package org.treehaul.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Collectors;

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
                truncate -s 5M src/sparse; chmod 640 src/large; chmod 750 src/a/b; touch -d 2001-02-03 src/e src/a/b/3
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
        err(0, "$T cp -atstage:job/two src/a/l");
        assertThat(out(0, "$T stage ls job:two")).isEqualTo("two/l\ntwo/large\ntwo/sparse\n");
        assertThat(out(0, "$T cp -aT --dry-run src stage:job/no")).contains("copy src/large -> stage:job/no/large");
        err(0, "$T cp -r --where 'size>10K' --exclude a/b/8 --errors failed src stage:job/some");
        assertThat(out(0, "$T stage ls job:some")).contains("some/a/b/9", "some/large").doesNotContain("b/8", "b/1");
        assertThat(out(2, "$T stage ls job:no")).isEmpty();
    }

    @Test
    void settingsThatHaveNoMeaningForAStageHaveNoEffect() throws Exception {
        String set = "TREEHAUL_HOME=$PWD/th TREEHAUL_CHUNK_SIZE=8M TREEHAUL_ONE_FILE_SYSTEM=true ";
        assertThat(err(0, set + "$T cp -a src stage:job/y")).contains("copied 16 entries");
        assertThat(err(0, set + "$T cp -aT stage:job/y out")).contains("copied 16 entries");
        assertThat(out(0, set + "$T cmp src stage:job/y")).isEmpty();
        assertThat(out(0, set + "$T walk --print stage:job/y")).contains("y/large");
        assertThat(err(2, set + "$T cp -a --state-dir th src stage:job/z")).contains("--state-dir cannot be combined");
    }

    @Test
    void filesKeepWhatTheOptionsSay() throws Exception {
        assertThat(out(0,
                "umask 027; $T cp -q src/large stage:job/f; $T cp -pq src/large stage:job/p\n" + "$T stage ls -l job:"))
                .containsPattern("0640 .* f ")
                .containsPattern("0640 .* p ");
        cli.sh("chmod 4755 src/large; touch -d 2003-04-05T06:07:08Z src/large").expect(0);
        assertThat(out(0,
                "umask 027; $T cp -q src/large stage:job/f; $T cp -pq src/large stage:job/p\n"
                        + "$T cp -q --preserve src/large stage:job/q; $T stage ls -l job:"))
                .containsPattern("0750 .* f ")
                .containsPattern("4755 .* 2003-04-05T06:07:08Z p ")
                .containsPattern("4755 .* 2003-04-05T06:07:08Z q ");
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
        assertThat(err(2, "$T cp --preserve=mode,acl src/large stage:job/f")).contains("--preserve=acl");
        assertThat(err(2, "$T cp -rL src stage:job/f")).contains("-L");
        assertThat(err(2, "$T cp --reflink src/large stage:job/f")).contains("--reflink=always");
        assertThat(err(2, "$T cp --tls src/large f")).contains("--tls is for stages");
        assertThat(err(2, "$T cp --copies 2 src/large f")).contains("--copies is for stages");
        assertThat(err(2, "$T cp --copies 2 -r stage:job/x out")).contains("--copies is for a destination in a stage");
        assertThat(err(2, "$T cp --copies 4 src/large stage:job/f")).contains("--copies must be");
        assertThat(err(0, "$T cp -q --copies 3 src/large stage:job/c; $T cp -qp src/a/b/1 stage:job/c"
                + "; $T stage ls -l job:c >&2")).contains(", 3 copies");
        for (String option : new String[]{"--space cat", "--secret-file secret", "--tls"}) {
            assertThat(err(2, "$T cmp " + option + " src src; $T walk " + option + " src")).contains(
                    "treehaul: cmp: " + option.split(" ", -1)[0] + " is for stages: stage:NAME/PATH",
                    "treehaul: walk: " + option.split(" ", -1)[0] + " is for stages: stage:NAME/PATH");
        }
        assertThat(err(0, "$T cmp src/a src/a && $T walk src/a > found")).contains("no differences");
        for (String command : new String[]{"cp @ src/large stage:job/f", "cmp @ src stage:job/f", "walk @ stage:job/f",
                "run @ --at job -- true"}) {
            assertThat(err(2, "$T " + command.replace("@", "--space partitions:list")))
                    .contains("cannot be in partitions");
        }
        assertThat(err(2, "$T sync src stage:job/f")).contains("cp, cmp and walk", "./stage:job/f");
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

    @Test
    void treesAreComparedWhicheverSideIsInAStage() throws Exception {
        err(0, "$T cp -a src stage:job/y");
        assertThat(err(0, "$T cmp --content src stage:job/y")).contains("no differences in 16 entries", "of content");
        assertThat(out(0, "$T cmp --content stage:job/y src")).isEmpty();
        cli.sh("""
                touch -d 2001-01-01 src/a/b/1; chmod 600 src/a/b/2; rm src/a/b/3; mkdir src/a/new
                printf x | dd of=src/large bs=1 seek=2500000 conv=notrunc status=none; touch -r src/a/b/4 src/large
                ln -sf elsewhere src/a/l; echo > src/a/b/5
                """).expect(0);
        String found = out(1, "$T cmp --content --ignore mtime src stage:job/y");
        assertThat(found.lines().sorted().map(line -> line.replaceAll(" \\(.*| [0-9]+ \\|.*", ""))).containsExactly(
                "a/b/2: mode 0600", "a/b/3: only in stage:job/y", "a/b/5: size 1", "a/l: target elsewhere",
                "a/new: only in src", "large: content differs at byte 2500000");
        assertThat(out(1, "$T cmp stage:job/y src")).contains("a/b/1: mtime ");
        assertThat(err(0, "$T cp -a stage:job/y stage:job/z; $T cmp --content stage:job/y stage:job/z"))
                .contains("no differences in 16 entries");
        assertThat(err(0, "$T cmp --content stage:job/y/large stage:job/z/large")).contains("in 1 entry");
        assertThat(err(2, "$T cmp stage:job/nosuch src")).contains("stage:job/nosuch", "ENOENT");
        assertThat(err(2, "$T cmp nosuch stage:job/y")).contains("nosuch", "ENOENT");
        assertThat(err(2, "$T cmp --compare atime stage:job/y src")).contains("--compare=atime");
        for (String option : new String[]{"--repair", "--ranks 2", "--where size>1", "--null"}) {
            assertThat(err(2, "$T cmp " + option.replace("size>1", "'size>1'") + " stage:job/y src"))
                    .contains(option.split(" ", -1)[0] + " cannot be combined with a stage");
        }
    }

    @Test
    void aWalkOfAStageIsThatOfTheTree() throws Exception {
        err(0, "$T cp -a src stage:job/y");
        cli.sh("find src -printf 'stage:job/y/%P\\n' | sed 's,/$,,' | LC_ALL=C sort > expected").expect(0);
        assertThat(cli.sh("cat expected").out()).isEqualTo(sorted(out(0, "$T walk --print stage:job/y")))
                .isEqualTo(sorted(out(0, "$T walk -0 stage:job/y").replace('\0', '\n')));
        assertThat(out(0, "$T walk --print --where 'size>20K' --exclude '8' --exclude e stage:job/y/"))
                .isEqualTo("stage:job/y/a/b/7\nstage:job/y/a/b/9\nstage:job/y/large\nstage:job/y/sparse\n");
        assertThat(out(0, "$T walk --print --where 'kind=symlink target=../large' stage:job"))
                .isEqualTo("stage:job/y/a/l\n");
        assertThat(out(0, "$T walk stage:job/y")).containsPattern("entries +16\n")
                .containsPattern("largest file +5,242,880 .*stage:job/y/sparse");
        assertThat(out(0, "$T walk --json stage:job/y/large")).contains("\"path\":\"stage:job/y/large\"",
                "\"size\":3000000", "\"type\":\"summary\"");
        assertThat(err(2, "$T walk stage:job/nosuch")).contains("stage:job/nosuch", "ENOENT");
        assertThat(err(2, "$T walk stage:job src")).contains("do one after the other");
        assertThat(err(2, "$T walk --locality stage:job")).contains("--locality cannot be combined with a stage");
    }

    private static String sorted(String lines) {
        return lines.lines().sorted().map(line -> line + "\n").collect(Collectors.joining());
    }
}
