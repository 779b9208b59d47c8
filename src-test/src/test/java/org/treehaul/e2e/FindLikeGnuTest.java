// SPDX-License-Identifier: Apache-2.0
package org.treehaul.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.packaged.Run;

/** Compares the output of {@code treehaul find} with that of GNU find. */
class FindLikeGnuTest {

    private final TestDirectory directory = TestDirectory.make();
    private final Cli cli = new Cli(directory.path());

    @BeforeEach
    void make() throws Exception {
        cli.sh("mkdir -p d/raw/deep d/none 'd/with space' && echo 1 > d/raw/a.h5 && printf 22 > d/raw/deep/B.H5 && : > d/empty"
                + " && ln d/raw/a.h5 d/hard && ln -s raw/a.h5 d/link && ln -s /no/where d/dangling && mkfifo d/fifo"
                + " && chmod 4751 d/hard && chmod 1777 d/none && : > d/closed && chmod 0 d/closed && chmod 2644 d/empty && touch -d '2021-02-03 04:05:06.7 UTC' d/empty"
                + " && touch -d '1960-02-03 UTC' d/raw/deep/B.H5 && f=$(printf 'd/caf\\351\\n') && echo 3 > \"$f\""
                // Sets the times of the last access, which a second reading does not change.
                + " && find d -printf %l > /dev/null").expect(0);
    }

    @AfterEach
    void delete() {
        directory.close();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {"d | d", "d -name '*.h5' | d name=*.h5", "d -maxdepth 1 | d --max-depth 1",
                    "d -mindepth 2 -type f | d kind=regular --min-depth 2", "d -empty | d empty=yes",
                    "d \\( -iname '*.h5' -o -type l \\) ! -name a.h5 | d '(' name~=*.h5 or kind=symlink ')' not name=a.h5",
                    "d/ ./d/raw -name '?' -o -links +1 | d/ ./d/raw name=? or 'links>1'", "-type d | kind=directory",
                    "-H d/link -type f | -H d/link kind=regular", "d -path 'd/raw/*' | d path=d/raw/*",
                    "d -newer d/raw/a.h5 | d newer-than=d/raw/a.h5", "d -maxdepth 0 | d depth=0",
                    "d -name raw -prune -o -print | d --exclude raw", "d -type f -size +1c | d kind=regular 'size > 1'",
                    "d -name 'with space' | d 'name = with space'"})
    void theSameEntriesAreFound(String find, String ours) throws Exception {
        String print = find.contains("-print") ? find.replace("-print", "-print0") : grouped(find) + " -print0";
        assertThat(cli.warmly("$T find -0 " + ours + " > out && sort -z < out").expect(0).out())
                .isEqualTo(sorted("find " + print))
                .isNotEmpty();
    }

    @Test
    void aDirectoryComesBeforeItsEntriesHoweverManyThreadsListThem() throws Exception {
        String longName = "n".repeat(120);
        for (int i = 0; i < 12; i++) {
            for (int j = 0; j < 12; j++) {
                Path leaf = Files.createDirectories(directory.resolve("wide/" + longName + i + "/" + j));
                for (int n = 0; n < 25; n++) {
                    Files.createFile(leaf.resolve(longName + n));
                }
            }
        }
        for (int i = 0; i < 5; i++) {
            Set<String> listed = new HashSet<>();
            for (String path : cli.runWarmly("find", "wide", "--threads", "16").expect(0).out().lines().toList()) {
                assertThat(listed.isEmpty() || listed.contains(path.substring(0, path.lastIndexOf('/')))).as(path)
                        .isTrue();
                listed.add(path);
            }
            assertThat(listed).hasSize(1 + 12 + 12 * 12 * (1 + 25));
        }
    }

    // -print binds to the last of several alternatives.
    private static String grouped(String find) {
        return find.contains(" -links") ? find.replace("-name", "\\( -name") + " \\)" : find;
    }

