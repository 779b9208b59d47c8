// SPDX-License-Identifier: Apache-2.0
/**
 * Commands that show or change a transfer that exists: {@code status}, {@code errors}, {@code cancel}, {@code limit},
 * {@code forget}, and those that its jobs run, {@code worker} and {@code finish}.
 *
 * <p>
 * In: the id of a transfer in a state directory. Out: calls of {@code core.transfer} and {@code schedulers}, and
 * reports.
 */
@NullMarked
package org.treehaul.cli.transfer;

import org.jspecify.annotations.NullMarked;
