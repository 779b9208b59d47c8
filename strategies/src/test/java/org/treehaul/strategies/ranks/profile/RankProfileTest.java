// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies.ranks.profile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.StringReader;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.fs.Call;
import org.treehaul.core.fs.FaultInjectingCalls;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.picture.Svg;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.core.testing.TreeWriter;
import org.treehaul.core.walk.Step;
import org.treehaul.core.walk.options.Root;
import org.treehaul.core.walk.options.WalkOptions;
import org.treehaul.strategies.ranks.Distribution;
import org.treehaul.strategies.ranks.RankReport;
import org.treehaul.strategies.ranks.RankTimes;
import org.treehaul.strategies.ranks.RankWalk;
import org.treehaul.strategies.ranks.communicator.Traffic;
import org.treehaul.strategies.ranks.simulation.Prediction;
import org.treehaul.strategies.ranks.simulation.Simulation;
import org.treehaul.strategies.ranks.simulation.TreeShape;
import org.w3c.dom.Element;
import org.xml.sax.InputSource;
import org.xml.sax.SAXException;

class RankProfileTest {

    static List<Distribution> distributions() {
        return Distribution.all();
    }

    @ParameterizedTest
    @MethodSource("distributions")
    void theTablesSumUpToTheWorkOfAWalk(Distribution distribution) {
        List<RankReport> reports = Collections.synchronizedList(new ArrayList<>());
        FaultInjectingCalls calls = FaultInjectingCalls.over(Linux.calls());
        try (TestDirectory directory = TestDirectory.make()) {
            try (TreeWriter writer = TreeWriter.in(Linux.calls(), directory.path())) {
                for (int i = 0; i < 300; i++) {
                    writer.file(ByteString.of("a" + i % 7 + "/b" + i % 31 + "/f" + i), 1, 1);
                }
            }
            RankWalk.of(calls, WalkOptions.defaults().withThreads(1).withTimes(true), distribution, 4)
                    .withReports(reports::add)
                    .walk(List.of(Root.of(ByteString.of(directory.path().toString()))), () -> entry -> Step.CONTINUE,
                            new Cancellation());
        }
        RankProfile profile = new RankProfile(reports);
        Map<String, String> files = profile.files();
        List<Map<String, Long>> ranks = table(text(files, "ranks.csv"));
        assertThat(ranks).hasSize(4);
        // The root, seven directories, 7 times 31 in them, and the files.
        assertThat(sum(ranks, "entries")).isEqualTo(1 + 7 + 217 + 300);
        List<Map<String, Long>> pairs = table(text(files, "pairs.csv"));
        assertThat(pairs).allSatisfy(pair -> assertThat(number(pair, "from")).isNotEqualTo(number(pair, "to")));
        assertThat(pairs).allSatisfy(pair -> {
            Traffic traffic = profile.ranks().get((int) number(pair, "from")).traffic();
            assertThat(number(pair, "messages")).isEqualTo(traffic.messages().get((int) number(pair, "to")));
            assertThat(number(pair, "bytes")).isEqualTo(traffic.bytes().get((int) number(pair, "to")));
        });
        long messages = reports.stream().mapToLong(report -> report.traffic().totalMessages()).sum();
        long bytes = reports.stream().mapToLong(report -> report.traffic().totalBytes()).sum();
        assertThat(List.of(sum(pairs, "messages"), sum(ranks, "messages_sent"), sum(ranks, "messages_received")))
                .containsOnly(messages);
        assertThat(List.of(sum(pairs, "bytes"), sum(ranks, "bytes_sent"), sum(ranks, "bytes_received")))
                .containsOnly(bytes);
        assertThat(sum(callsNamed(files, "statx"), "count")).isEqualTo(calls.count(Call.STATX));
        assertThat(sum(callsNamed(files, "statx"), "ns")).isEqualTo(sum(ranks, "stat_ns"));
        assertThat(sum(callsNamed(files, "getdents64"), "count")).isEqualTo(calls.count(Call.GETDENTS64));
        assertThat(ranks).allSatisfy(rank -> assertThat(
                LongStream
                        .of(number(rank, "callback_ns"), number(rank, "stat_ns"), number(rank, "readdir_ns"),
                                number(rank, "data_ns"), number(rank, "other_calls_ns"), number(rank, "walk_ns"),
                                number(rank, "waiting_ns"))
                        .sum())
                .isEqualTo(number(rank, "threads_ns")));
        assertThat(files.keySet().stream().filter(name -> name.endsWith(".svg"))).hasSize(5);
        files.forEach(RankProfileTest::isPicture);
    }

    private static List<Map<String, Long>> callsNamed(Map<String, String> files, String name) {
        String some = text(files, "calls.csv").lines()
                .skip(1)
                .filter(line -> line.contains("," + name + ","))
                .map(line -> line.replace(name, "0") + "\n")
                .reduce("rank,call,count,ns\n", String::concat);
        return table(some);
    }

