// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.async;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;

import org.treehaul.core.annotation.Internal;

/** The size of the kernel's pages: 4 KiB on x86-64, and 4, 16 or 64 KiB on aarch64. */
@Internal
public final class PageSize {

    private static final long AT_NULL = 0; // linux/auxvec.h
    private static final long AT_PAGESZ = 6;

    // No kernel for these processors has larger pages, so that a larger alignment is never wrong.
    private static final int LARGEST = 65_536;

    /** Bytes, a power of 2. */
    public static final int BYTES = read();

    private PageSize() {}

    private static int read() {
        try {
            return of(Files.readAllBytes(Path.of("/proc/self/auxv")));
        } catch (IOException e) {
            return LARGEST;
        }
    }

    /** Returns the size that the kernel passed to the process, in pairs of a key and a value. */
    static int of(byte[] auxiliary) {
        ByteBuffer pairs = ByteBuffer.wrap(auxiliary).order(ByteOrder.nativeOrder());
        while (pairs.remaining() >= 2 * Long.BYTES) {
            long key = pairs.getLong();
            long value = pairs.getLong();
            if (key == AT_PAGESZ && value > 0 && value <= LARGEST) {
                return (int) value;
            }
            if (key == AT_NULL) {
                break;
            }
        }
        return LARGEST;
    }
}
