// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage.files;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.storage.Location;
import org.treehaul.core.storage.SourceFile;
import org.treehaul.schedulers.stage.ParallelFile;
import org.treehaul.schedulers.stage.StageException;
import org.treehaul.schedulers.stage.StagedFile;
import org.treehaul.schedulers.stage.StripeLayout;

/**
 * A file of a stage that is read, with the size that it had when it was opened. A stripe that is read in order is
 * compared with its checksum.
 */
final class StageSourceFile implements SourceFile {

    private static final int MOST = 1 << 30;

    private final StageStore store;
    private final ParallelFile file;
    private final FileStatus opened;
    private final StripeCheck check;
    private boolean isKnown = true;
    private long position;

    StageSourceFile(StageStore store, ParallelFile file, FileStatus opened) {
        this.store = store;
        this.file = file;
        this.opened = opened;
        this.check = new StripeCheck(file);
    }

    @Override
    public FileStatus status() throws SystemCallException {
        if (isKnown) {
            // Just now the catalogue said so.
            isKnown = false;
            return opened;
        }
        try {
            // Another client that has not closed the file may have made it longer, which is not read.
            long size = file.size();
            return size >= opened.size()
                    ? opened
                    : new FileStatus(opened.mode(), opened.uid(), opened.gid(), 1, opened.inode(), opened.device(), 0,
                            size, opened.blocks(), opened.atimeSeconds(), opened.atimeNanos(), opened.mtimeSeconds(),
                            opened.mtimeNanos(), opened.ctimeSeconds(), opened.ctimeNanos(), false, 0, 0);
        } catch (StageException e) {
            throw StageStore.failure(e);
        }
    }

    @Override
    public long read(MemorySegment into) throws SystemCallException {
        long count = read(into, position);
        position += count;
        return count;
    }

    @Override
    public void rewind() {
        position = 0;
    }

    @Override
    public long read(MemorySegment into, long offset) throws SystemCallException {
        // Not behind the end: to find out that nothing is there takes a question to each server.
        long wanted = Math.min(Math.min(into.byteSize(), MOST), opened.size() - offset);
        if (wanted <= 0) {
            return 0;
        }
        ByteBuffer buffer = into.asSlice(0, wanted).asByteBuffer();
        try {
            int count = file.read(buffer, offset);
            if (count > 0) {
                check.read(buffer.flip(), offset);
            }
            return Math.max(0, count);
        } catch (StageException e) {
            throw StageStore.failure(e);
        }
    }

    @Override
    public List<Location> locations(long offset, long length) {
        return locations(store, file.staged(), opened.size(), offset, length);
    }

    /** Returns the hosts of the stripes of a range of a file. */
    private static List<Location> locations(StageStore store, StagedFile file, long size, long offset, long length) {
        long end = length > size - offset ? size : offset + length;
        List<Location> all = new ArrayList<>();
        for (StripeLayout.Piece piece : end <= offset
                ? List.<StripeLayout.Piece>of()
                : file.layout().pieces(offset, end - offset)) {
            // A copy that missed a write is not read.
            List<String> hosts = file.good(piece.segment()).stream().map(store::hostOf).distinct().toList();
            if (!hosts.isEmpty()) {
                all.add(new Location(piece.at(), piece.length(), hosts));
            }
        }
        return all;
    }

    @Override
    public void close() {
        try {
            file.close();
        } catch (StageException e) {
            // Nothing was written.
            return;
        }
    }
}
