// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage.net;

import java.util.zip.CRC32C;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;

/**
 * The sizes and numbers of the protocol, which both ends must know. All numbers are big-endian.
 * <p>
 * A request is: length of all that follows the next field, {@code int}; room for the data of the answer, {@code int};
 * operation, {@code byte}; id of the request, {@code long}; for the order at the server: application, collective access
 * or 0 for none, shuffle cost and acceptable delay in nanoseconds, four {@code long}, and relative acceptable delay,
 * {@code int}; file, two {@code long}; generation, {@code long}; segment, {@code int}; argument, {@code long}; number
 * of ranges, {@code int}; for each range its offset, {@code long}, and its length, {@code int}; data; CRC-32C of all
 * before but the length, {@code int}. An answer is: length of all that follows, {@code int}; outcome, {@code byte}; id
 * of the request, {@code long}; value, {@code long}; data; CRC-32C of all before but the length, {@code int}.
 */
final class Wire {

    private static final int ARENAS = 2;
    private static final int PAGE_BYTES = 8192;
    // Chunks of 4 MiB.
    private static final int CHUNK_ORDER = 9;

    /** The first bytes of each connection, in both directions: THSEGMNT. */
    static final long MAGIC = 0x5448_5345_474d_4e54L;
    /** The version of the protocol, which follows. Both are at the same place in each version. */
    static final short VERSION = 4;
    static final int MAGIC_BYTES = Long.BYTES + Short.BYTES;

    /** The largest number of bytes of data in a frame: large enough for the disk, small enough to share memory. */
    static final int MOST_DATA = 512 * 1024;
    /** The largest number of ranges in a request. */
    static final int MOST_RANGES = 4096;
    static final int RANGE_BYTES = Long.BYTES + Integer.BYTES;

    /** The two fields before a request by which the server decides whether it has memory for it. */
    static final int SIZES_BYTES = 2 * Integer.BYTES;
    static final int CRC_BYTES = Integer.BYTES;
    /** The bytes of a request by which a server orders it, and their place. */
    static final int ORIGIN_BYTES = 4 * Long.BYTES + Integer.BYTES;
    static final int ORIGIN_AT = Byte.BYTES + Long.BYTES;
    static final int REQUEST_BYTES = ORIGIN_AT + ORIGIN_BYTES + 3 * Long.BYTES + Integer.BYTES + Long.BYTES
            + Integer.BYTES + CRC_BYTES;
    static final int MOST_REQUEST = REQUEST_BYTES + MOST_RANGES * RANGE_BYTES + MOST_DATA;

    static final int ANSWER_BYTES = Byte.BYTES + 2 * Long.BYTES + CRC_BYTES;
    static final int MOST_ANSWER = ANSWER_BYTES + MOST_DATA;

    /** The memory that a request takes besides its bytes and those of its answer, about. */
    static final int OVERHEAD = 1024;

    /** A segment in the answer of a listing: file, generation, segment, size. */
    static final int LISTED_BYTES = 4 * Long.BYTES + Integer.BYTES;

    /** The memory of frames: that of the largest is used again too, and as much is kept as was used at one time. */
    static final ByteBufAllocator ALLOCATOR = new PooledByteBufAllocator(true, 0, ARENAS, PAGE_BYTES, CHUNK_ORDER, 0, 0,
            false);

    private Wire() {}

    /** Returns the memory that a request and its answer take. */
    static int cost(int length, int room) {
        return length + room + OVERHEAD;
    }

    /** Returns the checksum of bytes of a buffer, whose indexes stay. */
    static int crc(ByteBuf bytes, int from, int length) {
        CRC32C crc = new CRC32C();
        crc.update(bytes.nioBuffer(from, length));
        return (int) crc.getValue();
    }

    /** Thrown when the other end breaks the protocol; the connection ends. */
    static final class BrokenException extends Exception {
        private static final long serialVersionUID = 1;

        BrokenException(String message) {
            super(message);
        }
    }
}
