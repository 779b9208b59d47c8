// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.storage;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.SystemCallException;

/**
 * An open file to which data are copied. It can be read as well, to verify it.
 *
 * <p>
 * Two capabilities concern a pair of files: {@link #copyFrom} and {@link #cloneFrom} move data inside the store,
 * without passing them through this process. A file without these capabilities inherits the default methods, which
 * refuse.
 */
public interface TargetFile extends StoredFile {

    /** The result of {@link #copyFrom} between files for which no range will ever be copied inside the store. */
    long CANNOT = -1;

    /** Writes the whole buffer at the position, and advances it. */
    void write(MemorySegment data) throws SystemCallException;

    /**
     * Writes the whole buffer at an offset. A file that is thereby extended beyond its end reads as zeros in between.
     * Several threads may write to ranges that do not overlap.
     *
     * @throws SystemCallException one of those of {@link #setSize} if the store accepts data only in order
     */
    void write(MemorySegment data, long offset) throws SystemCallException;

    /**
     * A part of the data and the offset at which it is written.
     *
     * @param data the buffer, of at least 1 byte
     */
    record Piece(MemorySegment data, long offset) {}

    /**
     * Writes several pieces that do not overlap, in any order: list I/O. After an error, any of them may be written.
     * The default implementation writes them one after another.
     */
    default void write(List<Piece> pieces) throws SystemCallException {
        for (Piece piece : pieces) {
            write(piece.data(), piece.offset());
        }
    }

    /**
     * Returns whether {@link #writeAsync} returns before the data are written, so that a copy can read during the
     * write.
     */
    default boolean isAsynchronous() {
        return false;
    }

    /**
     * Begins to write the whole buffer at an offset, as {@link #write(MemorySegment, long)} does. Two writes of one
     * caller may be in progress. The default implementation writes the data before it returns.
     *
     * @param data must neither change nor be freed until the result is complete
     * @return completes when the data are written, or with the {@link SystemCallException} with which the write failed;
     *         a write that the store cancels counts as failed with ECANCELED
     */
    default CompletableFuture<Void> writeAsync(MemorySegment data, long offset) {
        try {
            write(data, offset);
            return CompletableFuture.completedFuture(null);
        } catch (SystemCallException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /** Makes the data durable. The default implementation is for stores that keep nothing in a cache. */
    default void sync() throws SystemCallException {
        // Written data are durable already.
    }

    /**
     * Sets the size. The file reads as zeros where it becomes larger.
     *
     * @throws SystemCallException EPERM, EOPNOTSUPP, ENOSYS or EINVAL if the store accepts data only in order, so that
     *         the file can only be written at the position
     */
    void setSize(long size) throws SystemCallException;

    /**
     * Copies a range of another file to the same range of this one, inside the store. Safe for any number of threads,
     * if the ranges do not overlap.
     *
     * @param length number of bytes, at least 1
     * @return the number of bytes copied, from the offset on, at most the length; 0 if none were, because the source
     *         has ended or because of an error, which reading or writing the range reports; or {@link #CANNOT}
     */
    default long copyFrom(SourceFile source, long offset, long length) {
        return CANNOT;
    }

    /**
     * Makes this file, which must be empty, share all data of another one.
     *
     * @throws SystemCallException an error for which {@link Errno#isUnsupported} is true if the store cannot do that
     *         for these files
     */
    default void cloneFrom(SourceFile source) throws SystemCallException {
        throw new SystemCallException("clone", Errno.EOPNOTSUPP);
    }
}
