// SPDX-License-Identifier: Apache-2.0
package org.treehaul.spaces.partitions;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import javax.xml.parsers.DocumentBuilderFactory;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.treehaul.spaces.SharedSpaceReport.Goal;
import org.treehaul.spaces.partitions.Case.Rates;
import org.treehaul.spaces.partitions.Case.Spread;
import org.treehaul.spaces.partitions.Case.Stores;
import org.treehaul.spaces.partitions.PartitionClient.FileName;
import org.treehaul.tuplespace.partition.Placement;

/** Tests the report from given rates, not how fast anything is. */
class PartitionReportTest {
    private static final List<Integer> PARTITIONS = List.of(1, 2, 4);
    private static final List<Integer> CLIENTS = List.of(1, 2);

    @TempDir
    Path directory = Path.of("");

    /** Three rounds: with two partitions 1.7 times one, with four 2.5 times. */
    private static PartitionReport report(Map<Stores, String> absent, double cap) {
        Map<Case, List<Rates>> measured = new LinkedHashMap<>();
        for (Stores kind : Stores.values()) {
            if (!absent.containsKey(kind)) {
                add(measured, new Case(kind, 1, 2, Spread.ONE_DIRECTORY), 1000);
                add(measured, new Case(kind, 2, 4, Spread.ONE_DIRECTORY), 1700);
                add(measured, new Case(kind, 4, 8, Spread.ONE_DIRECTORY), 2500);
                add(measured, new Case(kind, 1, 6, Spread.ONE_DIRECTORY), 1000);
                add(measured, new Case(kind, 2, 6, Spread.ONE_DIRECTORY), 1750);
                add(measured, new Case(kind, 4, 6, Spread.ONE_DIRECTORY), 2600);
                if (kind == Stores.CAPPED) {
                    add(measured, new Case(kind, 1, 6, Spread.DIRECTORIES), 1000);
                    add(measured, new Case(kind, 4, 6, Spread.DIRECTORIES), 3000);
                    add(measured, new Case(kind, 2, 6, Spread.SEPARATE_SPACES), 1900);
                    add(measured, new Case(kind, 4, 6, Spread.SEPARATE_SPACES), 2700);
                }
                add(measured, new Case(kind, 2, 1, Spread.ONE_DIRECTORY), 800);
                add(measured, new Case(kind, 2, 2, Spread.ONE_DIRECTORY), 1200);
                add(measured, new Case(kind, 0, 1, Spread.ONE_DIRECTORY), 700);
                add(measured, new Case(kind, 0, 2, Spread.ONE_DIRECTORY), 900);
            }
        }
        return new PartitionReport(measured, absent, Map.of("cores", "2"), cap, PARTITIONS, CLIENTS, 2, 6);
    }

    private static void add(Map<Case, List<Rates>> measured, Case one, double rate) {
        double server = one.stores().hasServers() ? 50 : 0;
        measured.put(one, List.of(new Rates(rate, 2 * rate, 100, server), new Rates(9 * rate, rate, 100, server),
                new Rates(rate, 2 * rate, 200, server)));
    }

    @Test
    void theGoalsAreJudgedByTheMedians() {
        assertThat(report(Map.of(), 0.25).goals()).contains(
                new Goal("2 partitions, creations in one directory: at least 1.6 times one", "1.75 (1.75 to 1.75)",
                        true),
                new Goal("4 partitions, removals in one directory: at least 2.8 times one", "2.60 (2.60 to 2.60)",
                        false),
                new Goal("4 partitions, creations in a directory for each client: at least 2.8 times one",
                        "3.00 (3.00 to 3.00)", true));
        assertThat(report(Map.of(), 0.25).text("the command")).contains("    the command\n",
                // 3,900 operations in a second
                "| 4 | 50 | 1.00 | 20 % | 0.59 |", "| 2 | 4 | 1,700 (1.70) | 3,400 (1.70) | 100 | 50 |",
                "| none | 2 | 900 (1.29) | 1,800 (1.29) | 100 | -", "| 4.5 | 64 servers: more than 8,000 creations",
                "capped, 4 servers: 625 and 1250 for each server");
    }

    @Test
    void separateSpacesShowTheLimitOfTheMachine() {
        assertThat(report(Map.of(), 0.25).text("")).contains("| 2 | 1.90 | 1.90 | 50 | 0.92 | 0.92 |",
                "| 4 | 2.70 | 2.70 | 50 | 0.96 | 0.96 |");
    }

    @Test
    void goalsAreOfServersThatAreCappedToAQuarter() {
        assertThat(report(Map.of(), 0.5).goals()).isEmpty();
        assertThat(report(Map.of(), 0.5).text("")).doesNotContain("goals");
    }

    @Test
    void storesThatCouldNotBeMeasuredAreNamedWithTheReason() {
        PartitionReport report = report(Map.of(Stores.CAPPED, "only root can"), 0.25);
        assertThat(report.text("")).contains("| PostgreSQL, capped | not measured: only root can |")
                .doesNotContain("goals", "capped to");
        assertThat(report.goals()).isEmpty();
    }

    @Test
    void theFiguresArePicturesAndTables() throws Exception {
        report(Map.of(), 0.25).figures().write(directory);

        for (String name : List.of("yang-4.5", "yang-4.6")) {
            Path picture = directory.resolve(name + ".svg");
            assertThat(DocumentBuilderFactory.newDefaultInstance()
                    .newDocumentBuilder()
                    .parse(picture.toFile())
                    .getDocumentElement()
                    .getTextContent()).contains("Figure " + name.substring(5), "The paper says", "Here", "Assumptions");
            assertThat(picture).content().doesNotContain("NaN", "Infinity");
        }
        assertThat(lines("yang-4.5")).contains("capped,4,8,2500,5000,2.50,2.50,not printed").hasSize(10);
        assertThat(lines("yang-4.6"))
                .contains("capped/2,2,2,1200,2400,1.50,1.50,not printed",
                        "SQLite,none,2,900,1800,1.29,1.29,not printed")
                .hasSize(13);
    }

    private List<String> lines(String figure) throws IOException {
        return Files.readAllLines(directory.resolve(figure + ".csv"));
    }

    @Test
    void directoriesOfDifferentClientsAreEvenlySpread() {
        List<String> directories = PartitionRace.directories(new Case(Stores.SQLITE, 4, 8, Spread.DIRECTORIES));

        assertThat(directories).doesNotHaveDuplicates().hasSize(8);
        assertThat(directories.stream()
                .collect(Collectors.groupingBy(name -> Placement.of(new FileName("any", name), "directory", 4),
                        Collectors.counting())))
                .isEqualTo(Map.of(0, 2L, 1, 2L, 2, 2L, 3, 2L));
        assertThat(Set.copyOf(PartitionRace.directories(new Case(Stores.SQLITE, 4, 8, Spread.ONE_DIRECTORY))))
                .hasSize(1);
    }
}
