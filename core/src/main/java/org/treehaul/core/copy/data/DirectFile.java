// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.data;

import java.lang.foreign.MemorySegment;
import java.util.Queue;
import java.util.concurrent.Semaphore;

import org.treehaul.core.async.AsyncFile;
import org.treehaul.core.async.AsyncFileException;
import org.treehaul.core.async.IoBuffer;
import org.treehaul.core.copy.failure.TargetException;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.storage.PosixFile;
import org.treehaul.core.storage.SourceFile;
import org.treehaul.core.storage.TargetFile;

/**
 * An open file whose ranges are read past the page cache, and written by {@link DirectPipe}. All else is done by the
 * descriptor of the caller, who closes it. For one thread; {@link #of} makes a view for another.
 */
final class DirectFile implements SourceFile, TargetFile {

    private final PosixFile file;
    private final AsyncFile direct;
    private final Semaphore moreBlocks;
    private final Runnable refused;
    private final Queue<IoBuffer> rooms;

    /**
     * Creates the view of the thread that opened the file.
     *
     * @param direct the same file, opened once more; it goes through the page cache if its file system allows no other
     *        way
     * @param moreBlocks the blocks of memory that the pipes of one copy share
     * @param rooms buffers of {@link FileAccess#BUFFER_BYTES} that no read uses; the files of one copy share them
     * @param refused runs if the file system does not allow it
     */
    DirectFile(PosixFile file, AsyncFile direct, Semaphore moreBlocks, Queue<IoBuffer> rooms, Runnable refused) {
        this.file = file;
        this.direct = direct;
        this.moreBlocks = moreBlocks;
        this.rooms = rooms;
        this.refused = refused;
    }

    /** Returns the same file for a thread. */
    DirectFile of(FileAccess access) {
        return new DirectFile(new PosixFile(access, file.descriptor()), direct, moreBlocks, rooms, refused);
    }

    AsyncFile direct() {
        return direct;
    }

    Semaphore moreBlocks() {
        return moreBlocks;
    }

    /**
     * Closes the second descriptor.
     *
     * @throws TargetException if data could not be written
     */
    void finish() throws TargetException {
        try {
            closeDirect();
        } catch (AsyncFileException e) {
            throw new TargetException(e.operation(), e.errno());
        }
    }

    /** Closes the second descriptor of a file through which nothing was written, or after an error. */
    void closeQuietly() {
        try {
            closeDirect();
        } catch (AsyncFileException e) {
            // No data are lost.
        }
    }

    private void closeDirect() throws AsyncFileException {
        if (!direct.isDirect()) {
            refused.run();
        }
        direct.closeSync();
    }

    @Override
    public FileStatus status() throws SystemCallException {
        return file.status();
    }

    @Override
    public long read(MemorySegment into, long offset) throws SystemCallException {
        IoBuffer known = rooms.poll();
        IoBuffer buffer = known == null ? IoBuffer.allocate(FileAccess.BUFFER_BYTES) : known;
        try {
            // Whole units: the kernel reads a part of a page past the cache only as part of a whole one.
            long skipped = offset % DirectPipe.UNIT;
            long units = Math.ceilDiv(skipped + into.byteSize(), DirectPipe.UNIT);
            int wanted = (int) Math.min(units * DirectPipe.UNIT, buffer.size());
            int read = direct.preadSync(buffer.slice(0, wanted), offset - skipped);
            long length = Math.clamp(read - skipped, 0, into.byteSize());
            MemorySegment.copy(buffer.segment(), skipped, into, 0, length);
            return length;
        } catch (AsyncFileException e) {
            throw new SystemCallException(e.operation(), e.errno());
        } finally {
            rooms.add(buffer);
        }
    }

    @Override
    public long nextData(long offset) throws SystemCallException {
        return file.nextData(offset);
    }

    @Override
    public long nextHole(long data) throws SystemCallException {
        return file.nextHole(data);
    }

    @Override
    public long read(MemorySegment into) throws SystemCallException {
        return file.read(into);
    }

    @Override
    public void rewind() throws SystemCallException {
        file.rewind();
    }

    @Override
    public void write(MemorySegment data) throws SystemCallException {
        file.write(data);
    }

    @Override
    public void write(MemorySegment data, long offset) throws SystemCallException {
        file.write(data, offset);
    }

    @Override
    public void setSize(long size) throws SystemCallException {
        file.setSize(size);
    }

    @Override
    public void sync() throws SystemCallException {
        file.sync();
    }

    @Override
    public void close() {
        file.close();
    }
}
