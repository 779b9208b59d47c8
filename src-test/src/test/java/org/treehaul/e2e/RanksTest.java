// SPDX-License-Identifier: Apache-2.0
package org.treehaul.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.packaged.Run;
import org.treehaul.programs.Programs;
import org.treehaul.strategies.ranks.Distribution;

/** With ranks, a command has the same result, output and exit code under every distribution. */
class RanksTest {

    private static final String PROFILE = """
            bytes.svg
            calls.csv
            histogram.svg
            messages.svg
            pairs.csv
            ranks.csv
            shares.svg
            times.svg
            """;

    private final TestDirectory directory = TestDirectory.make();
    private final Cli cli = new Cli(directory.path());

    @BeforeEach
    void makeTree() throws Exception {
        cli.sh("for i in 1 2 3 4 5 6 7 8 9; do for j in a b c d e; do mkdir -p s/$i/$j/x; : > s/$i/$j/f; done; "
                + ": > \"$(printf \"s/$i/n\\377\")\"; done; ln s/1/a/f s/2/g; ln -s 1 s/l; printf 12345 > s/big")
                .expect(0);
    }

    @AfterEach
    void delete() {
        directory.close();
    }

    @ParameterizedTest
    @CsvSource({"centralized, 3", "centralized-keep, 2", "pct, 4", "random-split, 4", "equal-split, 1", "proximity, 5",
            "hybrid, 2"})
    void ranksPrintWhatAWalkPrints(String distribution, int ranks) throws Exception {
        String by = " --ranks " + ranks + " --distribution " + distribution;
        assertThat(cli.warmly("$T walk -0 s l" + by + " | sort -z").expect(0).out())
                .isEqualTo(cli.warmly("$T walk -0 s l | sort -z").expect(0).out());
        assertThat(cli.warmly("$T walk -L s" + by + " | grep -v ^deepest").expect(0).out())
                .isEqualTo(cli.warmly("$T walk -L s | grep -v ^deepest").expect(0).out());
    }

    @Test
    void theDefaultAndThreadsOfEachRankWorkToo() throws Exception {
        assertThat(cli.warmly("$T walk s --ranks 3 --threads 2 | grep -v ^deepest").expect(0).out())
                .isEqualTo(cli.warmly("$T walk s | grep -v ^deepest").expect(0).out());
    }

