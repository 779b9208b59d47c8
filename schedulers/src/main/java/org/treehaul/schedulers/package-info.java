// SPDX-License-Identifier: Apache-2.0
/**
 * Runs batches as jobs: on this machine, as a job array of Slurm or PBS, or as ranks.
 * <p>
 * Input: the directory of a transfer and the number of workers to start. Output: scripts as text, the ids of submitted
 * jobs, and their state as the scheduler reports it ({@link org.treehaul.schedulers.Scheduler}). Rendering a script is
 * pure and separate from submitting it, querying its state and cancelling it. A script never contains a path: it
 * carries ids, and files beside it hold the paths ({@link org.treehaul.schedulers.Launch}).
 * <p>
 * Another jar can add a scheduler ({@link org.treehaul.schedulers.SchedulerProvider}). May use core and strategies.
 */
@Api
@NullMarked
package org.treehaul.schedulers;

import org.jspecify.annotations.NullMarked;
import org.treehaul.core.annotation.Api;
