// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies.ranks;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * How one rank exchanges messages with the others of its group. Used by one thread, but for {@link #wake()}.
 *
 * <p>
 * Every message that is sent arrives once, unchanged, unless the group breaks: then every rank is told by a
 * {@link RanksException} within seconds. Nothing is said of the order.
 */
public interface Communicator extends AutoCloseable {

    /**
     * The longest message, in bytes. MPJ Express sends up to 128 kB at once; beyond that each message costs a thread
     * and half a millisecond.
     */
    int LONGEST_MESSAGE = 100_000;

    /** Returns the number of this rank, from 0. */
    int rank();

    /** Returns the number of ranks. */
    int size();

    /** Returns which host a rank runs on: ranks with the same number share one. */
    int hostOf(int rank);

    /**
     * Sends a message and does not wait until it is received.
     *
     * @param to a rank, also this one
     * @param message not to be changed afterwards
     * @throws IllegalArgumentException when the rank does not exist or the message is too long
     * @throws RanksException when the group is broken
     */
    void send(int to, byte[] message);

    /**
     * Returns a message that came in, waiting for one if need be.
     *
     * @param longest how long to wait; zero to look only
     * @return empty when the time is over, or when {@link #wake()} was called
     * @throws RanksException when the group is broken
     */
    Optional<Received> poll(Duration longest);

    /** Ends the wait of {@link #poll}, now or the next one; from any thread. */
    void wake();

    /** Returns what this rank sent so far. */
    Traffic traffic();

    /** Leaves the group. What was sent before still arrives where somebody receives it. */
    @Override
    void close();

    /**
     * Returns the communicators of ranks that are threads of this process.
     *
     * @param hosts the host that each rank counts as being on
     */
    static List<Communicator> threads(List<Integer> hosts) {
        return ThreadCommunicator.group(hosts);
    }
}
