// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;

import org.treehaul.tuplespace.store.Change;
import org.treehaul.tuplespace.store.StoreListener;

/** Listens to the store and forwards its changes to waiting operations and to registrations. */
final class Hub implements StoreListener {
    final List<Delivery<?>> deliveries = new CopyOnWriteArrayList<>();
    final AtomicReference<Waiters> waiters = new AtomicReference<>();

    private Waiters waiters() {
        Waiters known = waiters.get();
        if (known == null) {
            throw new IllegalStateException("the store reports changes before it is open");
        }
        return known;
    }

    @Override
    public boolean isInterested() {
        Waiters known = waiters.get();
        return !deliveries.isEmpty() || known != null && known.isAny();
    }

    @Override
    public boolean isInterestedIn(long transaction) {
        return deliveries.stream().anyMatch(delivery -> delivery.transaction == transaction);
    }

    /** Removes and returns the registrations made in a transaction. Called within the store's exclusive section. */
    List<Delivery<?>> removeIn(long transaction) {
        List<Delivery<?>> in = deliveries.stream().filter(one -> one.transaction == transaction).toList();
        deliveries.removeAll(in);
        return in;
    }

    @Override
    public boolean wantsEvents() {
        return !deliveries.isEmpty();
    }

    @Override
    public boolean hasRoom() {
        return deliveries.stream().allMatch(Delivery::hasRoom);
    }

    @Override
    public void changed(List<Change> changes) {
        for (Delivery<?> delivery : deliveries) {
            changes.forEach(delivery::offer);
        }
        waiters().changed(changes);
    }

    @Override
    public void changedElsewhere() {
        waiters().serveAll();
    }

    @Override
    public void lost() {
        deliveries.forEach(Delivery::lose);
    }
}
