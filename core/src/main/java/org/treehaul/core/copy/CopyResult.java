// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy;

import java.util.Map;

import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.event.Progress;

/**
 * How a copy ended.
 *
 * @param counts what was done
 * @param failures how many failures of each kind there were; each was sent as an event
 * @param isComplete whether every source was looked at; false after a cancellation or when the copy gave up
 */
public record CopyResult(Progress.Snapshot counts, Map<EntryFailure.Kind, Long> failures, boolean isComplete) {

    /** Makes a result. */
    public CopyResult {
        failures = Map.copyOf(failures);
    }

    /** Returns whether everything was copied. */
    public boolean isSuccess() {
        return isComplete && failures.isEmpty();
    }
}
