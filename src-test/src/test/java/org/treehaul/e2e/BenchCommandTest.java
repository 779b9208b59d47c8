// SPDX-License-Identifier: Apache-2.0
package org.treehaul.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.core.testing.TestDirectory;

/** {@code treehaul bench io}, and the part of {@code --version --verbose} about asynchronous files. */
class BenchCommandTest {

    private static final String SMALL = " --files 3 --blocks 4 --block-bytes 4K --repeats 2 ";

    private final TestDirectory directory = TestDirectory.make();
    private final Cli cli = new Cli(directory.path());

    @BeforeEach
    void makePlace() {
        directory.directory("d");
    }

    @AfterEach
    void delete() {
        directory.close();
    }

    @Test
    void eachRunIsALineWithTheThroughputOfTheFormula() throws Exception {
        List<String> lines = cli
                .warmly("$T bench io write --csv --clients 2 --per-client 2 --depth 3 --durable --way sync,threads"
                        + SMALL + "d")
                .expect(0)
                .out()
                .lines()
                .toList();
        assertThat(lines).hasSize(5);
        assertThat(lines.getFirst()).startsWith("way,operation,clients,threads,files,blocks,block_bytes,");
        for (String line : lines.subList(1, 5)) {
            String[] values = line.split(",", -1);
            // nc * nt * nf * nb * sb
            assertThat(values[10]).isEqualTo(Long.toString(2 * 2 * 3 * 4 * 4096L));
            double throughput = Long.parseLong(values[10]) / Double.parseDouble(values[11]);
            assertThat(Double.parseDouble(values[12]) / throughput).isBetween(0.9, 1.1);
        }
        assertThat(lines).satisfiesExactly(head -> {
        }, line -> assertThat(line).startsWith("sync,write,2,2,3,4,4096,3,false,1,"),
                line -> assertThat(line).startsWith("threads,"), line -> assertThat(line).contains("sync,", ",2,"),
                line -> assertThat(line).startsWith("threads,"));
        assertThat(directory.resolve("d")).isEmptyDirectory();
    }

    @Test
    void readsAreMeasuredInEachWayThatTheMachineHas() throws Exception {
        String table = cli.warmly("$T bench io read --cold" + SMALL + "d").expect(0).out();
        assertThat(table).startsWith("read 48.0 KiB: clients 1, threads 1, files 3, blocks 4 of 4.0 KiB\n")
                .contains("\nsync ", "\nthreads ");
        boolean hasRing = cli.warmly("$T --version --verbose").expect(0).out().contains("files: by io_uring\n");
        assertThat(table.contains("\nring ")).isEqualTo(hasRing);
        if (hasRing) {
            assertThat(cli.warmly("$T bench io read --json --way ring" + SMALL + "d").expect(0).out().lines())
                    .hasSize(2)
                    .allMatch(line -> line.contains("\"type\":\"measurement\",\"way\":\"ring\""));
        }
        assertThat(directory.resolve("d")).isEmptyDirectory();
    }

    @Test
    void filesOfAStageAreMeasuredBesideLocalOnesAndRemoved() throws Exception {
        directory.directory("disk");
        cli.warmly("$T stage in --space s --directories disk d job:").expect(0);
        String both = cli.warmly("$T bench io write --csv --stage job:x --space s" + SMALL + "d").expect(0).out();
        assertThat(both.lines().map(line -> line.substring(0, line.indexOf(',')))).contains("sync", "threads",
                "stage-sync", "stage-threads", "stage-servers");
        assertThat(both.lines().skip(1)).allMatch(line -> line.contains(",3,4,4096,16,false,"));
        String stage = cli.warmly("$T bench io read --stage job: --space s" + SMALL).expect(0).out();
        assertThat(stage.lines().skip(2)).hasSize(3).allMatch(line -> line.startsWith("stage-"));
        assertThat(cli.warmly("$T stage check --space s job:").expect(0).err()).contains("agree");
        assertThat(cli.warmly("$T stage ls --space s job:").expect(0).out()).isEmpty();
        assertThat(cli.warmly("$T bench io write --stage other: --space s" + SMALL).expect(2).err())
                .contains("stage other: there is none of this name");
        assertThat(directory.resolve("d")).isEmptyDirectory();
    }

    @Test
    void aServerThatIsTakenOutGetsNoFilesOfAMeasurement() throws Exception {
        directory.directory("disk1");
        directory.directory("disk2");
        cli.warmly(
                "$T stage in --space s --directories disk1,disk2 d job:\n$T stage drain -q --lost --force --space s job: d1")
                .expect(0);
        assertThat(cli.warmly("$T bench io write --csv --stage job: --space s" + SMALL).expect(0).out())
                .hasLineCount(7);
        cli.warmly("$T stage drain -q --space s job: d2").expect(0);
        assertThat(cli.warmly("$T bench io write --stage job: --space s" + SMALL).expect(2).err())
                .contains("stage job: none of its servers takes new segments");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"bench io write|use 'treehaul bench io", "bench io copy d|use 'treehaul bench io",
                    "bench write d|use 'treehaul bench io", "bench io write --way fast d|not 'fast'",
                    "bench io write --direct --block-bytes 5000 d|multiple of 4096",
                    "bench io write --depth 400 --block-bytes 1G d|smaller --depth",
                    "bench io write --files 0 d|--files must be", "bench io write --blocks 0 d|--blocks must be",
                    "bench io write --clients 65 d|--clients must be",
                    "bench io write --files 1000000 --blocks 2000000000 --block-bytes 1M d|more than 8 EiB",
                    "bench io write --csv --json d|--csv and --json do not combine",
                    "bench io write --way stage-sync d|give --stage NAME:[PATH]",
                    "bench io write --way ring --stage job: --space s|give the directory DIR",
                    "bench io write --stage job --space s d|a path of a stage is NAME:[PATH], NAME of letters, digits, dots, hyphens and underscores, not 'job'",
                    "bench io write --stage job: d|no catalogue of the stage is given",
                    "bench io write --direct --stage job: --space s|do not apply to the files of a stage",
                    "bench io write --tls d|--tls needs --stage", "bench io write d/missing|d/missing/treehaul-bench-",
                    "bench io write ''|DIR is empty"})
    void wrongUsageIsRefusedByName(String line) throws Exception {
        String[] parts = line.split("\\|", -1);
        assertThat(cli.warmly("$T " + parts[0]).expect(2).err()).startsWith("treehaul: bench: ").contains(parts[1]);
        assertThat(directory.resolve("d")).isEmptyDirectory();
    }
}
