// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.tasks;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * A group as one of its members sees it: its creator, or one of its tasks. Any thread may call the methods.
 *
 * <p>
 * Messages of one sender arrive in the order in which they were sent. A mailbox is bounded: a sender waits until there
 * is room for its message. A task that has ended receives nothing more; messages that it sent before can be received,
 * and then each call that waits for it fails at once.
 */
public interface GroupMember {

    /** The number of the creator, as source and destination of messages. */
    int CREATOR = -1;

    /** All other members, as the source of messages. */
    int ANY = -2;

    /** Bytes of the longest message. */
    int LONGEST_MESSAGE = 1 << 20;

    /** Returns the id of the group, which differs from those of all others. */
    String group();

    /**
     * Returns the number of this member in the group: {@link #CREATOR}, or that of a task, from 0. With one task for
     * each segment it is the number of the segment.
     */
    int index();

    /**
     * Returns all tasks with their states, in the order of their numbers.
     *
     * @throws TaskGroupException if the creator of the group is gone
     */
    List<TaskInfo> query() throws TaskGroupException, InterruptedException;

    /**
     * Sends a message. Returns when it is in the mailbox of the destination, or was received.
     *
     * @param destination the number of a task, or {@link #CREATOR}
     * @param content at most {@link #LONGEST_MESSAGE} bytes, which must not be changed afterwards
     * @throws IllegalArgumentException if there is no such member, or the message is too long
     * @throws TaskGroupException if the destination or this task has ended, or the group was freed; the message is
     *         discarded
     * @throws InterruptedException if the thread was interrupted; the message is discarded
     */
    void send(int destination, byte[] content) throws TaskGroupException, InterruptedException;

    /**
     * Sends a message, and waits until it was received.
     *
     * @param timeout how long to wait, more than 0
     * @return false if it was not received in time; it then never will be
     * @throws IllegalArgumentException as for {@link #send(int, byte[])}
     * @throws TaskGroupException if the destination ended before it received the message, this task has ended, or the
     *         group was freed
     * @throws InterruptedException if the thread was interrupted; the message is discarded
     */
    boolean send(int destination, byte[] content, Duration timeout) throws TaskGroupException, InterruptedException;

    /**
     * Receives a message, and waits for it as long as one may come.
     *
     * @param source the number of a task, {@link #CREATOR} or {@link #ANY}
     * @throws IllegalArgumentException if there is no such member
     * @throws TaskGroupException if there is no message and the source, or each other member, has ended, or if this
     *         task has ended or the group was freed
     * @throws InterruptedException if the thread was interrupted; no message is lost
     */
    Message receive(int source) throws TaskGroupException, InterruptedException;

    /**
     * Receives a message like {@link #receive(int)}.
     *
     * @param timeout how long to wait; zero for not at all
     * @return empty if no message came in time
     */
    Optional<Message> receive(int source, Duration timeout) throws TaskGroupException, InterruptedException;

    /**
     * Kills a task. From now on it sends and receives nothing, and calls that wait for it fail. Does nothing if the
     * task has ended.
     *
     * @throws IllegalArgumentException if there is no such task
     */
    void kill(int task);

    /** Kills all tasks, this one included. */
    void killAll();
}
