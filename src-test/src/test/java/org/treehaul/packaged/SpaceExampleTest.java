// SPDX-License-Identifier: Apache-2.0
package org.treehaul.packaged;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The example programs of the tuple space, compiled against the packaged jar. */
class SpaceExampleTest {

    @TempDir
    Path directory;

    @Test
    void theTourShowsWhatASpaceCanDo() throws Exception {
        assertThat(example("SpaceTour", directory.resolve("space"))).isEqualTo("""
                copies: 2, of 40
                large: Task[kind=copy, size=10, note=null]
                [check] [1, 5]
                [copy] [2, 30]
                largest: Task[kind=copy, size=30, note=urgent]
                took Task[kind=done, size=30, note=urgent]
                left: 2
                """);
        assertThat(directory.resolve("space/space.db")).exists();
    }

    @Test
    void actionsRespondToWrittenTuples() throws Exception {
        assertThat(example("SpaceActions")).isEqualTo("""
                Alarm[place=oven, text=220.0 degrees]
                Alarm[place=kettle, text=100.0 degrees]
                lost events: 0
                """);
    }

    @Test
    void batchesUseSeveralTemplatesInOneCall() throws Exception {
        assertThat(example("SpaceBatches")).matches("""
                a batch of 3
                left: (Task\\[kind=(?:copy|check), number=[1345]\\])
                taken by others: \\[\\]
                read before: \\1
                at the end: \\[\\1\\]
                """);
    }

    @Test
    void partitionsSplitAndKeepAllTuples() throws Exception {
        assertThat(example("SpacePartitions", directory)).matches("""
                90 tasks: \\[90 tuples, free, free\\]
                Task\\[number=7, kind=copy\\]
                left: 89
                new: partition 1
                split: \\[\\d+ tuples, \\d+ tuples, free\\]
                left: 89
                """);
    }

    @Test
    void aCheckpointedProgramContinuesAfterAKill() throws Exception {
        // Each step adds 3, 5 and 7.
        assertThat(example("MicroCheckpoint", directory, "50")).startsWith("begins at step 0\n").endsWith("sum 750\n");
        Process killed = new ProcessBuilder(Examples.command("MicroCheckpoint", directory, "100000000")).start();
        try (var out = killed.inputReader()) {
            assertThat(out.readLine()).isEqualTo("begins at step 50");
            for (int i = 0; i < 5; i++) {
                assertThat(out.readLine()).startsWith("generation");
            }
        } finally {
            killed.destroyForcibly().waitFor();
        }
        Process again = new ProcessBuilder(Examples.command("MicroCheckpoint", directory, "100000000")).start();
        try (var out = again.inputReader()) {
            String begin = out.readLine();
            assertThat(begin).matches("begins at step [0-9]+");
            assertThat(Integer.parseInt(begin.replaceAll("\\D", ""))).isGreaterThanOrEqualTo(100);
            assertThat(out.readLine()).startsWith("generation");
        } finally {
            again.destroyForcibly().waitFor();
        }
    }

    private static String example(String name, Object... arguments) throws Exception {
        Run run = Examples.run(name, arguments);
        assertThat(run.err()).isEmpty();
        assertThat(run.code()).isZero();
        return run.out();
    }
}
