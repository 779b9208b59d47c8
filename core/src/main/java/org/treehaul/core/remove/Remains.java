// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.remove;

import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.FileStatus;

/**
 * The number of entries of a directory that were found and not removed. While it is not zero, the directory is kept
 * without a report of its own, because the reason was reported for the entry. Thread-safe.
 */
final class Remains {

    private final AtomicLong entries = new AtomicLong();
    private final @Nullable FileStatus root;

    /** Creates the counter of a directory; {@code root} is the status of an operand when it was opened, else null. */
    Remains(@Nullable FileStatus root) {
        this.root = root;
    }

    /** Returns the status that an operand had when it was opened. */
    FileStatus root() {
        return Objects.requireNonNull(root);
    }

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
