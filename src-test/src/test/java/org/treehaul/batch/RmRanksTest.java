// SPDX-License-Identifier: Apache-2.0
package org.treehaul.batch;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.packaged.Run;

/** A removal by ranks that are processes of this host, as a transfer. */
@Tag("rig")
class RmRanksTest extends RanksTests {

    RmRanksTest() {
        super("rm", "-r");
    }

    @Test
    void threeRanksRemoveTreesAsATransfer() throws Exception {
        Path tree = cli.tree("tree", 300, 10);
        Path missing = cli.resolve("missing");
        ranks.startAll(3, tree, missing);
        ranks.expect(23);
        assertThat(tree).doesNotExist();
        assertThat(cli.read("0.out")).matches(TransferCli.ID);
        assertThat(cli.read("0.err")).contains("missing: stat: No such file", "3 ranks share", "complete: ");
        assertThat(cli.read("1.out")).isEmpty();
        assertThat(cli.run("status", "--json", cli.read("0.out").strip()).expect(0).out())
                .contains("\"kind\":\"remove\"", "\"state\":\"complete\"");
    }

    @Test
    void withoutAnyOperandLeftAllRanksEndAndNoTransferIsMade() throws Exception {
        Path missing = cli.resolve("missing");
        ranks.startAll(2, missing);
        ranks.expect(2);
        assertThat(cli.read("0.err")).contains("missing: stat: No such file");
        ranks.next();
        ranks.startAll(2, "-f", missing);
        ranks.expect(0);
        assertThat(cli.run("status").expect(0).out()).isEmpty();
    }

    @Test
    void jobsOfThisMachineAreRanksToo() throws Exception {
        Path tree = cli.tree("tree", 200, 10);
        Run run = cli
                .run("rm", "-r", "--scheduler", "local", "--ranks", 2, "--distribution", "pct", "--publish",
                        cli.resolve("site"), "--wait", tree)
                .expect(0);
        assertThat(run.err()).contains("local jobs ", "complete: ");
        assertThat(cli.run("query", "--space", cli.resolve("site"), "--batches", "--group-by", "state").expect(0).out())
                .matches("[ 0-9]+  done\n");
        assertThat(tree).doesNotExist();
    }

    @Test
    void optionsThatRanksDoNotTakeAreRefused() throws Exception {
        Path tree = cli.tree("tree", 1, 10);
        List<Object> rank = List.of("--transport", "mpj", "--rank", 0, "--meet", cli.resolve("m"));
        Map<String, List<Object>> refused = Map.of("it cannot be combined with --scheduler and --jobs",
                List.of("--scheduler", "local"), "--dry-run cannot be used", List.of("--dry-run"),
                "--strategy streaming cannot be used", List.of("--strategy", "streaming"),
                "--pre needs --scheduler or --jobs", List.of("--pre", "true"));
        for (Map.Entry<String, List<Object>> line : refused.entrySet()) {
            List<Object> arguments = new ArrayList<>(List.of("rm", "-r", "--ranks", 1, tree));
            arguments.addAll(rank);
            arguments.addAll(line.getValue());
            assertThat(cli.run(arguments.toArray()).expect(2).err()).contains(line.getKey());
        }
        assertThat(cli.run("rm", "-r", "--distribution", "pct", tree).expect(2).err()).contains("needs --ranks");
        assertThat(tree).exists();
    }

    // A rank may die after everything is removed: then the others end with the code of the removal.
    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    @Tag("campaign")
    void whenARankIsKilledResumeRemovesTheRestAndKeepsNewNames(int killed) throws Exception {
        Path tree = cli.tree("tree", 30_000, 1);
        ranks.startAll(3, tree);
        TransferCli.until(() -> !cli.read("0.out").isBlank());
        ranks.rank(killed).destroyForcibly().waitFor();
        List<Integer> codes = ranks.codes();
        codes.remove(/* index */ killed);
        assertThat(codes).as(cli.read("2.err")).allMatch(code -> code == 0 || code == 2);
        String id = cli.read("0.out").strip();
        Files.createDirectories(tree.resolve("d7"));
        Path made = Files.writeString(tree.resolve("d7/f350"), "made anew");
        Run resumed = cli.run("resume", id, "--wait");
        assertThat(resumed.code()).as(resumed.err()).isIn(0, 24);
        assertThat(made).hasContent("made anew");
        List<Path> left = TransferCli.files(tree, Files::isRegularFile);
        assertThat(left).containsExactly(made);
    }
}
