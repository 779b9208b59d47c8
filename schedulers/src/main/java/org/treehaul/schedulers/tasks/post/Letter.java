// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.tasks.post;

import java.util.concurrent.CompletableFuture;

/** A message on its way. The hub guards the place by its lock. */
public final class Letter {

    private static final int OVERHEAD = 64;

    /** The place of a message. */
    enum Place {
        /** Its sender waits for room in the mailbox. */
        WAITING,
        /** It is in the mailbox. */
        QUEUED,
        /** The receiver has it, or it was discarded. */
        GONE
    }

    private final int from;
    private final int to;
    private final byte[] content;
    private final boolean isAcknowledged;
    private final CompletableFuture<Boolean> sent = new CompletableFuture<>();
    Place place = Place.WAITING;

    /** Creates a message, which the hub or the other end of a connection completes. */
    public Letter(int from, int to, byte[] content, boolean isAcknowledged) {
        this.from = from;
        this.to = to;
        this.content = content;
        this.isAcknowledged = isAcknowledged;
    }

    /** Returns the number of the sender. */
    public int from() {
        return from;
    }

    /** Returns the number of the receiver. */
    public int to() {
        return to;
    }

    /** Returns the content. */
    public byte[] content() {
        return content;
    }

    /** Returns whether the sender waits until the message was received, not only until it is in the mailbox. */
    public boolean isAcknowledged() {
        return isAcknowledged;
    }

    /**
     * Returns the result of the sender: true as soon as the message is in the mailbox or was received, false if it was
     * withdrawn before. Fails if it cannot be received.
     */
    public CompletableFuture<Boolean> sent() {
        return sent;
    }

    long cost() {
        return (long) content.length + OVERHEAD;
    }
}
