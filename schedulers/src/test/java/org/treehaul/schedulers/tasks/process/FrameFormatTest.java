// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.tasks.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;

import org.junit.jupiter.api.Test;
import org.treehaul.schedulers.tasks.Segment;
import org.treehaul.schedulers.tasks.StripeRange;
import org.treehaul.schedulers.tasks.TaskInfo;
import org.treehaul.schedulers.tasks.post.TaskPlace;

class FrameFormatTest {

    private static final int CASES = 20_000;

    private static final List<Frame> FRAMES = List.of(new Frame.Beat(),
            new Frame.Start("id", 3, 2, true, 30_000, 5_000, "program", new TreeMap<>(Map.of("a", "1", "b", "\u00e4"))),
            new Frame.Task(new TaskPlace(1, 2,
                    new Segment(3, Optional.of("node1"),
                            List.of(new StripeRange(0, 100, 10, 20), StripeRange.of(200, 5))))),
            new Frame.Task(new TaskPlace(0, 0, new Segment(0, Optional.empty(), List.of()))), new Frame.Ready("why"),
            new Frame.Go(), new Frame.Send(1, 2, -1, true, new byte[]{1, 2, 3}), new Frame.Receive(2, 3, -2),
            new Frame.Cancel(3), new Frame.Acknowledge(4), new Frame.Query(5), new Frame.Kill(6),
            new Frame.Ended(7, true, "detail"), new Frame.Sent(8), new Frame.Received(9, 1, false, new byte[0]),
            new Frame.Cancelled(10), new Frame.Failed(11, -1, "reason"),
            new Frame.Tasks(12, List.of(new TaskInfo(0, 1, 2, "host", TaskInfo.State.LOST, "detail"))),
            new Frame.Free());

    @Test
    void framesAreReadAsTheyWereWritten() throws Exception {
        for (Frame frame : FRAMES) {
            byte[] bytes = FrameFormat.bytes(frame);
            Frame read = FrameFormat.read(bytes);
            assertThat(read).usingRecursiveComparison().isEqualTo(frame);
            assertThat(FrameFormat.bytes(read)).isEqualTo(bytes);
        }
        assertThat(FRAMES.stream().map(Object::getClass).distinct())
                .containsExactlyInAnyOrder(Frame.class.getPermittedSubclasses());
    }

    @Test
    void cutOrExtendedFramesAreRefused() {
        for (Frame frame : FRAMES) {
            byte[] bytes = FrameFormat.bytes(frame);
            for (int length = 0; length < bytes.length; length++) {
                byte[] cut = Arrays.copyOf(bytes, length);
                assertThatThrownBy(() -> FrameFormat.read(cut)).isInstanceOf(IOException.class)
                        .hasMessageContaining("a malformed frame of " + length + " bytes");
            }
            assertThatThrownBy(() -> FrameFormat.read(Arrays.copyOf(bytes, bytes.length + 1)))
                    .isInstanceOf(IOException.class);
        }
    }

    @Test
    void damagedFramesAreReadOrRefusedButNothingElse() {
        Random random = new Random(4);
        int refused = 0;
        for (int i = 0; i < CASES; i++) {
            byte[] bytes = FrameFormat.bytes(FRAMES.get(random.nextInt(FRAMES.size())));
            for (int changes = 1 + random.nextInt(4); changes > 0; changes--) {
                bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
            }
            try {
                FrameFormat.read(bytes);
            } catch (IOException e) {
                refused++;
            }
        }
        assertThat(refused).isBetween(CASES / 10, CASES);
    }
}
