// SPDX-License-Identifier: Apache-2.0
/**
 * Paths {@code stage:NAME/PATH} in commands that also take paths of directories.
 * <p>
 * Input: operands, the catalogue and the secret of a stage. Output: copies, lists and comparisons by
 * {@code org.treehaul.schedulers.stage.files}, and messages.
 */
@NullMarked
package org.treehaul.cli.staged;

import org.jspecify.annotations.NullMarked;
