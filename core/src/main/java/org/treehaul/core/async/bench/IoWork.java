// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.async.bench;

import java.io.IOException;
import java.util.function.BooleanSupplier;

/** The work of one thread in a run. */
interface IoWork {

    /**
     * The part of a thread.
     *
     * @param thread its number, over all clients
     */
    record Share(BenchmarkFiles files, IoParameters parameters, int thread, BooleanSupplier isCancelled) {}

    /** Reads or writes all blocks of all files of this thread. */
    void run() throws IOException;
}
