// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy;

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.event.EntryFailure;

/**
 * Told what became of each chunk, of every one exactly once unless the copy was cancelled before its turn. Called on
 * the threads that copy, several at once.
 */
public interface ChunkOutcomes {

    /**
     * The chunk is written, and on the disk.
     *
     * @param source the version of the file that it is of
     * @param proof what {@link TransferFinisher} reads the chunk back by; empty where that was not asked for
     */
    void done(BatchChunk chunk, SourceIdentity source, ByteString proof);

    /** What stands under the file's name at the destination is left, as the options say. */
    void skipped(BatchChunk chunk);

    /**
     * The chunk is not copied.
     *
     * @param tries how often it was begun
     */
    void failed(BatchChunk chunk, EntryFailure failure, int tries);
}
