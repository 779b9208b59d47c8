// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.data;

/** Checked between buffers while data are copied. */
public interface StopSign {
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
