// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.plan.spool;

import java.io.IOException;

/** Receives spooled entries, each with its sort key. Thread-safe. */
@FunctionalInterface
public interface EntrySink {

    void addAll(RunBuffer block) throws IOException;

    /** Returns whether a block must have all names of a file that has several. */
    default boolean needsAllNames() {
        return false;
    }
}
