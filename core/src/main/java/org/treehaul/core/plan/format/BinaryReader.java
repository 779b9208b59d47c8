// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.plan.format;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.OptionalInt;
import java.util.zip.CRC32C;

/** Reads a file written by {@link BinaryWriter}, after verifying its checksum. */
final class BinaryReader implements Closeable {

    private static final int BUFFER_BYTES = 64 * 1024;
    private static final int HEAD = 8;
    private static final int CHECKSUM = 4;

    private final Path file;
    private final FileChannel channel;
    private final ByteBuffer buffer = ByteBuffer.allocate(BUFFER_BYTES).order(ByteOrder.LITTLE_ENDIAN);

    // Unread bytes before the checksum, including those in the buffer.
    private long rest;

    private BinaryReader(Path file, FileChannel channel) {
        this.file = file;
        this.channel = channel;
    }

    /**
     * Opens a file and verifies it.
     *
     * @param expected the checksum recorded in another file of the plan, if any
     */
    static BinaryReader open(Path file, String magic, OptionalInt expected) throws PlanException {
        FileChannel channel;
        try {
            channel = FileChannel.open(file);
        } catch (IOException e) {
            throw PlanException.unreadable(file, e);
        }
        BinaryReader reader = new BinaryReader(file, channel);
        try {
            reader.check(magic, expected);
            return reader;
        } catch (IOException e) {
            reader.close();
            throw PlanException.unreadable(file, e);
        }
    }

    private void check(String magic, OptionalInt expected) throws IOException {
        long size = channel.size();
        if (size < HEAD + CHECKSUM) {
            throw PlanException.damaged(file, "only " + size + " bytes");
        }
        rest = HEAD;
        buffer.limit(0);
        byte[] kind = bytes(4);
        if (!new String(kind, StandardCharsets.ISO_8859_1).equals(magic)) {
            throw PlanException.damaged(file, "it does not start with " + magic);
        }
        TextFile.checkVersion(file, Integer.toUnsignedString(u32()));
        channel.position(0);
        rest = size - CHECKSUM;
        CRC32C checksum = new CRC32C();
        while (rest > 0) {
            fill();
            rest -= buffer.remaining();
            checksum.update(buffer);
        }
        rest = CHECKSUM;
        buffer.limit(0);
        int stored = u32();
        if (stored != (int) checksum.getValue()) {
            throw PlanException.damaged(file, "its checksum is wrong");
        }
        if (expected.isPresent() && expected.getAsInt() != stored) {
            throw PlanException.damaged(file, "it is not the file that was written with the plan");
        }
        channel.position(HEAD);
        rest = size - HEAD - CHECKSUM;
        buffer.limit(0);
    }

    /** Returns the file, for messages. */
    Path file() {
        return file;
    }

    // Keeps the unread bytes and appends more from the file, but never the checksum.
    private void fill() throws IOException {
        buffer.compact();
        buffer.limit((int) Math.min(buffer.capacity(), rest));
        if (channel.read(buffer) <= 0) {
            throw PlanException.damaged(file, "it ends too early");
        }
        buffer.flip();
    }

    private void need(int bytes) throws IOException {
        if (bytes > rest) {
            throw PlanException.damaged(file, "a record extends beyond its end");
        }
        while (buffer.remaining() < bytes) {
            fill();
        }
        rest -= bytes;
    }

    int u8() throws IOException {
        need(1);
        return buffer.get() & 0xFF;
    }

    int u16() throws IOException {
        need(2);
        return buffer.getShort() & 0xFFFF;
    }

    int u32() throws IOException {
        need(4);
        return buffer.getInt();
    }

    long u64() throws IOException {
        need(8);
        return buffer.getLong();
    }

    byte[] bytes(int length) throws IOException {
        if (length < 0 || length > rest) {
            throw PlanException.damaged(file, "a record of " + Integer.toUnsignedString(length) + " bytes");
        }
        byte[] bytes = new byte[length];
        int done = 0;
        while (done < length) {
            int part = Math.min(length - done, BUFFER_BYTES);
            need(part);
            buffer.get(bytes, done, part);
            done += part;
        }
        return bytes;
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            // The file was only read.
        }
    }
}
