// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.attributes;

import org.treehaul.core.event.Progress;

/**
 * The result of a change of attributes.
 *
 * @param counts the entries that were changed, those that needed no change as skipped, and the failures
 * @param isComplete whether every entry was tried; false after a cancellation
 */
public record ChangeResult(Progress.Snapshot counts, boolean isComplete) {}
