// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.remove;

import java.util.List;

import org.treehaul.core.condition.FileQuery;
import org.treehaul.core.entry.ByteString;
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
 * @param kept directories that are refused as operands, with all directories above them; those that do not exist are
 *        ignored
 * @param systemDirectories whether a directory of the system in {@code /}, such as {@code /usr} and {@code /home}, is
 *        accepted as an operand; otherwise it is refused
 * @param mountPoints whether a mount point is accepted as an operand; otherwise it is refused
 * @param rate the largest number of entries to remove per second by all threads together; 0 is no limit
 * @param where conditions that an entry must meet to be removed. A directory that does not is walked nevertheless; one
 *        that does is removed only if nothing is left in it
 * @param emptyDirectories whether an operand that is an empty directory is removed even without {@code recursive}
 */
public record RemoveOptions(boolean recursive, boolean ignoreMissing, boolean oneFileSystem, boolean dryRun,
        boolean reportDone, int threads, List<ByteString> kept, boolean systemDirectories, boolean mountPoints,
        long rate, FileQuery where, boolean emptyDirectories) {

    /**
     * Validates the options.
     *
     * @throws IllegalArgumentException if the number of threads is out of its range, or the rate is negative
     */
    public RemoveOptions {
        WalkOptions.checkThreads(threads);
        if (rate < 0) {
            throw new IllegalArgumentException("the rate must be 0 or more entries per second: " + rate);
        }
        kept = List.copyOf(kept);
    }

    /**
     * Creates options without conditions that keep no directory besides {@code /}, refuse directories of the system and
     * mount points, and have no limit of the rate.
     */
    public RemoveOptions(boolean recursive, boolean ignoreMissing, boolean oneFileSystem, boolean dryRun,
            boolean reportDone, int threads) {
        this(recursive, ignoreMissing, oneFileSystem, dryRun, reportDone, threads, List.of(), false, false, 0,
                FileQuery.all(), false);
    }

    /** Returns options that remove directories with their content and report only failures. */
    public static RemoveOptions ofTrees() {
        return new RemoveOptions(true, false, false, false, false, 0);
    }

    /** Returns a copy with another number of threads, 0 for the walk's own choice. */
    public RemoveOptions withThreads(int number) {
        return new RemoveOptions(recursive, ignoreMissing, oneFileSystem, dryRun, reportDone, number, kept,
                systemDirectories, mountPoints, rate, where, emptyDirectories);
    }

    /** Returns a copy that refuses these directories, and all directories above them. */
    public RemoveOptions withKept(List<ByteString> directories) {
        return new RemoveOptions(recursive, ignoreMissing, oneFileSystem, dryRun, reportDone, threads, directories,
                systemDirectories, mountPoints, rate, where, emptyDirectories);
    }

    /** Returns a copy that accepts directories of the system as operands, or refuses them. */
    public RemoveOptions withSystemDirectories(boolean areAccepted) {
        return new RemoveOptions(recursive, ignoreMissing, oneFileSystem, dryRun, reportDone, threads, kept,
                areAccepted, mountPoints, rate, where, emptyDirectories);
    }

    /** Returns a copy that accepts mount points as operands, or refuses them. */
    public RemoveOptions withMountPoints(boolean areAccepted) {
        return new RemoveOptions(recursive, ignoreMissing, oneFileSystem, dryRun, reportDone, threads, kept,
                systemDirectories, areAccepted, rate, where, emptyDirectories);
    }

    /**
     * Returns a copy with another limit.
     *
     * @param entriesPerSecond the limit for all threads together; 0 is no limit
     */
    public RemoveOptions withRate(long entriesPerSecond) {
        return new RemoveOptions(recursive, ignoreMissing, oneFileSystem, dryRun, reportDone, threads, kept,
                systemDirectories, mountPoints, entriesPerSecond, where, emptyDirectories);
    }

    /** Returns a copy that removes only entries that meet conditions. */
    public RemoveOptions withWhere(FileQuery conditions) {
        return new RemoveOptions(recursive, ignoreMissing, oneFileSystem, dryRun, reportDone, threads, kept,
                systemDirectories, mountPoints, rate, conditions, emptyDirectories);
    }

    /**
     * Returns a copy that removes operands that are empty directories, or fails for them, without {@code recursive}.
     */
    public RemoveOptions withEmptyDirectories(boolean areRemoved) {
        return new RemoveOptions(recursive, ignoreMissing, oneFileSystem, dryRun, reportDone, threads, kept,
                systemDirectories, mountPoints, rate, where, areRemoved);
    }
}
