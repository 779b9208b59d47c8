// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage.files;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.storage.TargetFile;
import org.treehaul.schedulers.stage.ParallelFile;
import org.treehaul.schedulers.stage.SegmentRange;
import org.treehaul.schedulers.stage.StageException;

/**
 * A new file of a stage that is written. Its size is set when it is committed, because a segment that is made larger
 * before it is written would have to forget checksums.
 */
final class StageTargetFile implements TargetFile {

    private static final int MOST = 1 << 30;

    private final ParallelFile file;
    private final FileStatus source;
    private final long device;
    private final boolean isAsynchronous;
    private long position;
    // The largest end of a write, and the size if it is larger.
    private long written;
    private long size;
    // The last of the writes in progress, each of which begins when the one before has ended: a stripe that is written in
    // another order has no checksum.
    private CompletableFuture<Void> last = CompletableFuture.completedFuture(null);

    /**
     * Creates the target.
     *
     * @param file a new file
     * @param source the status of the source
     * @param device the device of the stage
     * @param isAsynchronous whether writing takes time that is free for reading
     */
    StageTargetFile(ParallelFile file, FileStatus source, long device, boolean isAsynchronous) {
        this.file = file;
        this.source = source;
        this.device = device;
        this.isAsynchronous = isAsynchronous;
    }

    ParallelFile file() {
        return file;
    }

    @Override
    public FileStatus status() {
        return new FileStatus(source.mode(), source.uid(), source.gid(), 1, 0, device, 0, size(), 0, 0, 0, 0, 0, 0, 0,
                false, 0, 0);
    }

    private synchronized long size() {
        return Math.max(written, size);
    }

    @Override
    public long read(MemorySegment into, long offset) throws SystemCallException {
        long wanted = Math.min(Math.min(into.byteSize(), MOST), size() - offset);
        if (wanted <= 0) {
            return 0;
        }
        try {
            file.read(List.of(new SegmentRange(offset, wanted)), into.asSlice(0, wanted).asByteBuffer());
            return wanted;
        } catch (StageException e) {
            throw StageStore.failure(e);
        }
    }

    @Override
    public void write(MemorySegment data) throws SystemCallException {
        write(data, position);
        position += data.byteSize();
    }

    @Override
    public void write(MemorySegment data, long offset) throws SystemCallException {
        try {
            for (long done = 0; done < data.byteSize(); done += MOST) {
                MemorySegment part = data.asSlice(done, Math.min(MOST, data.byteSize() - done));
                file.write(part.asByteBuffer(), offset + done);
                reached(offset + done + part.byteSize());
            }
        } catch (StageException e) {
            throw StageStore.failure(e);
        }
    }

    private synchronized void reached(long end) {
        written = Math.max(written, end);
    }

    @Override
    public boolean isAsynchronous() {
        return isAsynchronous;
    }

    @Override
    public CompletableFuture<Void> writeAsync(MemorySegment data, long offset) {
        if (!isAsynchronous) {
            return TargetFile.super.writeAsync(data, offset);
        }
        synchronized (this) {
            last = last.handle((done, failed) -> null)
                    .thenCompose(before -> file.writeAsync(data.asByteBuffer(), offset))
                    .handle((count, failed) -> ended(failed, offset + data.byteSize()));
            return last;
        }
    }

    private Void ended(@Nullable Throwable failed, long end) {
        if (failed == null) {
            reached(end);
            return null;
        }
        Throwable cause = failed instanceof CompletionException && failed.getCause() != null
                ? failed.getCause()
                : failed;
        throw new CompletionException(cause instanceof StageException e ? StageStore.failure(e) : cause);
    }

    @Override
    public void setSize(long newSize) throws SystemCallException {
        boolean isCut;
        synchronized (this) {
            isCut = newSize < written;
            size = newSize;
            written = Math.min(written, newSize);
        }
        if (isCut) {
            truncate(newSize);
        }
    }

    private void truncate(long newSize) throws SystemCallException {
        try {
            file.truncate(newSize);
        } catch (StageException e) {
            throw StageStore.failure(e);
        }
    }

    /** Makes the file as long as it was set, if it ends with a hole. */
    void settle() throws SystemCallException {
        long end;
        synchronized (this) {
            if (written >= size) {
                return;
            }
            end = size;
            written = size;
        }
        truncate(end);
    }

    @Override
    public void sync() throws SystemCallException {
        settle();
        try {
            file.sync();
        } catch (StageException e) {
            throw StageStore.failure(e);
        }
    }
}
