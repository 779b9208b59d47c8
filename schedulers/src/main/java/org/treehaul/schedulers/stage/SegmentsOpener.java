// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage;

/** Connects to the servers of a stage. Thread-safe. */
@FunctionalInterface
public interface SegmentsOpener {

    /**
     * Opens the segments of a server, which the caller closes.
     *
     * @throws StageException if the server cannot be reached
     */
    Segments open(StageServer server) throws StageException;
}
