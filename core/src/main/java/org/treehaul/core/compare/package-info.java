// SPDX-License-Identifier: Apache-2.0
/**
 * Reports the differences between two trees.
 *
 * <p>
 * In: two roots and the kinds of difference to look for. Out: differences, each with its path and both values, as they
 * are found; failures as events; a summary. Entries that could not be read count as trouble, never as absent.
 * {@link org.treehaul.core.compare.TreeComparer} is the entry point. Neither tree is ever written to.
 */
@Api
@NullMarked
package org.treehaul.core.compare;

import org.jspecify.annotations.NullMarked;
import org.treehaul.core.annotation.Api;
