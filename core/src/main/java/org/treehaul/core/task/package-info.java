// SPDX-License-Identifier: Apache-2.0
/**
 * Commands that run for entries: one process for each entry, or for a list of several.
 *
 * <p>
 * In: a {@link org.treehaul.core.task.CommandTask}, and the paths of entries. Out: the end of each process, and its
 * outputs in the files that {@link org.treehaul.core.task.TaskOutputs} opened.
 */
@Internal
@NullMarked
package org.treehaul.core.task;

import org.jspecify.annotations.NullMarked;
import org.treehaul.core.annotation.Internal;
