// SPDX-License-Identifier: Apache-2.0
/**
 * Where batches run: on this machine, as a job array of Slurm or PBS, or as ranks.
 * <p>
 * Comes in: a sealed plan on disk and how many workers to start. Goes out: scripts as text, the ids of submitted jobs,
 * and what the scheduler says of their state. Rendering a script is pure and apart from submitting it, asking for its
 * state and cancelling it. No path ever stands in a script: it carries an id, the paths stand in the plan.
 * <p>
 * May use core and strategies. Only {@code org.treehaul.schedulers.pool} may use the tuple space.
 */
@NullMarked
package org.treehaul.schedulers;

import org.jspecify.annotations.NullMarked;
