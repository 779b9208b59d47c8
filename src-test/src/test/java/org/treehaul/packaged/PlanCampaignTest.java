// SPDX-License-Identifier: Apache-2.0
package org.treehaul.packaged;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.plan.format.Plan;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.core.testing.TreeWriter;

/**
 * Plans five million entries: with 256 MB of heap, 500 MB in all, and the same cost for each entry as at a quarter of
 * them.
 */
@Tag("campaign")
class PlanCampaignTest {

    private static final int ENTRIES = 5_000_000;
    private static final int IN_A_DIRECTORY = 10_000;
    private static final long MOST_KIB = 500L * 1000 * 1000 / 1024;

    /** The cost of planning. */
    private record Cost(long kib, double seconds) {}

    @Test
    void fiveMillionEntriesArePlannedWith256MegabytesAndCostsGrowLinearly() throws Exception {
        try (TestDirectory directory = TestDirectory.onTmpfs(100L * ENTRIES, ENTRIES + ENTRIES / 1000)) {
            Path tree = directory.directory("tree");
            List<Cost> costs = new ArrayList<>();
            int made = 0;
            for (int entries : new int[]{ENTRIES / 4, ENTRIES / 2, ENTRIES}) {
                // Links to a file are the fastest to make, and without --preserve=links each is a separate entry. A
                // disk allows only some 65,000 to one file.
                try (TreeWriter writer = TreeWriter.in(Linux.calls(), tree)) {
                    for (; made < entries; made++) {
                        int first = made - made % IN_A_DIRECTORY;
                        ByteString parent = ByteString.of("d" + made / IN_A_DIRECTORY);
                        ByteString path = ByteString.of(parent + "/a-name-of-some-length-" + made);
                        if (made == first) {
                            writer.directory(parent);
                            writer.file(path, new byte[0]);
                        } else {
                            writer.hardLink(ByteString.of(parent + "/a-name-of-some-length-" + first), path);
                        }
                    }
                }
                Path plan = directory.resolve("plan-" + entries);
                Cost cost = plan(plan, tree, directory.resolve("target"));
                System.out.println("planned " + entries + " entries: " + cost);
                assertThat(Plan.open(plan).totals().orElseThrow().entries()).isEqualTo(entries);
                assertThat(cost.kib).isLessThan(MOST_KIB);
                costs.add(cost);
            }
            // Apart from the memory of Java itself, twice the entries take at most twice as much, with a margin for
            // chance.
            long first = costs.get(1).kib - costs.get(0).kib;
            long second = costs.get(2).kib - costs.get(1).kib;
            assertThat(second).isLessThan(2 * Math.max(first, 20_000) + 60_000);
            // Four times the entries: a quadratic algorithm would take sixteen times as long.
            assertThat(costs.get(2).seconds).isLessThan(10 * costs.get(0).seconds);
        }
    }

    private static Cost plan(Path plan, Path tree, Path target) throws Exception {
        long start = System.nanoTime();
        Path log = Files.createTempFile("treehaul-plan", ".log");
        try {
            Process process = new ProcessBuilder(Run.JAVA.toString(), "-Xmx256m", "-XX:+UseSerialGC", "-jar",
                    Run.JAR.toString(), "plan", "-r", "--jobs", "64", "--no-space-check", "-o", plan.toString(),
                    tree.toString(), target.toString()).redirectErrorStream(true).redirectOutput(log.toFile()).start();
            long most = 0;
            while (!process.waitFor(50, TimeUnit.MILLISECONDS)) {
                most = Math.max(most, peak(process));
            }
            assertThat(process.exitValue()).as(Files.readString(log)).isZero();
            return new Cost(most, (System.nanoTime() - start) / 1e9);
        } finally {
            Files.delete(log);
        }
    }

    // VmHWM of proc_pid_status(5): the peak of resident memory so far.
    private static long peak(Process process) throws Exception {
        try {
            return Files.readAllLines(Path.of("/proc/" + process.pid() + "/status"), StandardCharsets.ISO_8859_1)
                    .stream()
                    .filter(line -> line.startsWith("VmHWM:"))
                    .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
                    .findFirst()
                    .orElse(0);
        } catch (NoSuchFileException e) {
            return 0;
        }
    }
}
