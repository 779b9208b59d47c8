// SPDX-License-Identifier: Apache-2.0
/**
 * Commands on tuple spaces and indexes: {@code index}, {@code query}, {@code watch} and {@code space}.
 *
 * <p>
 * In: paths, conditions and spaces. Out: calls of {@code tuplespace}, and its answers on standard output.
 */
@NullMarked
package org.treehaul.cli.space;

import org.jspecify.annotations.NullMarked;
