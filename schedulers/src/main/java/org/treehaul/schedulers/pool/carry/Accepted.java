// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.pool.carry;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.linux.ServerView;
import org.treehaul.core.plan.format.Plan;
import org.treehaul.core.transfer.Transfers;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.directory.TransferException;
import org.treehaul.core.transfer.directory.TransferId;
import org.treehaul.core.transfer.request.TransferRequest;
import org.treehaul.schedulers.pool.PoolProvider;
import org.treehaul.schedulers.pool.UserPrograms;

/**
 * Opens the transfers that are offered, after the checks that make an offer trustworthy: everything that a worker
 * carries out is in its own state directory, which no other user can change. The path in an offer is not used: who
 * copies the tree of another user may own a directory that looks like a transfer and that the other user wrote. A
 * forged offer can at most name a transfer that its user has given to the pool anyway.
 */
public final class Accepted {

    private Accepted() {}

    /**
     * Opens the transfer of an offer.
     *
     * @param stateDirectory the state directory of this worker
     * @param transfer the id in the offer
     * @param generation the generation in the offer
     * @return the transfer; empty if the offer is of an old generation
     * @throws IOException if this worker must not or cannot carry it out; the message gives the reason
     */
    public static Optional<TransferDirectory> open(Path stateDirectory, String transfer, int generation)
            throws IOException {
        if (!TransferId.isId(transfer)) {
            throw new TransferException("'" + ByteString.printable(transfer) + "' is not the id of a transfer");
        }
        // Checks the owner and the rights of the directory and of all above it.
        Transfers transfers = Transfers.reading(stateDirectory);
        TransferId id = new TransferId(transfer);
        if (!ServerView.exists(transfers.stateDirectory().resolve("transfers").resolve(id.text()))) {
            throw new TransferException("there is no transfer " + id + " in the state directory "
                    + transfers.stateDirectory() + " of this worker; --state-dir names another one");
        }
        TransferDirectory opened = transfers.open(id);
        if (!opened.id().equals(id)) {
            throw new TransferException(opened.path() + " has transfer " + opened.id() + ", not " + id);
        }
        if (opened.generations().newest() > generation) {
            return Optional.empty();
        }
        if (opened.submittedJobs()
                .stream()
                .noneMatch(jobs -> jobs.generation() == generation && PoolProvider.isPool(jobs.scheduler()))) {
            throw new TransferException(
                    "transfer " + id + " was not given to a pool, or not yet: its directory has no record of that");
        }
        UserPrograms.check(opened);
        // Reads what another version of this program may have written differently.
        TransferRequest.find(opened);
        Plan.open(opened.plan());
        return Optional.of(opened);
    }
}
