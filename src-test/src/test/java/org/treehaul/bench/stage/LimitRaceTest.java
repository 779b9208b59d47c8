// SPDX-License-Identifier: Apache-2.0
package org.treehaul.bench.stage;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.treehaul.core.testing.Privilege;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.programs.Programs;
import picocli.CommandLine;

/** Measures limited hosts as little as possible. Times are not compared: other programs use the machine, too. */
@Tag("rig")
class LimitRaceTest {

    // A bucket of 128 KiB is full at the beginning, beside 4 MiB that a link carries.
    private static final double MOST = 1.06;

    @Test
    void noLimitedHostGivesMoreThanItsLinkOrDiskCan() throws Exception {
        Privilege.requireRoot("to make network namespaces");
        Programs.require("glusterd", "glusterfs-server");
        try (TestDirectory memory = TestDirectory.onTmpfs(); TestDirectory disk = TestDirectory.make()) {
            Path report = memory.path().resolve("report");
            Path work = memory.directory("work");

            assertThat(new CommandLine(new LimitRace()).execute("--servers", "2", "--megabits", "80", "--megabytes",
                    "4", "--rounds", "1", "--on", work.toString(), "--disk", disk.path().toString(), "--report",
                    report.toString())).isZero();

            List<String[]> rows = Files.readAllLines(report)
                    .stream()
                    .filter(line -> line.startsWith("| links | ") || line.startsWith("| disks | 2"))
                    .map(line -> line.split(" *[|] *", -1))
                    .toList();
            assertThat(rows.stream().filter(row -> row[1].equals("links"))).hasSize(5)
                    .extracting(row -> row[3])
                    .contains("parallel file", "with buffers", "GlusterFS");
            assertThat(rows).allSatisfy(row -> {
                assertThat(part(row, 5)).as(String.join("|", row)).isBetween(0.01, mostWritten(row[1]));
                assertThat(part(row, 7)).as(String.join("|", row)).isBetween(0.01, MOST);
            });
            assertThat(Files.readString(report)).contains("| 0.85 of the sum: parallel file | links | 2 |",
                    "| 64 KiB lists: above GlusterFS | none | 2 |");
            assertThat(work).isEmptyDirectory();
            assertThat(disk.path()).isEmptyDirectory();
        }
    }

    private static double part(String[] row, int column) {
        return Double.parseDouble(row[column]);
    }

    /**
     * Returns the largest part of the sum that a file is written with. Control groups of version 1 limit what a process
     * writes to a disk itself; pages that the kernel writes first, because other programs have made many dirty, count
     * for no group.
     */
    private static double mostWritten(String limit) {
        return limit.equals("links") ? MOST : Double.MAX_VALUE;
    }
}
