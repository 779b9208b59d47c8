// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.mpj;

import java.util.ArrayDeque;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

/**
 * Another rank as seen by the communicator of one rank: the messages that wait for it and how many bytes may be sent.
 * Guarded by the lock of its communicator.
 *
 * <p>
 * MPJ Express accepts all incoming data until the memory is full. Therefore no rank sends more than a window of
 * messages that the other has not taken yet. Credits come back in quarters of the window: a message always fits into
 * the rest, so two ranks cannot wait for each other.
 */
final class Peer {

    /** The largest number of bytes in messages that were sent to a rank and not taken by it. */
    static final long WINDOW = 512 * 1024;
    private static final long OVERHEAD = 64;

    final int rank;
    private final ArrayDeque<byte[]> queue = new ArrayDeque<>();
    private long credit = WINDOW;
    private long owed;
    private long sentAt;
    private long heardAt;
    private boolean leaveSent;
    private boolean leaveReceived;
    private boolean byeSent;
    private boolean byeReceived;

    Peer(int rank, long now) {
        this.rank = rank;
        this.sentAt = now;
        this.heardAt = now;
    }

    private static long cost(byte[] message) {
        return message.length + OVERHEAD;
    }

    /** Adds a message, and returns its cost. */
    long add(byte[] message) {
        queue.add(message);
        return cost(message);
    }

    /** Records that this rank took one message from the peer. */
    void taken(byte[] message) {
        owed += cost(message);
    }

    boolean owesCredit() {
        return owed >= WINDOW / 4 && !leaveReceived && !byeSent;
    }

    /** Records a frame from the peer; the caller handles the message in it. */
    void delivered(Frame.Kind kind, byte[] frame, long now) {
        heardAt = now;
        switch (kind) {
            case CREDIT -> credit += Frame.credit(frame);
            case LEAVE -> leaveReceived = true;
            case BYE -> byeReceived = true;
            case DATA, BEAT, STOP -> {
            }
        }
    }

    long silence(long now) {
        return byeReceived ? 0 : now - heardAt;
    }

    boolean isLeft() {
        return leaveReceived && leaveSent;
    }

    boolean hasSaidBye() {
        return byeReceived;
    }

    boolean isGone() {
        return byeReceived && byeSent;
    }

    /**
     * Returns the next frame to send; null if there is none.
     *
     * @param closing whether this rank sends no messages beyond those that wait
     * @param allLeft whether that is so between all ranks
     * @param beat nanoseconds without a frame after which to send a sign of life; 0 for never
     */
    byte @Nullable [] next(long now, boolean closing, boolean allLeft, long beat) {
        byte[] frame = frame(now, closing, allLeft, beat);
        if (frame != null) {
            sentAt = now;
        }
        return frame;
    }

    private byte @Nullable [] frame(long now, boolean closing, boolean allLeft, long beat) {
        if (byeSent) {
            return null;
        }
        if (owesCredit()) {
            byte[] frame = Frame.credit(owed);
            owed = 0;
            return frame;
        }
        if (!queue.isEmpty() && credit >= cost(Objects.requireNonNull(queue.peek()))) {
            byte[] message = queue.remove();
            credit -= cost(message);
            return Frame.data(message);
        }
        if (closing && queue.isEmpty() && !leaveSent) {
            leaveSent = true;
            return Frame.of(Frame.Kind.LEAVE);
        }
        if (allLeft) {
            byeSent = true;
            return Frame.of(Frame.Kind.BYE);
        }
        return beat > 0 && now - sentAt >= beat ? Frame.of(Frame.Kind.BEAT) : null;
    }

    /** Returns the cost that was counted for the message in a frame; 0 without a message. */
    static long cost(Frame.Kind kind, byte[] frame) {
        return kind == Frame.Kind.DATA ? frame.length - 1 + OVERHEAD : 0;
    }
}
