// SPDX-License-Identifier: Apache-2.0
package org.treehaul.batch;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.packaged.Run;

/** A copy by ranks that are processes of this host, started by hand, as a transfer. */
@Tag("rig")
class CopyRanksTest extends RanksTests {

    CopyRanksTest() {
        super("cp", "-aT");
    }

    @Test
    @Tag("happy-path")
    void fourRanksCarryOutATransfer() throws Exception {
        Path source = cli.tree("src", 500, 3000);
        ranks.startAll(4, "--publish", cli.resolve("site"), source, cli.resolve("dst"));
        ranks.expect(0);
        assertThat(cli.read("0.out")).matches(TransferCli.ID);
        assertThat(cli.read("1.out")).isEmpty();
        String id = cli.read("0.out").strip();
        assertThat(cli.run("status", id).expect(0).out()).contains("complete; 100%", "batches 32 of 32");
        assertThat(cli.read("0.err")).contains("complete: ");
        assertThat(cli.run("query", "--space", cli.resolve("site"), "--transfers", "--count", "transfer=" + id,
                "state=complete", "batches-done=32").expect(0).out()).isEqualTo("1\n");
        assertThat(
                cli.run("query", "--space", cli.resolve("site"), "--batches", "--count", "state=done").expect(0).out())
                .isEqualTo("32\n");
        cli.expectCopy(source, cli.resolve("dst"));
        assertThat(cli.run("verify", id, "--wait").expect(0).err()).contains("complete: ");
        assertThat(cli.resolve("meeting0")).doesNotExist();
    }

    @Test
    @Tag("campaign")
    void oneRankDoesItAloneAndMoreRanksThanBatchesDoItTogether() throws Exception {
        Path source = cli.tree("src", 3, 10);
        ranks.startAll(1, "--distribution", "pct", source, cli.resolve("one"));
        ranks.expect(0);
        ranks.next();
        ranks.startAll(3, "--batches", 1, "--distribution", "centralized", source, cli.resolve("three"));
        ranks.expect(0);
        cli.expectCopy(source, cli.resolve("one"));
        cli.expectCopy(source, cli.resolve("three"));
    }

    // The tests with jobs of ranks cover this in every run.
    @Test
    @Tag("campaign")
    void whenOneIsKilledTheOthersSaySoAndResumeDoesTheRest() throws Exception {
        killAndResume(2);
    }

    @Test
    @Tag("campaign")
    void whenTheFirstIsKilledResumeDoesTheRest() throws Exception {
        killAndResume(0);
    }

    private void killAndResume(int killed) throws Exception {
        Path source = cli.tree("src", 400, 20_000);
        ranks.startAll(4, "--bandwidth", "1200k", source, cli.resolve("dst"));
        TransferCli.until(() -> {
            ranks.expectRunning();
            return TransferCli.files(cli.resolve("dst"), Files::isRegularFile).size() > 8;
        });
        String id = cli.read("0.out").strip();
        // The others do not end without this rank, however long the query takes.
        Run.of("kill", "-STOP", ranks.rank(killed).pid()).expect(0);
        assertThat(cli.run("status", id).expect(0).out()).contains("running; ", "its ranks were started by hand");
        ranks.rank(killed).destroyForcibly();
        ranks.expect(2, killed);
        for (int i = 0; i < 4; i++) {
            if (i != killed) {
                assertThat(cli.read(i + ".err")).contains("rank " + killed + " on " + RankGroup.host() + " is gone",
                        "'treehaul resume " + id + "' continues it");
            }
        }
        assertThat(cli.run("status", id).expect(0).out()).contains("incomplete",
                "rank " + killed + " on " + RankGroup.host() + " is gone");
        assertThat(cli.run("resume", id, "--wait").expect(0).err()).contains("complete: ");
        cli.expectCopy(source, cli.resolve("dst"));
        assertThat(cli.run("cmp", "--content", source, cli.resolve("dst")).code()).isZero();
    }

