// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.plan.format;

import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32C;

/** Writes little-endian numbers and bytes, followed by a checksum of all of them. */
final class BinaryWriter implements Closeable {

    private static final VarHandle SHORT = MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    /** Size of the longest value that is written in one piece, and so the minimum size of the buffer, in bytes. */
    static final int PIECE = 64;

    private final OutputStream out;
    private final byte[] buffer;
    private final CRC32C checksum = new CRC32C();
    private int used;

    /**
     * Starts a file with its magic and the version of the format.
     *
     * @param out is closed together with this writer
     * @param bufferBytes the size of the buffer, at least {@link #PIECE}
     */
    BinaryWriter(OutputStream out, int bufferBytes, String magic) throws IOException {
        this.out = out;
        this.buffer = new byte[bufferBytes];
        bytes(magic.getBytes(StandardCharsets.US_ASCII));
        u32(PlanHeader.VERSION);
    }

    void u8(int value) throws IOException {
        need(1);
        buffer[used++] = (byte) value;
    }

    void u16(int value) throws IOException {
        need(2);
        SHORT.set(buffer, used, (short) value);
        used += 2;
    }

    void u32(int value) throws IOException {
        need(4);
        INT.set(buffer, used, value);
        used += 4;
    }

    void u64(long value) throws IOException {
        need(8);
        LONG.set(buffer, used, value);
        used += 8;
    }

    void bytes(byte[] bytes) throws IOException {
        bytes(bytes, 0, bytes.length);
    }

    void bytes(byte[] bytes, int from, int length) throws IOException {
        int at = from;
        int rest = length;
        while (rest > 0) {
            if (used == buffer.length) {
                flush();
            }
            int part = Math.min(rest, buffer.length - used);
            System.arraycopy(bytes, at, buffer, used, part);
            used += part;
            at += part;
            rest -= part;
        }
    }

    private void need(int bytes) throws IOException {
        if (used + bytes > buffer.length) {
            flush();
        }
    }

    private void flush() throws IOException {
        checksum.update(buffer, 0, used);
        out.write(buffer, 0, used);
        used = 0;
    }

    /** Writes the checksum, closes the file and returns the checksum. */
    int end() throws IOException {
        flush();
        int value = (int) checksum.getValue();
        INT.set(buffer, 0, value);
        out.write(buffer, 0, 4);
        out.close();
        return value;
    }

    /** Closes the file without the checksum, after a failure. */
    @Override
    public void close() throws IOException {
        out.close();
    }
}
