// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies.collective;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ThreadLocalRandom;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.async.IoBuffer;
import org.treehaul.strategies.collective.order.ShuffleModel;
import org.treehaul.strategies.ranks.communicator.Communicator;
import org.treehaul.strategies.ranks.communicator.RanksException;
import org.treehaul.strategies.ranks.communicator.Received;

/** The messages of collective accesses. Used by one thread. */
final class Exchange {

    private static final int HEADER = 1 + Long.BYTES + Integer.BYTES;
    /** The most bytes of content in a message. */
    static final int MOST_CONTENT = Communicator.LONGEST_MESSAGE - HEADER;
    private static final Duration WAIT = Duration.ofSeconds(10);

    final Communicator communicator;
    private final int group;
    // Messages of the next access, which ranks send that ended this one earlier: one view of each.
    private Queue<Message> early;
    private final Queue<Message> ofNextGroup = new ArrayDeque<>();
    // How many accesses each rank had ended when it left; -1 while it is there.
    private final long[] left;
    // For each rank that left, the rank because of which it did: itself, or one that left before.
    private final int[] reasons;
    /** The number of this group for servers, if this is rank 0. */
    final long application = ThreadLocalRandom.current().nextLong();
    /** The costs of messages between ranks; null before they are measured. */
    @Nullable ShuffleModel model;
    private @Nullable ByteBuffer buffer;

    /** The meanings of messages. */
    enum Kind {
        /** The view of a rank, and its settings. */
        VIEW(1),
        /** Data between a rank and an aggregator, after the number of bytes of the rank's view that precede them. */
        DATA(2),
        /** The receiver has taken data. */
        TAKEN(3),
        /** An aggregator asks for some bytes of the view of a rank. */
        PULL(4),
        /** A rank has all its data, and as an aggregator has moved all those of others. */
        ENDED(5),
        /** A rank failed. */
        FAILED(6),
        /** Rank 0 says how the access ended. */
        RESULT(7),
        /** A rank makes no more accesses. */
        LEFT(8),
        /** A rank measures how long a message takes. */
        PROBE(9),
        /** The answer to that. */
        PROBED(10),
        /** The result of a measurement. */
        MEASURED(11);

        private final byte code;

        Kind(int code) {
            this.code = (byte) code;
        }

        static Kind of(byte code) {
            for (Kind kind : values()) {
                if (kind.code == code) {
                    return kind;
                }
            }
            throw new RanksException("a message of kind " + code + ": the communicator carries other messages, too");
        }
    }

    /** A message. */
    record Message(Kind kind, int from, long access, ByteBuffer content) {
        String text() {
            return StandardCharsets.UTF_8.decode(content).toString();
        }
    }

    /**
     * Begins an exchange.
     *
     * @param group the number of the group, among those that use the communicator one after another
     * @param early what {@link #ofNextGroup} returned for the group before, emptied by this exchange
     */
    Exchange(Communicator communicator, int group, Queue<Message> early) {
        this.communicator = communicator;
        this.group = group;
        this.early = early;
        this.left = new long[communicator.size()];
        Arrays.fill(left, -1);
        this.reasons = new int[communicator.size()];
        reasons[communicator.rank()] = communicator.rank();
    }

    /**
     * Returns the direct buffer of an aggregator; all accesses use one, because only the garbage collector frees it. It
     * begins where a direct read or write may begin.
     */
    ByteBuffer buffer(int bytes) {
        ByteBuffer made = buffer;
        if (made == null || made.capacity() < bytes) {
            int whole = Math.ceilDiv(bytes, IoBuffer.ALIGNMENT) * IoBuffer.ALIGNMENT;
            made = ByteBuffer.allocateDirect(whole + IoBuffer.ALIGNMENT).alignedSlice(IoBuffer.ALIGNMENT);
            buffer = made;
        }
        return made.clear().limit(bytes);
    }

    int rank() {
        return communicator.rank();
    }

    int size() {
        return communicator.size();
    }

    /** Returns the name of a rank for messages. */
    String name(int rank) {
        String host = communicator.hostName(rank);
        return "rank " + rank + (host.isEmpty() ? "" : " on " + host);
    }

    /** Begins a message: the caller appends the content. */
    ByteBuffer begin(Kind kind, long access, int contentBytes) {
        return ByteBuffer.allocate(HEADER + contentBytes).put(kind.code).putLong(access).putInt(group);
    }

    /** Begins a message whose content is a text, cut to the longest message. */
    ByteBuffer text(Kind kind, long access, int number, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        int length = Math.min(bytes.length, MOST_CONTENT - Integer.BYTES);
        return begin(kind, access, Integer.BYTES + length).putInt(number).put(bytes, 0, length);
    }

    @SuppressWarnings("ByteBufferBackingArray") // begin() has allocated it
    void send(int to, ByteBuffer message) {
        communicator.send(to, message.array());
    }

    void sendToOthers(ByteBuffer message) {
        for (int to = 0; to < size(); to++) {
            if (to != rank()) {
                send(to, message);
            }
        }
    }

    /** Checks that no rank left before an access began. */
    void requireAll(long access) {
        for (int other = 0; other < left.length; other++) {
            if (left[other] >= 0 && left[other] < access) {
                reasons[rank()] = reasons[other];
                throw new RanksException(name(reasons[other]) + " left before the end of collective access " + access);
            }
        }
    }

    /**
     * Waits for the next message of an access.
     *
     * @throws RanksException if a rank has left before the end of the access, or the group is broken
     */
    Message next(long access) {
        Queue<Message> later = new ArrayDeque<>();
        while (true) {
            Message message = early.isEmpty() ? receive() : early.remove();
            if (message.kind == Kind.LEFT) {
                left(message);
                requireAll(access);
            } else if (message.access == access) {
                later.addAll(early);
                early = later;
                return message;
            } else if (message.access > access) {
                later.add(message);
            }
            // Others belong to an access that failed.
        }
    }

    private void left(Message message) {
        left[message.from] = message.access;
        reasons[message.from] = message.content.getInt();
    }

    private Message receive() {
        while (true) {
            Optional<Received> received = communicator.poll(WAIT);
            if (received.isPresent()) {
                ByteBuffer bytes = ByteBuffer.wrap(received.get().bytes());
                Kind kind = Kind.of(bytes.get());
                long access = bytes.getLong();
                int of = bytes.getInt();
                Message message = new Message(kind, received.get().from(), access, bytes);
                if (of == group) {
                    return message;
                }
                // Those of the group before belong to an access that failed.
                if (of > group) {
                    ofNextGroup.add(message);
                }
            }
        }
    }

    /**
     * Leaves the group: sends a message to all other ranks, and waits for theirs. Ranks that have received all of them
     * may use the communicator for the next group before this one does.
     */
    void leave(long ended) {
        sendToOthers(begin(Kind.LEFT, ended, Integer.BYTES).putInt(reasons[rank()]));
        left[rank()] = ended;
        while (Arrays.stream(left).anyMatch(number -> number < 0)) {
            Message message = early.isEmpty() ? receive() : early.remove();
            if (message.kind == Kind.LEFT) {
                left(message);
            }
        }
    }

    /** Returns the messages of the next group that came before this one ended. */
    Queue<Message> ofNextGroup() {
        return ofNextGroup;
    }
}
