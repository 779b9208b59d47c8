// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.task;

/** A process or a thread that runs a task. */
interface RunningTask {

    /**
     * Asks it to end, from any thread. Does nothing if it has ended.
     *
     * @param signal the signal for a process; a thread is interrupted
     * @param byLimit whether its time is over
     */
    void signal(int signal, boolean byLimit);
}
