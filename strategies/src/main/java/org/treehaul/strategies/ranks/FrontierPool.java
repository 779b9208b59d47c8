// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies.ranks;

import org.treehaul.core.walk.frontier.SharedWork;
import org.treehaul.strategies.ranks.communicator.RanksException;

/**
 * The frontier of a walk as the work of a rank. The size of a directory is unknown before it is listed, so all units
 * have the same weight.
 */
final class FrontierPool implements DrivenPool {

    private final SharedWork work;
    private boolean restricted;

    FrontierPool(SharedWork work) {
        this.work = work;
    }

    @Override
    public void atRest(Runnable action) {
        work.atRest(action);
    }

    @Override
    public void begin() {
        if (!restricted) {
            work.open();
        }
    }

    @Override
    public boolean isStopped() {
        return work.isStopped();
    }

    @Override
    public long waiting() {
        return work.waiting();
    }

    @Override
    public long weight() {
        return work.waiting();
    }

    @Override
    public boolean isBusy() {
        return work.isBusy();
    }

    @Override
    public boolean isResting() {
        return work.isResting();
    }

    @Override
    public byte[] take(long units, int bytes) {
        return work.take(units, bytes);
    }

    @Override
    public byte[] takeLargest(long units, long weight, int bytes) {
        return work.take(units, bytes);
    }

    @Override
    public long add(byte[] units) {
        try {
            return work.add(units);
        } catch (IllegalArgumentException e) {
            throw new RanksException("a message cannot be read: do all ranks walk the same roots?", e);
        }
    }

    @Override
    public void permit(long units) {
        work.permit(units);
    }

    @Override
    public void restrict() {
        restricted = true;
    }

    @Override
    public void wanted() {
        work.wanted();
    }
}
