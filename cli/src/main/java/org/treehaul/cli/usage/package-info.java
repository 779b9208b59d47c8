// SPDX-License-Identifier: Apache-2.0
/**
 * The command that sums up the space of directories and of groups of entries.
 *
 * <p>
 * In: arguments. Out: lines of text or JSON.
 */
@NullMarked
package org.treehaul.cli.usage;

import org.jspecify.annotations.NullMarked;
