// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.work;

import java.util.OptionalInt;

/**
 * The share of batches that a worker receives, when workers divide the batches of a transfer among themselves instead
 * of each claiming its own.
 */
@FunctionalInterface
public interface BatchShare {

    /**
     * Returns the number of the next batch for this worker, waiting until there is one. By calling this, the worker
     * states that it has ended its work on the previous batch, with any outcome.
     *
     * @return the batch, or empty if the worker is to stop
     */
    OptionalInt next();

    /**
     * Takes back a batch that another worker has, or may have: this worker then gets another one.
     *
     * @return whether it was taken back; otherwise the worker waits for the other one
     */
    default boolean takeBack(int batch) {
        return false;
    }

    /**
     * Returns whether workers may come and go, and batches may be planned while the share is in use. In a share that is
     * not open, the workers are a group that begins and ends together.
     */
    default boolean isOpen() {
        return false;
    }
}
