// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies.ranks;

import java.time.Duration;
import java.util.Optional;

import org.treehaul.strategies.ranks.communicator.Communicator;
import org.treehaul.strategies.ranks.communicator.Received;

/** Runs the state machine of a rank over a communicator, while other threads work. */
final class RankDriver {

    // Work that is stopped from outside does not wake the thread that waits here.
    private static final long LONGEST_WAIT = 20_000_000;
    private static final int MESSAGES_BETWEEN_LOOKS = 1000;

    private final Communicator communicator;
    private final DistributionProtocol protocol;
    private final DrivenPool pool;
    private long communication;

    RankDriver(Distribution distribution, Group.Settings settings, int capacity, Communicator communicator,
            DrivenPool pool) {
        this.communicator = communicator;
        this.pool = pool;
        Group group = new Group(communicator.rank(), communicator.size(), communicator::hostOf, capacity, settings);
        this.protocol = distribution.share(group, pool, communicator::send);
    }

    /** Runs until all ranks have left the group or this rank's work ends early; returns true if all ranks have left. */
    boolean run() {
        pool.atRest(communicator::wake);
        pool.begin();
        long wait = 0;
        while (!protocol.isClosed() && !pool.isStopped()) {
            Optional<Received> message = communicator.poll(Duration.ofNanos(wait));
            long began = System.nanoTime();
            for (int i = 0; message.isPresent() && i < MESSAGES_BETWEEN_LOOKS; i++) {
                protocol.received(System.nanoTime(), message.get().from(), message.get().bytes());
                message = communicator.poll(Duration.ZERO);
            }
            if (message.isPresent()) {
                protocol.received(System.nanoTime(), message.get().from(), message.get().bytes());
            }
            protocol.look(System.nanoTime());
            long now = System.nanoTime();
            communication += now - began;
            wait = Math.clamp(protocol.wakeAt() - now, 0, LONGEST_WAIT);
        }
        return protocol.isClosed();
    }

    Duration communication() {
        return Duration.ofNanos(communication);
    }
}
