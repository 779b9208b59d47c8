// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.mpj;

import java.io.IOException;
import java.util.function.Consumer;

import org.treehaul.core.fs.PrivateFiles;
import org.treehaul.strategies.ranks.communicator.RanksException;
import org.treehaul.strategies.ranks.communicator.Transport;

/** Transports through MPJ Express. */
public final class MpjTransports {

    private MpjTransports() {}

    /** Returns the transport between threads of this process. */
    public static Transport oneProcess(MpjHome home) {
        return new OneProcess(home);
    }

    /**
     * Returns the transport between processes. It runs the one rank of this process, and returns when all ranks have
     * ended; the hosts are those that the ranks run on. After a failure MPJ Express may keep threads that keep the
     * process alive.
     *
     * @param broken receives at once, on any thread, the reason why the group is broken, while the rank may still wait
     *        for something: the owner of the process must then end it
     */
    public static Transport processes(MpjHome home, RankPlace place, Consumer<String> broken) {
        return new Processes(home, place, broken);
    }

    /**
     * Informs the other ranks of a group that this one cannot take part, so that they end instead of waiting for it.
     * Returns when they are informed; or when rank 0, through which they are informed, did not come in time.
     *
     * @throws RanksException if this is rank 0 and the file that informs the others cannot be written
     */
    public static void withdraw(RankPlace place, String why) {
        String reason = place.name() + " cannot join: " + why;
        if (place.rank() == 0) {
            try {
                MeetingPoint.writeBroken(place.meetingFile(), reason);
            } catch (IOException e) {
                throw new RanksException(
                        "ranks cannot meet through " + place.meetingFile() + ": " + PrivateFiles.reason(e), e);
            }
            return;
        }
        try (RemoteLifeline lifeline = RemoteLifeline.join(place)) {
            lifeline.report(reason);
        } catch (RanksException e) {
            // The group is broken already, or waits for rank 0 first.
        }
    }
}
