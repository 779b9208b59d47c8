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
     * Returns the number of the next batch for this worker, waiting until there is one. The worker is done with the
     * previous batch, regardless of its outcome.
     *
     * @return the batch, or empty if the worker is to stop
     */
    OptionalInt next();
}
