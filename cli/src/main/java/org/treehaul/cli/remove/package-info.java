// SPDX-License-Identifier: Apache-2.0
/**
 * The command that removes trees: {@code rm}.
 *
 * <p>
 * In: paths. Out: the trees are gone; failures on standard error.
 */
@NullMarked
package org.treehaul.cli.remove;

import org.jspecify.annotations.NullMarked;
