// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies.ranks.communicator;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Exchanges messages between one rank and the others of its group. Used by one thread, except for {@link #wake()}.
 *
 * <p>
 * Every message that is sent arrives once, unchanged, unless the group breaks: then every rank gets a
 * {@link RanksException} within seconds. The order is not defined.
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

    /** Returns the number of the host that a rank runs on: ranks with the same number share a host. */
    int hostOf(int rank);

    /** Returns the name of the host that a rank runs on; empty if it is unknown, as for threads of one process. */
    default String hostName(int rank) {
        return "";
    }

    /**
     * Sends a message without waiting until it is received.
     *
     * @param to a rank, possibly this one
     * @param message the bytes, which the caller must not change afterwards
     * @throws IllegalArgumentException when the rank does not exist or the message is too long
     * @throws RanksException when the group is broken
     */
    void send(int to, byte[] message);

    /**
     * Returns an incoming message, and waits for one if there is none.
     *
     * @param longest how long to wait; zero to return at once
     * @return empty when the time is over, or when {@link #wake()} was called
     * @throws RanksException when the group is broken
     */
    Optional<Received> poll(Duration longest);

    /** Ends the current wait of {@link #poll}, or else the next one; from any thread. */
    void wake();

    /** Returns the messages that this rank has sent so far. */
    Traffic traffic();

    /** Leaves the group. Messages sent before still arrive if the receiver polls for them. */
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
