// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies.ranks;

import java.util.SplittableRandom;

import org.treehaul.strategies.ranks.communicator.RanksException;

/**
 * Shares work without a master: a rank with nothing to do asks another, which gives a part of its waiting units (LaFon
 * et al., Algorithms 2 to 4). Each rank has one request open, and gets one message in answer: so at most one message
 * with work can wait for it, and no other flow control is necessary.
 *
 * <p>
 * In the paper a rank without work asks again at once, for as long as it has none. Here it pauses after a refusal,
 * longer each time: thousands of ranks at the beginning and at the end of a walk would do nothing but refuse each
 * other.
 */
final class QueueSplitting implements DistributionProtocol {

    private final Group group;
    private final WorkPool pool;
    private final Outbox outbox;
    private final Victims victims;
    private final boolean isRandom;
    private final SplittableRandom random;
    private final TokenRing ring;
    private final Closing closing;
    private boolean awaits;
    private int refusals;
    private long nextRequest;
    private boolean rested;

    QueueSplitting(Group group, WorkPool pool, Outbox outbox, Victims victims, boolean isRandom) {
        this.group = group;
        this.pool = pool;
        this.outbox = outbox;
        this.victims = victims;
        this.isRandom = isRandom;
        this.random = new SplittableRandom(group.settings().seed() * 0xD1B54A32D192ED03L + group.rank());
        this.ring = new TokenRing(group, outbox);
        this.closing = new Closing(group, outbox);
    }

    @Override
    public void received(long now, int from, byte[] message) {
        switch (Message.kind(message)) {
            case REQUEST -> answer(from);
            case REFUSAL -> {
                awaits = false;
                nextRequest = now + group.pause(refusals);
                refusals++;
            }
            case WORK -> {
                awaits = false;
                refusals = 0;
                ring.workReceived();
                pool.add(Message.units(message));
            }
            case WHITE_TOKEN -> ring.received(false, Message.number(message));
            case BLACK_TOKEN -> ring.received(true, Message.number(message));
            case END -> closing.end();
            case READY -> closing.childReady();
            case CLOSE -> closing.close();
            case RESULT -> throw new RanksException("rank " + from + " follows another distribution");
        }
    }

    private void answer(int to) {
        byte[] units = closing.isOver() ? new byte[0] : take(to);
        if (units.length == 0) {
            outbox.send(to, Message.of(Message.Kind.REFUSAL, 0));
            pool.wanted();
            return;
        }
        ring.workSent();
        outbox.send(to, Message.of(Message.Kind.WORK, 0, units));
    }

    // Always keeps a unit, in progress or waiting. Otherwise units could move between ranks without ever being begun.
    private byte[] take(int to) {
        long waiting = pool.waiting();
        long most = pool.isBusy() ? waiting : waiting - 1;
        if (most < 1) {
            return new byte[0];
        }
        long units = isRandom ? random.nextLong(most) + 1 : Math.max(1, waiting / 2);
        return pool.takeFor(to, Math.min(units, most), group.settings().longestMessage() - Message.HEADER);
    }

    @Override
    public void look(long now) {
        if (closing.isOver()) {
            if (!awaits) {
                closing.quiet();
            }
            return;
        }
        rested = pool.isResting();
        if (!rested) {
            return;
        }
        if (ring.rests(now)) {
            closing.end();
            look(now);
        } else if (!awaits && now >= nextRequest) {
            awaits = true;
            outbox.send(victims.next(), Message.of(Message.Kind.REQUEST, group.capacity()));
        }
    }

    @Override
    public long wakeAt() {
        if (closing.isOver() || !rested) {
            return Long.MAX_VALUE;
        }
        return Math.min(awaits ? Long.MAX_VALUE : nextRequest, ring.wakeAt());
    }

    @Override
    public boolean isClosed() {
        return closing.isClosed();
    }

    @Override
    public boolean isOver() {
        return closing.isOver();
    }
}
