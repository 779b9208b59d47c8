// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.data;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.copy.failure.ChangedException;
import org.treehaul.core.copy.failure.CorruptException;
import org.treehaul.core.copy.failure.TargetException;
import org.treehaul.core.copy.failure.WithdrawnException;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.storage.SourceFile;
import org.treehaul.core.storage.StoredFile;
import org.treehaul.core.storage.TargetFile;

/** Copies the data of one file, or a part of it, between two open files. Not safe for several threads. */
public final class DataMover {

    // The unit in which --sparse=always looks for zeros: the block size of most file systems.
    private static final int BLOCK = 4096;
    private static final MemorySegment ZEROS = Arena.global().allocate(BLOCK);

    private final CopyOptions options;
    private final RateLimiter limiter;
    private final Progress progress;
    private final MemorySegment buffer;
    private final StopSign stop;
    private final CopyOffload offload;
    private final @Nullable DataHash hash;

    /**
     * Creates a mover for one thread.
     *
     * @param options determine how holes are kept and how data are verified
     * @param limiter limits the data rate
     * @param progress counts the bytes
     * @param buffer the thread's buffer for data; its size is the largest amount moved at once
     */
    public DataMover(CopyOptions options, RateLimiter limiter, Progress progress, MemorySegment buffer, StopSign stop) {
        this.options = options;
        this.limiter = limiter;
        this.progress = progress;
        this.buffer = buffer;
        this.stop = stop;
        this.offload = new CopyOffload(limiter, progress, stop);
        this.hash = DataHash.of(options.verify());
    }

    @Nullable public DataHash hash() {
        return hash;
    }

    /** Hashes the content of a buffer as a whole file of that size. */
    public DataHash.Extents hashWhole(MemorySegment data) {
        DataHash.Extents extents = new DataHash.Extents(0, data.byteSize());
        if (hash != null && data.byteSize() > 0) {
            extents.add(0, data.byteSize());
            extents.setHash(hash.ofWhole(data));
        }
        return extents;
    }

    /**
     * Copies the range between two offsets. Keeps holes if requested; the target must already read as zeros there.
     *
     * @param sparse whether the source may have holes to keep
     * @param isOffloaded whether the store should copy the data itself if it can
     * @return the copied parts, with their hash if data are verified
     * @throws ChangedException if the source ends before the range does
     */
    public DataHash.Extents copyRange(SourceFile source, TargetFile target, long from, long to, boolean sparse,
            boolean isOffloaded) throws SystemCallException, TargetException, ChangedException, WithdrawnException {
        DataHash.Extents extents = new DataHash.Extents(from, to);
        boolean hasHoles = sparse;
        begin();
        long at = from;
        while (at < to) {
            long data = at;
            long end = to;
            if (hasHoles) {
                data = source.nextData(at);
                if (data == StoredFile.NO_DATA || data >= to) {
                    break;
                }
                if (data == StoredFile.UNKNOWN) {
                    // Everything is data.
                    hasHoles = false;
                    data = at;
                } else {
                    end = Math.min(to, source.nextHole(data));
                }
            }
            long copied = isOffloaded ? offload.copy(source, target, data, end) : 0;
            copyData(source, target, data + copied, end);
            extents.add(data, end);
            at = end;
        }
        if (hash != null) {
            extents.setHash(hash.finish());
        }
        return extents;
    }

    private void copyData(SourceFile source, TargetFile target, long from, long to)
            throws SystemCallException, TargetException, ChangedException, WithdrawnException {
        if (!target.isAsynchronous() || options.sparse() == CopyOptions.When.ALWAYS) {
            copyData(source, target, from, to, null);
            return;
        }
        WriteBehind behind = new WriteBehind(target, buffer);
        try {
            copyData(source, target, from, to, behind);
            behind.finish();
        } finally {
            behind.await();
        }
    }

    private void copyData(SourceFile source, TargetFile target, long from, long to, @Nullable WriteBehind behind)
            throws SystemCallException, TargetException, ChangedException, WithdrawnException {
        long at = from;
        while (at < to) {
            if (stop.isStopped()) {
                throw new WithdrawnException();
            }
            MemorySegment room = behind == null ? buffer : behind.next();
            long wanted = limiter.portion(Math.min(room.byteSize(), to - at));
            limiter.acquire(wanted, stop);
            MemorySegment data = room.asSlice(0, wanted);
            if (source.readFully(data, at) < wanted) {
                throw new ChangedException();
            }
            if (!stop.mayWrite()) {
                throw new WithdrawnException();
            }
            if (hash != null) {
                hash.update(data);
            }
            if (behind == null) {
                write(target, data, at);
            } else {
                behind.write(data, at);
            }
            at += wanted;
            progress.bytesDone(wanted);
            stop.worked(wanted >> 12);
        }
    }

    /** Copies from the file position to the end of a source without a size. Returns the copied range. */
    public DataHash.Extents copyStream(SourceFile source, TargetFile target)
            throws SystemCallException, TargetException, WithdrawnException {
        begin();
        long at = 0;
        while (true) {
            if (stop.isStopped()) {
                throw new WithdrawnException();
            }
            long n = source.read(buffer);
            if (n == 0) {
                break;
            }
            limiter.acquire(n, stop);
            MemorySegment data = buffer.asSlice(0, n);
            try {
                target.write(data);
            } catch (SystemCallException e) {
                throw new TargetException(e);
            }
            if (hash != null) {
                hash.update(data);
            }
            at += n;
            progress.bytesDone(n);
            stop.worked(n >> 12);
        }
        DataHash.Extents extents = new DataHash.Extents(0, at);
        extents.add(0, at);
        if (hash != null) {
            extents.setHash(hash.finish());
        }
        return extents;
    }

