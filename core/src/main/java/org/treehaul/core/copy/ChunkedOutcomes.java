// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy;

import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.event.EntryFailure;

/** Told what became of each large file that was copied in chunks, and of each of its further names: once each. */
public interface ChunkedOutcomes {

    /** The file stands whole under its name. */
    void done(ChunkedCopy file, FileStatus source);

    /** What stood under its name is left, as the options say. */
    void skipped(ChunkedCopy file);

    /** The file is not copied, and what there was of it is removed. Its further names are not told. */
    void failed(ChunkedCopy file, EntryFailure failure, int tries);

    /** A further name is a link to the file, or a copy where the destination allows no link. */
    void linked(ChunkedCopy file, ChunkedCopy.Name name);

    /** A further name was not made. */
    void linkFailed(ChunkedCopy file, ChunkedCopy.Name name, EntryFailure failure);
}
