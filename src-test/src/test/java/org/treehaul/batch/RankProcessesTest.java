// SPDX-License-Identifier: Apache-2.0
package org.treehaul.batch;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.core.testing.Privilege;
import org.treehaul.e2e.Cli;
import org.treehaul.packaged.Run;

/** A walk by processes of this host that exchange messages by MPJ Express over the loopback interface. */
@Tag("rig")
class RankProcessesTest {

    private RankGroup group;
    private Path tree = Path.of("");

    @BeforeEach
    void makeGroup() throws Exception {
        RankGroup.requireMpj();
        group = new RankGroup();
        tree = group.tree();
    }

    @AfterEach
    void removeGroup() {
        if (group != null) {
            group.close();
        }
    }

    @Test
    @Tag("happy-path")
    void fourProcessesSumUpToTheResultOfOne() throws Exception {
        for (int i = 0; i < 4; i++) {
            group.start(List.of(), 4, tree);
        }
        group.expectSummary(tree);
    }

    @Test
    void rankZeroWritesTheProfileOfAll() throws Exception {
        for (int i = 0; i < 3; i++) {
            group.start(List.of(), 3, tree, "--profile", group.resolve("profile"));
        }
        group.expectSummary(tree);
        List<String> ranks = Files.readAllLines(group.resolve("profile").resolve("ranks.csv"));
        assertThat(ranks.stream().skip(1).mapToLong(line -> Long.parseLong(line.split(",", -1)[2])).sum())
                .isEqualTo(Run.treehaul("walk", "--print", tree).expect(0).out().lines().count());
        assertThat(ranks).hasSize(4);
        assertThat(group.resolve("profile").resolve("times.svg")).isNotEmptyFile();
    }

    @Test
    void aProfileThatCannotBeWrittenEndsAllRanks() throws Exception {
        for (int i = 0; i < 2; i++) {
            group.start(List.of(), 2, tree, "--profile", "/nowhere/profile");
        }
        group.expectBroken(1, "--profile /nowhere/profile: ");
        assertThat(group.rank(1).waitFor()).isEqualTo(2);
    }

    @Test
    void oneProcessIsAGroup() throws Exception {
        group.start(List.of(), 1, tree);
        group.expectSummary(tree);
    }

    @Test
    void whereNothingCanBeReadTheFirstSaysSoAsOneProcessDoes() throws Exception {
        group.start(List.of(), 1, "/nowhere");
        assertThat(group.out(0)).isEmpty();
        assertThat(group.rank(0).waitFor()).as(group.err(0)).isEqualTo(2);
        Run.treehaul("walk", "/nowhere").expect(2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"--print", "--summary", "--json"})
    void allEndWithTheSameCodeAndTheFirstReportsTheFailures(String how) throws Exception {
        Path loops = Files.createDirectory(group.resolve("loops"));
        for (int i = 0; i < 30; i++) {
            Path below = Files.createDirectory(loops.resolve("d" + i));
            Files.createSymbolicLink(below.resolve("loop"), Path.of("loop"));
        }
        expectCode(23, how, "-L", loops);
        assertThat(group.err(0)).contains("30 failures");
    }

    @ParameterizedTest
    @ValueSource(strings = {"--print", "--summary"})
    void whereNothingCanBeReadAllSaySo(String how) throws Exception {
        expectCode(2, how, "/nowhere");
        Run.treehaul("walk", how, "/nowhere").expect(2);
    }

    private void expectCode(int code, Object... what) throws Exception {
        for (int i = 0; i < 3; i++) {
            group.start(List.of(), 3, what);
        }
        for (int i = 0; i < 3; i++) {
            group.drain(i);
            assertThat(group.rank(i).waitFor()).as("rank %d: %s", i, group.err(i)).isEqualTo(code);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 2})
    void whenOneIsKilledAllOthersEndAndNameIt(int killed) throws Exception {
        for (int i = 0; i < 4; i++) {
            group.start(List.of(), 4, "--print", tree);
        }
        group.awaitWalking();
        group.rank(killed).destroyForcibly();
        group.expectBroken(killed, "rank " + killed + " on " + RankGroup.host() + " is gone");
    }

    @Test
    void oneThatIsStoppedBySignalEndsTheOthersToo() throws Exception {
        for (int i = 0; i < 2; i++) {
            group.start(List.of(), 2, "--print", tree);
        }
        group.awaitWalking();
        // The rank stops when it has printed the entries in progress.
        group.drain(1);
        group.rank(1).destroy();
        group.expectBroken(1, "rank 1 on ");
        assertThat(group.rank(1).exitValue()).isEqualTo(20);
        assertThat(group.rank(0).exitValue()).isEqualTo(2);
    }

    @Test
    void oneThatWaitsForOthersIsStoppedBySignal() throws Exception {
        group.start(List.of(), 2, tree);
        Cli.awaitSignalHandlers(group.rank(0));
        Path meeting = group.resolve("meeting");
        TransferCli.until(() -> Files.exists(meeting));
        group.rank(0).destroy();
        assertThat(group.rank(0).waitFor()).isEqualTo(20);
        assertThat(group.err(0)).contains("stopped before all ranks had joined");
        assertThat(meeting).content().startsWith("treehaul-ranks broken\nrank 0 on ");
    }

