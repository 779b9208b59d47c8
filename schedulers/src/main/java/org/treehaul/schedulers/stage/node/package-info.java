// SPDX-License-Identifier: Apache-2.0
/**
 * Work at the data of a stage.
 *
 * <p>
 * In: an open stage. Out: the segments of a parallel file as places for the tasks of a group
 * ({@link org.treehaul.schedulers.stage.node.StageSegments}).
 */
@Api
@NullMarked
package org.treehaul.schedulers.stage.node;

import org.jspecify.annotations.NullMarked;
import org.treehaul.core.annotation.Api;
