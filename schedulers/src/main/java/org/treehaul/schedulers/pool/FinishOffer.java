// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.pool;

/**
 * The right to offer more batches of a transfer, and to finish it. There is one for each {@link TransferOffer}.
 *
 * @param transfer the id of the transfer
 * @param generation its generation
 */
public record FinishOffer(String transfer, int generation) {}
