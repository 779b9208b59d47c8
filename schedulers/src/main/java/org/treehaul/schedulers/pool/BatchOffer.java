// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.pool;

/**
 * A batch that no worker has. A worker takes it in a transaction, which it commits when the batch has ended in any way,
 * because the journal in the directory of the transfer records how.
 *
 * @param transfer the id of the transfer
 * @param generation its generation
 * @param batch the number of the batch in the plan
 */
public record BatchOffer(String transfer, int generation, int batch) {}
