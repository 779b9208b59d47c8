// SPDX-License-Identifier: Apache-2.0
/**
 * The parts that commands with an operation on single entries share: their options, and the operation by threads, ranks
 * and jobs.
 *
 * <p>
 * In: an {@link org.treehaul.cli.entries.EntryTask}, which names the operation and performs it in this process. Out:
 * the exit code.
 */
@NullMarked
package org.treehaul.cli.entries;

import org.jspecify.annotations.NullMarked;
