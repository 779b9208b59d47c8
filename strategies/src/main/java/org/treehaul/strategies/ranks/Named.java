// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies.ranks;

import org.treehaul.strategies.ranks.communicator.RanksException;

/** A distribution made of a name and a factory for its state machine. */
record Named(String name, boolean isHybrid, Maker maker) implements Distribution {

    /** Makes the state machine of a rank. */
    interface Maker {
        DistributionProtocol make(Group group, WorkPool pool, Outbox outbox);
    }

    @Override
    public DistributionProtocol share(Group group, WorkPool pool, Outbox outbox) {
        return group.size() == 1 ? new Alone(pool) : maker.make(group, pool, outbox);
    }

    @Override
    public String toString() {
        return name;
    }

    /** The protocol of a rank that is alone: over when its pool rests. */
    private static final class Alone implements DistributionProtocol {
        private final WorkPool pool;
        private boolean over;

        Alone(WorkPool pool) {
            this.pool = pool;
        }

        @Override
        public void received(long now, int from, byte[] message) {
            throw new RanksException("a message to a rank that is alone");
        }

        @Override
        public void look(long now) {
            over = over || pool.isResting();
        }

        @Override
        public long wakeAt() {
            return Long.MAX_VALUE;
        }

        @Override
        public boolean isClosed() {
            return over;
        }

        @Override
        public boolean isOver() {
            return over;
        }
    }
}
