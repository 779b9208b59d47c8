// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.plan.format;

import org.jspecify.annotations.Nullable;

/**
 * The records of a file of a plan, read one at a time, so that memory use stays constant. The checksum of the file was
 * verified on opening. Used by one thread.
 *
 * @param <T> the type of the records
 */
public interface PlanRecords<T> extends AutoCloseable {

    /**
     * Returns the next record, or null after the last.
     *
     * @throws PlanException if the file cannot be read
     */
    @Nullable T next() throws PlanException;

    @Override
    void close();
}