    // Data of an earlier file that failed midway must not count in the next hash.
    private void begin() {
        if (hash != null) {
            hash.reset();
        }
    }

    private void write(TargetFile target, MemorySegment data, long at) throws TargetException {
        try {
            if (options.sparse() == CopyOptions.When.ALWAYS) {
                writeBlocks(target, data, at);
            } else {
                target.write(data, at);
            }
        } catch (SystemCallException e) {
            throw new TargetException(e);
        }
    }

    // Writes the runs of blocks that are not all zeros. The skipped blocks read as zeros once the size is set.
    private static void writeBlocks(TargetFile target, MemorySegment data, long at) throws SystemCallException {
        List<TargetFile.Piece> runs = new ArrayList<>();
        long length = data.byteSize();
        long start = -1;
        for (long i = 0; i < length; i += BLOCK) {
            long n = Math.min(BLOCK, length - i);
            boolean isZero = MemorySegment.mismatch(data, i, i + n, ZEROS, 0, n) < 0;
            if (isZero && start >= 0) {
                runs.add(new TargetFile.Piece(data.asSlice(start, i - start), at + start));
                start = -1;
            } else if (!isZero && start < 0) {
                start = i;
            }
        }
        if (start >= 0) {
            runs.add(new TargetFile.Piece(data.asSlice(start), at + start));
        }
        target.write(runs);
    }

    /**
     * Reads back a whole file in one go that has no holes and is smaller than the buffer, and compares it with its
     * hash.
     *
     * @return whether the file contains exactly the data written
     */
    public boolean readsBackWhole(StoredFile target, DataHash.Extents expected) throws SystemCallException {
        DataHash digest = hash;
        if (digest == null) {
            return true;
        }
        long size = expected.to();
        long done = 0;
        long n;
        do {
            // The buffer is larger than the file should be, so that additional data would be noticed.
            n = target.read(done == 0 ? buffer : buffer.asSlice(done), done);
            done += n;
        } while (n > 0 && done < size);
        if (done != size) {
            return false;
        }
        progress.bytesVerified(size);
        return expected.hasHash(digest.ofWhole(buffer.asSlice(0, size)));
    }

    /**
     * Reads back a range of the target and compares it with its hash.
     *
     * @throws CorruptException if the range does not contain the data written
     */
    public void verify(StoredFile target, DataHash.Extents expected)
            throws TargetException, CorruptException, WithdrawnException {
        try {
            if (!readsBack(target, expected)) {
                throw new CorruptException();
            }
        } catch (SystemCallException e) {
            throw new TargetException(e);
        }
    }

    /**
     * Reads back a range of the target and compares it with its hash.
     *
     * @return whether the range contains the data written
     */
    public boolean readsBack(StoredFile target, DataHash.Extents expected)
            throws SystemCallException, WithdrawnException {
        DataHash digest = hash;
        if (digest == null) {
            return true;
        }
        begin();
        long hole = expected.from();
        for (int i = 0; i < expected.count(); i++) {
            if (!isZero(target, hole, expected.start(i))) {
                return false;
            }
            if (!hashRange(digest, target, expected.start(i), expected.end(i))) {
                return false;
            }
            progress.bytesVerified(expected.end(i) - expected.start(i));
            hole = expected.end(i);
        }
        byte[] found = digest.finish();
        boolean matches = expected.count() == 0 || expected.hasHash(found);
        return isZero(target, hole, expected.to()) && matches;
    }

    /** Hashes a source that shares its data with the copy, to verify that the copy reads the same. */
    public DataHash.Extents hashSource(SourceFile source, long size) throws SystemCallException, WithdrawnException {
        DataHash.Extents extents = new DataHash.Extents(0, size);
        if (hash != null && size > 0) {
            begin();
            extents.add(0, size);
            hashRange(hash, source, 0, size);
            extents.setHash(hash.finish());
        }
        return extents;
    }

    private boolean hashRange(DataHash digest, StoredFile target, long from, long to)
            throws SystemCallException, WithdrawnException {
        for (long at = from; at < to;) {
            MemorySegment data = readBack(target, at, to);
            if (data.byteSize() == 0) {
                return false;
            }
            digest.update(data);
            at += data.byteSize();
        }
        return true;
    }

    // A hole must still be a hole, or zeros.
    private boolean isZero(StoredFile target, long from, long to) throws SystemCallException, WithdrawnException {
        long at = from;
        while (at < to) {
            long data = nextData(target, at);
            if (data == StoredFile.NO_DATA || data >= to) {
                return true;
            }
            at = data == StoredFile.UNKNOWN ? at : data;
            MemorySegment read = readBack(target, at, to);
            for (long i = 0; i < read.byteSize(); i += BLOCK) {
                long n = Math.min(BLOCK, read.byteSize() - i);
                if (MemorySegment.mismatch(read, i, i + n, ZEROS, 0, n) >= 0) {
                    return false;
                }
            }
            if (read.byteSize() == 0) {
                return false;
            }
            at += read.byteSize();
        }
        return true;
    }

    // A range about which nothing can be learned is read.
    private static long nextData(StoredFile target, long at) {
        try {
            return target.nextData(at);
        } catch (SystemCallException e) {
            return StoredFile.UNKNOWN;
        }
    }

    private MemorySegment readBack(StoredFile target, long at, long to) throws SystemCallException, WithdrawnException {
        if (stop.isStopped()) {
            throw new WithdrawnException();
        }
        MemorySegment data = buffer.asSlice(0, Math.min(buffer.byteSize(), to - at));
        long n = target.readFully(data, at);
        return n == data.byteSize() ? data : data.asSlice(0, n);
    }
}
