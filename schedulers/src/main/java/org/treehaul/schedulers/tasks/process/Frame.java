// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.tasks.process;

import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

import org.treehaul.schedulers.tasks.TaskInfo;
import org.treehaul.schedulers.tasks.post.TaskPlace;

/**
 * A message between the creator of a group and one of its processes. {@link FrameFormat} has their form. A request has
 * a number that its process chooses, and one answer with the same number.
 */
sealed interface Frame {

    /** The sender is alive. */
    record Beat() implements Frame {}

    /**
     * To a process: the group, of whose tasks some follow.
     *
     * @param tasks the number of tasks in the group
     * @param here the number of tasks in the process
     * @param silenceMillis after which time without a frame the other end is gone
     * @param graceMillis how long its threads have to end after a kill
     */
    record Start(String group, int tasks, int here, boolean hasVirtualThreads, long silenceMillis, long graceMillis,
            String program, SortedMap<String, String> parameters) implements Frame {
        public Start {
            parameters = Collections.unmodifiableSortedMap(new TreeMap<>(parameters));
        }
    }

    /** To a process: one of its tasks. */
    record Task(TaskPlace place) implements Frame {}

    /** To the creator: the tasks can begin; or the reason why they cannot. */
    record Ready(String refusal) implements Frame {}

    /** To a process: the tasks begin. */
    record Go() implements Frame {}

    /** Requests that a message is sent. */
    @SuppressWarnings("ArrayRecordComponent")
    record Send(long request, int from, int to, boolean isAcknowledged, byte[] content) implements Frame {}

    /** Requests a message. */
    record Receive(long request, int member, int source) implements Frame {}

    /** To the creator: gives a request up, whose answer is {@link Cancelled} unless another one is on its way. */
    record Cancel(long request) implements Frame {}

    /** To the creator: the message that answered a request has been received. */
    record Acknowledge(long request) implements Frame {}

    /** Requests the tasks. */
    record Query(long request) implements Frame {}

    /** Kills a task: asks the creator to do it, or the process that has it. */
    record Kill(int task) implements Frame {}

    /** To the creator: a task has returned, or thrown an exception. */
    record Ended(int task, boolean isFailed, String detail) implements Frame {}

    /** Answers {@link Send}. */
    record Sent(long request) implements Frame {}

    /** Answers {@link Receive}. */
    @SuppressWarnings("ArrayRecordComponent")
    record Received(long request, int from, boolean isAcknowledged, byte[] content) implements Frame {}

    /** Answers a request that was given up. */
    record Cancelled(long request) implements Frame {}

    /**
     * Answers a request that failed.
     *
     * @param task the task that the failure concerns; -1 for none
     */
    record Failed(long request, int task, String reason) implements Frame {}

    /** Answers {@link Query}. */
    record Tasks(long request, List<TaskInfo> tasks) implements Frame {
        public Tasks {
            tasks = List.copyOf(tasks);
        }
    }

    /** To a process: the group was freed. */
    record Free() implements Frame {}
}
