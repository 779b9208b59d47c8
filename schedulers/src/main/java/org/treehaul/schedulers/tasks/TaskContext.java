// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.tasks;

/** A task of a group. Any thread may call the methods. */
public interface TaskContext extends GroupMember {

    /** Returns the segment at which the task runs. */
    Segment segment();

    /** Returns the number of the task among those of its segment, from 0. */
    int instance();

    /** Returns whether the task was killed, so that it should return soon. */
    boolean isKilled();
}
