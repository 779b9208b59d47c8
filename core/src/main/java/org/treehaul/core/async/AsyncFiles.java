// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.async;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;

import org.treehaul.core.annotation.Internal;
import org.treehaul.core.async.backend.Backend;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.fs.linux.LinuxRingCalls;

/**
 * Opens and removes files, and carries out the operations on them. Has threads of its own, until it is closed. Safe for
 * any number of threads.
 *
 * <p>
 * The rules of {@link AsyncFile} for waiting and cancelling apply here too. After {@link #close()}, operations throw
 * {@link IllegalStateException}.
 */
public interface AsyncFiles extends AutoCloseable {

    /** Carries out operations with the default settings. */
    static AsyncFiles open() {
        return open(AsyncSettings.defaults());
    }

    /**
     * Carries out operations with settings.
     *
     * @throws UnsupportedOperationException if the settings ask for a ring and the kernel provides none; or on a system
     *         that TreeHaul does not support
     */
    static AsyncFiles open(AsyncSettings settings) {
        return LocalFiles.open(settings, Linux.calls(), LinuxRingCalls.calls());
    }

    /**
     * Carries out operations by these calls: by a ring only if they are those of the kernel, because a ring would pass
     * by a decorator of them.
     */
    @Internal
    static AsyncFiles over(FileSystemCalls calls, AsyncSettings settings) {
        return calls.equals(Linux.calls()) ? open(settings) : LocalFiles.overThreads(settings, calls);
    }

    /**
     * Carries out operations by a backend, which {@link #close()} ends.
     *
     * @param depth the most operations that are in progress or wait
     * @param means what {@link #means()} returns
     */
    @Internal
    static AsyncFiles over(Backend backend, int depth, String means) {
        return LocalFiles.over(backend, depth, means);
    }

    /**
     * Returns the reason why this kernel provides no rings to this process, for people; empty if it provides them. The
     * kernel is asked once, and again if it only lacked descriptors or memory.
     */
    static Optional<String> ringProblem() {
        return RingSupport.ofThisKernel().problem();
    }

    /**
     * Opens a file, or a name that a mode creates. The path is relative to the working directory. A FIFO whose other
     * end is closed is opened at once by io_uring, as with O_NONBLOCK, unless the mode creates; threads wait for that
     * end.
     *
     * @throws java.nio.file.InvalidPathException if there is a NUL in the path
     */
    void open(ByteString path, OpenMode mode, IoCallback<AsyncFile> callback);

    /**
     * Removes a file, as unlink(2) does.
     *
     * @throws java.nio.file.InvalidPathException if there is a NUL in the path
     */
    void remove(ByteString path, IoCallback<Void> callback);

    /** Returns what carries out the operations, such as {@code io_uring} or {@code 8 threads}. */
    String means();

    /**
     * Waits until all operations have ended, closes the files that are open, and ends the threads. Errors of these
     * closes are lost: close files whose data matter.
     *
     * @throws IllegalStateException in a callback
     */
    @Override
    void close();

    /** {@link #open(ByteString, OpenMode, IoCallback)} with a future. */
    default CompletableFuture<AsyncFile> open(ByteString path, OpenMode mode) {
        return Outcomes.future(callback -> open(path, mode, callback));
    }

    /** {@link #open(ByteString, OpenMode, IoCallback)}; waits, also if the thread is interrupted. */
    default AsyncFile openSync(ByteString path, OpenMode mode) throws AsyncFileException {
        return Outcomes.await(callback -> open(path, mode, callback));
    }

    /** {@link #remove(ByteString, IoCallback)} with a future. */
    default CompletableFuture<Void> remove(ByteString path) {
        return Outcomes.future(callback -> remove(path, callback));
    }

    /** {@link #remove(ByteString, IoCallback)}; waits, also if the thread is interrupted. */
    default void removeSync(ByteString path) throws AsyncFileException {
        Outcomes.<Void>await(callback -> remove(path, callback));
    }
}
