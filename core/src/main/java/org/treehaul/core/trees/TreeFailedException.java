// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.trees;

import java.io.IOException;
import java.io.Serial;
import java.util.List;

import org.treehaul.core.event.EntryFailure;

/**
 * Thrown after work on a tree if entries failed, although the work on all others is done, or if an interrupt of the
 * thread ended the work early.
 */
public final class TreeFailedException extends IOException {

    @Serial
    private static final long serialVersionUID = 1L;

    private final transient List<EntryFailure> failures;
    private final long count;

    TreeFailedException(List<EntryFailure> failures, long count) {
        super(message(failures, count));
        this.failures = List.copyOf(failures);
        this.count = count;
    }

    private static String message(List<EntryFailure> failures, long count) {
        if (failures.isEmpty()) {
            return "interrupted before all entries were handled";
        }
        return failures.getFirst() + (count > 1 ? ", and " + (count - 1) + " more" : "");
    }

    /** Returns the first failures, at most {@value Trees#KEPT_FAILURES}. */
    public List<EntryFailure> failures() {
        return failures;
    }

    /** Returns the number of all failures; 0 if an interrupt ended the work before any entry failed. */
    public long count() {
        return count;
    }
}
