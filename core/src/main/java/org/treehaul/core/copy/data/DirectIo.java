// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.data;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.async.AsyncFile;
import org.treehaul.core.async.AsyncFileException;
import org.treehaul.core.async.AsyncFiles;
import org.treehaul.core.async.AsyncSettings;
import org.treehaul.core.async.IoBuffer;
import org.treehaul.core.async.OpenMode;
import org.treehaul.core.copy.failure.TargetException;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.LinuxConstants;
import org.treehaul.core.storage.PosixFile;
import org.treehaul.core.storage.SourceFile;
import org.treehaul.core.storage.TargetFile;

/**
 * Opens files of one copy past the page cache (O_DIRECT of open(2)). Safe for any number of threads. Closing it ends
 * its threads.
 */
public final class DirectIo implements AutoCloseable {

    /**
     * The size in bytes from which files are direct. A smaller one takes a few calls through the cache, and a direct
     * one several more.
     */
    public static final long LEAST_BYTES = 1 << 20;

    private final boolean isWanted;
    private final FileSystemCalls calls;
    private final Consumer<String> notices;
    private final Semaphore moreBlocks = new Semaphore(DirectPipe.MOST_BLOCKS);
    // One for each thread that reads; a new one for each file would stay until the next garbage collection.
    private final Queue<IoBuffer> rooms = new ConcurrentLinkedQueue<>();

    // Guarded by this: made for the first file.
    private @Nullable AsyncFiles files;

    /**
     * Creates it; nothing is opened until a file is.
     *
     * @param notices receives texts for the user, some of them many times
     */
    public DirectIo(CopyOptions options, FileSystemCalls calls, Consumer<String> notices) {
        this.isWanted = options.direct();
        this.calls = calls;
        this.notices = notices;
    }

    /** Returns whether a file of this size in bytes is direct, if its file system allows it. */
    public boolean isFor(long size) {
        return isWanted && size >= LEAST_BYTES;
    }

    private synchronized AsyncFiles files() {
        AsyncFiles open = files;
        if (open == null) {
            open = AsyncFiles.over(calls, AsyncSettings.defaults());
            files = open;
        }
        return open;
    }

    /**
     * Opens a source and its copy once more, past the cache. If they are too small, or their file systems refuse it,
     * they remain as they are; in the latter case the user gets a notice.
     *
     * @param size the size of the source in bytes
     */
    public Pair open(PosixFile source, PosixFile target, long size) {
        DirectFile from = isFor(size) ? open(source, OpenMode.Access.READ) : null;
        DirectFile to = from == null ? null : open(target, OpenMode.Access.READ_AND_WRITE);
        if (from != null && to == null) {
            from.closeQuietly();
        }
        return new Pair(source, target, to == null ? null : from, to);
    }

    /** Opens a file that is only read, in the same way. */
    public Reading openToRead(PosixFile file, long size) {
        return new Reading(file, isFor(size) ? open(file, OpenMode.Access.READ) : null);
    }

    private @Nullable DirectFile open(PosixFile file, OpenMode.Access access) {
        OpenMode mode = new OpenMode(access, false, false, false, 0, true);
        try {
            AsyncFile opened = files().openSync(ByteString.of("/proc/self/fd/" + file.descriptor()), mode);
            return new DirectFile(file, opened, moreBlocks, rooms, this::refused);
        } catch (AsyncFileException e) {
            notices.accept("--direct is not possible for some files, which cannot be opened a second time ("
                    + Errno.describe(e.errno()) + "): their data go through the page cache");
            return null;
        }
    }

    private void refused() {
        notices.accept(
                "--direct is not possible on the file system of some files: their data go through the page cache");
    }

    /** A file that is read. */
    public static final class Reading implements AutoCloseable {

        private final PosixFile file;
        private final @Nullable DirectFile direct;

        private Reading(PosixFile file, @Nullable DirectFile direct) {
            this.file = file;
            this.direct = direct;
        }

        /** Returns the file for a thread. */
        public SourceFile file(FileAccess access) {
            return direct == null ? new PosixFile(access, file.descriptor()) : direct.of(access);
        }

        /** Closes what was opened; the descriptor of the caller stays open. */
        @Override
        public void close() {
            if (direct != null) {
                direct.closeQuietly();
            }
        }
    }

    /** A source and its copy. Any number of threads may use views of them at once. */
    public static final class Pair implements AutoCloseable {

        private final PosixFile source;
        private final PosixFile target;
        private final @Nullable DirectFile directSource;
        private final @Nullable DirectFile directTarget;
        private boolean isClosed;

        private Pair(PosixFile source, PosixFile target, @Nullable DirectFile directSource,
                @Nullable DirectFile directTarget) {
            this.source = source;
            this.target = target;
            this.directSource = directSource;
            this.directTarget = directTarget;
        }

        /** Returns whether they were opened once more: then the kernel does not copy by itself. */
        public boolean isDirect() {
            return directTarget != null;
        }

        /** Returns the source for a thread. */
        public SourceFile source(FileAccess access) {
            return directSource == null ? new PosixFile(access, source.descriptor()) : directSource.of(access);
        }

        /** Returns the copy for a thread. */
        public TargetFile target(FileAccess access) {
            return directTarget == null ? new PosixFile(access, target.descriptor()) : directTarget.of(access);
        }

        /**
         * Closes what was opened, after all data were written without an error. The odd end of the copy went through
         * the cache: it is written to the disk, and dropped.
         *
         * @throws TargetException if data could not be written
         */
        public void finish(FileAccess access) throws TargetException {
            DirectFile written = directTarget;
            if (written != null) {
                TargetException.check("fdatasync", access.calls().fdatasync(target.descriptor()));
                access.calls().posixFadvise(target.descriptor(), 0, 0, LinuxConstants.POSIX_FADV_DONTNEED);
                isClosed = true;
                closeSource();
                written.finish();
            }
        }

        /** Closes what is still open; the descriptors of the caller stay so. */
        @Override
        public void close() {
            if (!isClosed) {
                isClosed = true;
                closeSource();
                if (directTarget != null) {
                    directTarget.closeQuietly();
                }
            }
        }

        private void closeSource() {
            if (directSource != null) {
                directSource.closeQuietly();
            }
        }
    }

    @Override
    public synchronized void close() {
        AsyncFiles open = files;
        if (open != null) {
            files = null;
            open.close();
        }
    }
}