    @Test
    void oneWithAFullStandardErrorIsStoppedBySignal() throws Exception {
        // Standard error is a pipe that is full, and stays open for reading.
        String full = "mkfifo \"$0\" && exec 3<> \"$0\" && { timeout 1 head -c 65536 /dev/zero >&3; exec \"$@\" 2>&3; }";
        group.start(List.of("sh", "-c", full, group.resolve("pipe")), 2, tree);
        Cli.awaitSignalHandlers(group.rank(0));
        Path meeting = group.resolve("meeting");
        TransferCli.until(() -> Files.exists(meeting));
        group.rank(0).destroy();
        assertThat(group.rank(0).waitFor(2, TimeUnit.MINUTES)).isTrue();
        assertThat(group.rank(0).exitValue()).isEqualTo(20);
    }

    @Test
    void ranksThatAreToDoDifferentThingsAreRefused() throws Exception {
        group.start(List.of(), 2, tree);
        group.start(List.of(), 2, tree.resolve("d1"));
        group.expectBroken(-1, "ranks with different plans: rank 1 on ");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void whereTheNameOfAHostDoesNotResolveAllEndAndSayWhich(int nameless) throws Exception {
        Privilege.requireRoot("to change the name of the host for a process");
        for (int i = 0; i < 2; i++) {
            // No name below .invalid resolves: RFC 2606.
            group.start(i == nameless
                    ? List.of("unshare", "--uts", "sh", "-c", "hostname treehaul.invalid; exec \"$@\"", "sh")
                    : List.of(), 2, "--rank-timeout", 60, tree);
        }
        group.expectBroken(-1, "the name of this host does not resolve: treehaul.invalid");
        assertThat(group.err(1 - nameless)).contains("rank " + nameless + " on treehaul.invalid failed");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void whereOneDoesNotFindMpjAllEndAndSayWhich(int without) throws Exception {
        for (int i = 0; i < 3; i++) {
            // A rank that waits for the missing one would wait longer than this test runs.
            group.start(i == without ? List.of("env", "MPJ_HOME=/nowhere") : List.of(), 3, "--rank-timeout", 3600,
                    tree);
        }
        String missing = "cannot find MPJ Express: MPJ_HOME=/nowhere has no lib/mpj.jar";
        group.expectBroken(without, "rank " + without + " on " + RankGroup.host() + " cannot join: " + missing);
        assertThat(group.rank(without).exitValue()).isEqualTo(2);
        assertThat(group.err(without)).startsWith("treehaul: walk: " + missing);
    }

    @Test
    void whereOneIsOfAnotherVersionAllEndAndSayWhich() throws Exception {
        Path build = group.resolve("other/org/treehaul/cli/common/build.properties");
        Files.createDirectories(build.getParent());
        Files.writeString(build, "version=77\n");
        for (int i = 0; i < 3; i++) {
            group.start(
                    i == 1 ? List.of("env", "JDK_JAVA_OPTIONS=-Xbootclasspath/a:" + group.resolve("other")) : List.of(),
                    3, "--rank-timeout", 3600, tree);
        }
        group.expectBroken(-1,
                "ranks of different versions: rank 1 on " + RankGroup.host() + " is treehaul 77, rank 0 on ");
    }

    @Test
    void ranksMeetByAFileWhoseNameTheirLocaleLacks() throws Exception {
        Map<String, String> environment = group.environment(System.getenv());
        environment.put("LC_ALL", "C");
        // The locale of this test may lack the names, too.
        String script = "cd \"$1\" && shift && d=$(printf 'm\\303\\274ller') && mkdir $d "
                + "&& \"$@\" --meet $d/$(printf 's\\303\\244ule') && rmdir $d";
        List<String> command = Run.command(List.of("sh", "-c", script, "sh", group.resolve("").toString()), Run.JAR,
                "walk", "--ranks", 1, "--transport", "mpj", "--rank", 0, tree);
        assertThat(Run.of(environment, command.toArray()).expect(0).err()).isEmpty();
    }

    @Test
    void optionsThatMakeNoSenseAreRefused() throws Exception {
        assertThat(Run.treehaul("walk", "--meet", "m", tree).expect(2).err()).contains("--meet needs --ranks");
        assertThat(Run.treehaul("walk", "--rank", 1, tree).expect(2).err()).contains("--rank needs --meet");
        assertThat(Run.treehaul("walk", "--ranks", 2, "--transport", "mpj", "--meet", "m", "--rank", 2, tree)
                .expect(2)
                .err()).contains("--rank must be 0 to 1, not 2");
        Map<String, String> environment = group.environment(System.getenv());
        environment.put("MPJ_HOME", "/nowhere");
        assertThat(Run.of(environment, group.command(List.of(), 1, 0, tree).toArray()).expect(2).err())
                .contains("MPJ_HOME=/nowhere has no lib/mpj.jar", "apt-get install libmpj-java");
    }
}
