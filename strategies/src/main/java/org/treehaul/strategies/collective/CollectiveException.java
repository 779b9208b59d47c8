// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies.collective;

import java.io.IOException;

/**
 * A collective read or write failed; every rank gets the same message. After a read, the buffers have any content;
 * after a write, any part of the data may be in the file. The ranks can continue.
 */
public final class CollectiveException extends IOException {

    private static final long serialVersionUID = 1;

    private final int rank;

    CollectiveException(int rank, String message) {
        super(message);
        this.rank = rank;
    }

    /** Returns the rank on which it failed. */
    public int rank() {
        return rank;
    }
}
