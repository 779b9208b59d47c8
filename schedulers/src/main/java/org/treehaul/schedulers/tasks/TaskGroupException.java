// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.tasks;

import java.util.OptionalInt;

/** Thrown if a group cannot be started, or a task that an operation needs has ended. The message names the task. */
public final class TaskGroupException extends Exception {
    private static final long serialVersionUID = 1;
    private static final int NONE = -1;

    private final int task;

    /** Creates an exception that concerns no single task. */
    public TaskGroupException(String message) {
        this(message, NONE);
    }

    /** Creates an exception that concerns no single task. */
    public TaskGroupException(String message, Throwable cause) {
        super(message, cause);
        this.task = NONE;
    }

    /**
     * Creates an exception that concerns a task.
     *
     * @param task the number of the task; negative for none
     */
    public TaskGroupException(String message, int task) {
        super(message);
        this.task = Math.max(task, NONE);
    }

    /** Returns the number of the task; empty if the exception concerns no single one. */
    public OptionalInt task() {
        return task == NONE ? OptionalInt.empty() : OptionalInt.of(task);
    }
}