    @Test
    void mpjExpressCarriesTheMessagesAndPrintsNothing() throws Exception {
        Programs.require("mpjrun", "libmpj-java");
        Run walk = cli.sh("$T walk --print s --ranks 4 --transport mpj --progress=never | sort").expect(0);
        assertThat(walk.out()).isEqualTo(cli.warmly("$T walk --print s | sort").expect(0).out());
        assertThat(walk.err()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"centralized, 4", "centralized-keep, 3", "pct, 4", "random-split, 4", "equal-split, 2", "proximity, 4",
            "hybrid, 4"})
    void ranksCopyAndCompareTheSameEntriesAsThreads(String distribution, int ranks) throws Exception {
        String by = " --progress=never --ranks " + ranks + " --distribution " + distribution;
        cli.sh("chmod 555 s/4 s/5/c; touch -d 2001-02-03 s/4 s/5 s/5/c").expect(0);
        assertThat(cli.warmly("$T cp -a s t" + by).expect(0).err()).matches("treehaul: cp: copied .*\n");
        cli.warmly("$T cmp --content s t && $T cmp --content s t" + by).expect(0);
        cli.sh("rm t/1/a/f t/3/e/f; touch -d 2002-01-01 t/7/c; mkdir t/6/new; printf 54321 > t/big").expect(0);
        Run expected = cli.warmly("$T cmp --content s t > plain").expect(1);
        assertThat(cli.warmly("$T cmp --content s t > by-ranks" + by).expect(1).err().replaceAll(" in [0-9.]* s", ""))
                .isEqualTo(expected.err().replaceAll(" in [0-9.]* s", ""));
        assertThat(cli.sh("sort by-ranks").out()).isEqualTo(cli.sh("sort plain").out()).isNotEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 4})
    void mpjExpressCarriesTheMessagesOfACopyAndAComparison(int ranks) throws Exception {
        Programs.require("mpjrun", "libmpj-java");
        String by = " --progress=never --transport mpj --distribution random-split --ranks " + ranks;
        assertThat(cli.warmly("$T cp -a s t" + by).expect(0).err()).matches("treehaul: cp: copied .*\n");
        cli.warmly("$T cmp --content s t && $T cmp -q --content s t" + by).expect(0);
    }

    @Test
    void aFileThatOneRankCannotCopyIsOneFailure() throws Exception {
        cli.sh("mkdir t; : > t/3").expect(0);
        Run copy = cli.warmly("$T cp -aT s t --ranks 4 --distribution equal-split").expect(23);
        assertThat(copy.err().lines().filter(line -> line.contains("t/3: "))).hasSize(1);
        assertThat(cli.warmly("$T cmp s t --ranks 3").expect(1).out().lines())
                .contains("3: kind directory (A) | regular (B)");
    }

    @Test
    @Tag("campaign")
    void everyDistributionCopiesFiftyThousandFiles() throws Exception {
        cli.sh("cd s && for i in $(seq 250); do mkdir -p n/$((i % 7))/$i; (cd n/$((i % 7))/$i && "
                + "seq -f '%g' 200 | split -l 1 -a 3 - f); done; ln -f n/1/1/faaa n/2/2/linked").expect(0);
        assertThat(cli.sh("find s -type f | wc -l").out().strip()).matches("50[0-9]{3}");
        for (Distribution distribution : Distribution.all()) {
            String by = " --ranks 4 --distribution " + distribution.name();
            cli.sh("$T cp -a s t" + by + " && $T cmp --content s t && $T cmp --content s t" + by).expect(0);
            cli.sh("rm -r t").expect(0);
        }
    }

    @Test
    void mpjrunStartsRanksInOneJvm() throws Exception {
        Programs.require("mpjrun", "libmpj-java");
        // The same command as mpjrun's, plus the jars that Debian's mpjrun omits.
        String mpjrun = "B=/usr/share/java; export MPJ_HOME=/usr/share/mpj; java -Xbootclasspath/a:$B/log4j-1.2.jar:"
                + "$B/commons-cli.jar:$B/commons-codec.jar:$B/commons-io.jar -jar $MPJ_HOME/lib/starter.jar -np 3 -jar "
                + Run.JAR;
        // mpjrun decodes the output of its ranks as text, so a name that is not text is changed.
        String sorted = " | grep '^s' | grep -v /n | sort";
        assertThat(cli.sh(mpjrun + " walk --print --profile p s" + sorted).expect(0).out())
                .isEqualTo(cli.warmly("$T walk --print s" + sorted).expect(0).out());
        assertThat(cli.sh("wc -l < p/ranks.csv").out()).isEqualTo("4\n");
        assertThat(cli.sh(mpjrun + " --version").out())
                .contains("treehaul: mpjrun can start only commands that ranks share: walk, cp, cmp");
    }

    @Test
    void withoutMpjExpressTheMessageNamesThePackageToInstall() throws Exception {
        assertThat(cli.sh("JAVA_TOOL_OPTIONS=-Dmpj.home=/nowhere $T walk s --ranks 2 --transport mpj").expect(2).err())
                .contains("libmpj-java", "MPJ_HOME", "-Dmpj.home");
    }

    @Test
    void unreadableDirectoriesAreReportedOnceWithTheExitCodeOfAWalk() throws Exception {
        assertThat(cli.runWarmly("walk", "--ranks=3", "missing").expect(2).err()).contains("missing");
        cli.sh("chmod 0 s/3").expect(0);
        // Root may read all files.
        List<String> by = OrdinaryUser.owning(directory.path());
        Path jar = Run.copyOfJar(directory.path());
        Run walk = Run.of(Run.command(by, jar, "walk", "--print", "--ranks=3", directory.resolve("s")).toArray())
                .expect(23);
        assertThat(walk.err().lines().filter(line -> line.contains("s/3: open"))).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"--ranks 0", "--ranks x", "--distribution pct", "--transport mpj",
                    "--ranks 2 --distribution fast", "--ranks 2 --transport mail", "--profile p",
                    "--record-shape f --ranks 2"})
    void contradictoryOptionsOfWalksAreRefused(String arguments) throws Exception {
        assertThat(cli.warmly("$T walk s " + arguments).expect(2).err()).startsWith("treehaul: walk: ");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"cp -r s t --ranks 0", "cp -r s t --distribution pct", "cp -r s t --ranks 2 --jobs 2",
                    "cp -r s t --ranks 2 --distribution fast", "cmp s s --ranks 0", "cmp s s --transport mpj",
                    "cmp s s --ranks 2 --distribution fast", "cmp s s --ranks 2 --rank 1"})
    void contradictoryOptionsOfCopiesAndComparisonsAreRefused(String arguments) throws Exception {
        assertThat(cli.warmly("$T " + arguments).expect(2).err())
                .startsWith("treehaul: " + arguments.substring(0, arguments.indexOf(' ')) + ": ");
        assertThat(directory.resolve("t")).doesNotExist();
    }

    @ParameterizedTest
    @CsvSource({"threads, 1", "threads, 4", "mpj, 3"})
    void aProfileShowsTheWorkOfEachRank(String transport, int ranks) throws Exception {
        if (transport.equals("mpj")) {
            Programs.require("mpjrun", "libmpj-java");
        }
        cli.warmly("mkdir d && $T walk s --distribution random-split --profile d/p --ranks " + ranks + " --transport "
                + transport).expect(0);
        String entries = cli.warmly("$T walk --print s | wc -l").expect(0).out();
        assertThat(cli.sh("awk -F, 'NR > 1 { sum += $3 } END { print sum }' d/p/ranks.csv").expect(0).out())
                .isEqualTo(entries);
        assertThat(cli.sh("wc -l < d/p/ranks.csv").out()).isEqualTo((ranks + 1) + "\n");
        assertThat(cli.sh("ls -A d/p").out()).isEqualTo(PROFILE);
    }

    @Test
    void aProfileOfOperandsInsideOneAnotherHasTheWorkOfAll() throws Exception {
        cli.sh("mkdir -p n/a/b n/c; touch n/a/b/f n/a/g n/c/h").expect(0);
        cli.warmly("$T chmod -R --ranks 2 --profile p u+x n n/a n/a/b").expect(0);
        assertThat(cli.sh("awk -F, 'NR > 1 { sum += $3 } END { print sum }' p/ranks.csv").out()).isEqualTo("13\n");
        cli.warmly("$T rm -r --ranks 2 --profile r n/a/b n").expect(0);
        assertThat(cli.sh("wc -l < r/ranks.csv").out()).isEqualTo("3\n");
    }

    @Test
    void aProfileThatCannotBeWrittenIsRefusedBeforeTheWalk() throws Exception {
        assertThat(cli.warmly("$T walk s --ranks 2 --profile no/p").expect(2).err())
                .startsWith("treehaul: walk: --profile no/p: ");
        Run file = cli.warmly("$T walk --print s --ranks 2 --profile s/big").expect(2);
        assertThat(file.err()).startsWith("treehaul: walk: --profile s/big: ");
        assertThat(file.out()).isEmpty();
    }

    @Test
    void aSimulationHasAProfileForEachRun() throws Exception {
        cli.warmly("$T simulate --entries 3K --ranks 2,4 --distribution hybrid,pct --profile p").expect(0);
        assertThat(cli.sh("ls p").out()).isEqualTo("hybrid-2\nhybrid-4\npct-2\npct-4\n");
        assertThat(cli.sh("ls -A p/pct-4").out().replaceAll("(?m)^.*\\.svg\n", "")).isEqualTo("pairs.csv\nranks.csv\n");
    }

    @Test
    void theHelpNamesEveryDistribution() throws Exception {
        String help = WarmProgram.run(directory.path(), "walk", "--help").expect(0).out().replaceAll("\\s+", " ");
        assertThat(help)
                .contains(Distribution.all().stream().map(Distribution::name).collect(Collectors.joining(", ")));
    }

    @Test
    void aRecordedShapeIsSimulatedAndTheSameArgumentsGiveTheSameNumbers() throws Exception {
        cli.warmly("$T walk --record-shape shape s").expect(0);
        assertThat(cli.sh("head -1 shape").out()).isEqualTo("treehaul-shape 1\n");
        long entries = Long.parseLong(cli.sh("find s | wc -l").out().strip());
        assertThat(cli.warmly("$T simulate --shape shape --ranks 2 --distribution pct --json").expect(0).out())
                .contains("\"entries\":" + entries + ",", "\"work_messages\":");
        String simulate = "$T simulate --entries 3K --ranks 2..8 --shape shape --per-host 2";
        String table = cli.warmly(simulate).expect(0).out();
        assertThat(table.lines()).hasSize(1 + 3 * Distribution.all().size());
        assertThat(cli.sh(simulate).expect(0).out()).isEqualTo(table);
        assertThat(cli.warmly("$T simulate --entries 5000 --ranks 4 --unit entry --distribution hybrid --json")
                .expect(0)
                .out()).contains("\"distribution\":\"hybrid\"", "\"ranks\":2", "\"threads\":2", "\"entries\":5000");
        assertThat(cli.warmly(
                "$T simulate --entries 5000 --ranks 3 --unit entry --lister worker --distribution centralized --json")
                .expect(0)
                .out()).contains("\"entries\":5000", "\"smallest_share_per_mille\":");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"--entries x", "--entries 0", "--ranks 0", "--ranks 131073", "--ranks 5..x",
                    "--distribution some", "--shape /nowhere", "--shape /etc/hostname", "--per-host 0",
                    "--message-time=-1", "--message-time 1e300", "--status-time 1e300 --entries 100",
                    "--ranks 512 --profile p", "--unit file", "--lister all",
                    "--lister worker --distribution centralized", "--lister master --unit entry",
                    "--lister worker --unit entry --distribution centralized,pct",
                    "--lister worker --unit entry --distribution centralized --ranks 8,2"})
    void walksThatCannotBeSimulatedAreRefused(String arguments) throws Exception {
        assertThat(cli.warmly("$T simulate " + arguments).expect(2).err()).startsWith("treehaul: simulate: ");
    }
}
