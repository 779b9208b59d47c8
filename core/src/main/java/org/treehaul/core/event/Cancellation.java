// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.event;

import org.jspecify.annotations.Nullable;

/**
 * Asks long work to stop. The caller passes the token to the work; any thread may cancel it, any number of times.
 *
 * <p>
 * Cancelled work begins no new entry, finishes or withdraws the entries in progress, and returns a result that says so.
 */
public final class Cancellation {

    private final @Nullable Cancellation parent;
    private volatile boolean cancelled;

    /** Makes a token that is not cancelled. */
    public Cancellation() {
        this(null);
    }

    private Cancellation(@Nullable Cancellation parent) {
        this.parent = parent;
    }

    /**
     * Returns a token for a part of the work: cancelling the whole cancels it too, but it can also be cancelled alone.
     */
    public static Cancellation of(Cancellation whole) {
        return new Cancellation(whole);
    }

    /** Requests cancellation. */
    public void cancel() {
        cancelled = true;
    }

    /** Returns whether cancellation was requested. */
    public boolean isCancelled() {
        return cancelled || parent != null && parent.isCancelled();
    }
}
