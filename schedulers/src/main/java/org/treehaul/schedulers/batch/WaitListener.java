// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.batch;

import java.io.IOException;

import org.treehaul.core.transfer.TransferStatus;
import org.treehaul.schedulers.SchedulerException;

/** Receives what {@link BatchTransfer#await} sees, on the thread that waits. */
@FunctionalInterface
public interface WaitListener {

    /** Called with the status, at first often, then about once a second. */
    void onStatus(TransferStatus status);

    /**
     * Called once when the state directory cannot be read, and again only after it could be. The wait continues for ten
     * minutes: the jobs do not end when its server is away.
     */
    default void onUnreadable(IOException failure) {}

    /** Called when the scheduler does not answer whether jobs are left; it is asked again. */
    default void onNoAnswer(SchedulerException failure) {}

    /**
     * Called while all jobs wait in the queue, once for each new answer.
     *
     * @param reasons why they wait, in the words of the scheduler
     */
    default void onQueued(String reasons) {}
}
