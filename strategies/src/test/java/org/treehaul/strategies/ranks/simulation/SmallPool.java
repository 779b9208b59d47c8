// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies.ranks.simulation;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.Set;
import java.util.function.BooleanSupplier;

import org.jspecify.annotations.Nullable;

/** Work of a rank with numbers as units, each of which leads to others; tracks the units of all ranks. */
final class SmallPool implements SimulatedPool {

    /** The units of all ranks. */
    static final class World {
        private final Chance chance;
        private final int most;
        private final Set<Long> begun = new HashSet<>();
        private BooleanSupplier isOver = () -> false;
        private long made = 1;
        private long ended;

        World(long seed, int most) {
            this.chance = new Chance(seed);
            this.most = most;
        }

        /** Sets the check whether any rank believes that all work is done. */
        void isOver(BooleanSupplier some) {
            isOver = some;
        }

        /** Returns the fault at the end, null if there is none. */
        @Nullable String fault() {
            return ended == made && begun.size() == made
                    ? null
                    : made + " made, " + begun.size() + " begun, " + ended + " ended";
        }

        long made() {
            return made;
        }
    }

    private final World world;
    private final ArrayDeque<Long> waiting = new ArrayDeque<>();
    private final long[] inHand;
    private long permits = Long.MAX_VALUE / 2;
    private int busy;

    SmallPool(World world, int threads, boolean begins) {
        this.world = world;
        this.inHand = new long[threads];
        if (begins) {
            waiting.add(0L);
        }
    }

    @Override
    public long begin(int thread) {
        if (waiting.isEmpty() || permits == 0) {
            return NOTHING;
        }
        permits--;
        check("begun");
        inHand[thread] = waiting.removeLast();
        if (!world.begun.add(inHand[thread])) {
            throw new IllegalStateException("unit " + inHand[thread] + " is begun again");
        }
        busy++;
        // Durations from zero to long.
        return (world.chance.next() >>> 1) % (1L << (world.chance.next() & 15));
    }

    private void check(String what) {
        if (world.isOver.getAsBoolean()) {
            throw new IllegalStateException("a unit is " + what + " though a rank believes that all is done");
        }
    }

    @Override
    public void end(int thread) {
        check("ended");
        busy--;
        world.ended++;
        long children = (world.chance.next() & 7) == 0 ? (world.chance.next() & 31) : (world.chance.next() & 1);
        for (long i = 0; i < children && world.made < world.most; i++) {
            waiting.add(world.made++);
        }
    }

    @Override
    public long bytes(byte[] message) {
        return message.length;
    }

    @Override
    public long waiting() {
        return waiting.size();
    }

    @Override
    public boolean isResting() {
        return busy == 0 && (waiting.isEmpty() || permits == 0);
    }

    @Override
    public boolean isBusy() {
        return busy > 0;
    }

    @Override
    public byte[] take(long units, int bytes) {
        int count = (int) Math.min(Math.min(units, waiting.size()), bytes / 8);
        ByteBuffer taken = ByteBuffer.allocate(8 * count);
        for (int i = 0; i < count; i++) {
            taken.putLong(waiting.removeFirst());
        }
        return taken.array();
    }

    @Override
    public byte[] takeLargest(long units, long weight, int bytes) {
        return take(units, bytes);
    }

    @Override
    public long weight() {
        return waiting.size();
    }

    @Override
    public long add(byte[] units) {
        ByteBuffer buffer = ByteBuffer.wrap(units);
        while (buffer.hasRemaining()) {
            waiting.add(buffer.getLong());
        }
        return units.length / 8;
    }

    @Override
    public void permit(long units) {
        permits += units;
    }

    @Override
    public void restrict() {
        permits = 0;
    }

    @Override
    public void wanted() {
        // Units cannot be divided.
    }
}
