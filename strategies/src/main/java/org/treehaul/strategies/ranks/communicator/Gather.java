// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies.ranks.communicator;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.annotation.Internal;
import org.treehaul.core.event.Cancellation;

/** Collects the data of all ranks in rank 0, in any length, when the ranks exchange no other messages any more. */
@Internal
public final class Gather {

    private static final int HEADER = 2 * Integer.BYTES;
    private static final int PART = Communicator.LONGEST_MESSAGE - HEADER;
    // A sender never has more parts on their way: 10 MB, far below the limit of a communicator, and enough to wait
    // seldom.
    static final int PARTS_UNANSWERED = 100;
    private static final Duration WAIT = Duration.ofSeconds(1);

    private Gather() {}

    /**
     * Sends data to rank 0; in rank 0, waits for the data of all others. Every rank of the group must call it. The
     * others return when rank 0 has all data, so that it may be called again.
     *
     * @param cancellation ends the wait; the group cannot continue then
     * @return in rank 0 the data of each rank, by its number; nothing in the others
     * @throws RanksException when the group breaks while this rank waits, or the wait is cancelled
     */
    public static List<byte[]> inFirst(Communicator communicator, byte[] mine, Cancellation cancellation) {
        if (communicator.rank() > 0) {
            send(communicator, mine, cancellation);
            await(communicator, cancellation);
            return List.of();
        }
        byte[] @Nullable [] all = new byte[communicator.size()][];
        int[] missing = new int[communicator.size()];
        Arrays.fill(missing, 1);
        int[] parts = new int[communicator.size()];
        all[0] = mine;
        missing[0] = 0;
        while (Arrays.stream(missing).anyMatch(left -> left > 0)) {
            Received received = await(communicator, cancellation);
            int from = received.from();
            ByteBuffer message = ByteBuffer.wrap(received.bytes());
            int length = message.getInt();
            int at = message.getInt();
            byte[] whole = all[from];
            if (whole == null) {
                whole = new byte[length];
                all[from] = whole;
                missing[from] = length;
            }
            missing[from] -= message.remaining();
            message.get(whole, at, message.remaining());
            parts[from]++;
            if (parts[from] % PARTS_UNANSWERED == 0 && missing[from] > 0) {
                communicator.send(from, new byte[1]);
            }
        }
        for (int rank = 1; rank < all.length; rank++) {
            communicator.send(rank, new byte[1]);
        }
        return new ArrayList<>(Arrays.stream(all).map(Objects::requireNonNull).toList());
    }

    /** Returns the next message, without a timeout; only a break of the group or a cancellation ends the wait. */
    static Received await(Communicator communicator, Cancellation cancellation) {
        while (!cancellation.isCancelled()) {
            Optional<Received> received = communicator.poll(WAIT);
            if (received.isPresent()) {
                return received.get();
            }
        }
        throw new RanksException("was stopped");
    }

    private static void send(Communicator communicator, byte[] mine, Cancellation cancellation) {
        int at = 0;
        int parts = 0;
        do {
            int length = Math.min(PART, mine.length - at);
            communicator.send(0,
                    ByteBuffer.allocate(HEADER + length).putInt(mine.length).putInt(at).put(mine, at, length).array());
            at += length;
            parts++;
            if (parts % PARTS_UNANSWERED == 0 && at < mine.length) {
                await(communicator, cancellation);
            }
        } while (at < mine.length);
    }
}
