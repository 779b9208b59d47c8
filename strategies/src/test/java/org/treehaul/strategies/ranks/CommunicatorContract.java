// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies.ranks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

import org.junit.jupiter.api.Test;
import org.treehaul.strategies.ranks.communicator.Communicator;
import org.treehaul.strategies.ranks.communicator.Received;

/** The contract of every communicator, on any transport. Each rank runs on its own thread. */
public abstract class CommunicatorContract {

    private static final Duration LONG = Duration.ofSeconds(60);
    private static final byte[] PARTING = "parting".getBytes(StandardCharsets.US_ASCII);

    /** Runs a function in each of the ranks; ranks 2i and 2i+1 share a host. */
    protected abstract void run(int ranks, Consumer<Communicator> body);

    protected static List<Integer> hosts(int ranks) {
        List<Integer> hosts = new ArrayList<>();
        for (int i = 0; i < ranks; i++) {
            hosts.add(i / 2);
        }
        return hosts;
    }

    // Other ranks may part while this rank still waits for their earlier messages.
    private static final ThreadLocal<Integer> PARTED = ThreadLocal.withInitial(() -> 0);

    private static Received next(Communicator communicator) {
        long end = System.nanoTime() + LONG.toNanos();
        Optional<Received> message = Optional.empty();
        while (message.isEmpty()) {
            assertThat(System.nanoTime()).as("nothing came to rank " + communicator.rank()).isLessThan(end);
            message = communicator.poll(Duration.ofMillis(5));
        }
        return message.get();
    }

    private static Received await(Communicator communicator) {
        Received message = next(communicator);
        while (Arrays.equals(message.bytes(), PARTING)) {
            PARTED.set(PARTED.get() + 1);
            message = next(communicator);
        }
        return message;
    }

    // Every rank sends a parting message to all ranks and waits for those of all: otherwise one might leave too soon.
    private static void part(Communicator communicator) {
        for (int to = 0; to < communicator.size(); to++) {
            communicator.send(to, PARTING);
        }
        while (PARTED.get() < communicator.size()) {
            assertThat(next(communicator).bytes()).isEqualTo(PARTING);
            PARTED.set(PARTED.get() + 1);
        }
    }

    @Test
    void everyRankKnowsItsNumberItsGroupAndTheHosts() {
        Map<Integer, String> seen = new ConcurrentHashMap<>();
        run(4, c -> {
            seen.put(c.rank(), c.size() + " on " + c.hostOf(c.rank()));
            part(c);
        });
        assertThat(seen).containsOnlyKeys(0, 1, 2, 3);
        assertThat(seen.values()).containsExactlyInAnyOrder("4 on 0", "4 on 0", "4 on 1", "4 on 1");
    }

    @Test
    void messagesOfEveryLengthArriveUnchanged() {
        int[] lengths = {0, 1, 9, 1000, 65_537, Communicator.LONGEST_MESSAGE};
        run(2, c -> {
            for (int length : lengths) {
                byte[] message = new byte[length];
                Arrays.fill(message, (byte) (length + c.rank()));
                c.send(1 - c.rank(), message);
            }
            List<Integer> got = new ArrayList<>();
            for (int i = 0; i < lengths.length; i++) {
                Received received = await(c);
                assertThat(received.from()).isEqualTo(1 - c.rank());
                byte[] expected = new byte[received.bytes().length];
                Arrays.fill(expected, (byte) (expected.length + received.from()));
                assertThat(received.bytes()).isEqualTo(expected);
                got.add(expected.length);
            }
            assertThat(got).containsExactlyInAnyOrder(0, 1, 9, 1000, 65_537, Communicator.LONGEST_MESSAGE);
            part(c);
        });
    }

    @Test
    void everyRankReceivesMessagesOfEveryRankAndOfItself() {
        run(4, c -> {
            int each = 50;
            for (int i = 0; i < each; i++) {
                for (int to = 0; to < c.size(); to++) {
                    c.send(to, ByteBuffer.allocate(8).putInt(c.rank()).putInt(i).array());
                }
            }
            long sum = 0;
            int[] from = new int[c.size()];
            for (int i = 0; i < each * c.size(); i++) {
                Received received = await(c);
                ByteBuffer message = ByteBuffer.wrap(received.bytes());
                assertThat(message.getInt()).isEqualTo(received.from());
                sum += message.getInt();
                from[received.from()]++;
            }
            assertThat(from).containsOnly(each);
            assertThat(sum).isEqualTo((long) c.size() * each * (each - 1) / 2);
            part(c);
        });
    }

    @Test
    void messagesAndBytesAreCountedForEachPair() {
        run(3, c -> {
            c.send((c.rank() + 1) % 3, new byte[70]);
            c.send((c.rank() + 1) % 3, new byte[7]);
            await(c);
            await(c);
            assertThat(c.traffic().messages().get((c.rank() + 1) % 3)).isEqualTo(2);
            assertThat(c.traffic().bytes().get((c.rank() + 1) % 3)).isEqualTo(77);
            assertThat(c.traffic().totalBytes()).isEqualTo(77);
            assertThat(c.traffic().totalMessages()).isEqualTo(2);
            part(c);
        });
    }

    @Test
    void aWaitEndsWithItsTimeAndWhenItIsWoken() {
        run(1, c -> {
            assertThat(c.poll(Duration.ZERO)).isEmpty();
            assertThat(c.poll(Duration.ofMillis(1))).isEmpty();
            c.wake();
            assertThat(c.poll(LONG)).isEmpty();
            c.wake();
            assertThat(c.poll(ChronoUnit.FOREVER.getDuration())).isEmpty();
            part(c);
        });
    }

    @Test
    void messagesThatCannotBeSentAreRefused() {
        run(2, c -> {
            assertThatThrownBy(() -> c.send(2, new byte[0])).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> c.send(-1, new byte[0])).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> c.send(0, new byte[Communicator.LONGEST_MESSAGE + 1]))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThat(c.traffic().totalMessages()).isZero();
            part(c);
        });
    }
}
