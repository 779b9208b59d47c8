// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy;

import java.util.List;
import java.util.concurrent.atomic.AtomicIntegerArray;

import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.walk.PathSelection;

/**
 * Tells what became of the entries of a batch, of each once: what failed is never done as well, whatever is carried
 * over of it after that. A bit for each number up to the highest. Safe for any number of threads.
 */
final class BatchLedger {

    private final EntryOutcomes outcomes;
    private final List<AtomicIntegerArray> told;

    /** Makes a ledger of nothing told yet; each source has a selection of entries alone. */
    BatchLedger(EntryOutcomes outcomes, List<CopyPair> pairs) {
        this.outcomes = outcomes;
        this.told = pairs.stream().map(pair -> new AtomicIntegerArray((mostNumber(pair) >> 5) + 1)).toList();
    }

    private static int mostNumber(CopyPair pair) {
        return pair.source()
                .selection()
                .filter(PathSelection::isOfEntries)
                .map(PathSelection::mostNumber)
                .orElseThrow(() -> new IllegalArgumentException("no selection of entries: " + pair.source().path()));
    }

    void done(CopyTask task, FileStatus source) {
        if (isFirst(task)) {
            outcomes.done(task.rootIndex(), task.number(), task.path(), source);
        }
    }

    void skipped(CopyTask task) {
        if (isFirst(task)) {
            outcomes.skipped(task.rootIndex(), task.number(), task.path());
        }
    }

    void failed(CopyTask task, EntryFailure failure, int tries) {
        failed(task.rootIndex(), task.number(), failure, tries);
    }

    void failed(int root, int number, EntryFailure failure, int tries) {
        if (isFirst(root, number)) {
            outcomes.failed(root, number, failure, tries);
        }
    }

    void directoryFailed(int root, EntryFailure failure) {
        outcomes.directoryFailed(root, failure.path(), failure);
    }

    private boolean isFirst(CopyTask task) {
        return isFirst(task.rootIndex(), task.number());
    }

    private boolean isFirst(int root, int number) {
        int bit = 1 << number;
        return (told.get(root).getAndUpdate(number >> 5, word -> word | bit) & bit) == 0;
    }
}
