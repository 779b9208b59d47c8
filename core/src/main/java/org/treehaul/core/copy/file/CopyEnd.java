// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.file;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.fs.SystemCallException;

/** Receives the result of the copy of a regular file. */
public interface CopyEnd {

    /**
     * The copy exists under its name.
     *
     * @param made the final status of a copy that leads a group of hard links; null without a group, and if the data
     *        were written to a device or FIFO or through a link, so that the copy has no file of its own
     * @param isProved true if verification is complete or not required; otherwise the run is notified later
     */
    void copied(FileAttempt attempt, @Nullable FileStatus made, boolean isProved);

    /**
     * The copy exists under its name with all its data but not all its metadata: it failed.
     *
     * @param made as for {@link #copied}
     */
    void incomplete(FileAttempt attempt, @Nullable FileStatus made, SystemCallException problem);

    /** The file was skipped because of the options. */
    void skipped(FileAttempt attempt);

    /** The copy failed with one of the exceptions that {@link FileCopier#copy} throws. */
    void failed(FileAttempt attempt, Exception cause);
}
