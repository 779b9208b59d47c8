// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.finish;

import java.io.IOException;

import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.event.Event;
import org.treehaul.core.event.EventListener;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.plan.format.Plan;
import org.treehaul.core.transfer.batch.WorkSettings;
import org.treehaul.core.transfer.directory.Lease;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.journal.FailureRecord;
import org.treehaul.core.transfer.journal.JournalRecord;
import org.treehaul.core.transfer.journal.JournalWriter;

/**
 * The parts that all phases of a claimed finishing share.
 *
 * @param calls makes the system calls on the trees
 * @param directory the directory of the transfer
 * @param generation the generation that is finished
 * @param journal records the phases and failures
 * @param lease the claim to the finishing; without it nothing may be changed or reported
 * @param listener receives failures, on any thread
 * @param progress counts the work done
 * @param stop ends the finishing early
 * @param plan the plan of the transfer
 * @param settings the settings of its operation
 */
record FinishingContext(FileSystemCalls calls, TransferDirectory directory, int generation, JournalWriter journal,
        Lease lease, EventListener listener, Progress progress, Cancellation stop, Plan plan, WorkSettings settings) {

    /** Returns whether the finishing may continue: not stopped, not taken over, and no newer generation. */
    boolean mayGoOn() throws IOException {
        return !stop.isCancelled() && lease.isGood() && directory.generations().newest() == generation;
    }

    /** Records and reports a failure, unless the lease is lost: after its loss every call fails because of it. */
    void failed(EntryFailure failure) {
        if (lease.isGood()) {
            report(failure);
            listener.onEvent(new Event.Failed(failure));
        }
    }

    /** Records a failure. */
    void report(EntryFailure failure) {
        journal.writeQuietly(new JournalRecord.Failed(new FailureRecord(FailureRecord.NO_ENTRY, failure, 1)));
    }
}
