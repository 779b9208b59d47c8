// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage.net;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.zip.CRC32C;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.CompositeByteBuf;
import org.jspecify.annotations.Nullable;
import org.treehaul.schedulers.stage.SegmentKey;
import org.treehaul.schedulers.stage.SegmentPart;
import org.treehaul.schedulers.stage.SegmentRange;
import org.treehaul.strategies.collective.order.CollectiveRequest;
import org.treehaul.strategies.collective.order.ShuffleHint;

/**
 * A request of a client.
 *
 * @param id its number, which the answer repeats
 * @param key the segment; null for an operation that concerns none
 * @param argument an offset, a size or a number, as the operation says
 * @param ranges the ranges of an operation on several
 * @param data the data to write, one part after another; those of a request that was read are a part of its frame
 * @param room the largest number of bytes of data in the answer
 * @param origin the application and access that it belongs to, by which the server may order it; its service time is
 *        not sent
 */
record Request(Operation operation, long id, @Nullable SegmentKey key, long argument, List<SegmentRange> ranges,
        List<MemorySegment> data, int room, CollectiveRequest origin) {

    private static final CollectiveRequest NO_ORIGIN = new CollectiveRequest(0, 0, 0, ShuffleHint.NONE);

    private static final int CRC_FROM = Integer.BYTES;
    // More parts of a frame are copied into one.
    private static final int MOST_PARTS = 16;

    /** Makes a request of no application. */
    Request(Operation operation, long id, @Nullable SegmentKey key, long argument, List<SegmentRange> ranges,
            List<MemorySegment> data, int room) {
        this(operation, id, key, argument, ranges, data, room, NO_ORIGIN);
    }

    /**
     * Returns the request as a frame, which the caller releases. The frame has large data themselves, if any thread may
     * use their memory: they must stay as they are until it is sent.
     */
    ByteBuf frame(ByteBufAllocator allocator) {
        int length = length();
        boolean isCopied = data.size() > MOST_PARTS || !data.stream().allMatch(SharedMemory::isLarge);
        int own = Wire.SIZES_BYTES + length - (isCopied ? 0 : dataLength());
        ByteBuf frame = allocator.directBuffer(own, own);
        begin(frame, length);
        if (isCopied) {
            data.forEach(part -> frame.writeBytes(part.asByteBuffer()));
            return frame.writeInt(Wire.crc(frame, CRC_FROM, frame.writerIndex() - CRC_FROM));
        }
        CRC32C crc = new CRC32C();
        int headed = frame.writerIndex();
        crc.update(frame.nioBuffer(CRC_FROM, headed - CRC_FROM));
        data.forEach(part -> crc.update(part.asByteBuffer()));
        frame.writeInt((int) crc.getValue());
        CompositeByteBuf all = allocator.compositeBuffer(data.size() + 2)
                .addComponent(true, frame.readRetainedSlice(headed));
        data.forEach(part -> all.addComponent(true, SharedMemory.buffer(part)));
        return all.addComponent(true, frame);
    }

    private void begin(ByteBuf frame, int length) {
        frame.writeInt(length).writeInt(room).writeByte(operation.code()).writeLong(id);
        ShuffleHint hint = origin.hint();
        frame.writeLong(origin.application())
                .writeLong(origin.access())
                .writeLong(hint.shuffleNanos())
                .writeLong(hint.delayNanos())
                .writeInt(hint.rank());
        UUID file = key == null ? new UUID(0, 0) : key.file();
        frame.writeLong(file.getMostSignificantBits())
                .writeLong(file.getLeastSignificantBits())
                .writeLong(key == null ? 0 : key.generation())
                .writeInt(key == null ? 0 : key.index())
                .writeLong(argument)
                .writeInt(ranges.size());
        for (SegmentRange range : ranges) {
            frame.writeLong(range.offset()).writeInt((int) range.length());
        }
    }

    private int dataLength() {
        return Math.toIntExact(data.stream().mapToLong(MemorySegment::byteSize).sum());
    }

    /** Returns the length that is the first field of the frame. */
    int length() {
        return Math.addExact(Wire.REQUEST_BYTES + ranges.size() * Wire.RANGE_BYTES, dataLength());
    }

    /** Returns the memory that the request and its answer take at the server. */
    int cost() {
        return Wire.cost(length(), room);
    }

    /**
     * Returns the ranges with memory for them.
     *
     * @param memory as long as the ranges together
     */
    List<SegmentPart> parts(MemorySegment memory) throws Wire.BrokenException {
        List<SegmentPart> parts = new ArrayList<>(ranges.size());
        long at = 0;
        for (SegmentRange range : ranges) {
            if (range.length() > memory.byteSize() - at) {
                throw new Wire.BrokenException("the ranges of its request are longer than their data");
            }
            parts.add(new SegmentPart(range.offset(), memory.asSlice(at, range.length())));
            at += range.length();
        }
        if (at < memory.byteSize()) {
            throw new Wire.BrokenException("the ranges of its request are shorter than their data");
        }
        return parts;
    }

    /** Checks the sizes before a frame. */
    static void checkSizes(int length, int room) throws Wire.BrokenException {
        if (length < Wire.REQUEST_BYTES || length > Wire.MOST_REQUEST || room < 0 || room > Wire.MOST_DATA) {
            throw new Wire.BrokenException("it announced a request of " + length + " bytes with an answer of " + room);
        }
    }

    /**
     * Reads a request.
     *
     * @param frame the bytes after the sizes
     */
    static Request read(int room, ByteBuf frame) throws Wire.BrokenException {
        int end = frame.readableBytes() - Wire.CRC_BYTES;
        int crc = crc(room, frame, end);
        if (frame.getInt(end) != crc) {
            throw new Wire.BrokenException("a request arrived damaged");
        }
        Operation operation = Operation.of(frame.readByte());
        long id = frame.readLong();
        CollectiveRequest origin = origin(frame);
        frame.skipBytes(Wire.ORIGIN_BYTES);
        UUID file = new UUID(frame.readLong(), frame.readLong());
        long generation = frame.readLong();
        int index = frame.readInt();
        long argument = frame.readLong();
        int number = frame.readInt();
        if (number < 0 || number > Wire.MOST_RANGES || (long) number * Wire.RANGE_BYTES > end - frame.readerIndex()) {
            throw new Wire.BrokenException("it requested " + number + " ranges");
        }
        List<SegmentRange> ranges = new ArrayList<>(number);
        try {
            for (int i = 0; i < number; i++) {
                ranges.add(new SegmentRange(frame.readLong(), frame.readInt()));
            }
            SegmentKey key = switch (operation) {
                case LIST, LIST_MORE, LIST_END, DESCRIBE, BEAT -> null;
                default -> new SegmentKey(file, generation, index);
            };
            int at = frame.readerIndex();
            MemorySegment data = MemorySegment.ofBuffer(frame.nioBuffer(at, end - at));
            return new Request(operation, id, key, argument, ranges, List.of(data), room, origin);
        } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
            throw new Wire.BrokenException("it requested what does not exist: " + e.getMessage());
        }
    }

    /**
     * Returns the application and access of a request, whose frame may be damaged.
     *
     * @param frame the bytes after the sizes
     */
    static CollectiveRequest origin(ByteBuf frame) {
        int at = Wire.ORIGIN_AT;
        long shuffle = frame.getLong(at + 2 * Long.BYTES);
        long delay = frame.getLong(at + 3 * Long.BYTES);
        int rank = frame.getInt(at + 4 * Long.BYTES);
        ShuffleHint hint = shuffle < 0 || delay < 0 || rank < 0
                ? ShuffleHint.NONE
                : new ShuffleHint(shuffle, delay, rank);
        return new CollectiveRequest(frame.getLong(at), frame.getLong(at + Long.BYTES), 0, hint);
    }

    private static int crc(int room, ByteBuf frame, int end) {
        CRC32C crc = new CRC32C();
        crc.update(room >>> 24);
        crc.update(room >>> 16);
        crc.update(room >>> 8);
        crc.update(room);
        crc.update(frame.nioBuffer(0, end));
        return (int) crc.getValue();
    }
}
