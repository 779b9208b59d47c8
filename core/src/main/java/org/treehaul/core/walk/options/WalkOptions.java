// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.walk.options;

import org.treehaul.core.annotation.Internal;
import org.treehaul.core.condition.FileQuery;

/**
 * The options of a walk. Immutable; each {@code with} method returns a changed copy.
 *
 * @param status whether each entry's status is read before it is handed on; without it kind and inode come from the
 *        listing alone
 * @param symlinks which symbolic links are followed
 * @param oneFileSystem whether the walk leaves out the content of directories on another file system than their root
 * @param filter decides which entries are skipped
 * @param threads number of threads, 1 to {@link #MAX_THREADS}; 0 lets the walk choose and adapt the number while it
 *        runs
 * @param directoryBudget descriptors to keep open for directories where possible, 1 or more
 * @param times whether each worker measures how it spends its time: {@code WalkWorker.times()}
 * @param where conditions that entries must meet. Entries that do not are skipped, except directories: these are
 *        handled and entered, because entries in them may meet the conditions
 */
public record WalkOptions(boolean status, Symlinks symlinks, boolean oneFileSystem, EntryFilter filter, int threads,
        int directoryBudget, boolean times, FileQuery where) {

    /** The most threads that a walk uses: more than any file system over a slow network was seen to need. */
    public static final int MAX_THREADS = 256;

    /**
     * Validates the options.
     *
     * @throws IllegalArgumentException if a number is out of its range
     */
    public WalkOptions {
        checkThreads(threads);
        if (directoryBudget < 1) {
            throw new IllegalArgumentException("directory budget below 1: " + directoryBudget);
        }
    }

    /**
     * Checks a number of threads for options like these.
     *
     * @throws IllegalArgumentException if it is neither 0 nor in the range
     */
    @Internal
    public static void checkThreads(int threads) {
        if (threads < 0 || threads > MAX_THREADS) {
            throw new IllegalArgumentException("threads must be 0 to " + MAX_THREADS + ": " + threads);
        }
    }

    /** Returns the default options: with status, no link followed, no filter, threads chosen by the walk. */
    public static WalkOptions defaults() {
        return new WalkOptions(true, Symlinks.NEVER, false, EntryFilter.none(), 0, 256, false, FileQuery.all());
    }

    /** Returns a copy that reads, or does not read, the status of each entry. */
    public WalkOptions withStatus(boolean read) {
        return new WalkOptions(read, symlinks, oneFileSystem, filter, threads, directoryBudget, times, where);
    }

    /** Returns a copy with another choice of links to follow. */
    public WalkOptions withSymlinks(Symlinks follow) {
        return new WalkOptions(status, follow, oneFileSystem, filter, threads, directoryBudget, times, where);
    }

    /** Returns a copy that stays, or does not stay, on the file systems of the roots. */
    public WalkOptions withOneFileSystem(boolean stay) {
        return new WalkOptions(status, symlinks, stay, filter, threads, directoryBudget, times, where);
    }

    /** Returns a copy with another filter. */
    public WalkOptions withFilter(EntryFilter other) {
        return new WalkOptions(status, symlinks, oneFileSystem, other, threads, directoryBudget, times, where);
    }

    /** Returns a copy with another number of threads, 0 for the walk's own choice. */
    public WalkOptions withThreads(int number) {
        return new WalkOptions(status, symlinks, oneFileSystem, filter, number, directoryBudget, times, where);
    }

    /** Returns a copy with another budget of directory descriptors. */
    public WalkOptions withDirectoryBudget(int budget) {
        return new WalkOptions(status, symlinks, oneFileSystem, filter, threads, budget, times, where);
    }

    /** Returns a copy whose workers measure, or do not measure, how they spend their time. */
    public WalkOptions withTimes(boolean measure) {
        return new WalkOptions(status, symlinks, oneFileSystem, filter, threads, directoryBudget, measure, where);
    }

    /** Returns a copy with other conditions that entries must meet. */
    public WalkOptions withWhere(FileQuery conditions) {
        return new WalkOptions(status, symlinks, oneFileSystem, filter, threads, directoryBudget, times, conditions);
    }
}
