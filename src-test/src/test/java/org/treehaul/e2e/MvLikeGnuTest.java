// SPDX-License-Identifier: Apache-2.0
package org.treehaul.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import java.nio.file.Files;
import java.nio.file.attribute.PosixFilePermissions;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.core.testing.Privilege;
import org.treehaul.core.testing.TestDirectory;

/** Runs the same lines with GNU mv and with treehaul mv on equal trees, and compares what is where afterwards. */
class MvLikeGnuTest {

    private static final String TREE = """
            umask 022
            mkdir -p d/sub e full/d; printf 1 > f; printf 2 > d/f; printf 3 > d/sub/g; printf 4 > full/d/f; printf 5 > n
            ln -s d ld; ln -s f lf; ln -s nothing dangling; mkfifo p; : > ./-f; touch -d 2001-01-01 n d/f d/sub/g
            printf 6 > h; printf 7 > h~; printf 8 > h.~3~; ln n h2; ln -s n lg; mkdir -p w/d w/d~/old; printf 9 > w/f
            """;
    private static final String LIST = "find . -type f -printf '%P %s\\n' -o -printf '%P %y %l\\n' | sort; "
            + "find . -type f -print0 | sort -z | xargs -0 -r grep -H ''";

    @AutoClose
    private final EqualTrees trees = new EqualTrees(TREE, LIST);
    @AutoClose
    private final TestDirectory other = TestDirectory.onTmpfs();
    private final Cli ours = trees.ours;

