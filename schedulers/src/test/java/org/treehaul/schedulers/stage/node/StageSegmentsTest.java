// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.state.Host;
import org.treehaul.schedulers.stage.ParallelFile;
import org.treehaul.schedulers.stage.Stage;
import org.treehaul.schedulers.stage.StageFixture;
import org.treehaul.schedulers.stage.StripeLayout;
import org.treehaul.schedulers.tasks.GroupOptions;
import org.treehaul.schedulers.tasks.Segment;
import org.treehaul.schedulers.tasks.SegmentedFile;
import org.treehaul.schedulers.tasks.TaskInfo;
import org.treehaul.schedulers.tasks.group.TaskGroup;

/** Tasks at the segments of a parallel file. */
class StageSegmentsTest {

    private static final ByteString PATH = ByteString.of("file");

    private static byte[] make(Stage stage, int servers, int segments, int size) throws Exception {
        byte[] bytes = StageFixture.content(size, size);
        StageFixture.make(stage, PATH, new StripeLayout(StageFixture.servers(servers), segments, 1000), bytes);
        return bytes;
    }

    @Test
    void theRangesOfASegmentAreTheBytesThatItsViewHas() throws Exception {
        for (int size : new int[]{0, 1, 999, 1000, 4321, 9000}) {
            try (StageFixture fixture = new StageFixture(3)) {
                Stage stage = fixture.open();
                byte[] bytes = make(stage, 3, 5, size);
                try (ParallelFile file = stage.open(PATH, false)) {
                    SegmentedFile segments = StageSegments.of(stage, file);
                    assertThat(segments.segments()).hasSize(5)
                            .allMatch(segment -> segment.host().orElseThrow().equals(Host.nameOr("")));
                    for (Segment segment : segments.segments()) {
                        ByteBuffer view = ByteBuffer.allocate(size + 1);
                        file.segment(segment.index()).read(view, 0);
                        assertThat((long) view.position()).isEqualTo(segment.length());
                        for (int i = 0; i < view.position(); i++) {
                            assertThat(view.get(i)).isEqualTo(bytes[(int) segment.fileOffset(i)]);
                        }
                    }
                }
            }
        }
    }

    @Test
    void eachTaskChangesItsSegmentOfTheFile() throws Exception {
        try (StageFixture fixture = new StageFixture(2)) {
            Stage stage = fixture.open();
            make(stage, 2, 4, 9_500);
            try (ParallelFile file = stage.open(PATH, false); TaskGroup group = TaskGroup.spawn(task -> {
                try (ParallelFile own = fixture.open().open(PATH, true)) {
                    long length = task.segment().length();
                    byte[] mark = new byte[(int) length];
                    Arrays.fill(mark, (byte) task.index());
                    StageSegments.view(own, task).write(ByteBuffer.wrap(mark), 0);
                }
            }, StageSegments.of(stage, file), GroupOptions.defaults())) {
                assertThat(group.await(Duration.ofHours(1))).isTrue();
                assertThat(group.query()).extracting(TaskInfo::state).containsOnly(TaskInfo.State.DONE);
            }
            ByteBuffer changed = ByteBuffer.allocate(9_500);
            try (ParallelFile file = stage.open(PATH, false)) {
                assertThat(file.size()).isEqualTo(9_500);
                file.read(changed, 0);
            }
            assertThat(IntStream.range(0, 9_500).map(changed::get).toArray())
                    .isEqualTo(IntStream.range(0, 9_500).map(i -> i / 1000 % 4).toArray());
        }
    }
}
