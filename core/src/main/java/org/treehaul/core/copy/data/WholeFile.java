// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.data;

import java.lang.foreign.MemorySegment;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.copy.failure.ChangedException;
import org.treehaul.core.copy.failure.TargetException;
import org.treehaul.core.copy.failure.WithdrawnException;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.event.Progress;
import org.treehaul.core.event.RateLimiter;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.storage.PosixFile;
import org.treehaul.core.storage.SourceFile;
import org.treehaul.core.storage.TargetFile;

/**
 * Copies all data of a file by one thread: a small file in one go, a large one in ranges or as clones, and one whose
 * size is unknown or wrong in order. Uses nothing but the interfaces of files, so it copies between any two stores. Not
 * safe for several threads.
 */
public final class WholeFile {

    private final CopyOptions options;
    private final RateLimiter limiter;
    private final Progress progress;
    private final FileSystemPairs fileSystems;
    private final HoleRule holes;
    private final DataMover mover;
    private final MemorySegment buffer;
    private final CopyControl control;

    // The device of the last small file, and whether it is not local.
    private long device = -1;
    private boolean isFar;

    /**
     * Creates the copier of one thread.
     *
     * @param limiter limits the data rate
     * @param progress counts the bytes
     * @param fileSystems remembers the pairs of file systems without clones
     * @param buffer the thread's buffer for data; a file that is smaller is copied in one go
     */
    public WholeFile(CopyOptions options, RateLimiter limiter, Progress progress, FileSystemPairs fileSystems,
            MemorySegment buffer, CopyControl control) {
        this.options = options;
        this.limiter = limiter;
        this.progress = progress;
        this.fileSystems = fileSystems;
        this.holes = new HoleRule(options.sparse());
        this.mover = new DataMover(options, limiter, progress, buffer, control);
        this.buffer = buffer;
        this.control = control;
    }

    /** Returns the mover of ranges. */
    public DataMover mover() {
        return mover;
    }

    /** Returns whether {@link #readSmall} is worth a try. */
    public boolean isSmall(FileStatus source) {
        return source.kind() == EntryKind.REGULAR && source.size() < buffer.byteSize() && !holes.maySparse(source)
                && options.reflink() != CopyOptions.When.ALWAYS;
    }

    /**
     * Reads a small file at the position, usually in one call.
     *
     * @param status the status of the source after it was opened
     * @return all its data, in the buffer; or null for a source that reports size 0 but has data, like files in /proc,
     *         whose position is then the beginning
     * @throws ChangedException if the size has changed or, unless the file is local, the times
     */
    public @Nullable MemorySegment readSmall(SourceFile source, FileStatus status)
            throws SystemCallException, ChangedException {
        limiter.acquire(status.size(), control);
        // The buffer is larger than the file, so growth is noticed; so is truncation.
        long n = source.read(buffer);
        if (n != status.size() && n > 0) {
            if (status.size() == 0) {
                source.rewind();
                return null;
            }
            n += source.readFully(buffer.asSlice(n));
        }
        if (n < status.size()) {
            checkEndsBefore(source, status);
        } else if (n > status.size()) {
            throw new ChangedException();
        }
        if (source instanceof PosixFile file && isFar(file, status.device())) {
            checkUnchanged(source, status);
        }
        return buffer.asSlice(0, n);
    }

    // Data that come from a server take several requests. A local file is read by one call just after its status, and
    // one more call would cost more than it finds.
    private boolean isFar(PosixFile source, long of) {
        if (device != of) {
            device = of;
            isFar = !fileSystems.isLocal(source.access(), of, source.descriptor());
        }
        return isFar;
    }

    /** Writes all data of a small file to an empty one. Returns the hash by which the copy is verified. */
    public DataHash.Extents writeSmall(TargetFile target, MemorySegment data) throws TargetException {
        DataHash.Extents extents = mover.hashWhole(data);
        try {
            target.write(data);
        } catch (SystemCallException e) {
            throw new TargetException(e);
        }
        return extents;
    }

