// SPDX-License-Identifier: Apache-2.0
/**
 * Visits every entry of a tree with many threads, in no stated order but that a directory comes before what stands in
 * it.
 *
 * <p>
 * In: roots, options, a handler. Out: entries, one call each, on the thread that found them; failures, each with its
 * path; a summary. Work waits in the {@link org.treehaul.core.walk.Frontier}, which ranks will split too.
 * {@link org.treehaul.core.walk.TreeWalker} is the way in.
 */
@NullMarked
package org.treehaul.core.walk;

import org.jspecify.annotations.NullMarked;
