// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.data;

import java.lang.foreign.MemorySegment;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.copy.failure.ChangedException;
import org.treehaul.core.copy.failure.TargetException;
import org.treehaul.core.copy.failure.WithdrawnException;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.event.Progress;
import org.treehaul.core.event.RateLimiter;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.storage.SourceFile;
import org.treehaul.core.storage.StoredFile;
import org.treehaul.core.storage.TargetFile;

/** Copies the data of one file, or a part of it, between two open files. Not safe for several threads. */
public final class DataMover {

    private final CopyOptions options;
    private final RateLimiter limiter;
    private final Progress progress;
    private final MemorySegment buffer;
    private final CopyControl control;
    private final CopyOffload offload;
    private final @Nullable DataHash hash;
    private final DataVerifier verifier;

    // Made for the first direct file.
    private @Nullable DirectPipe pipe;

    /**
     * Creates a mover for one thread.
     *
     * @param options determine how holes are kept and how data are verified
     * @param limiter limits the data rate
     * @param progress counts the bytes
     * @param buffer the thread's buffer for data; its size is the largest amount moved at once
     */
    public DataMover(CopyOptions options, RateLimiter limiter, Progress progress, MemorySegment buffer,
            CopyControl control) {
        this.options = options;
        this.limiter = limiter;
        this.progress = progress;
        this.buffer = buffer;
        this.control = control;
        this.offload = new CopyOffload(limiter, progress, control);
        this.hash = DataHash.of(options.verify());
        this.verifier = new DataVerifier(hash, progress, buffer, control);
    }

    /** Returns the verifier of the data that this mover copies; the two take turns with the buffer and the hash. */
    public DataVerifier verifier() {
        return verifier;
    }

    @Nullable public DataHash hash() {
        return hash;
    }

    /** Hashes the content of a buffer as a whole file of that size; there is nothing to verify without a hash. */
    public DataHash.Extents hashWhole(MemorySegment data) {
        if (hash == null) {
            return DataHash.Extents.NONE;
        }
        DataHash.Extents extents = new DataHash.Extents(0, data.byteSize());
        if (data.byteSize() > 0) {
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
                    end = Math.min(to, endOfData(source, data));
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

    private static long endOfData(SourceFile source, long data) throws SystemCallException, ChangedException {
        try {
            return source.nextHole(data);
        } catch (SystemCallException e) {
            if (e.errno() == Errno.ENXIO) {
                // The file has been truncated since the data were found.
                throw new ChangedException();
            }
            throw e;
        }
    }

    private void copyData(SourceFile source, TargetFile target, long from, long to)
            throws SystemCallException, TargetException, ChangedException, WithdrawnException {
        if (source instanceof DirectFile in && target instanceof DirectFile out) {
            pipe(out).copy(in.direct(), out.direct(), from, to);
            return;
        }
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

    private DirectPipe pipe(DirectFile target) {
        DirectPipe known = pipe;
        if (known == null) {
            known = new DirectPipe(limiter, progress, control, hash, options.sparse() == CopyOptions.When.ALWAYS,
                    target.moreBlocks());
            pipe = known;
        }
        return known;
    }

    private void copyData(SourceFile source, TargetFile target, long from, long to, @Nullable WriteBehind behind)
            throws SystemCallException, TargetException, ChangedException, WithdrawnException {
        long at = from;
        while (at < to) {
            if (control.isStopped()) {
                throw new WithdrawnException();
            }
            MemorySegment room = behind == null ? buffer : behind.next();
            long wanted = limiter.portion(Math.min(room.byteSize(), to - at));
            limiter.acquire(wanted, control);
            MemorySegment data = room.asSlice(0, wanted);
            if (source.readFully(data, at) < wanted) {
                throw new ChangedException();
            }
            if (!control.mayWrite()) {
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
            control.worked(wanted >> 12);
        }
    }

    /** Copies from the file position to the end of a source without a size. Returns the copied range. */
    public DataHash.Extents copyStream(SourceFile source, TargetFile target)
            throws SystemCallException, TargetException, WithdrawnException {
        begin();
        long at = 0;
        while (true) {
            if (control.isStopped()) {
                throw new WithdrawnException();
            }
            long n = source.read(buffer);
            if (n == 0) {
                break;
            }
            limiter.acquire(n, control);
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
            control.worked(n >> 12);
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
                target.write(ZeroBlocks.pieces(data, at));
            } else {
                target.write(data, at);
            }
        } catch (SystemCallException e) {
            throw new TargetException(e);
        }
    }
}
