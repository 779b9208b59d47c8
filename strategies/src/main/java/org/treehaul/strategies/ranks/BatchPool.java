// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies.ranks;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalInt;
import java.util.function.IntToLongFunction;

import org.treehaul.core.transfer.BatchShare;
import org.treehaul.core.walk.Cancellation;

/**
 * Batches of a plan as the work of a rank, which does one at a time. A unit is the number of a batch and leads to no
 * others. What it is worth is known before it is begun.
 */
final class BatchPool implements DrivenPool, BatchShare {

    private final int count;
    private final IntToLongFunction weights;
    private final boolean isFirst;
    private final Cancellation cancellation;
    // The oldest first.
    private final ArrayDeque<Integer> waiting = new ArrayDeque<>();
    private long weight;
    private long permits;
    private boolean restricted;
    private boolean begun;
    private boolean busy;
    private boolean over;
    private boolean stopped;
    private Runnable atRest = () -> {
    };

    /**
     * Makes a pool.
     *
     * @param count how many batches the plan has
     * @param weights of a batch, in entries
     * @param isFirst whether all of them are in this pool at first, or none
     * @param cancellation stops it; whoever waits for a batch is told by {@link #stop}
     */
    BatchPool(int count, IntToLongFunction weights, boolean isFirst, Cancellation cancellation) {
        this.count = count;
        this.weights = weights;
        this.isFirst = isFirst;
        this.cancellation = cancellation;
        for (int batch = 0; isFirst && batch < count; batch++) {
            put(batch);
        }
    }

    private void put(int batch) {
        waiting.add(batch);
        weight += weight(batch);
    }

    private long weight(int batch) {
        return Math.max(1, weights.applyAsLong(batch));
    }

    @Override
    public OptionalInt next() {
        Runnable told = null;
        synchronized (this) {
            busy = false;
            if (!mayBegin()) {
                told = atRest;
            }
        }
        if (told != null) {
            told.run();
        }
        synchronized (this) {
            try {
                while (!mayBegin() && !over && !isStopped()) {
                    wait();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                stopped = true;
            }
            if (over || isStopped()) {
                return OptionalInt.empty();
            }
            busy = true;
            permits--;
            return OptionalInt.of(taken(removeNext()));
        }
    }

    // A master that works while nobody asks does the smallest, so that nobody waits long for it (Nuss, 2.2.1).
    private int removeNext() {
        if (!isFirst || !restricted) {
            return waiting.remove();
        }
        int smallest = Collections.min(waiting, Comparator.comparingLong(this::weight));
        waiting.remove(smallest);
        return smallest;
    }

    private boolean mayBegin() {
        return begun && !waiting.isEmpty() && (!restricted || permits > 0);
    }

    private int taken(int batch) {
        weight -= weight(batch);
        return batch;
    }

    /** All work of all ranks is done: nobody waits for more. */
    synchronized void end() {
        over = true;
        notifyAll();
    }

    /** This rank does no more. */
    synchronized void stop() {
        stopped = true;
        notifyAll();
    }

    @Override
    public synchronized void atRest(Runnable action) {
        atRest = action;
    }

    @Override
    public synchronized void begin() {
        begun = true;
        notifyAll();
    }

    @Override
    public synchronized boolean isStopped() {
        return stopped || cancellation.isCancelled();
    }

    @Override
    public synchronized long waiting() {
        return waiting.size();
    }

    @Override
    public synchronized boolean isResting() {
        return !busy && (waiting.isEmpty() || restricted && permits <= 0);
    }

    @Override
    public synchronized boolean isBusy() {
        return busy;
    }

    @Override
    public synchronized long weight() {
        return weight;
    }

    @Override
    public synchronized byte[] take(long units, int bytes) {
        List<Integer> taken = new ArrayList<>();
        long most = Math.min(units, bytes / Integer.BYTES);
        while (taken.size() < most && !waiting.isEmpty()) {
            taken.add(taken(waiting.remove()));
        }
        return bytes(taken);
    }

    @Override
    public synchronized byte[] takeLargest(long units, long most, int bytes) {
        List<Integer> largest = new ArrayList<>(waiting);
        largest.sort(
                Comparator.<Integer>comparingLong(batch -> -weight(batch)).thenComparing(Comparator.naturalOrder()));
        List<Integer> taken = new ArrayList<>();
        long sum = 0;
        for (int batch : largest.subList(0, (int) Math.min(Math.min(units, bytes / Integer.BYTES), largest.size()))) {
            sum += weight(batch);
            if (!taken.isEmpty() && sum > most) {
                break;
            }
            taken.add(taken(batch));
        }
        waiting.removeAll(taken);
        return bytes(taken);
    }

    private static byte[] bytes(List<Integer> batches) {
        ByteBuffer units = ByteBuffer.allocate(Integer.BYTES * batches.size());
        batches.forEach(units::putInt);
        return units.array();
    }

    @Override
    public synchronized long add(byte[] units) {
        ByteBuffer batches = ByteBuffer.wrap(units);
        if (units.length % Integer.BYTES != 0) {
            throw new RanksException("a message that cannot be read: " + units.length + " bytes for batches");
        }
        while (batches.hasRemaining()) {
            int batch = batches.getInt();
            if (batch < 0 || batch >= count) {
                throw new RanksException(
                        "there is no batch " + batch + " among " + count + ": do all ranks carry out the same plan?");
            }
            put(batch);
        }
        notifyAll();
        return units.length / Integer.BYTES;
    }

    @Override
    public synchronized void permit(long units) {
        permits += units;
        notifyAll();
    }

    @Override
    public synchronized void restrict() {
        restricted = true;
    }

    @Override
    public void wanted() {
        // A batch is not divided.
    }
}
