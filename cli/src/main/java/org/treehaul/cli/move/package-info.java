// SPDX-License-Identifier: Apache-2.0
/**
 * The command that moves trees: {@code mv}.
 *
 * <p>
 * In: sources and a destination. Out: the entries are at the destination; failures on standard error.
 */
@NullMarked
package org.treehaul.cli.move;

import org.jspecify.annotations.NullMarked;
