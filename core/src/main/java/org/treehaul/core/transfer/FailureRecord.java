// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer;

import org.treehaul.core.event.EntryFailure;

/**
 * A failure as it stands in a journal.
 *
 * @param index the entry's number in the manifest of its batch, or {@link #NO_ENTRY}
 * @param failure what went wrong
 * @param tries how often it was tried
 */
public record FailureRecord(int index, EntryFailure failure, int tries) {

    /** Stands for a failure of something that is no entry of a manifest, such as a directory on the way. */
    public static final int NO_ENTRY = -1;

    /** Makes a record. */
    public FailureRecord {
        if (index < NO_ENTRY || tries < 0) {
            throw new IllegalArgumentException("index " + index + ", tries " + tries);
        }
    }
}
