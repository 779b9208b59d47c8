// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.pool;

/**
 * Records that a worker offered more batches of a transfer. The worker cannot replace the {@link TransferOffer} of
 * another user without becoming its owner.
 *
 * @param transfer the id of the transfer
 * @param generation its generation
 * @param offered the number of batches that were offered so far
 */
public record PlannedMore(String transfer, int generation, int offered) {}
