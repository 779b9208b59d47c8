// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.storage;

import java.lang.foreign.MemorySegment;

import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.fs.SystemCallException;

/**
 * An open file whose data can be read at offsets.
 *
 * <p>
 * Methods with an offset are safe for any number of threads, and do not move the position of methods without one. All
 * other methods are for the thread that opened the file.
 */
public interface StoredFile {

    /** The result of {@link #nextData}: nothing but a hole remains until the end of the file. */
    long NO_DATA = -1;

    /** The result of {@link #nextData} of a store that does not know where its files have holes. */
    long UNKNOWN = -2;

    /** Returns the status that the file has now. */
    FileStatus status() throws SystemCallException;

    /**
     * Reads once at an offset.
     *
     * @param into the buffer; its size is the largest number of bytes to read, at least 1
     * @return the number of bytes read, which may be smaller than the size; 0 at or after the end of the file
     */
    long read(MemorySegment into, long offset) throws SystemCallException;

    /**
     * Reads at an offset until the buffer is full or the file ends.
     *
     * @return the number of bytes read
     */
    default long readFully(MemorySegment into, long offset) throws SystemCallException {
        long done = 0;
        while (done < into.byteSize()) {
            long n = read(done == 0 ? into : into.asSlice(done), offset + done);
            if (n == 0) {
                break;
            }
            done += n;
        }
        return done;
    }

    /**
     * Returns the offset of the first data at or after an offset. A store may treat zeros as data, and a hole smaller
     * than its unit of allocation is none.
     *
     * @return the offset of the data, not smaller than the given one; or {@link #NO_DATA} or {@link #UNKNOWN}
     */
    default long nextData(long offset) throws SystemCallException {
        return UNKNOWN;
    }

    /**
     * Returns the end of data.
     *
     * @param data an offset that {@link #nextData} returned
     * @return the offset of the first hole after it, or the size of the file
     */
    default long nextHole(long data) throws SystemCallException {
        return status().size();
    }
}
