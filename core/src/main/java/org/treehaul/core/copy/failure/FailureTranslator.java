// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.failure;

import java.util.List;

import org.treehaul.core.copy.options.CopyPair;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.SystemCallException;

/**
 * Converts exceptions thrown while copying into the failures to report. Safe for any number of threads.
 *
 * @param pairs the sources and their targets
 * @param isBatch whether a part of a transfer is copied, so that a root may have vanished since planning
 */
public record FailureTranslator(List<CopyPair> pairs, boolean isBatch) {

    /**
     * Returns the failure to report for an entry.
     *
     * @param cause a {@link SystemCallException} is for the source, a {@link TargetException} for the target
     * @throws IllegalArgumentException for an exception that does not describe a failure of an entry
     */
    public EntryFailure of(int rootIndex, TreePath path, Exception cause) {
        CopyPair pair = pairs.get(rootIndex);
        return switch (cause) {
            case ChangedException e -> new EntryFailure(EntryFailure.Kind.CHANGED, pair.source().path(), path,
                    String.valueOf(e.getMessage()), 0);
            case CorruptException e ->
                new EntryFailure(EntryFailure.Kind.CORRUPT, pair.target(), path, String.valueOf(e.getMessage()), 0);
            case TargetException e -> EntryFailure.of(pair.target(), path, e.call());
            case SystemCallException e -> {
                EntryFailure failure = EntryFailure.of(pair.source().path(), path, e);
                boolean isVanished = e.errno() == Errno.ENOENT && (isBatch || !path.isRoot());
                yield isVanished ? failure.as(EntryFailure.Kind.VANISHED) : failure;
            }
            default -> throw new IllegalArgumentException(cause);
        };
    }
}
