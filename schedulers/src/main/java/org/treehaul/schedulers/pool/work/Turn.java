// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.pool.work;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.BooleanSupplier;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.transfer.work.BatchShare;
import org.treehaul.schedulers.pool.BatchOffer;
import org.treehaul.schedulers.pool.PlaceBound;
import org.treehaul.schedulers.pool.Pool;
import org.treehaul.schedulers.pool.TransferOffer;
import org.treehaul.schedulers.pool.Trust;
import org.treehaul.tuplespace.Lease;
import org.treehaul.tuplespace.Transaction;
import org.treehaul.tuplespace.store.Owned;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.tuple.Template;

/**
 * The batches of one transfer that a worker takes from the space in one turn. It takes them in groups, each in a
 * transaction: more at once while they are short, so that the space does not limit their rate. A group that is not
 * committed is back in the space; the journals show the next worker which of its batches are done. Used by one thread.
 */
final class Turn implements BatchShare, AutoCloseable {

    /** Why a turn has no batch. */
    enum Start {
        /** It has batches. */
        TAKEN,
        /** No batch of the transfer is free. */
        NONE,
        /** As many workers as allowed write to the destination, or work on the transfer. */
        BOUNDED
    }

    // With groups of this size, the steps of the space are a small part of even the shortest batches.
    private static final int MOST = 64;
    private static final Duration SHORT = Duration.ofMillis(500);

    private final Pool pool;
    private final TransferOffer offer;
    private final Admission admission;
    private final Presence presence;
    private final Duration lease;
    private final Cancellation stop;
    private final BooleanSupplier isOver;
    private final Set<Integer> avoided;
    private final LocalBatches local;

    private final Deque<Integer> left = new ArrayDeque<>();
    private final List<Record> back = new ArrayList<>();
    private @Nullable Transaction transaction;
    private int size = 1;
    private long takenAt;

    /**
     * Prepares a turn.
     *
     * @param admission says whose tuples are believed
     * @param isOver returns whether another transfer is due
     * @param avoided batches that other workers have; those that are found are added
     * @param local the batches to take first
     */
    Turn(Pool pool, TransferOffer offer, Admission admission, Presence presence, Duration lease, Cancellation stop,
            BooleanSupplier isOver, Set<Integer> avoided, LocalBatches local) {
        this.pool = pool;
        this.offer = offer;
        this.admission = admission;
        this.presence = presence;
        this.lease = lease;
        this.stop = stop;
        this.isOver = isOver;
        this.avoided = avoided;
        this.local = local;
    }

    /** Takes the first batches. */
    Start begin() throws InterruptedException {
        Transaction begun = pool.begin(lease);
        boolean isTaken = false;
        Optional<PlaceBound> flooded = Optional.empty();
        try {
            List<Owned<BatchOffer>> taken = take(begun);
            if (taken.isEmpty()) {
                return Start.NONE;
            }
            for (PlaceBound place : Pool.places(offer, pool.bounds(admission.ofPool()))) {
                Pool.SlotTake slot = Pool.takeSlot(begun, place.place(), place.most(), trust(place));
                if (slot.slot().isEmpty()) {
                    flooded = slot.isFlooded() ? Optional.of(place) : Optional.empty();
                    return Start.BOUNDED;
                }
                back.add(slot.slot().get());
            }
            // Forged ones are gone with the commit.
            Trust trust = admission.of(offer);
            taken.stream().filter(trust::covers).forEach(batch -> left.add(batch.tuple().batch()));
            left.removeIf(batch -> batch < 0);
            isTaken = true;
        } finally {
            if (isTaken) {
                transaction = begun;
                presence.renew(begun.lease());
                takenAt = System.nanoTime();
            } else {
                back.clear();
                begun.close();
                flooded.ifPresent(place -> pool.removeForgedSlots(place.place(), place.most(), trust(place)));
            }
        }
        return Start.TAKEN;
    }

    private List<Owned<BatchOffer>> take(Transaction within) {
        Template<BatchOffer> free = Pool.batches(offer, new HashSet<>(avoided));
        if (!local.portion().isEmpty()) {
            List<Owned<BatchOffer>> taken = within.takeOwned(free.in("batch", local.portion()), size);
            if (!taken.isEmpty()) {
                return taken;
            }
            local.usedUp();
        }
        return within.takeOwned(free, size);
    }

    private Trust trust(PlaceBound place) {
        return place.place().equals(offer.place()) ? admission.of(offer) : admission.ofPool();
    }

    @Override
    public OptionalInt next() {
        try {
            if (!left.isEmpty() && !isShort()) {
                // Others need not wait for batches that were thought to be short.
                left.forEach(batch -> back.add(new BatchOffer(offer.transfer(), offer.generation(), batch)));
                left.clear();
            }
            while (left.isEmpty()) {
                commit();
                if (stop.isCancelled() || isOver.getAsBoolean() || begin() != Start.TAKEN) {
                    return OptionalInt.empty();
                }
            }
            return OptionalInt.of(left.remove());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            stop.cancel();
            return OptionalInt.empty();
        }
    }

    // The journals record the work of the worker, so the offers are used up with any outcome.
    private void commit() {
        Transaction ended = transaction;
        if (ended == null) {
            return;
        }
        transaction = null;
        presence.renew(null);
        try (ended) {
            ended.writeAll(back, Lease.FOREVER);
            ended.commit();
        } catch (SpaceException e) {
            if (e.reason() != SpaceException.Reason.TRANSACTION_ENDED
                    && e.reason() != SpaceException.Reason.UNKNOWN_LEASE) {
                throw e;
            }
            // The offers are back in the space, and the next worker finds these batches done.
        } finally {
            back.clear();
        }
        size = isShort() ? Math.min(MOST, 2 * size) : 1;
    }

    private boolean isShort() {
        return System.nanoTime() - takenAt < SHORT.toNanos();
    }

    @Override
    public boolean takeBack(int batch) {
        avoided.add(batch);
        back.add(new BatchOffer(offer.transfer(), offer.generation(), batch));
        return true;
    }

    @Override
    public boolean isOpen() {
        return true;
    }

    /** Gives back the group that was not committed. */
    @Override
    public void close() {
        presence.renew(null);
        Transaction open = transaction;
        transaction = null;
        left.clear();
        back.clear();
        if (open != null) {
            open.close();
        }
    }
}
