// SPDX-License-Identifier: Apache-2.0
/**
 * Finds files that were renamed or moved at the source since the last run, and renames them at the destination.
 *
 * <p>
 * In: the files that only the destination has, and new files of the source. Out: for each new file the equal one of the
 * destination; the renames, made when the copy comes to a new file.
 */
@Internal
@NullMarked
package org.treehaul.core.sync.renames;

import org.jspecify.annotations.NullMarked;
import org.treehaul.core.annotation.Internal;
