// SPDX-License-Identifier: Apache-2.0
/**
 * Copies again the entries that a comparison found to differ.
 *
 * <p>
 * In: the differences between two trees. Out: the entries of the first tree that differ, as a selection or a list; the
 * result of copying them again, and of comparing them once more. {@link org.treehaul.core.repair.TreeRepair} is the
 * entry point.
 */
@Api
@NullMarked
package org.treehaul.core.repair;

import org.jspecify.annotations.NullMarked;
import org.treehaul.core.annotation.Api;
