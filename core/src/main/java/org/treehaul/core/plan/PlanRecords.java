// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.plan;

import org.jspecify.annotations.Nullable;

/**
 * Records of a plan's file, one after another, so that memory does not grow with them. The file's checksum was right
 * when this was opened. Used by one thread.
 *
 * @param <T> what a record is
 */
public interface PlanRecords<T> extends AutoCloseable {

    /**
     * Returns the next record, or null after the last.
     *
     * @throws PlanException when the file cannot be read
     */
    @Nullable T next() throws PlanException;

    @Override
    void close();
}
