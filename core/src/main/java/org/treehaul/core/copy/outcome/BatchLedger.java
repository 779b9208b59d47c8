// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.outcome;

import java.util.List;
import java.util.concurrent.atomic.AtomicIntegerArray;

import org.treehaul.core.copy.options.CopyPair;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.walk.options.Root;
import org.treehaul.core.walk.options.SelectedEntries;

/**
 * Reports the outcome of each entry of a batch exactly once: an entry that has failed is never reported as done, even
 * if some of its metadata is copied afterwards. Uses one bit for each number from the lowest to the highest. Safe for
 * any number of threads.
 */
public final class BatchLedger {

    private final OutcomeListener listener;
    private final List<SelectedEntries> batch;
    private final List<AtomicIntegerArray> reported;

    /** Creates a ledger without outcomes; each source must have a selection of entries alone. */
    public BatchLedger(OutcomeListener listener, List<CopyPair> pairs) {
        this.listener = listener;
        this.batch = pairs.stream().map(pair -> entries(pair.source())).toList();
        this.reported = batch.stream()
                .map(entries -> new AtomicIntegerArray((entries.highestNumber() - entries.lowestNumber() >> 5) + 1))
                .toList();
    }

    private static SelectedEntries entries(Root source) {
        if (source.selection().orElse(null) instanceof SelectedEntries entries) {
            return entries;
        }
        throw new IllegalArgumentException("not a selection of entries: " + source.path());
    }

    /** Returns the number of a source that is itself an entry of the batch, else -1. */
    int rootNumber(int root) {
        return batch.get(root).rootNumber();
    }

    void ended(int root, int number, TreePath path, EntryOutcome outcome) {
        if (isFirst(root, number)) {
            listener.ended(root, number, path, outcome);
        }
    }

    void took(int root, int number, long nanos) {
        listener.took(root, number, nanos);
    }

    void directoryFailed(int root, EntryFailure failure) {
        listener.directoryFailed(root, failure.path(), failure);
    }

    private boolean isFirst(int root, int number) {
        int place = number - batch.get(root).lowestNumber();
        int bit = 1 << place;
        return (reported.get(root).getAndUpdate(place >> 5, word -> word | bit) & bit) == 0;
    }
}
