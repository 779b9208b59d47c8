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
}
