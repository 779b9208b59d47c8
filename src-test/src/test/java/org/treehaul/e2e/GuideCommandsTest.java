// SPDX-License-Identifier: Apache-2.0
package org.treehaul.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.packaged.Run;

/** Runs pages of the guide line by line and compares the output with the page. */
class GuideCommandsTest {

    private static final String RUN7 = """
            mkdir -p run7/raw run7/log
            for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do head -c 40000 /dev/zero | tr '\\0' $((i % 10)) > run7/raw/part$i.dat; done
            head -c 3000000 /dev/zero | tr '\\0' x > run7/result.h5
            ln run7/result.h5 run7/latest.h5
            ln -s result.h5 run7/current
            echo started > run7/log/run.log
            """;

    private final TestDirectory directory = TestDirectory.make();
    private final Cli cli = Cli.withJobs(directory.path());

    @AfterEach
    void delete() {
        directory.close();
    }

    @Test
    void theFirstHourRunsAsPrinted() throws Exception {
        runs("first-hour.md", RUN7);
    }

    @Test
    @Tag("rig")
    void theMigrationRunsAsPrinted() throws Exception {
        runs("migration.md", RUN7);
    }

    @Test
    @Tag("rig")
    void thePoolRunsAsPrinted() throws Exception {
        runs("pool.md", RUN7);
    }

    @Test
    @Tag("rig")
    void theQuestionsAboutTransfersRunAsPrinted() throws Exception {
        runs("query-transfers.md", RUN7);
    }

    @Test
    @Tag("rig")
    void thePartitionsRunAsPrinted() throws Exception {
        runs("partitions.md", "");
    }

    @Test
    @Tag("rig")
    void theStageRunsAsPrinted() throws Exception {
        runs("stage.md", RUN7);
    }

    private void runs(String page, String preparation) throws Exception {
        List<GuidePage.Command> commands = GuidePage.named(page).commands();
        assertThat(commands).hasSizeGreaterThan(5);
        String before = "treehaul() { $T \"$@\"; }\nexport HOME=$PWD/home && mkdir \"$HOME\"\n" + preparation;
        Run run = cli.sh(before + Transcript.script(commands));
        String output = new String(run.out().getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8)
                .replace(directory.path().toString(), "/data");
        assertThat(Transcript.differences(commands, output))
                .as("commands that print something else than %s shows", page)
                .isEmpty();
    }

    @Test
    void onlyNumbersTimesAndIdsMayDiffer() {
        List<String> page = List.of("copied 1,023 entries, 1.5 MiB in 0.1 s", "20261121-174718-nv9o", "...",
                "at 2026-05-09 07:28:50");
        List<String> run = new ArrayList<>(
                List.of("copied 1 entry, 12 B in 10.0 s", "20251121-174718-abcd", "at 2025-01-02"));
        assertThat(Transcript.matches(page, run)).isTrue();
        run.add(2, "a line more");
        assertThat(Transcript.matches(page, run)).isTrue();
        run.add("the end");
        assertThat(Transcript.matches(page, run)).isFalse();
        assertThat(Transcript.matches(List.of("copied 3 entries"), List.of("left 3 entries"))).isFalse();
        assertThat(Transcript.matches(List.of(), List.of("one"))).isFalse();
        assertThat(Transcript.matches(List.of("one"), List.of())).isFalse();
    }

    @Test
    void commandsOfMarkedBlocksAreFound() {
        GuidePage page = new GuidePage("""
                ```
                $ not run
                ```
                ```console
                $ one
                output
                $ two |
                >   three
                ```
                | a | b |
                |---|---|
                | c\\|d | e |
                """);
        assertThat(page.commands()).containsExactly(new GuidePage.Command("one", List.of("output")),
                new GuidePage.Command("two |\n  three", List.of()));
        assertThat(new GuidePage("# top\n" + page.text()).rows("top")).containsExactly(List.of("c\\|d", "e"));
    }
}
