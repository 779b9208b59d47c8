// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.outcome;

import org.treehaul.core.copy.target.SourceIdentity;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.event.EntryFailure;

/** The outcome of an entry of a transfer, or of a chunk of a large file. */
public sealed interface EntryOutcome {

    /**
     * The complete copy exists under its name, with its metadata, and was verified if requested. It is durable only
     * after a sync.
     *
     * @param source status of the file that was copied; size and time show whether it is the planned version
     */
    record Done(FileStatus source) implements EntryOutcome {}

    /**
     * The chunk was written and synced.
     *
     * @param source the version of the file from which it was read
     * @param proof the hash by which the whole file can be verified; empty if verification was not requested
     */
    record ChunkDone(SourceIdentity source, ByteString proof) implements EntryOutcome {}

    /** The existing entry under the target name was kept, according to the options. */
    record Skipped() implements EntryOutcome {}

    /**
     * The entry was not, or not completely, copied.
     *
     * @param failure its failure; the first if there were several
     * @param tries the number of attempts
     */
    record Failed(EntryFailure failure, int tries) implements EntryOutcome {}
}
