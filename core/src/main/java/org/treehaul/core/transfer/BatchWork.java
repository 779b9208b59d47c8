// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer;

import java.io.IOException;

import org.treehaul.core.event.EventListener;
import org.treehaul.core.event.Progress;
import org.treehaul.core.walk.Cancellation;

/** What an attempt does with its batch: copies it, or compares it. */
interface BatchWork extends AutoCloseable {

    /**
     * Does what is left of the batch.
     *
     * @return whether every entry was tried; false after a cancellation and when the destination failed as a whole
     * @throws IOException when plan or journal fail
     */
    boolean run(EventListener listener, Progress progress, Cancellation stop) throws IOException;

    /** Puts on the disk what was done so far. */
    void sync() throws IOException;

    @Override
    void close();
}