    private static List<Map<String, Long>> table(String text) {
        List<String> lines = text.lines().toList();
        List<String> names = List.of(lines.getFirst().split(",", -1));
        return lines.stream().skip(1).map(line -> line.split(",", -1)).map(cells -> {
            assertThat(cells).hasSameSizeAs(names);
            return IntStream.range(0, cells.length)
                    .filter(i -> !cells[i].isEmpty())
                    .boxed()
                    .collect(Collectors.toMap(names::get, i -> Long.valueOf(cells[i])));
        }).toList();
    }

    private static String text(Map<String, String> files, String name) {
        return Objects.requireNonNull(files.get(name), name);
    }

    private static long number(Map<String, Long> row, String column) {
        return Objects.requireNonNull(row.get(column), column);
    }

    private static long sum(List<Map<String, Long>> table, String column) {
        return table.stream().mapToLong(row -> number(row, column)).sum();
    }

    private static void isPicture(String name, String text) {
        if (!name.endsWith(".svg")) {
            return;
        }
        try {
            Element root = DocumentBuilderFactory.newDefaultInstance()
                    .newDocumentBuilder()
                    .parse(new InputSource(new StringReader(text)))
                    .getDocumentElement();
            assertThat(root.getTagName()).isEqualTo("svg");
            assertThat(root.getElementsByTagName("rect").getLength()).as(name).isGreaterThan(1);
            assertThat(text).doesNotContain("NaN").doesNotContain("Infinity");
        } catch (ParserConfigurationException | SAXException | IOException e) {
            throw new AssertionError(name + " is not XML", e);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 300})
    void anyNumberOfRanksIsDrawnAlsoWhereNothingWasDone(int ranks) {
        List<RankReport> reports = IntStream.range(0, ranks).mapToObj(rank -> report(rank, ranks)).toList();
        Map<String, String> files = new RankProfile(reports).files();
        assertThat(files).containsOnlyKeys("ranks.csv", "pairs.csv", "messages.svg", "bytes.svg", "shares.svg",
                "histogram.svg");
        files.forEach(RankProfileTest::isPicture);
        assertThat(table(text(files, "ranks.csv"))).hasSize(ranks)
                .allSatisfy(row -> assertThat(row).doesNotContainKey("stat_ns"));
    }

    private static RankReport report(int rank, int ranks) {
        return new RankReport(rank, 0, new Traffic(Collections.nCopies(ranks, 0L), Collections.nCopies(ranks, 0L)), 0,
                Duration.ZERO, Duration.ZERO, Optional.empty());
    }

    @Test
    void reportsThatAreMissingOrThereTwiceAreRefused() {
        assertThatThrownBy(() -> new RankProfile(List.of(report(0, 2)))).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new RankProfile(List.of(report(1, 2), report(1, 2))))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aReportIsReadAsItWasWritten() {
        RankReport bare = new RankReport(1, 7, new Traffic(List.of(1L, 0L), List.of(Long.MAX_VALUE, 0L)), 5,
                Duration.ofNanos(3), Duration.ofNanos(2), Optional.empty());
        assertThat(RankReport.of(bare.toBytes())).isEqualTo(bare);
        RankReport timed = new RankReport(1, 7, bare.traffic(), 5, bare.elapsed(), bare.communication(),
                Optional.of(new RankTimes(2, 100, 10, 20, Map.of(Call.STATX, new RankTimes.CallTime(3, 30)))));
        assertThat(RankReport.of(timed.toBytes())).isEqualTo(timed);
    }

    @Test
    void aSimulationIsDrawnAsAWalkIs() {
        Simulation.Parameters parameters = Simulation.Parameters.of(20_000, 12);
        Prediction prediction = Simulation.run(Distribution.randomSplit(), TreeShape.generated(), parameters);
        Map<String, String> files = new RankProfile(prediction.reports(parameters)).files();
        files.forEach(RankProfileTest::isPicture);
        List<Map<String, Long>> ranks = table(text(files, "ranks.csv"));
        assertThat(sum(ranks, "entries")).isEqualTo(20_000);
        assertThat(sum(ranks, "messages_sent")).isEqualTo(prediction.messages());
        assertThat(sum(ranks, "bytes_received")).isEqualTo(prediction.bytes());
        assertThat(ranks).extracting(rank -> number(rank, "host"))
                .containsExactly(0L, 0L, 1L, 1L, 2L, 2L, 3L, 3L, 4L, 4L, 5L, 5L);
    }

    @Test
    void numbersAreBrief() {
        double[] numbers = {0, 0.00123456, 1, 99.96, 999.7, 1234, 65_500_000};
        assertThat(Arrays.stream(numbers).mapToObj(Svg::brief)).containsExactly("0", "0.00123", "1", "100", "1k",
                "1.23k", "65.5M");
    }
}
