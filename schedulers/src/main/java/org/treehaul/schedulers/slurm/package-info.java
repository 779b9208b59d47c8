// SPDX-License-Identifier: Apache-2.0
/**
 * Runs jobs in Slurm.
 * <p>
 * Input: a {@link org.treehaul.schedulers.JobRequest}. Output: job arrays that {@code sbatch} submits, and their states
 * as {@code squeue} and {@code sacct} report them. Rendering a script is pure and separate from submitting it.
 */
@Internal
@NullMarked
package org.treehaul.schedulers.slurm;

import org.jspecify.annotations.NullMarked;
import org.treehaul.core.annotation.Internal;
