// SPDX-License-Identifier: Apache-2.0
package org.treehaul.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.packaged.Run;

/** {@code treehaul cmp}: its lines, its list of paths and its repair. */
class CmpRepairTest {

    private final TestDirectory directory = TestDirectory.make();
    private final Cli cli = new Cli(directory.path());

    @BeforeEach
    void damage() throws Exception {
        cli.sh("mkdir -p a/d/e; printf 1 > a/d/f; printf 1 > a/d/e/g; printf 1 > a/h; touch -d '2001-02-03 04:05:06' a/h;"
                + "cp -a a b; printf 2 > b/d/f; touch -r a/d/f b/d/f; rm -r b/d/e; touch -d '2001-02-03 04:05:07' b/h;"
                + "printf 1 > b/new").expect(0);
    }

    @AfterEach
    void remove() {
        directory.close();
    }

    @Test
    void linesShowLocalTimesAndTheSummaryNamesBothSides() throws Exception {
        Run run = cli.runWarmly("cmp", "a", "b").expect(1);
        assertThat(run.out()).contains("h: mtime 2001-02-03 04:05:06 (A) | 2001-02-03 04:05:07 (B)\n",
                "d/e: only in a (", "new: only in b (");
        assertThat(run.err()).contains("; A is a, B is b\n");
        assertThat(cli.runWarmly("cmp", "--json", "a", "b").expect(1).out()).contains("\"a\":\"981173106.000000000\"");
    }

    @Test
    void aComparisonThatFailedFindsNothingButSaysSo() throws Exception {
        Run run = cli.runWarmly("cmp", "a", "nothing").expect(2);
        assertThat(run.err()).contains("nothing was compared").doesNotContain("no differences");
    }

    @Test
    void theListOfPathsIsReadByCp() throws Exception {
        Run run = cli.runWarmly("cmp", "-0", "--content", "a", "b").expect(1);
        assertThat(run.out().split("\0")).containsExactlyInAnyOrder("d/e", "d/f", "h");
        cli.sh("rm b/new").expect(0);
        cli.runWarmly("cmp", "-0", "--content", "a", "b").expect(1);
        Files.writeString(directory.path().resolve("list"), "d/e\0d/f\0h\0");
        cli.runWarmly("cp", "-aT", "-0", "--files-from", "list", "a", "b").expect(0);
        cli.runWarmly("cmp", "--content", "a", "b").expect(0);
    }

    @Test
    void aRepairMakesTheTreesEqual() throws Exception {
        assertThat(cli.runWarmly("cmp", "--content", "--repair", "a", "b").expect(1).err())
                .contains("repaired 5 of 5 entries in ", "; 1 only in B\n");
        assertThat(cli.runWarmly("cmp", "--content", "a", "b").expect(1).out()).isEqualTo("new: only in b (regular)\n");
        cli.sh("rm b/new").expect(0);
        cli.runWarmly("cmp", "--content", "--repair", "a", "b").expect(0);
        assertThat(cli.runWarmly("cmp", "--content", "--repair", "a", "b").expect(0).err()).doesNotContain("repaired");
    }

    @Test
    void conditionsSelectTheEntriesOfEitherTree() throws Exception {
        assertThat(cli.runWarmly("cmp", "--content", "--where", "kind=regular not name=f", "a", "b")
                .expect(1)
                .out()
                .lines()).containsExactlyInAnyOrder("d/e/g: only in a (regular)",
                        "h: mtime 2001-02-03 04:05:06 (A) | " + "2001-02-03 04:05:07 (B)", "new: only in b (regular)");
        assertThat(cli.runWarmly("cmp", "--ranks", "2", "--where", "path=b/n*", "a", "b").expect(1).out())
                .isEqualTo("new: only in b (regular)\n");
        assertThat(cli.runWarmly("cmp", "--where", "path=a/d/e", "a", "b").expect(1).out())
                .isEqualTo("d/e: only in a (directory)\n");
        assertThat(cli.runWarmly("cmp", "--where", "name=nosuch", "a", "b").expect(0).err()).contains("0 entries");
        assertThat(cli.runWarmly("cmp", "-0", "--where", "name=g or name=h", "a", "b").expect(1).out().split("\0"))
                .containsExactlyInAnyOrder("d/e/g", "h");
        assertThat(cli.runWarmly("cmp", "--where", "siez=1", "a", "b").expect(2).err())
                .contains("unknown field 'siez'");
    }

    @Test
    void aRepairWithConditionsChangesNothingElse() throws Exception {
        cli.sh("printf 2 > a/d/e/other").expect(0);
        assertThat(cli.runWarmly("cmp", "--repair", "--where", "name=g or kind=directory", "a", "b").expect(0).err())
                .contains("repaired ");
        assertThat(cli.runWarmly("cmp", "--content", "a", "b").expect(1).out().lines()).containsExactlyInAnyOrder(
                "d/e/other: only in a (regular)", "d/f: content differs at byte 0", "new: only in b (regular)",
                "h: mtime 2001-02-03 04:05:06 (A) | 2001-02-03 04:05:07 (B)");
    }

    @Test
    void aQuietRepairPrintsNothing() throws Exception {
        cli.sh("rm b/new").expect(0);
        Run run = cli.runWarmly("cmp", "-q", "--content", "--repair", "a", "b").expect(0);
        assertThat(run.out() + run.err()).isEmpty();
    }

    @Test
    void aRepairThatFailsIsTrouble() throws Exception {
        cli.sh("printf file > b/d/e").expect(0);
        Run run = cli.runWarmly("cmp", "--repair", "--json", "a", "b").expect(2);
        assertThat(run.out()).contains("\"type\":\"repair\",\"entries\":4,\"repaired\":3,\"only_in_b\":1");
        assertThat(run.err()).contains("d/e");
    }

    @Test
    void ranksOfSeparateProcessesDoNotRepair() throws Exception {
        assertThat(cli
                .runWarmly("cmp", "--repair", "--ranks", "2", "--transport", "mpj", "--meet", "m", "--rank", "0", "a",
                        "b")
                .expect(2)
                .err()).contains("--repair does not work with --meet");
    }

    @Test
    void ranksOfOneProcessRepair() throws Exception {
        cli.sh("rm b/new").expect(0);
        cli.runWarmly("cmp", "--content", "--repair", "--ranks", "3", "a", "b").expect(0);
        cli.runWarmly("cmp", "--content", "a", "b").expect(0);
    }
}
