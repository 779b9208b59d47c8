// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.batch;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

import org.junit.jupiter.api.Test;
import org.treehaul.core.transfer.journal.SlowFile;

class SlowestFilesTest {

    private static final long LEAST = SlowFile.SHORTEST.toMillis();

    private final SlowestFiles files = new SlowestFiles();

    private void add(long millis) {
        files.add(() -> "/" + millis, millis, Duration.ofMillis(millis).toNanos());
    }

    @Test
    void onlyTheSlowestAreKept() {
        List<Long> times = new ArrayList<>();
        for (long millis = LEAST; millis < LEAST + 1000; millis++) {
            times.add(millis);
        }
        Collections.shuffle(times, new Random(1));
        times.forEach(this::add);
        assertThat(files.list()).hasSize(SlowFile.MOST).extracting(SlowFile::bytes).first().isEqualTo(LEAST + 999);
        assertThat(files.list()).last().extracting(SlowFile::bytes).isEqualTo(LEAST + 1000 - SlowFile.MOST);
    }

    @Test
    void fastFilesAreNotKept() {
        add(LEAST - 1);
        assertThat(files.list()).isEmpty();
        add(LEAST);
        assertThat(files.list()).containsExactly(new SlowFile("/" + LEAST, LEAST, SlowFile.SHORTEST));
    }

    @Test
    void aLongPathIsCut() {
        files.add(() -> "/" + "x".repeat(5000), 1, Duration.ofSeconds(1).toNanos());
        assertThat(files.list().getFirst().path()).endsWith("x...").hasSizeLessThan(1100);
    }
}
