// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.batch;

import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.event.EntryFailure;

/** Receives the outcome of each large file that was copied in chunks, and of each of its further names, once each. */
public interface ChunkedOutcomes {

    /** The complete file exists under its name, and its further names were copied, linked or reported as failed. */
    void done(ChunkedCopy file, FileStatus source);

    /** The existing file under its name was kept, according to the options. */
    void skipped(ChunkedCopy file);

    /** The file was not copied, and its temporary file was removed. Its further names are not reported. */
    void failed(ChunkedCopy file, EntryFailure failure, int tries);

    /** A further name is a link to the file, or a copy if the destination allows no link. */
    void linked(ChunkedCopy file, ChunkedCopy.Name name);

    /** A further name belongs to another file than was planned, and that one was copied. */
    void changed(ChunkedCopy file, ChunkedCopy.Name name);

    /** A further name was not created. */
    void linkFailed(ChunkedCopy file, ChunkedCopy.Name name, EntryFailure failure);
}
