// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies.ranks;

import java.time.Duration;
import java.util.Optional;

import org.treehaul.core.walk.SharedWork;

/** Runs the state machine of a rank over a communicator, while the threads of its walk work. */
final class RankDriver {

    // A walk that is stopped from outside does not wake the one that waits here.
    private static final long LONGEST_WAIT = 20_000_000;
    private static final int MESSAGES_BETWEEN_LOOKS = 1000;

    private final Communicator communicator;
    private final SharedWork work;
    private final Sharing sharing;
    private final FrontierPool pool;
    private long talked;

    RankDriver(Distribution distribution, Group.Settings settings, int capacity, Communicator communicator,
            SharedWork work) {
        this.communicator = communicator;
        this.work = work;
        this.pool = new FrontierPool(work);
        Group group = new Group(communicator.rank(), communicator.size(), communicator::hostOf, capacity, settings);
        this.sharing = distribution.share(group, pool, communicator::send);
    }

    /** Returns when the group has parted, or this rank's walk ends early. */
    void run() {
        work.atRest(communicator::wake);
        pool.begin();
        long wait = 0;
        while (!sharing.isClosed() && !work.isStopped()) {
            Optional<Received> message = communicator.poll(Duration.ofNanos(wait));
            long began = System.nanoTime();
            for (int i = 0; message.isPresent() && i < MESSAGES_BETWEEN_LOOKS; i++) {
                sharing.received(System.nanoTime(), message.get().from(), message.get().bytes());
                message = communicator.poll(Duration.ZERO);
            }
            if (message.isPresent()) {
                sharing.received(System.nanoTime(), message.get().from(), message.get().bytes());
            }
            sharing.look(System.nanoTime());
            long now = System.nanoTime();
            talked += now - began;
            wait = Math.clamp(sharing.wakeAt() - now, 0, LONGEST_WAIT);
        }
    }

    Duration talked() {
        return Duration.ofNanos(talked);
    }
}
