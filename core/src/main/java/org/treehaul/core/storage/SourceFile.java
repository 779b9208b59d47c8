// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.storage;

import java.lang.foreign.MemorySegment;
import java.util.List;

import org.treehaul.core.fs.SystemCallException;

/**
 * An open file from which data are copied. Besides reading at offsets, it can be read in order, because some files have
 * no offsets (FIFOs) or no size that is known before they are read (files in /proc).
 */
public interface SourceFile extends StoredFile, AutoCloseable {

    /**
     * Reads once at the position, and advances it by the number of bytes read.
     *
     * @param into the buffer; its size is the largest number of bytes to read, at least 1
     * @return the number of bytes read, which may be smaller than the size; 0 at the end of the file
     */
    long read(MemorySegment into) throws SystemCallException;

    /**
     * Reads at the position until the buffer is full or the file ends.
     *
     * @return the number of bytes read
     */
    default long readFully(MemorySegment into) throws SystemCallException {
        long done = 0;
        while (done < into.byteSize()) {
            long n = read(done == 0 ? into : into.asSlice(done));
            if (n == 0) {
                break;
            }
            done += n;
        }
        return done;
    }

    /** Sets the position to the beginning of the file. */
    void rewind() throws SystemCallException;

    /**
     * Returns the hosts that keep the data of a range. A part of the range without a location is a hole, is beyond the
     * end, or its location is unknown to the store. The default implementation returns no location, because POSIX has
     * no such call. Safe for any number of threads.
     *
     * @param length number of bytes, at least 1
     * @return locations within the range and the file, in the order of their offsets and without overlap; empty if
     *         nothing is known
     */
    default List<Location> locations(long offset, long length) throws SystemCallException {
        return List.of();
    }

    /** Closes the file. Nothing can be lost, so there is no error. */
    @Override
    void close();
}
