// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.mpj;

import java.util.function.Consumer;

import org.treehaul.strategies.ranks.Transport;

/** Transports by MPJ Express. */
public final class MpjTransports {

    private MpjTransports() {}

    /** Returns the transport between threads of this process. */
    public static Transport oneProcess(MpjHome home) {
        return new OneProcess(home);
    }

    /**
     * Returns the transport between processes. It runs the one rank that this process is, and returns when all ranks
     * have ended theirs; the hosts are those that the ranks run on. After a failure MPJ Express may keep threads that
     * hold the process.
     *
     * @param broken is told at once, on any thread, why the group is broken, while what the rank does may still wait
     *        for something: whoever owns the process is to end it
     */
    public static Transport processes(MpjHome home, RankPlace place, Consumer<String> broken) {
        return new Processes(home, place, broken);
    }
}
