// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.walk;

import org.jspecify.annotations.Nullable;

/**
 * A token that asks long work to stop. It is passed to the work and may be cancelled from any thread, once or often.
 *
 * <p>
 * Work that is asked to stop begins no new entry, finishes or withdraws the ones it has in hand, and returns with a
 * result that says so.
 */
public final class Cancellation {

    private final @Nullable Cancellation parent;
    private volatile boolean cancelled;

    /** Makes a token that nobody has cancelled yet. */
    public Cancellation() {
        this(null);
    }

    private Cancellation(@Nullable Cancellation parent) {
        this.parent = parent;
    }

    /** Returns a token that is cancelled with another, and may be cancelled without it: for a part of the work. */
    public static Cancellation of(Cancellation whole) {
        return new Cancellation(whole);
    }

    /** Asks for the end. */
    public void cancel() {
        cancelled = true;
    }

    /** Returns whether the end was asked for. */
    public boolean isCancelled() {
        return cancelled || parent != null && parent.isCancelled();
    }
}
