// SPDX-License-Identifier: Apache-2.0
/**
 * The command {@code run}, which runs a command of the user for each entry.
 *
 * <p>
 * In: trees, conditions, and a command with places for paths. Out: the outputs of the commands, and the exit code.
 */
@NullMarked
package org.treehaul.cli.run;

import org.jspecify.annotations.NullMarked;
