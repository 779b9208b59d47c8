// SPDX-License-Identifier: Apache-2.0
/**
 * Commands that read trees: {@code walk}, {@code cmp}, {@code manifest} and {@code simulate}.
 *
 * <p>
 * In: paths, manifests and recorded shapes. Out: entries, summaries, differences and manifests.
 */
@NullMarked
package org.treehaul.cli.tree;

import org.jspecify.annotations.NullMarked;
