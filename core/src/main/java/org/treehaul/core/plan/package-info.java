// SPDX-License-Identifier: Apache-2.0
/**
 * A transfer written down: its batches with their manifests, the directories to finish, the files in chunks, and what
 * could not be planned. The format is in {@code docs/guide/plan-format.md}; who has that page needs no program of ours.
 *
 * <p>
 * In: the roots of a walk, and a {@link org.treehaul.core.plan.Batching} that says which batch an entry goes into. Out:
 * a directory of files that {@link org.treehaul.core.plan.Plan} reads. Nothing here copies, starts jobs or knows what
 * the settings in a header mean.
 */
@NullMarked
package org.treehaul.core.plan;

import org.jspecify.annotations.NullMarked;
