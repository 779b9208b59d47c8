// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.attributes;

import org.treehaul.core.condition.FileQuery;
import org.treehaul.core.walk.options.WalkOptions;

/**
 * The options of a change of attributes. Immutable.
 *
 * @param recursive whether the content of directories is changed too
 * @param followOperands whether a path that is a symbolic link means the file to which it leads; links in trees are
 *        never followed
 * @param preserveRoot whether the directory {@code /} is refused if its content would be changed too
 * @param dryRun whether entries are only reported, not changed
 * @param reportChanged whether an event is sent for each changed entry
 * @param reportRetained whether an event is sent for each entry that needs no change
 * @param threads number of threads, 1 to {@link WalkOptions#MAX_THREADS}; 0 lets the walk choose
 * @param where conditions that an entry must meet to be changed; directories that do not are walked nevertheless
 */
public record ChangeOptions(boolean recursive, boolean followOperands, boolean preserveRoot, boolean dryRun,
        boolean reportChanged, boolean reportRetained, int threads, FileQuery where) {

    /**
     * Validates the options.
     *
     * @throws IllegalArgumentException if the number of threads is out of its range
     */
    public ChangeOptions {
        WalkOptions.checkThreads(threads);
    }

    /** Creates options without conditions: every entry is changed. */
    public ChangeOptions(boolean recursive, boolean followOperands, boolean preserveRoot, boolean dryRun,
            boolean reportChanged, boolean reportRetained, int threads) {
        this(recursive, followOperands, preserveRoot, dryRun, reportChanged, reportRetained, threads, FileQuery.all());
    }

    /** Returns options that change trees, follow no link, refuse {@code /} and report only failures. */
    public static ChangeOptions ofTrees() {
        return new ChangeOptions(true, false, true, false, false, false, 0);
    }

    /** Returns a copy with another number of threads, 0 for the walk's own choice. */
    public ChangeOptions withThreads(int number) {
        return new ChangeOptions(recursive, followOperands, preserveRoot, dryRun, reportChanged, reportRetained, number,
                where);
    }

    /** Returns a copy that changes only entries that meet conditions. */
    public ChangeOptions withWhere(FileQuery conditions) {
        return new ChangeOptions(recursive, followOperands, preserveRoot, dryRun, reportChanged, reportRetained,
                threads, conditions);
    }
}