    private String sorted(String command) throws Exception {
        return cli.warmly(command + " > out && sort -z < out").expect(0).out();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {"%p|%P|%f|%h|%H|%d", "%s %b %k %m %#m %M %n %i %D", "%u %U %g %G %l %y",
                    "[%10f] [%-10f] [%08s] [%05d] [%06m]", "%t / %a / %c", "%T@ %A@ %C@",
                    "%T+ %TY-%Tm-%Td %TH:%TM:%TS %TT %TF %TD %Ty %Tj %Ta %Tb %Th %Te %TI %Tp", "a\\tb\\101\\\\%%"})
    void formatsAreThoseOfFind(String format) throws Exception {
        for (String zone : new String[]{"UTC", "Europe/Berlin"}) {
            String set = "export LC_ALL=C TZ=" + zone + "; ";
            // The JVM reads the time zone when it starts.
            assertThat(cli.sh(set + "$T find d --printf '" + format + "\\0' > out && sort -z < out").expect(0).out())
                    .isEqualTo(sorted(set + "find d -printf '" + format + "\\0'"));
        }
    }

    @Test
    void namesOfOperandsAreThoseOfFind() throws Exception {
        String operands = " d d/ ./d// d/raw/// / // . ./ .. ../ ";
        String format = "printf '%f|%p|%P\\n' | sort";
        assertThat(cli.warmly("$T find" + operands + "--max-depth 0 --" + format).expect(0).out())
                .isEqualTo(cli.sh("find" + operands + "-maxdepth 0 -" + format).expect(0).out());
    }

    // A tmpfs keeps times beyond the year 9999.
    @Test
    void farTimesAreThoseOfFind() throws Exception {
        try (TestDirectory far = TestDirectory.onTmpfs()) {
            Cli there = new Cli(far.path());
            String format = "'%f %t %TY %TF %T+ %TD %T@\\n'";
            String gnu = there
                    .sh("export LC_ALL=C TZ=UTC; touch -d @999999999999.5 a; touch -d @253402300800 b;"
                            + " touch -d @-62135596800 c; find . -type f -printf " + format + " | sort")
                    .expect(0)
                    .out();
            assertThat(there.sh("export LC_ALL=C TZ=UTC; $T find . kind=regular --printf " + format + " | sort")
                    .expect(0)
                    .out()).isEqualTo(gnu);
        }
    }

    @Test
    void anIndexGivesTheSameOutputAsTheTree() throws Exception {
        cli.warmly("$T index --space $PWD/space d").expect(0);
        String index = "$T find --index $PWD/space ";
        for (String ours : new String[]{"d", "d name=*.h5", "d --max-depth 1", "d kind=regular --min-depth 2",
                "d empty=yes", "d/raw depth=0 name=raw", "$PWD/d/./raw//deep path=*deep/B.H5",
                "d '(' name~=*.h5 or kind=symlink ')' not name=a.h5", "d '(' 'path=d/r*' or empty=yes ')' 'size>1'",
                "./d/raw d directory=d/raw", "d newer-than=d/raw/a.h5", "d mode=-4000 owner=0", "d target=raw/a.h5"}) {
            assertThat(cli.warmly(index + "-0 " + ours + " > out && sort -z < out").expect(0).out()).as(ours)
                    .isEqualTo(cli.warmly("$T find -0 " + ours + " > out && sort -z < out").expect(0).out())
                    .isNotEmpty();
        }
        String format = "'%p|%P|%f|%h|%H|%d|%s %b %m %M %n %i %D %U %G %l %y %t %c %BY\\0'";
        assertThat(sorted(index + "d --printf " + format)).isEqualTo(sorted("$T find d --printf " + format));
        assertThat(sorted(index + "d --json kind=symlink | grep -v summary"))
                .isEqualTo(sorted("$T find d --json kind=symlink | grep -v summary"));
        assertThat(sorted(index + "d kind=regular --exec-batch printf '<%s>\\0' ';'"))
                .isEqualTo(sorted("find d -type f -printf '<%p>\\0'"));
        assertThat(cli.warmly(index + "--limit 2").expect(0).out().lines()).hasSize(2)
                .allMatch(path -> path.startsWith("/"));
        cli.warmly("$T index --space $PWD/space d/raw").expect(0);
        assertThat(sorted(index + "-0")).as("all trees, one inside another").isEqualTo(sorted("$T find -0 $PWD/d"));
    }

