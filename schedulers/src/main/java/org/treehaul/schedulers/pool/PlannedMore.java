// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.pool;

/**
 * More batches of a transfer were offered, by a worker that cannot replace the {@link TransferOffer} of another user
 * without becoming its owner.
 *
 * @param transfer the id of the transfer
 * @param generation its generation
 * @param offered the number of batches that were offered so far
 */
public record PlannedMore(String transfer, int generation, int offered) {}
