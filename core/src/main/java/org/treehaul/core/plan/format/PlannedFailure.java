// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.plan.format;

import org.treehaul.core.event.EntryFailure;

/**
 * An entry that could not be planned: it counts as failed in the transfer.
 *
 * @param root the index of its root in the header
 * @param failure the error
 */
public record PlannedFailure(int root, EntryFailure failure) {}
