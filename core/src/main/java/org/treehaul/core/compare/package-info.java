// SPDX-License-Identifier: Apache-2.0
/**
 * Tells in what two trees differ.
 *
 * <p>
 * In: two roots and what to look at. Out: differences, each with its path and both values, as they are found; failures
 * as events; a summary. What could not be read is trouble and never taken for absent.
 * {@link org.treehaul.core.compare.TreeComparer} is the way in. Nothing is ever written to either tree.
 */
@NullMarked
package org.treehaul.core.compare;

import org.jspecify.annotations.NullMarked;
