// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.batch;

import java.util.Optional;

import org.treehaul.core.copy.outcome.OutcomeCounter;
import org.treehaul.core.event.Event;
import org.treehaul.core.event.EventListener;
import org.treehaul.core.fs.Errno;

/**
 * Passes events on, and remembers the last error that concerns the destination as a whole: the one for which a copy
 * gives up. Safe for any number of threads.
 */
public final class DestinationWatch implements EventListener {

    private final EventListener next;
    private volatile int errno;

    /**
     * Creates a watch.
     *
     * @param next receives every event
     */
    public DestinationWatch(EventListener next) {
        this.next = next;
    }

    @Override
    public void onEvent(Event event) {
        if (event instanceof Event.Failed failed && OutcomeCounter.isOfDestination(failed.failure())) {
            errno = failed.failure().errno();
        }
        next.onEvent(event);
    }

    /** Returns what is wrong with the destination, with the error; empty if it had no such error. */
    public Optional<String> problem() {
        int last = errno;
        return last == 0 ? Optional.empty() : Optional.of("the destination failed as a whole: " + Errno.describe(last));
    }
}
