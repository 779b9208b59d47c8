// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.tasks;

/** The program of the tasks of a group. */
@FunctionalInterface
public interface GroupTask {

    /**
     * Runs one task, in a thread of its own. A kill interrupts the thread; a task that does not respond to that is
     * ended with its process, or continues to the end if it shares the process with the creator of the group.
     *
     * @param context the task, and the group as it sees it
     * @throws Exception if the task fails; its text reaches all members that ask for the task or wait for its messages
     */
    void run(TaskContext context) throws Exception;
}
