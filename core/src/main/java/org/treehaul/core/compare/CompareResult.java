// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.compare;

import java.util.Map;

import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.event.Progress;

/**
 * How a comparison ended.
 *
 * @param counts what was looked at: entries of the first tree; files and bytes whose content was compared
 * @param differences how many differences of each kind were found; kinds that were not found are left out
 * @param failures how many failures of each kind there were; each was sent as an event
 * @param isComplete whether the comparison went on to its end; false after a cancellation
 */
public record CompareResult(Progress.Snapshot counts, Map<DifferenceKind, Long> differences,
        Map<EntryFailure.Kind, Long> failures, boolean isComplete) {

    /** Makes a result. */
    public CompareResult {
        differences = Map.copyOf(differences);
        failures = Map.copyOf(failures);
    }

    /** Returns whether everything was compared and nothing differs. */
    public boolean isSame() {
        return isComplete && differences.isEmpty() && failures.isEmpty();
    }

    /** Returns whether something could not be compared, so that what was found may not be all. */
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
