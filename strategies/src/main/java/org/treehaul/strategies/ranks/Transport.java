// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies.ranks;

import java.util.List;
import java.util.function.Consumer;

/** Starts the ranks of a group that run in this process, and connects them. */
@FunctionalInterface
public interface Transport {

    /**
     * Runs something in each rank, on a thread of its own, and returns when all have ended. The communicator is closed
     * afterwards.
     *
     * @param hosts the host that each rank counts as being on; their number is that of the ranks
     * @throws RanksException when the group broke, or could not begin; what a rank threw otherwise is thrown as it is
     */
    void run(List<Integer> hosts, Consumer<Communicator> rank);

    /** Returns the transport between threads of this process. */
    static Transport threads() {
        return (hosts, rank) -> RankThreads.run(Communicator.threads(hosts), rank);
    }
}
