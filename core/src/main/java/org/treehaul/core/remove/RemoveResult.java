// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.remove;

import org.treehaul.core.event.Progress;

/**
 * The result of a removal.
 *
 * @param counts the entries that were removed, and the failures
 * @param isComplete whether every entry was tried; false after a cancellation
 */
public record RemoveResult(Progress.Snapshot counts, boolean isComplete) {}
