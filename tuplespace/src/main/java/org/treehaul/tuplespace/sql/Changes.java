// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.sql;

import java.util.ArrayList;
import java.util.List;

import org.treehaul.tuplespace.store.Change;
import org.treehaul.tuplespace.store.EventKind;
import org.treehaul.tuplespace.store.Store;
import org.treehaul.tuplespace.store.StoreListener;

/**
 * The changes of this process that are of interest: passes them to its listener after the commit; a subclass keeps them
 * for other processes. Guarded by the lock under which the store is changed.
 */
public abstract class Changes {
    /** Limit of the changes kept for other processes; each takes a few hundred bytes. */
    public static final long KEPT = 1_000_000;
    /** Limit of the changes of one commit that are reported; the rest is lost, which is also reported. */
    private static final int MOST_REPORTED = 100_000;

    private final StoreListener listener;
    private List<Change> changes = new ArrayList<>();
    private boolean isLost;
    private boolean isPublishing;
    private boolean isQuiet;

    protected Changes(StoreListener listener) {
        this.listener = listener;
    }

    /** Returns whether other processes want the changes of the present transaction. */
    protected abstract boolean isWatchedElsewhere();

    /** Returns the number of noted changes that were not reported yet. */
    public final int size() {
        return changes.size();
    }

    /** Drops all changes noted after the first {@code size}, because they were not committed. */
    public void forgetAfter(int size) {
        changes.subList(size, changes.size()).clear();
    }

    /** Reports committed changes to the listener. It may make further changes, which are reported too. */
    public final void publish() {
        if (isPublishing) {
            return;
        }
        isPublishing = true;
        try {
            while (!changes.isEmpty()) {
                List<Change> published = changes;
                changes = new ArrayList<>();
                listener.changed(published);
                if (isLost) {
                    isLost = false;
                    listener.lost();
                }
            }
        } finally {
            isPublishing = false;
        }
    }

    /** Decides whether the changes of the present step are no events; see {@link Store#quietly}. */
    public final void beQuiet(boolean quiet) {
        isQuiet = quiet;
    }

    /**
     * Returns whether changes are of interest, in this or another process, or those inside a transaction. Called within
     * a step.
     */
    public final boolean isWatched(long transaction) {
        return transaction == Store.NONE
                ? !isQuiet && (listener.isInterested() || isWatchedElsewhere())
                : listener.isInterestedIn(transaction);
    }

    /**
     * Notes a change within a step for the listener: for all, or only for a transaction that knows it. Returns whether
     * the subclass has to keep it for other processes.
     */
    protected final boolean note(EventKind kind, Record tuple, long transaction) {
        boolean isForAll = transaction == Store.NONE;
        if (isForAll && isQuiet) {
            return false;
        }
        if (isForAll ? listener.isInterested() : listener.isInterestedIn(transaction)) {
            if (changes.size() < MOST_REPORTED) {
                changes.add(new Change(kind, tuple, transaction));
            } else {
                isLost = true;
            }
        }
        // A transaction belongs to one process.
        return isForAll && isWatchedElsewhere();
    }
}
