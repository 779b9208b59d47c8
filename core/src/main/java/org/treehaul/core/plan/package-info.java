// SPDX-License-Identifier: Apache-2.0
/**
 * Plans: a plan is a transfer in files, with its batches and their manifests, the directories to finish, the files in
 * chunks, and the entries that could not be planned. {@code docs/guide/plan-format.md} specifies the format, so that
 * other programs can read and write plans.
 *
 * <p>
 * In: the roots of a walk, and a {@link org.treehaul.core.plan.Batching} that assigns entries to batches. Out: a
 * directory of files that {@link org.treehaul.core.plan.format.Plan} reads. No class here copies, starts jobs or knows
 * the meaning of the settings in a header.
 */
@Internal
@NullMarked
package org.treehaul.core.plan;

import org.jspecify.annotations.NullMarked;
import org.treehaul.core.annotation.Internal;
