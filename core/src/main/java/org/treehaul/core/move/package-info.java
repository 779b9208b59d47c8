// SPDX-License-Identifier: Apache-2.0
/**
 * Moves files and trees: within a file system by a rename, to another one by a verified copy, after which the source is
 * removed.
 *
 * <p>
 * In: pairs of a source and its target. Out: each entry is at its target; those that failed are at the source, and
 * reported.
 */
@Api
@NullMarked
package org.treehaul.core.move;

import org.jspecify.annotations.NullMarked;
import org.treehaul.core.annotation.Api;
