// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.batch;

import org.treehaul.core.copy.outcome.EntryOutcome;

/** Receives the outcome of each large file that was copied in chunks, and of each of its further names, once each. */
public interface ChunkedOutcomes {

    /**
     * Reports the outcome of a file. If it is done or skipped, its further names were reported before. If it failed,
     * its temporary file was removed, and further names are reported later.
     */
    void ended(ChunkedCopy file, EntryOutcome outcome);

    /**
     * Reports the outcome of a further name. If it is done, it is a link to the file, or a copy if the destination
     * allows no link.
     *
     * @param isOther whether the name now belongs to a file other than the planned one, and that file was copied
     */
    void nameEnded(ChunkedCopy file, ChunkedCopy.Name name, EntryOutcome outcome, boolean isOther);
}
