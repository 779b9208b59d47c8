// SPDX-License-Identifier: Apache-2.0
/**
 * Visits every entry of a tree with many threads. A directory comes before its content; no other order is guaranteed.
 *
 * <p>
 * In: roots, options, a handler. Out: entries, one call each, on the thread that found them; failures, each with its
 * path; a summary. Work waits in the {@link org.treehaul.core.walk.frontier.Frontier}, which ranks can share.
 * {@link org.treehaul.core.walk.TreeWalker} is the entry point.
 */
@Internal
@NullMarked
package org.treehaul.core.walk;

import org.jspecify.annotations.NullMarked;
import org.treehaul.core.annotation.Internal;
