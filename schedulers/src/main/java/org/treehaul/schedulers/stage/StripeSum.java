// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * The checksum of one stripe as a number: the bytes that it covers in the upper half, their CRC-32C in the lower one.
 * It is 0 where the checksum is unknown, because only a part of the stripe was written.
 */
public final class StripeSum {

    /** The number of a stripe without a checksum. */
    public static final long UNKNOWN = 0;

    private StripeSum() {}

    /**
     * Returns the checksum of the remaining bytes of a buffer, whose position moves to its limit.
     *
     * @return {@link #UNKNOWN} if there are none
     */
    public static long of(ByteBuffer bytes) {
        int length = bytes.remaining();
        CRC32C crc = new CRC32C();
        crc.update(bytes);
        return of(length, crc.getValue());
    }

    /**
     * Returns the checksum of a number of bytes.
     *
     * @param length their number, 0 or more
     * @param crc their CRC-32C
     */
    public static long of(int length, long crc) {
        return length == 0 ? UNKNOWN : (long) length << 32 | crc & 0xFFFF_FFFFL;
    }

    /** Returns the number of bytes, from the beginning of the stripe on, that a checksum covers. */
    public static int length(long sum) {
        return (int) (sum >>> 32);
    }
}