    @Test
    void settingsThatSelectEntriesOfTreesLeaveAnIndexAlone() throws Exception {
        cli.warmly("$T index --space $PWD/space d").expect(0);
        String set = "TREEHAUL_EXCLUDE=raw TREEHAUL_ONE_FILE_SYSTEM=true ";
        assertThat(sorted(set + "$T find --index $PWD/space -0")).contains("raw/a.h5");
        assertThat(cli.warmly(set + "$T du --index $PWD/space $PWD/d").expect(0).out()).contains("d/raw\n");
        assertThat(sorted(set + "$T find -0 d")).doesNotContain("raw");
    }

    @Test
    void anIndexRefusesRootsAndOptionsThatItCannotHave() throws Exception {
        assertThat(cli.warmly("$T index --space $PWD/space d/raw && $T find --index $PWD/space d d/raw/a.h5")
                .expect(23)
                .err()).contains("d: find in the index: No such file or directory");
        assertThat(cli.warmly("$T find --index $PWD/space d/raw --exclude deep").expect(2).err())
                .contains("cannot be combined with -x, --include, --exclude");
        assertThat(cli.warmly("$T find --index $PWD/space d/raw hash=00").expect(2).err())
                .contains("only an index knows hash; see 'treehaul help query'");
        assertThat(cli.warmly("$T find --index $PWD/none d").expect(2).err()).contains("treehaul index --space DIR");
    }

    @Test
    void commandsGetTheBytesOfPaths() throws Exception {
        assertThat(sorted("$T find d kind=regular --exec printf '<%s>\\0'"))
                .isEqualTo(sorted("find d -type f -printf '<%p>\\0'"));
        assertThat(sorted("$T find d kind=regular --exec-batch printf '<%s>\\0' ';'"))
                .isEqualTo(sorted("find d -type f -printf '<%p>\\0'"));
        String harmless = cli.sh("mkdir 'd/$(touch hurt)' && $T find d 'name=$*' --exec echo \"it's\" '{}!' && ls")
                .expect(0)
                .out();
        assertThat(harmless).startsWith("it's d/$(touch hurt)!\n").doesNotContain("\nhurt");
    }

    // The paths are at the end, so that 'mv {} DIRECTORY' would move the directory into the last path.
    @Test
    void aPlaceForPathsThatIsNotTheLastWordOfABatchIsRefused() throws Exception {
        String before = sorted("find d");
        String problem = cli.sh("mkdir away && $T find d kind=regular --exec-batch mv {} away ';'").expect(2).err();
        assertThat(problem).contains("--exec-batch appends the paths, so {} can only be the last word");
        assertThat(sorted("find d")).isEqualTo(before);
        assertThat(cli.sh("$T find d kind=regular --exec-batch mv -t away {}").expect(0).err()).isEmpty();
        assertThat(sorted("find d -type f")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"--append --file b.tar", "--files b -lh", "-h x", "--preset slow", "--preset=slow",
                    "--threads=999", "-v -vv --verbose", "-- --js --limit 0", "--exec-batch a", "--lim=x --no-such"})
    void wordsOfACommandAreNoOptions(String words) throws Exception {
        // An option that was given keeps the setting out.
        String run = "TREEHAUL_THREADS=1 $T find d/raw/a.h5 ";
        for (String option : new String[]{"--exec", "--exec-batch", "--exec-b"}) {
            Run ended = cli.warmly(run + option + " echo " + words + " '{}' ';' name=a.h5").expect(0);
            assertThat(ended.out()).as(option).isEqualTo(words + " d/raw/a.h5\n");
            assertThat(ended.err()).isEmpty();
        }
        assertThat(cli.warmly(run + "--exec=echo " + words).expect(0).out()).isEqualTo(words + " d/raw/a.h5\n");
    }

