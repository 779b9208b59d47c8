// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.move;

import org.treehaul.core.event.Progress;

/**
 * The result of a move.
 *
 * @param counts the entries that were renamed or copied, and the failures
 * @param renamed the number of sources that were moved by a rename, with everything below them
 * @param removed the number of entries that were removed from sources after their copies were complete and durable
 * @param isComplete whether every entry was tried; false after a cancellation, or when the copy gave up
 */
public record MoveResult(Progress.Snapshot counts, long renamed, long removed, boolean isComplete) {}
