// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.pool.work;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.plan.format.Plan;
import org.treehaul.core.transfer.Transfers;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.directory.TransferException;
import org.treehaul.core.transfer.directory.TransferId;
import org.treehaul.core.transfer.request.TransferRequest;
import org.treehaul.schedulers.pool.PoolProvider;
import org.treehaul.schedulers.pool.TransferOffer;

/**
 * Opens the transfers that are offered, after the checks that make an offer trustworthy: everything that a worker
 * carries out is in its own state directory, which no other user can change. The path in an offer is not used: who
 * copies the tree of another user may own a directory that looks like a transfer and that the other user wrote. A
 * forged offer can at most name a transfer that its user has given to the pool anyway.
 */
final class Accepted {

    private Accepted() {}

    /**
     * Opens the transfer of an offer.
     *
     * @param stateDirectory the state directory of this worker
     * @return the transfer; empty if the offer is of an old generation
     * @throws IOException if this worker must not or cannot carry it out; the message gives the reason
     */
    static Optional<TransferDirectory> open(Path stateDirectory, TransferOffer offer) throws IOException {
        if (!TransferId.isId(offer.transfer())) {
            throw new TransferException("'" + ByteString.printable(offer.transfer()) + "' is not the id of a transfer");
        }
        // Checks the owner and the rights of the directory and of all above it.
        Transfers transfers = Transfers.reading(stateDirectory);
        TransferId id = new TransferId(offer.transfer());
        if (!Files.isDirectory(transfers.stateDirectory().resolve("transfers").resolve(id.text()))) {
            throw new TransferException("there is no transfer " + id + " in the state directory "
                    + transfers.stateDirectory() + " of this worker; --state-dir names another one");
        }
        TransferDirectory transfer = transfers.open(id);
        if (!transfer.id().equals(id)) {
            throw new TransferException(transfer.path() + " has transfer " + transfer.id() + ", not " + id);
        }
        if (transfer.generations().newest() > offer.generation()) {
            return Optional.empty();
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
        return Optional.of(transfer);
    }
}
