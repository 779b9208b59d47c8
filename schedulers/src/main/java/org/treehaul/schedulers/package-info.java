// SPDX-License-Identifier: Apache-2.0
/**
 * Where batches run: on this machine, as a job array of Slurm or PBS, or as ranks.
 * <p>
 * Comes in: the directory of a transfer and how many workers to start. Goes out: scripts as text, the ids of submitted
 * jobs, and what the scheduler says of their state ({@link org.treehaul.schedulers.Scheduler}). Rendering a script is
 * pure and apart from submitting it, asking for its state and cancelling it. No path ever stands in a script: it
 * carries ids, the paths stand in files beside it ({@link org.treehaul.schedulers.Launch}).
 * <p>
 * May use core and strategies. Only {@code org.treehaul.schedulers.pool} may use the tuple space.
 */
@NullMarked
package org.treehaul.schedulers;

import org.jspecify.annotations.NullMarked;
