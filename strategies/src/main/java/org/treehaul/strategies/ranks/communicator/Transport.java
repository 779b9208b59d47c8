// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies.ranks.communicator;

import java.util.List;
import java.util.function.Consumer;

/** Starts the ranks of a group that run in this process, and connects them. */
@FunctionalInterface
public interface Transport {

    /**
     * Runs a function in each rank, on a separate thread, and returns when all have ended. Closes each communicator
     * afterwards.
     *
     * @param hosts the host that each rank counts as being on; one for each rank
     * @param rank the function, called with the communicator of the rank
     * @throws RanksException when the group broke, or could not begin; other exceptions of a rank are thrown unchanged
     */
    void run(List<Integer> hosts, Consumer<Communicator> rank);

    /** Returns the transport between threads of this process. */
    static Transport threads() {
        return ThreadCommunicator::run;
    }
}
