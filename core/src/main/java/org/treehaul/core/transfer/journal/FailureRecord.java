// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.journal;

import org.treehaul.core.annotation.Api;
import org.treehaul.core.event.EntryFailure;

/**
 * A failure as recorded in a journal.
 *
 * @param index the index of the entry in the manifest of its batch, or {@link #NO_ENTRY}
 * @param failure the error
 * @param tries how often the operation was tried
 */
@Api
public record FailureRecord(int index, EntryFailure failure, int tries) {

    /** Index of a failure that belongs to no manifest entry, such as that of a parent directory. */
    public static final int NO_ENTRY = -1;

    /** Creates a record. */
    public FailureRecord {
        if (index < NO_ENTRY || tries < 0) {
            throw new IllegalArgumentException("index " + index + ", tries " + tries);
        }
    }
}