    @Test
    void wordsOfACommandLeaveSettingsAndDiagnosticsAlone() throws Exception {
        assertThat(cli.warmly("TREEHAUL_THREADS=999 $T find d --exec echo --threads=1 ';'").expect(2).err())
                .contains("--threads must be 1 to 256, not 999");
        assertThat(cli.sh("$T find d/raw/a.h5 --exec echo -v --verbose").expect(0).err()).isEmpty();
    }

    @Test
    void aFailedCommandIsReported() throws Exception {
        assertThat(cli.sh("$T find d kind=regular --exec false").expect(23).err())
                .contains("the command failed for some entries");
        assertThat(cli.sh("$T find d --exec nosuch").expect(23).err()).contains("there is no such command");
        assertThat(cli.warmly("$T find d --exec").expect(2).err()).contains("--exec needs a command");
        assertThat(cli.sh("$T find d --exec true ';' --json").expect(2).err()).contains("cannot be combined");
    }

    @Test
    void aLimitEndsTheRun() throws Exception {
        assertThat(cli.runWarmly("find", "d", "--limit", "2").expect(0).out().lines()).hasSize(2);
        assertThat(cli.runWarmly("find", "d", "--limit", "2", "name=nosuch").expect(0).out()).isEmpty();
        assertThat(cli.runWarmly("find", "d", "--limit", "0").expect(2).err()).contains("--limit must be 1 or more");
    }

    @Test
    void wrongUseIsExplained() throws Exception {
        assertThat(cli.runWarmly("find", "d", "siez>1").expect(2).err()).contains("unknown field 'siez'");
        assertThat(cli.runWarmly("find", "d", "hash=00").expect(2).err()).contains("only an index knows hash");
        assertThat(cli.runWarmly("find", "d", "newer-than=nosuch").expect(2).err())
                .contains("cannot read the time of 'nosuch'");
        assertThat(cli.runWarmly("find", "d", "--printf", "%Q").expect(2).err()).contains("unknown '%Q'");
        assertThat(cli.runWarmly("find", "d", "-mtime", "+7").expect(2).err()).contains("use 'age>7d'");
        assertThat(cli.runWarmly("find", "nosuch", "size>1").expect(2).err()).contains("nosuch");
        assertThat(cli.runWarmly("find", "d", "*.nosuch").expect(2).err()).contains("'*.nosuch' does not exist",
                "write 'name=*.nosuch' after the roots");
    }

    @Test
    void aWalkSumsUpTheEntriesThatMeetConditions() throws Exception {
        Run all = cli.runWarmly("walk", "--where", "kind=regular name~=*.h5 or kind=directory", "d").expect(0);
        assertThat(all.out()).containsPattern("regular +2\n")
                .containsPattern("directory +5\n")
                .doesNotContain("symlink");
        assertThat(cli.runWarmly("walk", "--print", "--where", "name=with\\ space", "d").expect(0).out())
                .isEqualTo("d/with space\n");
        assertThat(cli.runWarmly("walk", "--print", "--where", "size > 1 depth = 3 kind=regular", "d").expect(0).out())
                .isEqualTo("d/raw/deep/B.H5\n");
        assertThat(cli.runWarmly("walk", "--where", " ", "d").expect(2).err())
                .contains("--where: no condition is given");
    }

    // Ctrl-C reaches both, and the command ends at once.
    @Test
    void aFindThatIsInterruptedWithItsCommandEndsWith20() throws Exception {
        cli.sh("mkdir i; : > i/one").expect(0);
        Process find = cli.start("find", "i", "kind=regular", "--exec", "sh", "-c",
                "echo $$ > begun; mv begun pid; until [ -e go ]; do sleep 0.01; done");
        Awaitility.await().atMost(Duration.ofMinutes(10)).until(() -> Files.exists(directory.resolve("pid")));
        Cli.signal(find, "INT");
        Cli.awaitSaid(find, "stopping");
        cli.sh("kill $(cat pid)").expect(0);
        assertThat(find.waitFor()).isEqualTo(20);
    }
}