    @BeforeEach
    void makeTrees() throws Exception {
        trees.make();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"f new", "f n", "f d", "d e", "d new", "d/ new", "f n e", "-t e f d", "-T d new", "-T d e",
                    "-T f n", "lf e", "ld e", "ld new", "dangling e", "p e", "-n f n", "-n f new", "-u n f", "-u f n",
                    "-f f n", "-- -f e", "--strip-trailing-slashes d/ e", "-i f n", "-fi f n", "-if f n", "-in f n",
                    "d/sub/g .", "full e", "-T e full/d/new", "--no-clob f n", "--target-directory=e f", "-b f n",
                    "-b f new", "--backup f n", "--backup=t f n", "--backup=numbered f h", "-b f h", "-S .old f n",
                    "--backup=simple f h", "--backup=none f n", "-bu n f", "-bu f n", "-bi f n", "-b lf lg", "-b f lg",
                    "-uT e w/d", "-u d w", "-b p n", "-b f p", "-Tb d e", "-Tb e d", "-Tb d full", "-Tb f d", "-Tb d f",
                    "-Tb ld d", "-b f n e", "-b d/f full/d", "f lf", "f ./lf", "-b f lf", "-Tb --backup=t d full",
                    "-b n h2", "-b f w"})
    void theSameLinesMoveTheSame(String line) throws Exception {
        same(line, 0);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"nothing e", "f nothing/new", "d f", "-T f d", "-T d full", "d d", "d d/sub", "f n nothing",
                    "f/ new", "ld/ new", ". e", "full/.. e", "f", "-b h~ h", "-b f f", "-Tb d d", "-bn f n",
                    "--backup=simple h~ h", "-uT e d", "-b f nothing/new", "-b d w", "-b d d/sub", "--backup=bad f n"})
    void theSameLinesAreRefused(String line) throws Exception {
        same(line, 1);
    }

    private void same(String line, int gnuCode) throws Exception {
        trees.sameWarmly("echo y | mv " + line, "echo y | $T mv " + line, gnuCode);
    }

    @Test
    void resultsAreReportedAsByCp() throws Exception {
        assertThat(ours.warmly("$T mv -v f new").expect(0).out()).isEqualTo("rename f -> new\n");
        assertThat(ours.warmly("$T mv nothing e").expect(2).err()).contains("nothing: stat: No such file");
        assertThat(ours.warmly("$T mv --json -v d e").expect(0).out()).contains("\"action\":\"rename\"",
                "\"type\":\"summary\"");
        ours.warmly("$T mv --errors ERR nothing e").expect(2);
        assertThat(ours.sh("cat ERR").out()).isEqualTo("nothing\0");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"f @/new", "f @/n", "f @/lf", "f @/p", "f @/dangling", "d @/new", "d @/e", "d/ @/ld", "-T d @/e",
                    "lf @/f", "lf @/p", "lf @/lf", "ld @/new", "dangling @/f", "p @/f", "p @/new", "f n d @/e",
                    "-t @/e f d", "-n f @/f", "-n f @/new", "-u f @/n", "-u n @/f", "-i f @/n", "-f f @/h2", "d/f @/h2",
                    "-b f @/h2", "-b f @/n", "-b f @/new", "--backup=t f @/n", "-b f @/h", "-S .old f @/h", "-bu n @/f",
                    "-bu f @/n", "-uT e @/w/d", "-b f @/lg", "-b lf @/lg", "-b p @/n", "-b f @/p", "-Tb d @/e",
                    "-Tb e @/d", "-Tb d @/full", "-Tb f @/d", "-Tb d @/f", "-Tb ld @/d", "-b f n d @/e", "-b f @/w",
                    "-b --backup=t -T d @/full"})
    void theSameLinesMoveTheSameToAnotherFileSystem(String line) throws Exception {
        sameApart(line, 0);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"d @/f", "-T f @/e", "-T d @/ld", "-T d @/p", "-T d @/lf", "f @/nothing/new", "nothing @/e",
                    "e nothing @/full", "f/ @/e", ". @/e", "-b d @/w"})
    void theSameLinesAreRefusedToAnotherFileSystem(String line) throws Exception {
        sameApart(line, 1);
    }

    private void sameApart(String line, int gnuCode) throws Exception {
        assumeApart();
        for (String tool : new String[]{"gnu", "ours"}) {
            trees.copyTo(other.directory(tool));
        }
        trees.sameWarmly("echo y | mv " + line.replace("@", other.resolve("gnu").toString()),
                "echo y | $T mv " + line.replace("@", other.resolve("ours").toString()), gnuCode);
        assertThat(new Cli(other.resolve("ours")).sh(LIST).out())
                .isEqualTo(new Cli(other.resolve("gnu")).sh(LIST).out());
    }

    @Test
    void aDirectoryThatMayBeWrittenToButNotReadTakesAMove() throws Exception {
        assumeApart();
        Privilege.requireRoot("it becomes another user");
        Files.setPosixFilePermissions(trees.path(), PosixFilePermissions.fromString("rwxr-xr-x"));
        Files.setPosixFilePermissions(other.path(), PosixFilePermissions.fromString("rwxr-xr-x"));
        trees.both("chown -R 65534:65534 .");
        for (String tool : new String[]{"gnu", "ours"}) {
            new Cli(other.directory(tool)).sh("mkdir -m 333 shut; chown 65534 shut").expect(0);
        }
        String user = "setpriv --reuid 65534 --regid 65534 --clear-groups ";
        trees.same(user + "mv f d " + other.resolve("gnu/shut"), user + "$T mv f d " + other.resolve("ours/shut"), 0);
        assertThat(new Cli(other.resolve("ours/shut")).sh(LIST).out())
                .isEqualTo(new Cli(other.resolve("gnu/shut")).sh(LIST).out());
    }

    private void assumeApart() throws Exception {
        assumeFalse(Files.getAttribute(trees.path(), "unix:dev").equals(Files.getAttribute(other.path(), "unix:dev")),
                "the temporary directory is on the same file system");
    }

    @Test
    void betweenFileSystemsTheTreeIsTheSameAfterwards() throws Exception {
        String there = other.path().toString();
        assumeApart();
        String before = ours.sh("cd full; ln d/f d/g; " + LIST).out();
        assertThat(ours.warmly("$T mv -v full " + there).expect(0).out())
                .contains("copy full/d/f -> " + there + "/full/d/f\n", "remove full/d/f\n");
        assertThat(ours.sh("cd " + there + "/full; " + LIST).out()).isEqualTo(before);
        assertThat(ours.sh("ls -d full 2>/dev/null").out()).isEmpty();
        assertThat(ours.sh("stat -c %h " + there + "/full/d/g").out()).isEqualTo("2\n");
        assertThat(ours.warmly("$T mv -n f " + there + "/full/d/f").expect(0).err()).isNotEmpty();
        assertThat(ours.sh("cat f " + there + "/full/d/f").out()).isEqualTo("14");
    }

    @Test
    void anEntryThatFailsAtTheTargetIsListedWhereItStays() throws Exception {
        assumeApart();
        String there = other.path().toString();
        assertThat(
                ours.warmly("mkdir -p x " + there + "/x/f; echo > x/f; $T mv --errors ERR x " + there).expect(23).err())
                .contains(there + "/x/f: replace a directory");
        assertThat(ours.sh("cat ERR").out()).isEqualTo("x/f\0");
    }

    @Test
    void aDryRunListsWhatAMoveDoesAndChangesNothing() throws Exception {
        assumeApart();
        String there = other.path().toString();
        String before = ours.sh(LIST).out();
        String near = ours.warmly("$T mv --dry-run f nothing e").expect(23).out();
        String far = ours.warmly("$T mv --dry-run full f " + there).expect(0).out();
        assertThat(ours.sh(LIST).out()).isEqualTo(before);
        assertThat(other.path()).isEmptyDirectory();
        assertThat(ours.warmly("$T mv -v f e; $T mv e/f .").out()).isEqualTo(near);
        assertThat(ours.warmly("$T mv -v full f " + there).expect(0).out().lines().filter(l -> !l.startsWith("remove")))
                .containsExactlyInAnyOrderElementsOf(far.lines().toList());
        assertThat(ours.warmly("$T mv --dry-run -n n " + there + "/f").expect(0).out()).isEmpty();
        assertThat(ours.warmly("$T mv --dry-run --jobs 2 n " + there).expect(2).err()).contains("--dry-run cannot be");
    }

    @Test
    void aQuietMoveThatFailsPrintsTheFailureOnly() throws Exception {
        assertThat(ours.warmly("$T mv -q f nothing e").expect(23).err().lines()).singleElement()
                .asString()
                .contains("nothing: stat: No such file");
    }

    @Test
    void theTemporaryListIsInTmpdirAndAFailureNamesThePathAndTheRemedy() throws Exception {
        assumeApart();
        String there = other.path().toString();
        assertThat(ours.warmly("TMPDIR=none $T mv f " + there).expect(2).err())
                .contains("none/treehaul-mv-",
                        ": No such file or directory (ENOENT); set TMPDIR to a directory with room")
                .doesNotContain("java.");
        assertThat(ours.sh("cat f").out()).isEqualTo("1");
        assertThat(ours.warmly("mkdir t; TMPDIR=t $T mv f " + there + " && ls t").expect(0).out()).isEmpty();
    }

    @Test
    void refusalsNameTheDestinationAndTheRemedy() throws Exception {
        assertThat(ours.warmly("$T mv -T d full").expect(2).err())
                .contains("d: rename to 'full': Directory not empty (ENOTEMPTY)", "-b moves it out of the way");
        assertThat(ours.warmly("$T mv d d/sub").expect(2).err()).contains("cannot move the directory 'd' into itself")
                .doesNotContain("cannot copy");
        for (String option : new String[]{"--exchange", "-Z", "--no-copy"}) {
            assertThat(ours.warmly("$T mv " + option + " f new").expect(2).err()).contains("'" + option + "'; ")
                    .doesNotContain("put '--' before");
        }
        assertThat(ours.warmly("$T cp --version").expect(2).err()).contains("'treehaul --version'");
        assertThat(ours.warmly("$T rm --preserve-root f && ls f").expect(2).out()).isEmpty();
    }
}
