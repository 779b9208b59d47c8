// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.pool.carry;

import org.treehaul.core.event.EventListener;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.directory.TransferResult;

/** Receives what a worker of a pool does: failures and notices on any thread, the rest on the thread of the worker. */
public interface PoolListener extends EventListener {

    /**
     * The worker has finished a transfer. If a worker is killed just then, another one reports the same result once
     * more.
     */
    void onFinished(TransferDirectory transfer, int generation, TransferResult result);
}