    /**
     * Makes an empty file share the data of the source, if the options request that and the store can do it.
     *
     * @param targetDevice the device of the target's file system
     * @param isOnlyIfRequired whether files are shared only if the options demand it
     * @return the hash by which the copy is verified; or null if nothing was shared
     * @throws TargetException if the options demand it and it is impossible
     */
    public DataHash.@Nullable Extents share(SourceFile source, FileStatus status, TargetFile target, long targetDevice,
            boolean isOnlyIfRequired) throws SystemCallException, TargetException, WithdrawnException {
        if (!isShared(source, status.device(), target, targetDevice, isOnlyIfRequired)) {
            return null;
        }
        DataHash.Extents extents = mover.verifier().hashSource(source, 0, status.size());
        progress.bytesDone(holes.dataBytes(status));
        return extents;
    }

    private boolean isShared(SourceFile source, long from, TargetFile target, long to, boolean isOnlyIfRequired)
            throws TargetException {
        CopyOptions.When when = options.reflink();
        if (when == CopyOptions.When.NEVER
                || when == CopyOptions.When.AUTO && (isOnlyIfRequired || options.sparse() != CopyOptions.When.AUTO
                        || !fileSystems.mayHave(FileSystemPairs.Feature.REFLINK, from, to))) {
            return false;
        }
        try {
            target.cloneFrom(source);
            return true;
        } catch (SystemCallException e) {
            if (when == CopyOptions.When.ALWAYS) {
                throw new TargetException(e);
            }
            if (Errno.isUnsupported(e.errno())) {
                fileSystems.lacks(FileSystemPairs.Feature.REFLINK, from, to);
            }
            return false;
        }
    }

    /**
     * Copies all data to an empty file.
     *
     * @param isStream whether the target has no size, like a FIFO
     * @param isOffloaded whether the store should copy the data itself if it can
     * @return the hash by which the copy is verified
     * @throws ChangedException if the size of the source has changed during the copy
     */
    public DataHash.Extents copy(SourceFile source, FileStatus status, TargetFile target, boolean isStream,
            boolean isOffloaded) throws SystemCallException, TargetException, ChangedException, WithdrawnException {
        // The size is set first: it creates the holes at the end, and writes that do not extend a file take ext4 half
        // the time.
        if (status.size() == 0 || isStream) {
            return mover.copyStream(source, target);
        }
        if (!SizeAhead.set(target, status.size())) {
            DataHash.Extents all = mover.copyStream(source, target);
            if (all.to() < status.size()) {
                checkEndsBefore(source, status);
            }
            return all;
        }
        try {
            return mover.copyRange(source, target, 0, status.size(), holes.maySparse(status), isOffloaded);
        } catch (ChangedException e) {
            checkEndsBefore(source, status);
            try {
                target.setSize(0);
            } catch (SystemCallException refused) {
                throw new TargetException(refused);
            }
            source.rewind();
            return mover.copyStream(source, target);
        }
    }

    // Files in /sys report a page as their size, but contain a line of text. Any other file that ends too early was
    // truncated, or its server has not delivered the rest.
    private void checkEndsBefore(SourceFile source, FileStatus status) throws SystemCallException, ChangedException {
        boolean isOfKernel = source instanceof PosixFile file
                && fileSystems.isOfKernel(status.device(), () -> file.access().fileSystemType(file.descriptor()));
        if (status.blocks() > 0 || !isOfKernel) {
            throw new ChangedException();
        }
        checkUnchanged(source, status);
    }

    /**
     * Checks that a source has not changed since its copy began.
     *
     * @param status the status of the source after it was opened
     */
    public static void checkUnchanged(SourceFile source, FileStatus status)
            throws SystemCallException, ChangedException {
        boolean hasSize = status.size() > 0;
        if (hasSize && !source.status().isUnchangedSince(status)) {
            throw new ChangedException();
        }
    }
}
