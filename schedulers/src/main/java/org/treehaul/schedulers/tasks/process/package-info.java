// SPDX-License-Identifier: Apache-2.0
/**
 * Tasks in other processes.
 *
 * <p>
 * In: the tasks of each process, and the hub of the group. Out: processes that find the creator of the group by a
 * private file, prove that they know its secret, and carry messages, requests and the ends of tasks over one connection
 * each. {@link org.treehaul.schedulers.tasks.process.TaskProcesses} is the end of the creator,
 * {@link org.treehaul.schedulers.tasks.process.TaskProcess} the program of the others.
 */
@Internal
@NullMarked
package org.treehaul.schedulers.tasks.process;

import org.jspecify.annotations.NullMarked;
import org.treehaul.core.annotation.Internal;
