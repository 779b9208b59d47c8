// SPDX-License-Identifier: Apache-2.0
/**
 * Work at the data of a stage.
 *
 * <p>
 * In: an open stage. Out: the segments of a parallel file as places for the tasks of a group
 * ({@link org.treehaul.schedulers.stage.node.StageSegments}), and the files whose data are on one node, each under a
 * path that any program can open ({@link org.treehaul.schedulers.stage.node.NodeFiles}).
 */
@Api
@NullMarked
package org.treehaul.schedulers.stage.node;

import org.jspecify.annotations.NullMarked;
import org.treehaul.core.annotation.Api;
