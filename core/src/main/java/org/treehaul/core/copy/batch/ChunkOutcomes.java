// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.batch;

import org.treehaul.core.copy.target.SourceIdentity;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.event.EntryFailure;

/**
 * Receives the outcome of each chunk, exactly once unless the copy was cancelled before its turn. Called on the threads
 * that copy, several at once.
 */
public interface ChunkOutcomes {

    /**
     * The chunk was written and synced.
     *
     * @param source the version of the file from which it was read
     * @param proof the hash by which {@link TransferFinisher} verifies the chunk; empty if verification was not
     *        requested
     */
    void done(BatchChunk chunk, SourceIdentity source, ByteString proof);

    /** The existing file under the target name was kept, according to the options. */
    void skipped(BatchChunk chunk);

    /**
     * The chunk was not copied.
     *
     * @param tries the number of attempts
     */
    void failed(BatchChunk chunk, EntryFailure failure, int tries);
}
