// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.sqlite.file;

import java.util.function.Supplier;

/**
 * Puts the interrupt of a thread off while it works with files: Java closes a channel that an interrupted thread uses,
 * which would look like a file system without locks, or a full disk.
 */
public final class Uninterrupted {

    private Uninterrupted() {}

    /** Does work, after which the thread is interrupted if it was before. */
    public static <R> R run(Supplier<R> work) {
        boolean wasInterrupted = Thread.interrupted();
        try {
            return work.get();
        } finally {
            if (wasInterrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
