// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;

import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.core.event.Progress;
import org.treehaul.core.walk.summary.TotalCount;

class ProgressLineTest {

    private static Progress.Snapshot counts(long entries, long bytes) {
        return new Progress.Snapshot(entries, entries, 0, bytes, 0, 0, 0);
    }

    private static long seconds(long number) {
        return number * 1_000_000_000;
    }

    @Test
    void theEstimateCountsFilesAndBytes() {
        // A thousand files a second, then a hundred megabytes a second: each cost is known from then on.
        TimeEstimate estimate = new TimeEstimate();
        for (int i = 0; i < 20; i++) {
            estimate.add(1, 1000, 0);
            estimate.add(1, 0, 100_000_000);
        }
        assertThat(estimate.seconds(5000, 0)).isCloseTo(5, Percentage.withPercentage(10));
        assertThat(estimate.seconds(0, 1_000_000_000)).isCloseTo(10, Percentage.withPercentage(10));
        assertThat(estimate.seconds(5000, 1_000_000_000)).isCloseTo(15, Percentage.withPercentage(10));
    }

    @Test
    void theEstimateOfOneKindOfWorkIsItsRate() {
        TimeEstimate estimate = new TimeEstimate();
        for (int i = 0; i < 10; i++) {
            estimate.add(1, 1000, 1_000_000);
        }
        assertThat(estimate.seconds(10_000, 10_000_000)).isCloseTo(10, Percentage.withPercentage(5));
    }

    @Test
    void withoutWorkThereIsNoEstimate() {
        TimeEstimate estimate = new TimeEstimate();
        assertThat(estimate.seconds(1, 1)).isNegative();
        estimate.add(5, 0, 0);
        assertThat(estimate.seconds(1, 1)).isNegative();
    }

    @Test
    void theLineShowsCountsRatesAndTheTimeLeft() {
        ProgressLine line = new ProgressLine(counts(0, 0), 0);
        for (int i = 1; i <= 10; i++) {
            line.update(counts(i * 1000L, i * 1L << 20), seconds(i));
        }
        TotalCount.Total total = new TotalCount.Total(20_000, 20 << 20, 1, true);
        assertThat(line.plain(total))
                .isEqualTo("10,000 of 20,000 entries, 10.0 MiB of 20.0 MiB, 1.0 MiB/s, 1,000 entries/s, 10 s left");
        assertThat(line.bar(total, 120)).startsWith(" 50% [").contains("#.");
    }

    @Test
    void verifiedDataAreWorkTwice() {
        ProgressLine line = new ProgressLine(counts(0, 0), 0);
        for (int i = 1; i <= 10; i++) {
            line.update(counts(0, i * 1L << 20), seconds(i));
        }
        assertThat(line.plain(new TotalCount.Total(0, 20 << 20, 2, true)))
                .isEqualTo("0 of 0 entries, 10.0 MiB of 20.0 MiB, 1.0 MiB/s, 0 entries/s, 30 s left");
    }

    @Test
    void dataThatAreNoWorkAreNotCounted() {
        ProgressLine line = new ProgressLine(counts(0, 0), 0);
        line.update(counts(10, 0), seconds(1));
        assertThat(line.plain(new TotalCount.Total(20, 1L << 30, 0, true))).startsWith("10 of 20 entries, 0 B, ");
    }

    @Test
    void withoutATotalThereIsNeitherPercentNorTimeLeft() {
        ProgressLine line = new ProgressLine(counts(0, 0), 0);
        line.update(counts(10, 10), seconds(1));
        TotalCount.Total counting = new TotalCount.Total(5, 5, 1, false);
        assertThat(line.bar(counting, 120)).isEqualTo(line.bar(null, 120)).doesNotContain("%", "left");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 10, 40, 80, 90, 100, 200})
    void theBarFitsTheTerminal(int columns) {
        ProgressLine line = new ProgressLine(counts(0, 0), 0);
        line.update(counts(1_234_567, 1L << 40), seconds(1));
        assertThat(line.bar(new TotalCount.Total(9_999_999, 1L << 42, 1, true), columns).length()).isLessThan(columns);
    }

    @Test
    void theLineNamesTheStageWhileNoCounterMoves() {
        ProgressLine line = new ProgressLine(counts(0, 0), 0);
        line.update(counts(300, 300), seconds(2));
        line.during("dividing it into batches");
        assertThat(line.plain(null)).isEqualTo("300 entries, 300 B, dividing it into batches");
        line.during("");
        assertThat(line.plain(null)).contains("entries/s");
    }

    @Test
    void moreThanWasCountedIsNotYetAllOfIt() {
        ProgressLine line = new ProgressLine(counts(0, 0), 0);
        line.update(counts(300, 300), seconds(2));
        assertThat(line.bar(new TotalCount.Total(100, 100, 1, true), 120)).startsWith(" 99%");
    }

    @Test
    void aLineOfALogHasTheTimeOfDayAndThePercentage() {
        Instant now = LocalDateTime.of(2026, 11, 21, 18, 16, 27).atZone(ZoneId.systemDefault()).toInstant();
        ProgressLine line = new ProgressLine(counts(0, 0), 0);
        line.update(counts(100, 1 << 20), 1_000_000_000L);
        assertThat(line.log(new TotalCount.Total(300, 3 << 20, 1, true), now))
                .isEqualTo("18:16:27 33%, 100 of 300 entries, 1.0 MiB of 3.0 MiB, 1.0 MiB/s, 100 entries/s, 2 s left");
        assertThat(line.log(null, now)).isEqualTo("18:16:27 100 entries, 1.0 MiB, 1.0 MiB/s, 100 entries/s");
    }
}
