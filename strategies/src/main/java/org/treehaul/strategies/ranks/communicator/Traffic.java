// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies.ranks.communicator;

import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

import org.treehaul.core.annotation.Internal;

/**
 * The messages that one rank sent, by receiver.
 *
 * @param messages the number of messages to each rank
 * @param bytes the bytes of those messages
 */
public record Traffic(List<Long> messages, List<Long> bytes) {

    /** Copies the lists, and checks that their sizes are equal. */
    public Traffic {
        messages = List.copyOf(messages);
        bytes = List.copyOf(bytes);
        if (messages.size() != bytes.size()) {
            throw new IllegalArgumentException("messages to " + messages.size() + ", bytes to " + bytes.size());
        }
    }

    static Traffic of(long[] messages, long[] bytes) {
        return new Traffic(LongStream.of(messages).boxed().toList(), LongStream.of(bytes).boxed().toList());
    }

    /** Returns the sum of these messages and others of the same rank. */
    @Internal
    public Traffic plus(Traffic others) {
        return new Traffic(sum(messages, others.messages), sum(bytes, others.bytes));
    }

    private static List<Long> sum(List<Long> some, List<Long> others) {
        return IntStream.range(0, some.size()).mapToObj(rank -> some.get(rank) + others.get(rank)).toList();
    }

    /** Returns the number of messages to all ranks together. */
    public long totalMessages() {
        return messages.stream().mapToLong(Long::longValue).sum();
    }

    /** Returns the bytes to all ranks together. */
    public long totalBytes() {
        return bytes.stream().mapToLong(Long::longValue).sum();
    }

    /** Counts the messages that a rank sends. Used by the thread that sends. */
    public static final class Counter {
        private final long[] messages;
        private final long[] bytes;

        /** Makes a counter at zero for a group with this number of ranks. */
        public Counter(int ranks) {
            messages = new long[ranks];
            bytes = new long[ranks];
        }

        /**
         * Checks and counts a message.
         *
         * @throws IllegalArgumentException when the rank does not exist or the message is too long
         */
        public void sent(int to, byte[] message) {
            if (to < 0 || to >= messages.length) {
                throw new IllegalArgumentException("not a rank: " + to + " among " + messages.length);
            }
            if (message.length > Communicator.LONGEST_MESSAGE) {
                throw new IllegalArgumentException("a message of " + message.length + " bytes");
            }
            messages[to]++;
            bytes[to] += message.length;
        }

        /** Returns the current counts. */
        public Traffic traffic() {
            return Traffic.of(messages, bytes);
        }
    }
}
