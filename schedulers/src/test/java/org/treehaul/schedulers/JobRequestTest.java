// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.schedulers.common.JobArray;
import org.treehaul.schedulers.common.JobBody;

class JobRequestTest {
    private static final JobRequest WORKER = JobRequest.of("20261121-120000-abcd", 1, JobPhase.WORKER, Path.of("/t"));

    @ParameterizedTest(name = "{index}")
    @ValueSource(strings = {"-q fat\n#PBS -l x", "a\rb", "a\0b"})
    void anOptionForTheQueueIsOneLine(String line) {
        assertThatIllegalArgumentException().isThrownBy(() -> WORKER.options(List.of(line)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"20261121-120000-abcd; rm -rf /", "$(x)", "", "20261121-120000-ABCD", "../x"})
    void onlyAnIdNamesATransfer(String id) {
        assertThatIllegalArgumentException().isThrownBy(() -> JobRequest.of(id, 1, JobPhase.WORKER, Path.of("/t")));
    }

    @ParameterizedTest(name = "{index}")
    @ValueSource(strings = {"12\n13", "1 2", "", "$(x)", "`x`"})
    void onlyAnIdNamesAJob(String id) {
        assertThatIllegalArgumentException().isThrownBy(() -> WORKER.after(List.of(id)));
    }

    @Test
    void onlyWorkersAreMany() {
        JobRequest finish = JobRequest.of("20261121-120000-abcd", 1, JobPhase.FINISH, Path.of("/t"));
        assertThatIllegalArgumentException().isThrownBy(() -> finish.jobs(2));
        assertThatIllegalArgumentException().isThrownBy(() -> WORKER.jobs(0));
        assertThatIllegalArgumentException().isThrownBy(() -> WORKER.walltime(Duration.ZERO));
    }

    @Test
    void theNameOfAJobFitsTorque() {
        assertThat(WORKER.jobName()).isEqualTo("th-abcd-worker").hasSizeLessThanOrEqualTo(15);
    }

    @Property
    void arraysHoldEachWorkerOnceAndKeepTheLimitOfTheSite(@ForAll @IntRange(min = 1, max = 5000) int jobs,
            @ForAll @IntRange(min = 0, max = 1200) int limit, @ForAll @IntRange(max = 6000) int most,
            @ForAll @IntRange(max = 100) int first) {
        List<JobArray> arrays = JobArray.cut(WORKER.jobs(jobs).maxRunning(most).firstIndex(first), limit);
        assertThat(arrays.stream()
                .flatMapToInt(array -> IntStream.range(array.firstIndex(), array.firstIndex() + array.jobs()))
                .toArray()).isEqualTo(IntStream.range(first, first + jobs).toArray());
        assertThat(arrays).allSatisfy(array -> {
            assertThat(array.jobs()).isBetween(1, Math.max(1, limit));
            assertThat(array.isArray()).isEqualTo(array.jobs() > 1);
            assertThat(array.maxRunning()).isLessThan(array.jobs());
        });
    }

    @Property
    void theNoticeIsShorterThanTheTime(@ForAll @IntRange(min = 2, max = 1_000_000) int seconds) {
        assertThat(JobBody.notice(Duration.ofSeconds(seconds))).isBetween(Duration.ofSeconds(1),
                Duration.ofSeconds(Math.min(120, seconds - 1)));
    }

    @Test
    void timesHaveTheDigitsThatSchedulersRead() {
        Locale before = Locale.getDefault();
        try {
            Locale.setDefault(Locale.forLanguageTag("ar-EG-u-nu-arab"));
            assertThat(JobBody.clock(Duration.ofSeconds(100 * 3600 + 62))).isEqualTo("100:01:02");
        } finally {
            Locale.setDefault(before);
        }
    }
}
