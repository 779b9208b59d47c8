// SPDX-License-Identifier: Apache-2.0
/**
 * Schedulers: the interface that each implements, the requests for jobs and their states, and the jobs of a transfer.
 * <p>
 * Input: the directory of a transfer and the number of workers to start. Output: scripts as text, the ids of submitted
 * jobs, and their state as the scheduler reports it ({@link org.treehaul.schedulers.Scheduler}). Rendering a script is
 * pure and separate from submitting it, querying its state and cancelling it. A script never contains a path: it
 * carries ids, and files beside it hold the paths ({@link org.treehaul.schedulers.Launch}).
 * <p>
 * Each scheduler is a package beside the others, such as {@code schedulers.slurm}, or a class of another jar
 * ({@link org.treehaul.schedulers.SchedulerProvider}). May use core.
 */
@Api
@NullMarked
package org.treehaul.schedulers;

import org.jspecify.annotations.NullMarked;
import org.treehaul.core.annotation.Api;
