// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.plan.format;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.OptionalInt;
import java.util.zip.CRC32C;

/** Reads a file written by {@link BinaryWriter}, after verifying its checksum. */
final class BinaryReader implements Closeable {

    private static final int BUFFER_BYTES = 64 * 1024;
    private static final int HEAD = 8;
    private static final int CHECKSUM = 4;

    // A server that fails over may be away for a moment: five tries take 9 s.
    private static final int TRIES = 5;
    private static final long PAUSE_MILLIS = 100;
    private static final int LONGER = 4;

    private final Path file;
    private FileChannel channel;
    private long position;
    private boolean isChecked;
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
        long pause = PAUSE_MILLIS;
        for (int tries = 1;; tries++) {
            try {
                return openOnce(file, magic, expected);
            } catch (IOException e) {
                if (!mayPass(e) || tries == TRIES || !sleep(pause)) {
                    throw PlanException.unreadable(file, e);
                }
            }
            pause *= LONGER;
        }
    }

    private static BinaryReader openOnce(Path file, String magic, OptionalInt expected) throws IOException {
        BinaryReader reader = new BinaryReader(file, FileChannel.open(file));
        try {
            reader.check(magic, expected);
            return reader;
        } catch (IOException e) {
            reader.close();
            throw e;
        }
    }

    private static boolean mayPass(IOException e) {
        return switch (e) {
            case PlanException _,NoSuchFileException _,AccessDeniedException _,ClosedChannelException _ -> false;
            default -> true;
        };
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
        position = 0;
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
        position = HEAD;
        rest = size - HEAD - CHECKSUM;
        buffer.limit(0);
        isChecked = true;
    }

    /** Returns the file, for messages. */
    Path file() {
        return file;
    }

    // Keeps the unread bytes and appends more from the file, but never the checksum.
    private void fill() throws IOException {
        buffer.compact();
        buffer.limit((int) Math.min(buffer.capacity(), rest));
        int read = read();
        if (read <= 0) {
            throw PlanException.damaged(file, "it ends too early");
        }
        position += read;
        buffer.flip();
    }

    private int read() throws IOException {
        try {
            return channel.read(buffer, position);
        } catch (IOException e) {
            if (!isChecked || !mayPass(e) || !sleep(PAUSE_MILLIS)) {
                throw e;
            }
            // The server may not know the open file any more.
            FileChannel again = FileChannel.open(file);
            close();
            channel = again;
            return channel.read(buffer, position);
        }
    }

    private static boolean sleep(long millis) {
        try {
            Thread.sleep(millis);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
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
