// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.store;

import java.util.Collection;

/**
 * Fills a new durable store, much faster than writing to one. The store has no name before {@link #finish} has
 * returned; {@link #close} without that, or a crash, leaves only a temporary file that the next load removes.
 */
public interface BulkLoad extends AutoCloseable {

    /** Adds a tuple, which stays until it is taken. Thread-safe. */
    void add(Record tuple);

    /** Adds tuples, which stay until they are taken. Thread-safe. */
    void addAll(Collection<? extends Record> tuples);

    /** Makes the store durable, then visible, and returns the number of its tuples. */
    long finish();

    /** Discards the load, unless it was finished. */
    @Override
    void close();
}
