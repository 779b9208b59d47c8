// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.remove;

import java.util.concurrent.atomic.AtomicLong;

/**
 * The number of entries of a directory that were found and not removed. While it is not zero, the directory is kept
 * without a report of its own, because the reason was reported for the entry. Thread-safe.
 */
final class Remains {

    private final AtomicLong entries = new AtomicLong();

    void add() {
        entries.incrementAndGet();
    }

    void removed() {
        entries.decrementAndGet();
    }

    boolean areNone() {
        return entries.get() == 0;
    }
}
