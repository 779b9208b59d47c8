// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.batch;

import java.io.IOException;

import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.EventListener;
import org.treehaul.core.event.Progress;

/** The work of an attempt: copies or compares the entries of its batch, or performs an operation on them. */
public interface BatchWork extends AutoCloseable {

    /**
     * Processes the rest of the batch.
     *
     * @return whether every entry was tried; false after a cancellation and if the destination failed as a whole
     * @throws IOException if the plan or the journal fails
     */
    boolean run(EventListener listener, Progress progress, Cancellation stop) throws IOException;

    /** Syncs to disk the entries done so far. */
    void sync() throws IOException;

    @Override
    void close();
}
