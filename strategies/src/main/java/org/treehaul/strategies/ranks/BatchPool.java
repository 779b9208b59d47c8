// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies.ranks;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.IntToLongFunction;

import org.treehaul.core.event.Cancellation;
import org.treehaul.core.transfer.work.BatchShare;
import org.treehaul.strategies.ranks.communicator.RanksException;

/**
 * The batches of a plan as the work of a rank, which does one batch at a time. A unit is the number of a batch and
 * never leads to other units. Its weight is known before it begins.
 */
final class BatchPool implements DrivenPool, BatchShare {

    private final int count;
    private final IntToLongFunction weights;
    private final boolean isFirst;
    private final BatchPlaces places;
    private final int rank;
    private final Cancellation cancellation;
    // The oldest batch comes first.
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
     * @param count the number of batches in the plan
     * @param weights the weight of each batch, in entries
     * @param places where the data of the batches are
     * @param rank the rank of this pool; all batches are in that of rank 0 at first
     * @param cancellation stops the pool; {@link #stop} wakes a thread that waits for a batch
     */
    BatchPool(int count, IntToLongFunction weights, BatchPlaces places, int rank, Cancellation cancellation) {
        this.count = count;
        this.weights = weights;
        this.places = places;
        this.rank = rank;
        this.isFirst = rank == 0;
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
        Runnable action = null;
        synchronized (this) {
            busy = false;
            if (!mayBegin()) {
                action = atRest;
            }
        }
        if (action != null) {
            action.run();
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

    // A master that works while no rank asks takes the smallest batch, so that no rank waits long for it (Nuss, 2.2.1).
    private int removeNext() {
        if (!isFirst || !restricted) {
            Integer next = places.areKnown()
                    ? Collections.min(waiting, Comparator.comparingInt(this::distance))
                    : waiting.getFirst();
            waiting.remove(next);
            return next;
        }
        int smallest = Collections.min(waiting, Comparator.comparingLong(this::weight));
        waiting.remove(smallest);
        return smallest;
    }

    // Batches stored on this host come first, and those stored on the hosts of other ranks last. A rank whose host
    // stores nothing has no such order, or the files of no server would come before all others.
    private int distance(int batch) {
        return places.isLocal(batch, rank) ? 0 : places.isKnown(batch) && places.hasLocal(rank) ? 2 : 1;
    }

    // Among the batches that the other rank does not store, this rank gives those that it stores itself last.
    private int distance(int batch, int to) {
        if (places.isLocal(batch, to)) {
            return 0;
        }
        return places.isLocal(batch, rank) ? 3 : places.isKnown(batch) && places.hasLocal(to) ? 2 : 1;
    }

    private boolean mayBegin() {
        return begun && !waiting.isEmpty() && (!restricted || permits > 0);
    }

    private int taken(int batch) {
        weight -= weight(batch);
        return batch;
    }

    /** Ends the wait for more batches, because all work of all ranks is done. */
    synchronized void end() {
        over = true;
        notifyAll();
    }

    /** Ends the work of this rank. */
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
    public synchronized byte[] takeFor(int to, long units, int bytes) {
        if (!places.areKnown()) {
            return take(units, bytes);
        }
        List<Integer> best = new ArrayList<>(waiting);
        best.sort(Comparator.comparingInt(batch -> distance(batch, to)));
        List<Integer> taken = best.subList(0, (int) Math.min(Math.min(units, bytes / Integer.BYTES), best.size()));
        waiting.removeAll(Set.copyOf(taken));
        taken.forEach(this::taken);
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
            throw new RanksException("a message cannot be read: " + units.length + " bytes for batches");
        }
        while (batches.hasRemaining()) {
            int batch = batches.getInt();
            if (batch < 0 || batch >= count) {
                throw new RanksException(
                        "unknown batch " + batch + " among " + count + ": do all ranks carry out the same plan?");
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
        // A batch cannot be divided.
    }
}
