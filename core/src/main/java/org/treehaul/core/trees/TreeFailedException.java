// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.trees;

import java.io.IOException;
import java.io.Serial;
import java.util.List;

import org.treehaul.core.event.EntryFailure;

/** Thrown after work on a tree in which entries failed; the work on all others is done. */
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
            return "not complete";
        }
        return failures.getFirst() + (count > 1 ? ", and " + (count - 1) + " more" : "");
    }

    /** Returns the first failures, at most {@value Trees#KEPT_FAILURES}. */
    public List<EntryFailure> failures() {
        return failures;
    }

    /** Returns the number of all failures; 0 if the work ended early for another reason. */
    public long count() {
        return count;
    }
}
