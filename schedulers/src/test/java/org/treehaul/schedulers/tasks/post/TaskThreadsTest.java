// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.tasks.post;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

import org.junit.jupiter.api.Test;
import org.treehaul.schedulers.tasks.Segment;
import org.treehaul.schedulers.tasks.SegmentedFile;
import org.treehaul.schedulers.tasks.TaskInfo;

class TaskThreadsTest {

    @Test
    void aTaskWhoseThreadCannotBeStartedFailsWithTheReason() throws Exception {
        List<Segment> segments = SegmentedFile.inParts(3, 3).segments();
        Hub hub = new Hub(segments.stream()
                .map(segment -> new TaskInfo(segment.index(), 0, segment.index(), "", TaskInfo.State.RUNNING, ""))
                .toList(), 1000, task -> {
                });
        AtomicBoolean isFirst = new AtomicBoolean(true);
        TaskThreads threads = new TaskThreads(false, thread -> {
            if (!isFirst.getAndSet(false)) {
                throw new OutOfMemoryError("unable to create native thread");
            }
            thread.start();
        });
        for (Segment segment : segments) {
            threads.add(new TaskMember(hub, "group", new TaskPlace(segment.index(), 0, segment), segments.size()),
                    task -> {
                    }, hub::end);
        }
        threads.start();
        assertThat(hub.await(Duration.ofMinutes(1))).isTrue();
        assertThat(threads.join(Duration.ofMinutes(1))).isEmpty();
        assertThat(hub.query()).extracting(TaskInfo::state)
                .containsExactly(TaskInfo.State.DONE, TaskInfo.State.FAILED, TaskInfo.State.FAILED);
        assertThat(hub.query().getLast().detail())
                .isEqualTo("java.lang.OutOfMemoryError: unable to create native thread");
    }
}
