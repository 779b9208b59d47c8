// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies.ranks.communicator;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.Queue;

import org.treehaul.core.annotation.Internal;
import org.treehaul.core.event.Cancellation;

/** Sends a message from rank 0 to all other ranks. */
@Internal
public final class Broadcast {

    // No other message begins with this byte.
    private static final char MARK = '!';

    private Broadcast() {}

    /**
     * A received broadcast.
     *
     * @param text the message of rank 0
     * @param communicator the communicator to continue with: ranks that received the broadcast earlier may have sent
     *        messages since
     */
    public record Delivered(String text, Communicator communicator) {}

    /**
     * Sends a message from rank 0 to all others; in the others, waits for it. Every rank must call it.
     *
     * @param mine the text that rank 0 sends, shorter than a message; ignored in the others
     * @param cancellation ends the wait; the group cannot continue then
     * @throws RanksException when the group breaks while this rank waits, or the wait is cancelled
     */
    public static Delivered fromFirst(Communicator communicator, String mine, Cancellation cancellation) {
        if (communicator.rank() == 0) {
            byte[] message = (MARK + mine).getBytes(StandardCharsets.UTF_8);
            for (int rank = 1; rank < communicator.size(); rank++) {
                communicator.send(rank, message);
            }
            return new Delivered(mine, communicator);
        }
        Queue<Received> early = new ArrayDeque<>();
        while (true) {
            Received received = Gather.await(communicator, cancellation);
            byte[] bytes = received.bytes();
            if (received.from() == 0 && bytes.length > 0 && bytes[0] == MARK) {
                return new Delivered(new String(bytes, 1, bytes.length - 1, StandardCharsets.UTF_8),
                        early.isEmpty() ? communicator : new Since(communicator, early));
            }
            early.add(received);
        }
    }

    /** Returns the messages that came early before all others. */
    private static final class Since extends ForwardingCommunicator {

        private final Queue<Received> early;

        Since(Communicator communicator, Queue<Received> early) {
            super(communicator);
            this.early = early;
        }

        @Override
        public Optional<Received> poll(Duration longest) {
            Received next = early.poll();
            return next == null ? super.poll(longest) : Optional.of(next);
        }
    }
}
