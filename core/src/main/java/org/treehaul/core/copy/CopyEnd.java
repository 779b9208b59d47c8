// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.fs.SystemCallException;

/** Told how the copy of a regular file ended. */
interface CopyEnd {

    /**
     * The copy stands under its name.
     *
     * @param made the status of the copy that leads a group, at its end; null without a group, and where it was written
     *        to a device or FIFO, or through a link: no file of the copy's own
     * @param isProved whether it was read back, or need not be: else the end of that is told to the run
     */
    void copied(FileCopier.Attempt attempt, @Nullable FileStatus made, boolean isProved);

    /**
     * The copy stands under its name with all its data, but not with all its metadata: it failed.
     *
     * @param made as with {@link #copied}
     */
    void incomplete(FileCopier.Attempt attempt, @Nullable FileStatus made, SystemCallException problem);

    /** The file was passed over as the options say. */
    void skipped(FileCopier.Attempt attempt);

    /** The copy failed with an exception of one of the kinds that {@link FileCopier#copy} throws. */
    void failed(FileCopier.Attempt attempt, Exception cause);
}
