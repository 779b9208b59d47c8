// SPDX-License-Identifier: Apache-2.0
/**
 * The command {@code find}, and the lists of entries that it shares with {@code walk}.
 *
 * <p>
 * In: trees or an index, and conditions. Out: the paths of entries, their attributes in a format, or commands that run
 * with the paths.
 */
@NullMarked
package org.treehaul.cli.find;

import org.jspecify.annotations.NullMarked;
