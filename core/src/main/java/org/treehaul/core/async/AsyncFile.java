// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.async;

import java.util.concurrent.CompletableFuture;

/**
 * An open file whose operations run while the caller continues (Yang, PXFS 3.2.2). Each operation has three forms: with
 * a callback, with a future, and one that waits, whose name ends in {@code Sync}.
 *
 * <p>
 * Reads fill their buffer unless the file ends before; writes write all of it. Operations at an offset run at the same
 * time, in any order. Those at the file's position, {@code read}, {@code write} and {@code seek}, run one after another
 * in the order of the calls, and each begins where the one before has ended.
 *
 * <p>
 * A read may change any part of its buffer, also behind the bytes that it returns. A failed read leaves the position. A
 * failed write may have written a part, {@link AsyncFileException#bytes()} at least, and the position has advanced by
 * these. Nothing is on disk before {@code sync} has succeeded.
 *
 * <p>
 * To cancel a future changes nothing but the future: the operation is carried out. An operation on a closed file fails
 * with EBADF. If too many operations are in progress ({@link AsyncSettings#depth()}), a call waits until one has ended;
 * within a callback it fails with EAGAIN instead. Safe for any number of threads.
 */
public interface AsyncFile {

    /** Reads at the position. Returns the number of bytes, 0 at the end of the file. */
    void read(IoBuffer into, IoCallback<Integer> callback);

    /** Reads at an offset in bytes. Returns the number of bytes, 0 at the end of the file. */
    void pread(IoBuffer into, long offset, IoCallback<Integer> callback);

    /** Writes at the position. Returns the number of bytes. */
    void write(IoBuffer from, IoCallback<Integer> callback);

    /** Writes at an offset in bytes. Returns the number of bytes. */
    void pwrite(IoBuffer from, long offset, IoCallback<Integer> callback);

    /** Sets the position. Returns it, in bytes from the beginning. Fails with EINVAL if it were negative. */
    void seek(long offset, SeekFrom from, IoCallback<Long> callback);

    /** Writes data and size to the disk (fdatasync), of writes that had succeeded before the call. */
    void sync(IoCallback<Void> callback);

    /**
     * Closes the file when all its operations and their callbacks have ended. It is closed even if this fails, as it
     * does if a network file system could not write data. To close a closed file does nothing.
     */
    void close(IoCallback<Void> callback);

    /** Returns whether aligned ranges bypass the page cache. */
    boolean isDirect();

    /** {@link #read(IoBuffer, IoCallback)} with a future. */
    default CompletableFuture<Integer> read(IoBuffer into) {
        return Outcomes.future(callback -> read(into, callback));
    }

    /** {@link #pread(IoBuffer, long, IoCallback)} with a future. */
    default CompletableFuture<Integer> pread(IoBuffer into, long offset) {
        return Outcomes.future(callback -> pread(into, offset, callback));
    }

    /** {@link #write(IoBuffer, IoCallback)} with a future. */
    default CompletableFuture<Integer> write(IoBuffer from) {
        return Outcomes.future(callback -> write(from, callback));
    }

    /** {@link #pwrite(IoBuffer, long, IoCallback)} with a future. */
    default CompletableFuture<Integer> pwrite(IoBuffer from, long offset) {
        return Outcomes.future(callback -> pwrite(from, offset, callback));
    }

    /** {@link #seek(long, SeekFrom, IoCallback)} with a future. */
    default CompletableFuture<Long> seek(long offset, SeekFrom from) {
        return Outcomes.future(callback -> seek(offset, from, callback));
    }

    /** {@link #sync(IoCallback)} with a future. */
    default CompletableFuture<Void> sync() {
        return Outcomes.future(this::sync);
    }

    /** {@link #close(IoCallback)} with a future. */
    default CompletableFuture<Void> close() {
        return Outcomes.future(this::close);
    }

    /** {@link #read(IoBuffer, IoCallback)}; waits, also if the thread is interrupted. */
    default int readSync(IoBuffer into) throws AsyncFileException {
        return Outcomes.await(callback -> read(into, callback));
    }

    /** {@link #pread(IoBuffer, long, IoCallback)}; waits, also if the thread is interrupted. */
    default int preadSync(IoBuffer into, long offset) throws AsyncFileException {
        return Outcomes.await(callback -> pread(into, offset, callback));
    }

    /** {@link #write(IoBuffer, IoCallback)}; waits, also if the thread is interrupted. */
    default int writeSync(IoBuffer from) throws AsyncFileException {
        return Outcomes.await(callback -> write(from, callback));
    }

    /** {@link #pwrite(IoBuffer, long, IoCallback)}; waits, also if the thread is interrupted. */
    default int pwriteSync(IoBuffer from, long offset) throws AsyncFileException {
        return Outcomes.await(callback -> pwrite(from, offset, callback));
    }

    /** {@link #seek(long, SeekFrom, IoCallback)}; waits, also if the thread is interrupted. */
    default long seekSync(long offset, SeekFrom from) throws AsyncFileException {
        return Outcomes.await(callback -> seek(offset, from, callback));
    }

    /** {@link #sync(IoCallback)}; waits, also if the thread is interrupted. */
    default void syncSync() throws AsyncFileException {
        Outcomes.<Void>await(this::sync);
    }

    /** {@link #close(IoCallback)}; waits, also if the thread is interrupted. */
    default void closeSync() throws AsyncFileException {
        Outcomes.<Void>await(this::close);
    }
}
