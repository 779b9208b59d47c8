// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.store;

import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileLockInterruptionException;

import org.treehaul.core.annotation.Internal;

/**
 * Puts the interrupt of a thread off while it works with a channel: Java closes a channel that an interrupted thread
 * uses, which would look like a file system without locks, or a full disk.
 */
@Internal
public final class Uninterrupted {

    private Uninterrupted() {}

    /** Work with a channel that it opens itself. */
    @FunctionalInterface
    public interface Work {
        void run() throws IOException;
    }

    /** Does work, and does it again if an interrupt has closed its channel; the thread is interrupted afterwards. */
    public static void run(Work work) throws IOException {
        boolean wasInterrupted = false;
        try {
            while (true) {
                wasInterrupted |= Thread.interrupted();
                try {
                    work.run();
                    return;
                } catch (ClosedByInterruptException | FileLockInterruptionException e) {
                    // The next turn takes note of the interrupt.
                }
            }
        } finally {
            if (wasInterrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
