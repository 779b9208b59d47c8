// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.tasks;

/**
 * A task of a group at one moment. Immutable.
 *
 * @param index its number in the group, from 0
 * @param segment the number of its segment
 * @param instance its number among the tasks of the segment, from 0
 * @param host the host for which its process was started; empty in the process of the creator
 * @param state its state
 * @param detail the reason of the state; empty if there is nothing to say
 */
public record TaskInfo(int index, int segment, int instance, String host, State state, String detail) {

    /** The state of a task. */
    public enum State {
        /** It runs, or is about to begin. */
        RUNNING("runs"),
        /** It has returned. */
        DONE("has returned"),
        /** It has thrown an exception. */
        FAILED("failed"),
        /** A member of the group killed it, or the group was freed. */
        KILLED("was killed"),
        /** Its process is gone, or does not respond. */
        LOST("is lost");

        private final String text;

        State(String text) {
            this.text = text;
        }

        /** Returns whether the task has ended. */
        public boolean hasEnded() {
            return this != RUNNING;
        }
    }

    /** Returns the task and its state as text, such as {@code task 3 on node2 was killed}. */
    @Override
    public String toString() {
        return "task " + index + (host.isEmpty() ? "" : " on " + host) + " " + state.text
                + (detail.isEmpty() ? "" : ": " + detail);
    }
}
