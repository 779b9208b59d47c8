// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage.buffer;

import java.nio.ByteBuffer;
import java.util.Objects;

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.Timestamp;
import org.treehaul.schedulers.stage.ParallelFile;
import org.treehaul.schedulers.stage.Stage;
import org.treehaul.schedulers.stage.StageException;
import org.treehaul.schedulers.stage.StripeLayout;

/**
 * A file of a stage that is open, with buffers: a program that reads it in order gets bytes that were read ahead, and
 * small writes that follow each other are gathered. The contract of {@link ParallelFile} holds from open to close: this
 * client reads its own writes, and one that opens the file after this one closed it sees them all. Between, other
 * clients see them later than without buffers, and this one may read bytes that have changed since they were read
 * ahead, but not longer than the buffer.
 * <p>
 * A write that fails after the call returned fails the next write, read after it, {@link #sync}, {@link #truncate} or
 * close, and all later ones: {@link #abandon} ends such a file. The memory is that of the {@link Buffers}. Thread-safe;
 * one operation at a time.
 */
public final class BufferedParallelFile implements AutoCloseable {

    private final ParallelFile file;
    private final ReadAhead ahead;
    private final WriteBehind behind;
    private long position;
    private boolean isChecked;
    private boolean isEnded;

    /** Wraps an open file, which this one closes, and which is not used otherwise from now on. */
    public BufferedParallelFile(ParallelFile file, Buffers buffers) {
        this.file = file;
        this.ahead = new ReadAhead(file, buffers.readAhead());
        this.behind = new WriteBehind(file, buffers.writeBehind());
    }

    /**
     * Opens a regular file, as {@link Stage#open(ByteString, boolean)} does.
     *
     * @throws StageException ENOENT if there is none, EISDIR or ELOOP if the path is that of another entry
     */
    public static BufferedParallelFile open(Stage stage, ByteString path, boolean toWrite, Buffers buffers)
            throws StageException {
        return new BufferedParallelFile(stage.open(path, toWrite), buffers);
    }

    /** Returns the path in the stage. */
    public ByteString path() {
        return file.path();
    }

    /** Returns how the file is spread over servers. */
    public StripeLayout layout() {
        return file.layout();
    }

    /** Returns the position, in bytes, of the next {@link #read(ByteBuffer)} or {@link #write(ByteBuffer)}. */
    public synchronized long position() {
        return position;
    }

    /**
     * Sets the position. It may lie after the end.
     *
     * @throws IllegalArgumentException if it is negative
     */
    public synchronized void position(long offset) {
        if (offset < 0) {
            throw new IllegalArgumentException("position " + offset);
        }
        position = offset;
    }

    /** Reads at the position and advances it; otherwise as {@link #read(ByteBuffer, long)}. */
    public synchronized int read(ByteBuffer into) throws StageException {
        int count = read(into, position);
        position += Math.max(0, count);
        return count;
    }

    /** Writes at the position and advances it; otherwise as {@link #write(ByteBuffer, long)}. */
    public synchronized int write(ByteBuffer from) throws StageException {
        int count = write(from, position);
        position += count;
        return count;
    }

    /**
     * Reads bytes from an offset on: as many as the buffer has room for, or fewer if that takes no further request.
     *
     * @return their number, 1 or more unless the buffer has no room; -1 at or after the end
     */
    public synchronized int read(ByteBuffer into, long offset) throws StageException {
        if (!behind.isEmpty()) {
            behind.drain();
        }
        return into.hasRemaining() ? ahead.read(into, offset) : 0;
    }

    /**
     * Writes all bytes of a buffer at an offset, now or later.
     *
     * @return their number, by which the position of the buffer has moved
     * @throws IndexOutOfBoundsException if the offset is negative, or the end is beyond {@link Long#MAX_VALUE}
     */
    public synchronized int write(ByteBuffer from, long offset) throws StageException {
        Objects.checkFromIndexSize(offset, from.remaining(), Long.MAX_VALUE);
        if (isEnded || !isChecked) {
            // Fails at once if the file cannot be written.
            file.write(ByteBuffer.allocate(0), offset);
            isChecked = true;
        }
        ahead.drop();
        return behind.write(from, offset);
    }

    /** Returns the size in bytes, of all servers now, with everything that was written here. */
    public synchronized long size() throws StageException {
        behind.drain();
        return file.size();
    }

    /** Sets the size, as {@link ParallelFile#truncate} does. */
    public synchronized void truncate(long size) throws StageException {
        behind.drain();
        ahead.drop();
        file.truncate(size);
    }

    /** Makes everything that was written durable, on the disks of all servers. */
    public synchronized void sync() throws StageException {
        behind.drain();
        file.sync();
    }

    /**
     * Writes what was gathered and closes the file, as {@link ParallelFile#close()} does. Does nothing if it was closed
     * or abandoned before.
     */
    @Override
    public synchronized void close() throws StageException {
        if (!isEnded) {
            end();
            file.close();
            isEnded = true;
        }
    }

    /** Closes the file as {@link #close()} does, with another time of its last change. */
    public synchronized void close(Timestamp mtime) throws StageException {
        if (!isEnded) {
            end();
            file.close(mtime);
            isEnded = true;
        }
    }

    private void end() throws StageException {
        ahead.drop();
        behind.drain();
    }

    /** Closes the file without what was gathered; a new one is removed, with everything that was written. */
    public synchronized void abandon() throws StageException {
        ahead.drop();
        behind.drop();
        isEnded = true;
        file.abandon();
    }
}
