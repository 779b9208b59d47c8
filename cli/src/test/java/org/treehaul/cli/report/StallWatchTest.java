// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.treehaul.core.event.Progress;

class StallWatchTest {

    private static final Instant START = Instant.ofEpochSecond(1_000_000);

    private final Progress progress = new Progress();
    private final StallWatch watch = new StallWatch(progress);

    private void lookAt(long seconds) {
        watch.look(START.plusSeconds(seconds));
    }

    @Test
    void eachPathOnWhichAThreadHangsIsNamedWithItsTime() {
        progress.setBusy(() -> List.of("/dead/a"));
        lookAt(0);
        lookAt(7);
        assertThat(watch.stalled()).isEmpty();
        progress.setBusy(() -> List.of("/dead/a", "/dead/b"));
        lookAt(10);
        lookAt(70);
        assertThat(watch.stalled())
                .isEqualTo("nothing has moved for 1 min 10 s; in progress: /dead/a for 1 min 10 s, /dead/b for 1 min");
        assertThat(watch.oldest()).isEmpty();
    }

    @Test
    void aPathThatHangsWhileOthersMoveIsNamedAfterAMinute() {
        progress.setBusy(() -> List.of("/dead/a", "/b"));
        for (int second = 0; second < 60; second++) {
            lookAt(second);
            progress.entryDone();
        }
        assertThat(watch.oldest()).isEmpty();
        lookAt(61);
        assertThat(watch.stalled()).isEmpty();
        assertThat(watch.oldest()).isEqualTo("; in progress for 1 min 1 s: /b");
    }

    @Test
    void noPathIsNamedOnceAnEntryIsDoneOrThreadsAreIdle() {
        progress.setBusy(() -> List.of("/slow"));
        lookAt(0);
        lookAt(20);
        assertThat(watch.stalled()).isNotEmpty();
        progress.entryDone();
        lookAt(21);
        assertThat(watch.stalled()).isEmpty();
        progress.setBusy(List::of);
        lookAt(99);
        assertThat(watch.stalled() + watch.oldest()).isEmpty();
    }
}
