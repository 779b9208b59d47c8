// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.outcome;

import java.util.Map;

import org.treehaul.core.annotation.Api;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.event.Progress;

/**
 * The result of a copy.
 *
 * @param counts numbers of entries and bytes
 * @param failures number of failures of each kind; each failure was sent as an event
 * @param isComplete whether every source was processed; false after a cancellation or when the copy gave up
 */
@Api
public record CopyResult(Progress.Snapshot counts, Map<EntryFailure.Kind, Long> failures, boolean isComplete) {

    public CopyResult {
        failures = Map.copyOf(failures);
    }

    /** Returns whether everything was copied. */
    public boolean isSuccess() {
        return isComplete && failures.isEmpty();
    }
}
