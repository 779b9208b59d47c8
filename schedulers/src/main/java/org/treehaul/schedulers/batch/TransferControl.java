// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.batch;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import org.treehaul.core.event.EventListener;
import org.treehaul.core.transfer.TransferStatus;
import org.treehaul.core.transfer.Transfers;
import org.treehaul.core.transfer.directory.StateDirectory;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.directory.TransferException;
import org.treehaul.core.transfer.directory.TransferId;
import org.treehaul.schedulers.KeptJar;
import org.treehaul.schedulers.SchedulerException;
import org.treehaul.schedulers.TransferJobs;
import org.treehaul.schedulers.discovery.Schedulers;

/**
 * Ends transfers: cancels their jobs, and removes their records. It submits nothing, so it needs no jar of TreeHaul.
 * Several threads and processes may use it for one state directory.
 */
public final class TransferControl {

    /** The outcome of {@link #cancel}. */
    public enum Cancelled {
        /** The transfer is cancelled, and no job can run any more. */
        CANCELLED,
        /** The transfer is finished, and its remaining jobs end by themselves. Nothing was changed. */
        FINISHED,
        /** The transfer is not finished and has no jobs. Nothing was changed. */
        WITHOUT_JOBS
    }

    private final Transfers transfers;
    private final TransferJobs.Schedulers schedulers;

    private TransferControl(Transfers transfers, TransferJobs.Schedulers schedulers) {
        this.transfers = transfers;
        this.schedulers = schedulers;
    }

    /**
     * Returns the control of the transfers in a state directory.
     *
     * @param transfers the transfers; {@link Transfers#reading} suffices to cancel
     */
    public static TransferControl of(Transfers transfers) {
        return of(transfers, name -> Schedulers.named(name, System.getenv()));
    }

    static TransferControl of(Transfers transfers, TransferJobs.Schedulers schedulers) {
        return new TransferControl(transfers, schedulers);
    }

    /**
     * Ends the jobs of a transfer. Nothing that was copied is lost, and the transfer can be resumed.
     *
     * @throws TransferException if the transfer does not exist or is damaged; or if the cancellation could not be
     *         recorded, after its jobs were ended
     * @throws SchedulerException if jobs may still run; those that the scheduler cannot end stop at their next
     *         heartbeat
     */
    public Cancelled cancel(TransferId id) throws IOException, SchedulerException {
        return cancel(transfers.open(id));
    }

    Cancelled cancel(TransferDirectory transfer) throws IOException, SchedulerException {
        TransferJobs jobs = TransferJobs.of(transfer, schedulers);
        TransferStatus.State found = transfers.status(transfer).state();
        // A scheduler may have taken jobs without an answer: those of a transfer that was not submitted do nothing only in
        // a new generation.
        boolean isOver = found == TransferStatus.State.INCOMPLETE || found == TransferStatus.State.CANCELLED;
        if (isOver && isIdle(jobs)) {
            return Cancelled.WITHOUT_JOBS;
        }
        if (isFinished(transfer, jobs)) {
            // The transfer may have ended since its state was read.
            jobs.endWaiting(transfer.generations().newest());
            return Cancelled.FINISHED;
        }
        jobs.stop();
        return Cancelled.CANCELLED;
    }

    // Begins a generation unless the transfer is finished.
    private boolean isFinished(TransferDirectory transfer, TransferJobs jobs) throws IOException, SchedulerException {
        try {
            return transfers.cancel(transfer).isEmpty();
        } catch (IOException e) {
            // Ending the jobs matters most, and with a full state directory it works without writing.
            jobs.stop();
            throw new TransferException("the jobs of " + transfer.id()
                    + " are ended, but the cancellation could not be recorded: " + StateDirectory.reason(e), e);
        }
    }

    private static boolean isIdle(TransferJobs jobs) throws IOException {
        try {
            return jobs.live().isEmpty();
        } catch (SchedulerException e) {
            return false;
        }
    }

    /**
     * Removes all data about a complete transfer; what it copied stays. Waits up to 15 seconds for the last jobs of a
     * finished transfer.
     *
     * @param force whether the transfer may be incomplete or damaged, or its scheduler may not say whether it has jobs;
     *        it cannot be resumed afterwards
     * @param listener receives notices about files that are ignored, or that may be left in the destination
     * @return the state of a transfer that is kept because it is not complete; empty if it was removed
     * @throws TransferException if the transfer still has jobs, does not exist, or is damaged; or if a part of it could
     *         not be removed, which no longer counts as a transfer
     * @throws SchedulerException if the scheduler does not say whether it has jobs, and nothing was removed
     */
    public Optional<TransferStatus.State> forget(TransferId id, boolean force, EventListener listener)
            throws IOException, SchedulerException, InterruptedException {
        TransferDirectory transfer = force ? transfers.openDamaged(id) : transfers.open(id);
        return new TransferRemoval(transfers, transfer, TransferJobs.of(transfer, schedulers), force, listener)
                .forget();
    }

    /**
     * Removes files that no transfer needs: remains of transfers whose creation or removal was killed a day ago, and
     * the jars that were kept, two days ago or earlier, for the jobs of transfers that no longer exist.
     */
    public void sweep() throws IOException {
        transfers.removeIncomplete();
        List<Path> left = new ArrayList<>();
        for (TransferId id : transfers.list()) {
            left.add(transfers.openDamaged(id).path());
        }
        KeptJar.sweep(transfers.stateDirectory(), left);
    }
}
