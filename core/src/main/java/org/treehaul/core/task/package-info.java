// SPDX-License-Identifier: Apache-2.0
/**
 * Commands and Java classes that run for entries: for each one, for each segment of a large file, or for a list of
 * several.
 *
 * <p>
 * In: a {@link org.treehaul.core.task.CommandTask}, and the paths of entries. Out: the end of each process or call, and
 * its outputs in the files that {@link org.treehaul.core.task.TaskOutputs} opened.
 */
@Internal
@NullMarked
package org.treehaul.core.task;

import org.jspecify.annotations.NullMarked;
import org.treehaul.core.annotation.Internal;
