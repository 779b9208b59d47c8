// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.store;

import java.util.Collection;

/**
 * Fills a new durable store, much faster than by writing to one. Nothing of it exists under its name before
 * {@link #finish} has returned; after {@link #close} without that, or a crash, only a temporary file that the next load
 * removes.
 */
public interface BulkLoad extends AutoCloseable {

    /** Adds a tuple that stays until it is taken. Any thread may. */
    void add(Record tuple);

    /** Adds tuples that stay until they are taken. Any thread may. */
    void addAll(Collection<? extends Record> tuples);

    /** Makes the store durable, then visible, and returns the number of its tuples. */
    long finish();

    /** Gives up what is not finished. */
    @Override
    void close();
}
