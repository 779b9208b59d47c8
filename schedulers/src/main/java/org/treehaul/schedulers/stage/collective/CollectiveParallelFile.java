// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage.collective;

import java.io.EOFException;
import java.nio.ByteBuffer;

import org.treehaul.core.annotation.Internal;
import org.treehaul.schedulers.stage.ParallelFile;
import org.treehaul.schedulers.stage.StageException;
import org.treehaul.strategies.collective.CollectiveFile;
import org.treehaul.strategies.collective.CollectiveSettings;
import org.treehaul.strategies.collective.order.CollectiveRequest;

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
        check(wanted, file.read(into, offset), offset);
    }

    @Internal
    @Override
    public boolean isOrdered() {
        return true;
    }

    @Internal
    @Override
    public void read(ByteBuffer into, long offset, CollectiveRequest origin) throws StageException, EOFException {
        int wanted = into.remaining();
        check(wanted, file.read(into, offset, origin), offset);
    }

    private void check(int wanted, int read, long offset) throws EOFException {
        int count = Math.max(0, read);
        if (count < wanted) {
            throw new EOFException(file.path() + ": the file ends at byte " + (offset + count) + ", " + (wanted - count)
                    + " bytes too early");
        }
    }

    @Override
    public void write(ByteBuffer from, long offset) throws StageException {
        file.write(from, offset);
    }

    @Internal
    @Override
    public void write(ByteBuffer from, long offset, CollectiveRequest origin) throws StageException {
        file.write(from, offset, origin);
    }
}
