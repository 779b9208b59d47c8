// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.copy;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.OptionalLong;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.treehaul.core.event.Progress;

class CopySummaryTest {

    private static final long SECOND = 1_000_000_000;
    private static final CopySummary.Rest DONE = new CopySummary.Rest.None();

    private static Progress.Snapshot counts(long bytes, long verified, long skipped, long failures) {
        return new Progress.Snapshot(10, 7, 2, bytes, verified, skipped, failures);
    }

    @Test
    void theLineHasEntriesBytesTimeAndRate() {
        assertThat(new CopySummary(counts(4 << 20, 0, 0, 0), 2 * SECOND, false, "", DONE).line())
                .isEqualTo("copied 10 entries, 4.0 MiB in 2.0 s, 2.0 MiB/s");
    }

    @Test
    void verifiedDataCountInTheRateAndSkippedAndFailedEntriesAreNamed() {
        assertThat(new CopySummary(counts(4 << 20, 4 << 20, 3, 2), 2 * SECOND, false, "xxh3", DONE).line()).isEqualTo(
                "copied 10 entries, 4.0 MiB, left 3 alone, verified 4.0 MiB by xxh3 in 2.0 s, 4.0 MiB/s; 2 failed");
    }

    @ParameterizedTest
    @CsvSource({"100,85 not tried", "15,the rest was not tried", "-1,the rest was not tried"})
    void aCopyThatGaveUpSaysWhatItHasNotTried(long total, String untried) {
        OptionalLong entries = total < 0 ? OptionalLong.empty() : OptionalLong.of(total);
        assertThat(
                new CopySummary(counts(100, 0, 3, 2), SECOND / 100, false, "", new CopySummary.Rest.Of(entries)).line())
                .isEqualTo("copied 10 entries, 100 B, left 3 alone in 0.0 s; 2 failed; " + untried);
    }

    @Test
    void aShortCopyAndADryRunHaveNoRate() {
        assertThat(new CopySummary(counts(100, 0, 0, 0), SECOND / 100, false, "", DONE).line())
                .isEqualTo("copied 10 entries, 100 B in 0.0 s");
        assertThat(new CopySummary(counts(4 << 20, 0, 0, 0), SECOND, true, "sha256", DONE).line())
                .isEqualTo("would copy 10 entries, 4.0 MiB in 1.0 s");
    }

    @Test
    void theStatisticsCountEachKindOfEntry() {
        assertThat(new CopySummary(counts(4 << 20, 4 << 20, 3, 2), 2 * SECOND, false, "xxh3", DONE).statistics())
                .containsExactly("regular files:  7", "directories:    2", "other entries:  1", "left alone:     3",
                        "failed:         2", "data copied:    4,194,304 bytes",
                        "data verified:  4,194,304 bytes by xxh3", "time:           2.0 s",
                        "rate:           2.0 MiB/s copied, 5 entries/s");
    }
}
