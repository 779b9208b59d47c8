// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.batch;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.treehaul.core.entry.ByteString;

class TaskSlotsTest {

    private static final ByteString A = ByteString.of("a");
    private static final ByteString B = ByteString.of("b");

    private final TaskSlots slots = new TaskSlots(2);

    @Test
    void aFurtherAttemptMayBeginWhenASlotIsFreeAndNoEntryIsLeftForIt() {
        assertThat(slots.isFree()).isTrue();
        TaskSlots.Attempt first = slots.open();
        assertThat(slots.isFree()).isFalse();
        first.taken();
        first.last();
        first.last();
        assertThat(slots.isFree()).isTrue();
        assertThat(first.begin(A, () -> true)).isTrue();
        assertThat(slots.busy()).containsExactly("a");
        TaskSlots.Attempt second = slots.open();
        assertThat(slots.isFree()).isFalse();
        second.taken();
        second.last();
        // The last entry of the second is taken, and will need the slot.
        assertThat(slots.isFree()).isFalse();
        assertThat(second.begin(B, () -> true)).isTrue();
        assertThat(second.busy()).containsExactly("b");
        assertThat(slots.busy()).containsExactlyInAnyOrder("a", "b");
        first.end(A);
        first.close();
        assertThat(slots.isFree()).isTrue();
        assertThat(slots.busy()).containsExactly("b");
    }

    @Test
    void anAttemptThatMayNotGoOnGetsNoSlotOfOthers() {
        TaskSlots.Attempt first = slots.open();
        for (ByteString label : new ByteString[]{A, B}) {
            first.taken();
            assertThat(first.begin(label, () -> true)).isTrue();
        }
        TaskSlots.Attempt second = slots.open();
        second.taken();
        assertThat(second.begin(A, () -> false)).isFalse();
    }

    @Test
    void aSlotThatBecomesFreeBecauseTasksAreEndedIsNotTaken() {
        TaskSlots.Attempt attempt = slots.open();
        attempt.taken();
        assertThat(attempt.begin(A, () -> false)).isFalse();
        assertThat(slots.busy()).isEmpty();
        attempt.last();
        assertThat(slots.isFree()).isTrue();
    }

    @Test
    void thereAreNeverMoreAttemptsThanSlots() {
        TaskSlots.Attempt first = slots.open();
        first.last();
        TaskSlots.Attempt second = slots.open();
        second.last();
        // Both have ended their tasks, and write their journals.
        assertThat(slots.isFree()).isFalse();
        first.close();
        assertThat(slots.isFree()).isTrue();
    }

    @Test
    void anAttemptThatIsClosedLeavesNothing() {
        TaskSlots.Attempt first = slots.open();
        first.taken();
        first.taken();
        first.close();
        assertThat(slots.isFree()).isTrue();
    }
}
