// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer;

import java.util.OptionalInt;

/**
 * What a worker does next, where workers share the batches of a transfer among themselves rather than each look for its
 * own.
 */
@FunctionalInterface
public interface BatchShare {

    /**
     * Returns the number of a batch for this worker to do, waiting until there is one. The one before is done with,
     * whatever became of it.
     *
     * @return empty when this worker is to do no more
     */
    OptionalInt next();
}
