// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.sync;

import java.time.Duration;
import java.util.Map;

import org.treehaul.core.event.EntryFailure;

/**
 * The result of a run.
 *
 * @param compared entries of the source that were compared
 * @param comparison time that the comparison of both trees took; a pass with nothing to do takes no longer
 * @param copied entries that were copied, or would be in a dry run, without directories; a dry run that does not list
 *        the content of new directories does not count it
 * @param bytes bytes of data that were copied; 0 in a dry run
 * @param directories directories that were created, or would be in a dry run; one that does not list the content of new
 *        directories does not count those below them
 * @param fromEarlier entries that became hard links to those of an earlier copy, or were left out because of them
 * @param renamed files that were renamed at the destination, or would be in a dry run
 * @param attributes existing entries of which only attributes were to be changed
 * @param removed entries that were removed, or would be in a dry run
 * @param kept entries that were not removed because of the limit of removals
 * @param failures number of failures of each kind; each was sent as an event
 * @param isComplete whether every entry was tried; false after a cancellation, or when the copy gave up
 */
public record SyncResult(long compared, Duration comparison, long copied, long bytes, long directories,
        long fromEarlier, long renamed, long attributes, long removed, long kept, Map<EntryFailure.Kind, Long> failures,
        boolean isComplete) {

    /** Copies the map. */
    public SyncResult {
        failures = Map.copyOf(failures);
    }

    /** Returns whether source and copy were equal. */
    public boolean isSame() {
        return isSuccess() && copied + directories + fromEarlier + renamed + attributes + removed + kept == 0;
    }

    /** Returns whether the destination is now equal to the source, as far as the options ask. */
    public boolean isSuccess() {
        return isComplete && failures.isEmpty();
    }
}
