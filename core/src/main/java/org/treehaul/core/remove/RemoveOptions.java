// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.remove;

import org.treehaul.core.walk.options.WalkOptions;

/**
 * The options of a removal. Immutable.
 *
 * @param recursive whether directories are removed with their content; otherwise a directory is a failure
 * @param ignoreMissing whether entries that do not exist are skipped silently
 * @param oneFileSystem whether a directory on another file system than its parent is kept and reported
 * @param dryRun whether entries are only reported, not removed
 * @param reportDone whether an event is sent for each removed entry
 * @param threads number of threads, 1 to {@link WalkOptions#MAX_THREADS}; 0 lets the walk choose
 */
public record RemoveOptions(boolean recursive, boolean ignoreMissing, boolean oneFileSystem, boolean dryRun,
        boolean reportDone, int threads) {

    /**
     * Validates the options.
     *
     * @throws IllegalArgumentException if the number of threads is out of its range
     */
    public RemoveOptions {
        if (threads < 0 || threads > WalkOptions.MAX_THREADS) {
            throw new IllegalArgumentException("threads must be 0 to " + WalkOptions.MAX_THREADS + ": " + threads);
        }
    }

    /** Returns options that remove directories with their content and report only failures. */
    public static RemoveOptions ofTrees() {
        return new RemoveOptions(true, false, false, false, false, 0);
    }

    /** Returns a copy with another number of threads, 0 for the walk's own choice. */
    public RemoveOptions withThreads(int number) {
        return new RemoveOptions(recursive, ignoreMissing, oneFileSystem, dryRun, reportDone, number);
    }
}
