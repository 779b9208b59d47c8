// SPDX-License-Identifier: Apache-2.0
/**
 * Tasks at the segments of a file, as in Guardia and Sato, <i>Integrating Task and Data Allocation Using a Parallel
 * File System</i>, section IV.
 *
 * <p>
 * In: a {@link org.treehaul.schedulers.tasks.SegmentedFile}, and a {@link org.treehaul.schedulers.tasks.GroupTask} or
 * the name of a {@link org.treehaul.schedulers.tasks.TaskProvider}. Out: a group of tasks, which
 * {@link org.treehaul.schedulers.tasks.group.TaskGroup} starts, one or more for each segment, on the host that holds
 * it; each member of the group sees it as a {@link org.treehaul.schedulers.tasks.GroupMember}.
 */
@Api
@NullMarked
package org.treehaul.schedulers.tasks;

import org.jspecify.annotations.NullMarked;
import org.treehaul.core.annotation.Api;
