// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.compare;

import java.util.Map;

import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.event.Progress;

/**
 * The result of a comparison.
 *
 * @param counts numbers of compared objects: entries of the first tree; files and bytes whose content was compared
 * @param differences numbers of differences by kind; kinds without any are left out
 * @param failures numbers of failures by kind; each failure was sent as an event
 * @param isComplete whether the comparison ran to its end; false after a cancellation
 */
public record CompareResult(Progress.Snapshot counts, Map<DifferenceKind, Long> differences,
        Map<EntryFailure.Kind, Long> failures, boolean isComplete) {

    public CompareResult {
        differences = Map.copyOf(differences);
        failures = Map.copyOf(failures);
    }

    /** Returns whether everything was compared and no difference found. */
    public boolean isSame() {
        return isComplete && differences.isEmpty() && failures.isEmpty();
    }

    /** Returns whether something could not be compared, so that there may be further differences. */
    public boolean hasTrouble() {
        return !isComplete || !failures.isEmpty();
    }

    /** Returns the number of differences of all kinds. */
    public long differenceCount() {
        return differences.values().stream().mapToLong(Long::longValue).sum();
    }

    /** Returns the number of failures of all kinds. */
    public long failureCount() {
        return failures.values().stream().mapToLong(Long::longValue).sum();
    }
}
