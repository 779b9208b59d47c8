// SPDX-License-Identifier: Apache-2.0
/**
 * Operations on the entries of trees, apart from the machinery that carries them.
 *
 * <p>
 * An {@link org.treehaul.core.operation.EntryOperation} handles one entry. Threads carry it over whole trees
 * ({@link org.treehaul.core.operation.TreeOperation}); the workers and the finishing of a transfer carry it over a
 * plan.
 */
@NullMarked
package org.treehaul.core.operation;

import org.jspecify.annotations.NullMarked;
