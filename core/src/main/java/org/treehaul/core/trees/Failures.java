// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.trees;

import java.util.ArrayList;
import java.util.List;

import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.event.Event;
import org.treehaul.core.event.EventListener;

/** Collects the first failures and counts all. Safe for any number of threads. */
final class Failures implements EventListener {

    private final List<EntryFailure> first = new ArrayList<>();
    private long count;

    @Override
    public synchronized void onEvent(Event event) {
        if (event instanceof Event.Failed failed) {
            count++;
            if (first.size() < Trees.KEPT_FAILURES) {
                first.add(failed.failure());
            }
        }
    }

    /** Ends the work: throws an exception unless it is complete and nothing failed. */
    synchronized void check(boolean isComplete) throws TreeFailedException {
        if (count > 0 || !isComplete) {
            throw new TreeFailedException(first, count);
        }
    }
}
