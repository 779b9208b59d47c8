// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace;

import java.util.Optional;

/**
 * The tuples that matched at one moment, for a reader that may be slow or never return: when the lease ends, the space
 * frees the resources it holds for the set. Safe for several threads.
 *
 * @param <T> type of the tuples
 */
public interface MatchSet<T> extends AutoCloseable {

    /**
     * Returns a tuple that was not returned yet; empty when all were returned.
     *
     * @throws org.treehaul.tuplespace.store.SpaceException UNKNOWN_LEASE when the lease ended, or the set was closed,
     *         before all tuples were returned
     */
    Optional<T> next();

    /** Returns the lease of the set. It also ends when all tuples were returned. */
    Lease lease();

    @Override
    void close();
}
