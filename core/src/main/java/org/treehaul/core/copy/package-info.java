// SPDX-License-Identifier: Apache-2.0
/**
 * Copies trees: data, links, metadata, with the guarantees in {@code docs/guide/cp.md}.
 *
 * <p>
 * In: pairs of a source and a target, options, a cancellation. Out: the copy; events and counters during the work; a
 * result with the numbers of successes and failures. {@link org.treehaul.core.copy.TreeCopier} is the entry point;
 * {@link org.treehaul.core.copy.CopyLayout} turns the arguments of cp(1) into pairs.
 *
 * <p>
 * The packages below this one, from the bottom up, each using only those before it:
 * <ul>
 * <li>{@code options}: options and pairs, chosen by the user
 * <li>{@code failure}: exceptions, failures to report, retries
 * <li>{@code data}: the content of files
 * <li>{@code target}: names and directories at the destination
 * <li>{@code metadata}: owners, modes, ACLs, attributes, times
 * <li>{@code outcome}: counters and reports of outcomes
 * <li>{@code links}: hard links among copies, and links in place of copies
 * <li>{@code context}: what the threads of one copy share
 * <li>{@code file}: regular files
 * </ul>
 * This package walks the sources and copies each entry with them. Above it, {@code plain} copies with the arguments of
 * cp(1), {@code batch} copies parts of a transfer, and {@code store} copies between stores of any kind.
 */
@Api
@NullMarked
package org.treehaul.core.copy;

import org.jspecify.annotations.NullMarked;
import org.treehaul.core.annotation.Api;
