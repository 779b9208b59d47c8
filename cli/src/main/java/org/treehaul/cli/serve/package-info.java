// SPDX-License-Identifier: Apache-2.0
/**
 * The command that serves the directory of a node to other nodes.
 *
 * <p>
 * In: a directory, an address, and the file with the secret of the run. Out: one line when it can be reached.
 */
@NullMarked
package org.treehaul.cli.serve;

import org.jspecify.annotations.NullMarked;
