// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.pool.work;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

import org.treehaul.schedulers.pool.TransferOffer;
import org.treehaul.schedulers.pool.Trust;
import org.treehaul.schedulers.pool.carry.Carrier;

/** The transfers that a worker may carry out, and with whose rights. Used by one thread. */
interface Admission extends AutoCloseable {

    /** Returns the transfers that are offered and that the worker may carry out, as far as the space shows. */
    List<TransferOffer> offers();

    /** Waits until there may be one, for at most this time; returns whether the waiting ended for that. */
    boolean awaitOffer(Duration most) throws InterruptedException;

    /** Returns the user of one of these transfers: users share the workers evenly. */
    String user(TransferOffer offer);

    /** Returns whose tuples about one of these transfers are believed. */
    Trust of(TransferOffer offer);

    /** Returns whose tuples about the pool itself are believed: its workers and its bounds. */
    Trust ofPool();

    /**
     * Opens one of these transfers.
     *
     * @return the carrier, valid until the next call; empty if the transfer has a newer generation
     * @throws IOException if it must not or cannot be carried out here; the message gives the reason
     */
    Optional<Carrier> open(TransferOffer offer) throws IOException, InterruptedException;

    /** Ends the turn of the transfer that was opened last. */
    void leave();

    @Override
    void close();
}
