// SPDX-License-Identifier: Apache-2.0
/**
 * Whole trees in one call, with default options.
 *
 * <p>
 * In: paths. Out: results, or an exception if anything failed. {@link org.treehaul.core.trees.Trees} is the entry
 * point; programs that need options, progress or cancellation use the classes that it calls.
 */
@Api
@NullMarked
package org.treehaul.core.trees;

import org.jspecify.annotations.NullMarked;
import org.treehaul.core.annotation.Api;