    @Test
    void whenOneIsLostRightAfterTheMeetingTheOthersNameResume() throws Exception {
        ranks.startAll(2, "--bandwidth", "1200k", cli.tree("src", 400, 20_000), cli.resolve("dst"));
        TransferCli.until(() -> !cli.read("0.out").isBlank());
        ranks.rank(1).destroyForcibly();
        String id = cli.read("0.out").strip();
        ranks.expect(2, 1);
        assertThat(cli.read("0.err")).contains("rank 1 on " + RankGroup.host() + " is gone; 'treehaul resume " + id);
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 4})
    void whenOneIsLostAfterAllIsDoneTheOthersEndWithTheCodeOfTheCopy(int size) throws Exception {
        Path source = cli.tree("src", 40, 100);
        for (int i = 0; i < 3000; i++) {
            Files.createDirectories(source.resolve("directories/" + i));
        }
        ranks.startAll(size, source, cli.resolve("dst"));
        TransferCli.until(() -> !cli.read("0.out").isBlank());
        Path finishing = cli.of(cli.read("0.out").strip(), "finish/1.1.journal");
        TransferCli.until(() -> Files.exists(finishing));
        // Rank 0 is finishing, and all batches of the others are done.
        Run.of("kill", "-STOP", ranks.rank(0).pid()).expect(0);
        ranks.rank(1).destroyForcibly().waitFor();
        Run.of("kill", "-CONT", ranks.rank(0).pid()).expect(0);
        ranks.expect(0, 1);
        assertThat(cli.read("0.err")).contains("complete: ").doesNotContain("resume");
        for (int i = 2; i < size; i++) {
            assertThat(cli.read(i + ".err")).doesNotContain("resume");
        }
        assertThat(cli.run("status", cli.read("0.out").strip()).expect(0).out()).contains("complete; 100%");
        cli.expectCopy(source, cli.resolve("dst"));
    }

    // It takes two minutes until the rank certainly counts as dead.
    @Test
    @Tag("campaign")
    void whenTheFirstIsLostWhileItFinishesAnotherFinishesInItsPlace() throws Exception {
        Path source = cli.tree("src", 40, 100);
        for (int i = 0; i < 10_000; i++) {
            Files.createDirectories(source.resolve("directories/" + i));
        }
        ranks.startAll(3, source, cli.resolve("dst"));
        TransferCli.until(() -> !cli.read("0.out").isBlank());
        Path finishing = cli.of(cli.read("0.out").strip(), "finish/1.1.journal");
        TransferCli.until(() -> Files.exists(finishing));
        ranks.rank(0).destroyForcibly();
        for (int i = 1; i < 3; i++) {
            assertThat(ranks.rank(i).waitFor(5, TimeUnit.MINUTES)).isTrue();
        }
        ranks.expect(0, 0);
        assertThat(cli.run("status", cli.read("0.out").strip()).expect(0).out()).contains("complete; 100%");
        cli.expectCopy(source, cli.resolve("dst"));
    }

    @Test
    void aGroupThatDoesNotMeetLeavesNothing() throws Exception {
        Path source = cli.tree("src", 3, 10);
        ranks.start(2, "--rank-timeout", 10, source, cli.resolve("dst"));
        ranks.expect(2);
        // On a busy machine rank 0 itself may not have arrived by then either.
        assertThat(cli.read("0.err")).containsPattern("ranks? (.*, )?1 did not join within 10 s");
        ranks.next();
        ranks.start(2, source, cli.resolve("dst"));
        ranks.start(2, source, cli.resolve("other"));
        ranks.expect(2);
        assertThat(cli.read("1.err")).contains("ranks with different plans");
        ranks.next();
        ranks.startAll(2, cli.resolve("nothing"), cli.resolve("dst"));
        ranks.expect(2);
        assertThat(cli.read("0.err")).contains("nothing: stat: No such file or directory", "there is nothing to copy");
        assertThat(cli.run("status").expect(0).out()).isEmpty();
        assertThat(cli.resolve("dst")).doesNotExist();
    }

    @Test
    void optionsThatRanksDoNotSupportAreRefused() throws Exception {
        Path source = cli.tree("src", 1, 10);
        Path copy = cli.resolve("dst");
        Object[][] refused = {{"it cannot be combined with --scheduler and --jobs", "--scheduler", "local"},
                {"it cannot be combined with --jobs", "--scheduler", "local", "--jobs", 2},
                {"--strategy streaming cannot be combined with --ranks", "--strategy", "streaming"},
                {"--pre needs --scheduler or --jobs", "--pre", "true"}};
        for (Object[] line : refused) {
            List<Object> arguments = new ArrayList<>(List.of("cp", "-a", "--ranks", 1, source, copy));
            arguments.addAll(List.of(line).subList(1, line.length));
            if (!arguments.contains("--jobs")) {
                arguments.addAll(List.of("--transport", "mpj", "--rank", 0, "--meet", cli.resolve("m")));
            }
            assertThat(cli.run(arguments.toArray()).expect(2).err()).contains(String.valueOf(line[0]));
        }
        assertThat(cli.with("MPJ_HOME", "/nowhere")
                .run("cp", "-a", "--ranks", 1, "--transport", "mpj", "--rank", 0, "--meet", cli.resolve("m"), source,
                        copy)
                .expect(2)
                .err()).contains("MPJ_HOME=/nowhere has no lib/mpj.jar");
        assertThat(copy).doesNotExist();
    }

    @Tag("campaign")
    @ParameterizedTest
    @ValueSource(
            strings = {"centralized", "centralized-keep", "pct", "random-split", "equal-split", "proximity", "hybrid"})
    void fiftyThousandFilesAreCopiedByEveryDistribution(String distribution) throws Exception {
        Path source = cli.tree("src", 50_000, 100);
        ranks.startAll(4, "--distribution", distribution, source, cli.resolve("dst"));
        ranks.expect(0);
        assertThat(cli.run("cmp", "--content", source, cli.resolve("dst")).code()).isZero();
    }
}
