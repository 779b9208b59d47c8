// SPDX-License-Identifier: Apache-2.0
/**
 * Files that are in no mounted tree, such as those of a stage, as the files of a transfer: which there are, on which
 * hosts their data are, and a path to each for the time of a task.
 *
 * <p>
 * In: the address of the files, which a transfer keeps. Out: the files for its plan, and on the workers their paths.
 */
@Internal
@NullMarked
package org.treehaul.core.places;

import org.jspecify.annotations.NullMarked;
import org.treehaul.core.annotation.Internal;
