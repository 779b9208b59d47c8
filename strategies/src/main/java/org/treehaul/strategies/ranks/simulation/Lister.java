// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies.ranks.simulation;

/** The ranks of a simulated walk that list directories. */
public enum Lister {
    /** Every rank, as in a walk. */
    EACH(1),
    /** Rank 0, the master, alone; the others only query the status of entries. */
    MASTER(2),
    /** Rank 1 alone, as in the program that LaFon et al. measured (II.B); the others only query the status. */
    WORKER(3);

    private final int leastProcesses;

    Lister(int leastProcesses) {
        this.leastProcesses = leastProcesses;
    }

    /** Returns the fewest processes with which all the work can be done. */
    public int leastProcesses() {
        return leastProcesses;
    }
}
