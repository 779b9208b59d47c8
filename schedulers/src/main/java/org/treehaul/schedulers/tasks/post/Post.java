// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.tasks.post;

import java.util.List;

import org.treehaul.schedulers.tasks.TaskGroupException;
import org.treehaul.schedulers.tasks.TaskInfo;

/** Carries the messages of a group. No call but {@link #query} waits. Any thread may call the methods. */
public interface Post {

    /** Sends a message. */
    Letter send(int from, int to, byte[] content, boolean isAcknowledged);

    /** Withdraws a message; completes it, at once or soon, unless the receiver has it. */
    void withdraw(Letter letter);

    /** Receives a message. */
    Receipt receive(int member, int source);

    /** Cancels a receipt; completes it, at once or soon, if it has no message. */
    void cancel(Receipt receipt);

    /** Records that the receiver has a message that is to be acknowledged. */
    void acknowledge(Letter letter);

    /**
     * Returns all tasks.
     *
     * @throws TaskGroupException if the creator of the group is gone
     */
    List<TaskInfo> query() throws TaskGroupException, InterruptedException;

    /** Kills a task. */
    void kill(int task);
}
