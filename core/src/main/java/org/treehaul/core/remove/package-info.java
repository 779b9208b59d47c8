// SPDX-License-Identifier: Apache-2.0
/**
 * Removes trees with many threads.
 *
 * <p>
 * In: paths as the user gave them. Out: the entries are gone; failures as events, and the counts. Each name is removed
 * relative to the open directory that listed it, and no symbolic link below an operand is followed, so that another
 * user who swaps a directory cannot direct the removal elsewhere. {@link org.treehaul.core.remove.TreeRemover} is the
 * entry point.
 */
@Api
@NullMarked
package org.treehaul.core.remove;

import org.jspecify.annotations.NullMarked;
import org.treehaul.core.annotation.Api;
