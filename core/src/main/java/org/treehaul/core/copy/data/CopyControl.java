// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.data;

/** Controls a copy of data: decides between buffers whether the copy continues, and counts its work. */
public interface CopyControl {
    boolean isStopped();

    /**
     * Returns whether writing is still allowed. Called after a read, which may have taken long, because other workers
     * may write to the same file.
     */
    default boolean mayWrite() {
        return true;
    }

    void worked(long units);
}
