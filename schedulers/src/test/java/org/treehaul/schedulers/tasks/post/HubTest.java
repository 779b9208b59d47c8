// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.tasks.post;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;

import org.junit.jupiter.api.Test;
import org.treehaul.schedulers.tasks.GroupMember;
import org.treehaul.schedulers.tasks.TaskInfo;

/** The mailboxes of a group. */
class HubTest {

    private final Hub hub = new Hub(List.of(new TaskInfo(0, 0, 0, "", TaskInfo.State.RUNNING, "")), 1, task -> {
    });

    private Letter send(boolean isAcknowledged) {
        return hub.send(GroupMember.CREATOR, 0, new byte[]{1}, isAcknowledged);
    }

    @Test
    void aMessageThatHasBeenSentIsNotWithdrawn() {
        Letter sent = send(false);
        assertThat(sent.sent()).isCompletedWithValue(true);
        // As by a sender that is interrupted at this moment, and learns that it was sent.
        hub.withdraw(sent);
        assertThat(hub.receive(0, GroupMember.CREATOR).letter()).isCompletedWithValue(Optional.of(sent));
    }

    @Test
    void aMessageThatWaitsForRoomOrItsReceiverIsWithdrawn() {
        Letter first = send(true);
        Letter waiting = send(false);
        for (Letter letter : List.of(waiting, first)) {
            assertThat(letter.sent()).isNotDone();
            hub.withdraw(letter);
            assertThat(letter.sent()).isCompletedWithValue(false);
        }
        assertThat(hub.receive(0, GroupMember.ANY).letter()).isNotDone();
    }
}
