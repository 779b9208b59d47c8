// SPDX-License-Identifier: Apache-2.0
/**
 * Commands that read trees: {@code walk}, {@code cmp} and {@code simulate}.
 *
 * <p>
 * In: paths and recorded shapes. Out: entries, summaries and differences on standard output.
 */
@NullMarked
package org.treehaul.cli.tree;

import org.jspecify.annotations.NullMarked;
