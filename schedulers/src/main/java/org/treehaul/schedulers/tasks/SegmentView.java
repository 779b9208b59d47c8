// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.tasks;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.OpenOption;
import java.nio.file.Path;

/**
 * The segmented view of a file: the bytes of one segment, numbered from 0. Safe for any number of threads. A thread
 * that is interrupted in a call closes the file, as {@link FileChannel} does.
 */
public final class SegmentView implements AutoCloseable {

    private final FileChannel file;
    private final Segment segment;

    private SegmentView(FileChannel file, Segment segment) {
        this.file = file;
        this.segment = segment;
    }

    /**
     * Opens a segment of a file.
     *
     * @param options as for {@link FileChannel#open(Path, OpenOption...)}
     * @throws IOException if the file cannot be opened
     */
    public static SegmentView open(Path file, Segment segment, OpenOption... options) throws IOException {
        return new SegmentView(FileChannel.open(file, options), segment);
    }

    /** Returns the number of bytes of the segment. */
    public long size() {
        return segment.length();
    }

    /**
     * Reads bytes from a position on, until the buffer is full or the segment or the file ends.
     *
     * @param position the first byte, at least 0
     * @return the number of bytes; -1 if there is none at the position
     * @throws IOException if a read failed
     */
    public int read(ByteBuffer bytes, long position) throws IOException {
        int whole = bytes.limit();
        int total = 0;
        try {
            while (bytes.position() < whole && position + total < size()) {
                long at = position + total;
                bytes.limit(bytes.position() + (int) Math.min(whole - bytes.position(), segment.contiguous(at)));
                int count = file.read(bytes, segment.fileOffset(at));
                if (count < 0) {
                    break;
                }
                total += count;
                bytes.limit(whole);
            }
        } finally {
            bytes.limit(whole);
        }
        return total == 0 && whole > bytes.position() ? -1 : total;
    }

    /**
     * Writes all bytes of a buffer. After a failure a part of them may be written.
     *
     * @param position the place of the first byte, at least 0
     * @throws IndexOutOfBoundsException if the segment ends before the last byte; nothing is written
     * @throws IOException if a write failed
     */
    public void write(ByteBuffer bytes, long position) throws IOException {
        int whole = bytes.limit();
        if (position < 0 || position > size() - bytes.remaining()) {
            throw new IndexOutOfBoundsException(
                    bytes.remaining() + " bytes at " + position + " of a segment of " + size() + " bytes");
        }
        long at = position;
        try {
            while (bytes.position() < whole) {
                bytes.limit(bytes.position() + (int) Math.min(whole - bytes.position(), segment.contiguous(at)));
                at += file.write(bytes, segment.fileOffset(at));
                bytes.limit(whole);
            }
        } finally {
            bytes.limit(whole);
        }
    }

    /** Closes the file. */
    @Override
    public void close() throws IOException {
        file.close();
    }
}
