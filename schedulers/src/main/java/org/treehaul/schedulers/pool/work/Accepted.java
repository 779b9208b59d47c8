// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.pool.work;

import java.io.IOException;
import java.nio.file.Path;

import org.treehaul.core.plan.format.Plan;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.directory.TransferException;
import org.treehaul.core.transfer.request.TransferRequest;
import org.treehaul.schedulers.pool.PoolProvider;
import org.treehaul.schedulers.pool.TransferOffer;

/**
 * Opens the transfers that are offered, after the checks that make an offer trustworthy: everything that a worker
 * carries out was written by its own user into a directory that no other user can change. A forged offer can at most
 * name a transfer that its user has given to the pool anyway.
 */
final class Accepted {

    private Accepted() {}

    /**
     * Opens the transfer of an offer.
     *
     * @throws IOException if this worker must not or cannot carry it out; the message gives the reason
     */
    static TransferDirectory open(TransferOffer offer) throws IOException {
        Path path = Path.of(offer.directory());
        if (!path.isAbsolute()) {
            throw new TransferException("the offer of transfer " + offer.transfer() + " names no absolute path");
        }
        // Checks the owner and the rights of the directory and of all above it.
        TransferDirectory transfer = TransferDirectory.open(path);
        if (!transfer.id().text().equals(offer.transfer())) {
            throw new TransferException(path + " has transfer " + transfer.id() + ", not " + offer.transfer());
        }
        if (transfer.submittedJobs()
                .stream()
                .noneMatch(jobs -> jobs.generation() == offer.generation() && PoolProvider.isPool(jobs.scheduler()))) {
            throw new TransferException("transfer " + offer.transfer()
                    + " was not given to a pool, or not yet: its directory has no record of that");
        }
        // Reads what another version of this program may have written differently.
        TransferRequest.find(transfer);
        Plan.open(transfer.plan());
        return transfer;
    }
}
