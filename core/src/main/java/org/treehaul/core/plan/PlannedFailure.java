// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.plan;

import org.treehaul.core.event.EntryFailure;

/**
 * An entry that could not be planned: it counts as failed in the transfer.
 *
 * @param root its root's place in the header
 * @param failure what went wrong
 */
public record PlannedFailure(int root, EntryFailure failure) {}
