// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage.net;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.zip.CRC32C;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import org.treehaul.core.entry.ByteString;

/**
 * An answer of a server as the client sees it. Its receiver releases it.
 *
 * @param value a number of bytes, a size, or the error number of a failure
 * @param frame the frame, from the outcome on; without the data if they are in the memory of the caller
 * @param placed the data in the memory of the caller; empty if they are in the frame
 */
record Answer(Outcome outcome, long id, long value, ByteBuf frame, Optional<ByteBuf> placed) {

    /** The outcome of a request. */
    enum Outcome {
        /** It is done. */
        DONE('d'),
        /** It is done, and the listing has more. */
        MORE('m'),
        /** It failed: the value is the error number, the data are the operation that failed. */
        FAILED('f'),
        /** Not an answer, but a sign of life of a server that works on a request. */
        ALIVE('a');

        private static final Outcome[] ALL = values();

        private final byte code;

        Outcome(char code) {
            this.code = (byte) code;
        }
    }

    /** The bytes before the data. */
    static final int DATA_AT = Byte.BYTES + 2 * Long.BYTES;
    static final int LONGEST_TEXT = 300;

    /** Begins an answer with room for data, which the caller writes next; {@link #end} completes it. */
    static ByteBuf begin(ByteBufAllocator allocator, Outcome outcome, long id, int room) {
        int most = Integer.BYTES + Wire.ANSWER_BYTES + room;
        return allocator.directBuffer(most, most).writeInt(0).writeByte(outcome.code).writeLong(id).writeLong(0);
    }

    /** Completes an answer: sets its value and its length, and adds the checksum. */
    static ByteBuf end(ByteBuf answer, long value) {
        answer.setLong(Integer.BYTES + Byte.BYTES + Long.BYTES, value);
        int covered = answer.writerIndex() - Integer.BYTES;
        answer.setInt(0, covered + Wire.CRC_BYTES);
        return answer.writeInt(Wire.crc(answer, Integer.BYTES, covered));
    }

    /** Makes the answer to a request that failed. */
    static ByteBuf failure(ByteBufAllocator allocator, long id, String operation, int errno) {
        byte[] text = operation.getBytes(StandardCharsets.UTF_8);
        byte[] shown = text.length > LONGEST_TEXT ? Arrays.copyOf(text, LONGEST_TEXT) : text;
        return end(begin(allocator, Outcome.FAILED, id, shown.length).writeBytes(shown), errno);
    }

    /** Checks the length of an answer, which precedes it. */
    static void checkLength(int length) throws Wire.BrokenException {
        if (length < Wire.ANSWER_BYTES || length > Wire.MOST_ANSWER) {
            throw new Wire.BrokenException("it announced an answer of " + length + " bytes");
        }
    }

    /**
     * Reads an answer, which then has the frame. The checksum is not checked yet.
     *
     * @param placed the data, if they are not in the frame
     */
    static Answer read(ByteBuf frame, Optional<ByteBuf> placed) throws Wire.BrokenException {
        byte code = frame.getByte(0);
        for (Outcome outcome : Outcome.ALL) {
            if (outcome.code == code) {
                return new Answer(outcome, frame.getLong(Byte.BYTES), frame.getLong(Byte.BYTES + Long.BYTES), frame,
                        placed);
            }
        }
        throw new Wire.BrokenException(
                "it gave an answer of kind " + (code & 0xff) + ", which this version does not have");
    }

    /** Returns whether the answer arrived as it was sent. */
    boolean isIntact() {
        int end = frame.writerIndex() - Wire.CRC_BYTES;
        CRC32C crc = new CRC32C();
        crc.update(frame.nioBuffer(0, end));
        placed.ifPresent(data -> crc.update(data.nioBuffer(0, data.writerIndex())));
        return frame.getInt(end) == (int) crc.getValue();
    }

    int dataAt() {
        return DATA_AT;
    }

    int dataLength() {
        return placed.isPresent() ? placed.get().writerIndex() : frame.writerIndex() - Wire.CRC_BYTES - DATA_AT;
    }

    /** Returns the data, which are valid until the answer is released. */
    ByteBuffer data() {
        return placed.isPresent() ? placed.get().nioBuffer(0, dataLength()) : frame.nioBuffer(DATA_AT, dataLength());
    }

    /**
     * Copies the data to parts of memory, one after another, unless they are in it already, and sets the bytes to 0
     * that are missing.
     */
    void copyTo(List<MemorySegment> parts) {
        if (placed.isPresent()) {
            parts.getFirst().asSlice(dataLength()).fill((byte) 0);
            return;
        }
        MemorySegment data = MemorySegment.ofBuffer(data());
        long at = 0;
        for (MemorySegment part : parts) {
            long n = Math.min(part.byteSize(), data.byteSize() - at);
            MemorySegment.copy(data, at, part, 0, n);
            part.asSlice(n).fill((byte) 0);
            at += n;
        }
    }

    /** Returns the data as printable text. */
    String text() {
        return ByteString.printable(frame.toString(DATA_AT, dataLength(), StandardCharsets.UTF_8));
    }

    void release() {
        frame.release();
        placed.ifPresent(ByteBuf::release);
    }
}
