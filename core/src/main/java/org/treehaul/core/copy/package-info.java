// SPDX-License-Identifier: Apache-2.0
/**
 * Copies trees: data, links, metadata, with the guarantees in {@code docs/guide/copy.md}.
 *
 * <p>
 * In: pairs of a source and a target, options, a cancellation. Out: the copy; events and counters during the work; a
 * result with the numbers of successes and failures. {@link org.treehaul.core.copy.TreeCopier} is the entry point;
 * CopyLayout turns the arguments of cp(1) into pairs. {@link org.treehaul.core.copy.BatchCopier} copies a part of a
 * transfer, and {@link org.treehaul.core.copy.TransferFinisher} completes the transfer after all parts are copied.
 */
@NullMarked
package org.treehaul.core.copy;

import org.jspecify.annotations.NullMarked;
