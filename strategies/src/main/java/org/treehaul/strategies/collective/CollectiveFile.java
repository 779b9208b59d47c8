// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies.collective;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

import org.treehaul.core.annotation.Internal;
import org.treehaul.core.async.AsyncFile;
import org.treehaul.core.async.IoBuffer;
import org.treehaul.strategies.collective.order.CollectiveRequest;

/**
 * A shared file that ranks read or write collectively: each rank has opened it. Only aggregators use it, each in one
 * thread. A parallel file or another store implements the two methods.
 */
public interface CollectiveFile {

    /**
     * Fills a buffer.
     *
     * @param into a direct buffer, from its position to its limit
     * @param offset the offset in the file
     * @throws EOFException if the file ends before
     */
    void read(ByteBuffer into, long offset) throws IOException;

    /**
     * Writes a whole buffer.
     *
     * @param from a direct buffer, from its position to its limit
     * @param offset the offset in the file
     */
    void write(ByteBuffer from, long offset) throws IOException;

    /** Returns whether the servers of the file order requests by the costs of aggregators. */
    @Internal
    default boolean isOrdered() {
        return false;
    }

    /** Reads as {@link #read(ByteBuffer, long)} does; the service time of the request is not known. */
    @Internal
    default void read(ByteBuffer into, long offset, CollectiveRequest origin) throws IOException {
        read(into, offset);
    }

    /** Writes as {@link #write(ByteBuffer, long)} does; the service time of the request is not known. */
    @Internal
    default void write(ByteBuffer from, long offset, CollectiveRequest origin) throws IOException {
        write(from, offset);
    }

    /** Returns a file of a file system. */
    static CollectiveFile of(FileChannel channel) {
        return new CollectiveFile() {
            @Override
            public void read(ByteBuffer into, long offset) throws IOException {
                long at = offset;
                while (into.hasRemaining()) {
                    int count = channel.read(into, at);
                    if (count < 0) {
                        throw tooShort(at, into.remaining());
                    }
                    at += count;
                }
            }

            @Override
            public void write(ByteBuffer from, long offset) throws IOException {
                long at = offset;
                while (from.hasRemaining()) {
                    at += channel.write(from, at);
                }
            }
        };
    }

    /** Returns an asynchronous file. */
    static CollectiveFile of(AsyncFile file) {
        return new CollectiveFile() {
            @Override
            public void read(ByteBuffer into, long offset) throws IOException {
                if (into.hasRemaining()) {
                    int count = file.preadSync(IoBuffer.over(into), offset);
                    into.position(into.position() + count);
                    if (into.hasRemaining()) {
                        throw tooShort(offset + count, into.remaining());
                    }
                }
            }

            @Override
            public void write(ByteBuffer from, long offset) throws IOException {
                if (from.hasRemaining()) {
                    from.position(from.position() + file.pwriteSync(IoBuffer.over(from), offset));
                }
            }
        };
    }

    private static EOFException tooShort(long end, int missing) {
        return new EOFException("the file ends at byte " + end + ", " + missing + " bytes too early");
    }
}
