// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.partition.gate;

import java.util.ArrayList;
import java.util.List;

import org.treehaul.tuplespace.store.Change;
import org.treehaul.tuplespace.store.StoreListener;

/**
 * Changes that the partitions have reported and the listener above has not received: a partition reports within its own
 * exclusive section, from which the listener could not call the other partitions. Thread-safe.
 */
public final class PendingChanges {
    /**
     * Most changes that are kept: the partitions hold back changes by other processes before, so it is hardly reached.
     */
    private static final int MOST = 100_000;

    private final StoreListener listener;
    /** Wakes the thread that delivers. */
    private final Runnable signal;

    // Guarded by this.
    private List<Change> changes = new ArrayList<>();
    private boolean isElsewhere;
    private boolean isLost;

    PendingChanges(StoreListener listener, Runnable signal) {
        this.listener = listener;
        this.signal = signal;
    }

    /** Returns whether a partition may report more changes. */
    public boolean hasRoom() {
        synchronized (this) {
            if (changes.size() > MOST / 10) {
                return false;
            }
        }
        return listener.hasRoom();
    }

    /** Adds changes of a partition. */
    public void add(List<Change> more) {
        synchronized (this) {
            if (changes.size() + more.size() > MOST) {
                isLost = true;
                // Operations that wait must not miss what the registrations lose.
                isElsewhere = true;
            } else {
                changes.addAll(more);
            }
        }
        signal.run();
    }

    /** Notes that another process may have changed anything. */
    public void addElsewhere() {
        synchronized (this) {
            isElsewhere = true;
        }
        signal.run();
    }

    /** Notes that changes were lost. */
    public void addLost() {
        synchronized (this) {
            isLost = true;
        }
        signal.run();
    }

    /** Passes on all changes, also those that this causes. Called within the exclusive section of the whole. */
    void deliver() {
        while (true) {
            List<Change> some;
            boolean isOther;
            boolean isSomeLost;
            synchronized (this) {
                if (changes.isEmpty() && !isElsewhere && !isLost) {
                    return;
                }
                some = changes;
                changes = new ArrayList<>();
                isOther = isElsewhere;
                isElsewhere = false;
                isSomeLost = isLost;
                isLost = false;
            }
            if (isSomeLost) {
                listener.lost();
            }
            if (!some.isEmpty()) {
                listener.changed(some);
            }
            if (isOther) {
                listener.changedElsewhere();
            }
        }
    }
}
