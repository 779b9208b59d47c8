// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage.collective;

import java.io.EOFException;
import java.nio.ByteBuffer;

import org.treehaul.schedulers.stage.ParallelFile;
import org.treehaul.schedulers.stage.StageException;
import org.treehaul.strategies.collective.CollectiveFile;
import org.treehaul.strategies.collective.CollectiveSettings;

/**
 * A parallel file for collective reads and writes. Each rank has opened it; ranks of one process may share it. A new
 * file has a path when it is closed: after a collective write that failed, {@link ParallelFile#abandon} removes it.
 * Only ranks of the process that created it can use it before: of several new files with one path, the one that is
 * closed last replaces the others. So ranks of other processes open it after {@link ParallelFile#publish}.
 */
public final class CollectiveParallelFile implements CollectiveFile {

    private final ParallelFile file;

    /** Makes a view of an open file, which the caller closes. */
    public CollectiveParallelFile(ParallelFile file) {
        this.file = file;
    }

    /**
     * Returns settings with which no two aggregators write to the same stripe: otherwise the checksum of that stripe
     * would have to be computed again from the data of both.
     */
    public static CollectiveSettings aligned(CollectiveSettings settings, ParallelFile file) {
        return settings.withAlignment(file.layout().stripe());
    }

    @Override
    public void read(ByteBuffer into, long offset) throws StageException, EOFException {
        int wanted = into.remaining();
        int count = Math.max(0, file.read(into, offset));
        if (count < wanted) {
            throw new EOFException(file.path() + ": the file ends at byte " + (offset + count) + ", " + (wanted - count)
                    + " bytes too early");
        }
    }

    @Override
    public void write(ByteBuffer from, long offset) throws StageException {
        file.write(from, offset);
    }
}
