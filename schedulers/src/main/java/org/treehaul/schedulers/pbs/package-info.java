// SPDX-License-Identifier: Apache-2.0
/**
 * Runs jobs in OpenPBS and Torque.
 * <p>
 * Input: a {@link org.treehaul.schedulers.JobRequest}. Output: job arrays that {@code qsub} submits, and their states
 * as {@code qstat} reports them. Rendering a script is pure and separate from submitting it.
 */
@Internal
@NullMarked
package org.treehaul.schedulers.pbs;

import org.jspecify.annotations.NullMarked;
import org.treehaul.core.annotation.Internal;
