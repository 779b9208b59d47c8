// SPDX-License-Identifier: Apache-2.0
/**
 * Copies trees: data, links, metadata, with the promises of {@code docs/guide/copy.md}.
 *
 * <p>
 * In: pairs of a source and the place it is to have, options, a cancellation. Out: the copy; events and counters on the
 * way; a result that counts what was done and what failed. {@link org.treehaul.core.copy.TreeCopier} is the way in,
 * CopyLayout turns the arguments of cp(1) into pairs. Of a transfer {@link org.treehaul.core.copy.BatchCopier} copies a
 * part, and {@link org.treehaul.core.copy.TransferFinisher} does what is left when all parts are copied.
 */
@NullMarked
package org.treehaul.core.copy;

import org.jspecify.annotations.NullMarked;
