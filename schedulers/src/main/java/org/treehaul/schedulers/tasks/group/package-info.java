// SPDX-License-Identifier: Apache-2.0
/**
 * Groups of tasks, one or more for each segment of a file.
 *
 * <p>
 * In: a {@link org.treehaul.schedulers.tasks.SegmentedFile}, a program and
 * {@link org.treehaul.schedulers.tasks.GroupOptions}. Out: a {@link org.treehaul.schedulers.tasks.group.TaskGroup},
 * whose tasks run in threads of this process or in processes on the hosts of the segments.
 */
@Api
@NullMarked
package org.treehaul.schedulers.tasks.group;

import org.jspecify.annotations.NullMarked;
import org.treehaul.core.annotation.Api;
