// SPDX-License-Identifier: Apache-2.0
/**
 * Whole trees in a stage: from directories into it and back, their removal, and checks of their data.
 * <p>
 * Input: a {@link org.treehaul.schedulers.stage.Stage} and paths. Output: events for each failure, and counts.
 */
@Internal
@NullMarked
package org.treehaul.schedulers.stage.tree;

import org.jspecify.annotations.NullMarked;
import org.treehaul.core.annotation.Internal;
