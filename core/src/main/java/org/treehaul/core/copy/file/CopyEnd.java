// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.file;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.fs.SystemCallException;

/** Receives the result of the copy of a regular file. */
public interface CopyEnd {

    void ended(FileAttempt attempt, Result result);

    /** The result of one attempt. */
    sealed interface Result {}

    /**
     * The copy exists under its name.
     *
     * @param made the final status of a copy that leads a group of hard links; null without a group, and if the data
     *        were written to a device or FIFO or through a link, so that the copy has no file of its own
     * @param isProved true if verification is complete or not required; otherwise the run is notified later
     */
    record Copied(@Nullable FileStatus made, boolean isProved) implements Result {}

    /**
     * The copy exists under its name with all its data but not all its metadata: it failed.
     *
     * @param made as for {@link Copied}
     */
    record Incomplete(@Nullable FileStatus made, SystemCallException problem) implements Result {}

    /** The file was skipped because of the options. */
    record Skipped() implements Result {}

    /** The copy failed with one of the exceptions that {@link FileCopier#copy} throws. */
    record Failed(Exception cause) implements Result {}
}
