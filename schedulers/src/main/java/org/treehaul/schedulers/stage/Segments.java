// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

import org.treehaul.core.annotation.Internal;
import org.treehaul.core.fs.Errno;
import org.treehaul.strategies.collective.order.CollectiveRequest;

/**
 * The segments of one server. A server knows nothing of files and layouts: it keeps sequences of bytes under keys, with
 * a checksum for each stripe that clients give it.
 * <p>
 * An operation on a key that the server does not have, because the file was removed or has another generation by now,
 * fails with {@link Errno#ESTALE} and changes nothing. An operation that returned is in the cache of the server;
 * {@link #sync} makes it durable. Operations that may be repeated after a lost answer, which is all of them, have the
 * effect of one.
 * <p>
 * The memory of a part must stay alive and, for writes, unchanged until the call returns; an implementation that sends
 * messages of a bounded length divides a request itself. Offsets and sizes are in bytes of the segment. Thread-safe.
 * Every failure is a {@link StageException} that names the server, the segment, the operation and the error number.
 */
public interface Segments extends AutoCloseable {

    /** Returns the server in printable form, for messages. */
    String server();

    /** Makes an empty segment; one that exists already under this key stays as it is. */
    void create(SegmentKey key) throws StageException;

    /**
     * Reads parts of a segment, in any order and any distance from each other. Bytes that the segment does not have,
     * because it ends before, are set to 0.
     *
     * @return the number of bytes that the segment has in these parts: less than they are long only if it ends before
     */
    long read(SegmentKey key, List<SegmentPart> parts) throws StageException;

    /**
     * Writes parts of a segment, which grows if necessary. Parts should not overlap. After a failure, any bytes of them
     * may be written.
     */
    void write(SegmentKey key, List<SegmentPart> parts) throws StageException;

    /** As {@link #read(SegmentKey, List)}, with the place of the request in the order of a server that has one. */
    @Internal
    default long read(SegmentKey key, List<SegmentPart> parts, CollectiveRequest origin) throws StageException {
        return read(key, parts);
    }

    /** As {@link #write(SegmentKey, List)}, with the place of the request in the order of a server that has one. */
    @Internal
    default void write(SegmentKey key, List<SegmentPart> parts, CollectiveRequest origin) throws StageException {
        write(key, parts);
    }

    /**
     * Makes a segment with its bytes and the checksum of its only stripe, as {@link #create}, {@link #write} and
     * {@link #writeSums} do, where possible in one exchange. After a failure, any part of it may be there.
     *
     * @param bytes none, or the bytes from 0 on
     * @param sum a {@link StripeSum} of the bytes
     */
    @Internal
    default void put(SegmentKey key, MemorySegment bytes, long sum) throws StageException {
        create(key);
        if (bytes.byteSize() > 0) {
            write(key, List.of(new SegmentPart(0, bytes)));
            writeSums(key, 0, new long[]{sum});
        }
    }

    /** Returns the size of a segment. */
    long size(SegmentKey key) throws StageException;

    /** Sets the size of a segment; new bytes are 0. Checksums stay as they are: the caller sets those that change. */
    void truncate(SegmentKey key, long size) throws StageException;

    /**
     * Makes a segment at least this large; new bytes are 0. Concurrent writes may have made it larger; it never becomes
     * smaller.
     */
    void grow(SegmentKey key, long size) throws StageException;

    /**
     * Gives a segment another generation. Afterwards every operation with the earlier one fails, also one that began
     * before but has not reached the server yet.
     *
     * @param generation more than that of the key; a segment that has it already stays as it is
     */
    void advance(SegmentKey key, long generation) throws StageException;

    /**
     * Reads the checksums of consecutive stripes.
     *
     * @param first the number of the first stripe within the segment, 0 or more
     * @param into receives the checksums: each is 0 or a {@link StripeSum}; 0 if none was set
     */
    void readSums(SegmentKey key, long first, long[] into) throws StageException;

    /**
     * Sets the checksums of consecutive stripes.
     *
     * @param first the number of the first stripe within the segment, 0 or more
     * @param sums the checksums: each is 0 or a {@link StripeSum}
     */
    void writeSums(SegmentKey key, long first, long[] sums) throws StageException;

    /** Makes the bytes, the size, the checksums and the name of a segment durable. */
    void sync(SegmentKey key) throws StageException;

    /** Removes a segment and its checksums; does nothing if the server does not have it. */
    void remove(SegmentKey key) throws StageException;

    /**
     * Passes all segments of the server, in no order. One that is made or removed during the call may be missing. One
     * that cannot be examined fails the call after the others were passed.
     *
     * @param action called by this thread
     */
    void list(Consumer<? super StoredSegment> action) throws StageException;

    /** Releases the connection or the directory; operations afterwards fail. */
    @Override
    void close();

    /** Segments of a server that takes further requests while it works on others, so that no thread has to wait. */
    @Internal
    interface Pipelined extends Segments {

        /** Returns whether the server can be reached without waiting, as far as is known. */
        boolean isReady();

        /**
         * Begins to read or write parts as {@link #read} and {@link #write} do, and never waits: a server that is not
         * {@link #isReady ready} is a failure.
         *
         * @return the result of {@link #read}, or 0 for a write, or a {@link StageException}. It is completed within
         *         this call, or by a thread of the network, which must not wait for a server. The memory of the parts
         *         must stay alive, and for writes unchanged, until then.
         */
        CompletableFuture<Long> begin(SegmentKey key, List<SegmentPart> parts, boolean isWrite);
    }
}
