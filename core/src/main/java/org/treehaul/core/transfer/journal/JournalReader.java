// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.journal;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;

import org.apache.commons.io.EndianUtils;
import org.apache.commons.io.IOUtils;
import org.treehaul.core.transfer.directory.TransferId;

/**
 * Reads journals. A journal is valid up to the first frame that is truncated, has a wrong checksum or is invalid;
 * everything after it is ignored. A journal without a complete header contains nothing.
 */
public final class JournalReader {

    private JournalReader() {}

    /** Receives the records of a journal in their order. */
    public interface Consumer {

        /**
         * Receives a record.
         *
         * @param offset the offset of its frame
         */
        void accept(long offset, JournalRecord record);
    }

    /**
     * The valid part of a journal.
     *
     * @param good the number of valid bytes
     * @param isDamaged whether invalid bytes follow, other than a truncated tail
     */
    public record Extent(long good, boolean isDamaged) {}

    /**
     * Reads a journal.
     *
     * @param expected the batch and attempt that its header must name; otherwise nothing in the journal is valid
     */
    public static Extent read(Path file, AttemptName expected, TransferId transfer, Consumer consumer)
            throws IOException {
        try (InputStream in = new BufferedInputStream(Files.newInputStream(file), 1 << 16)) {
            byte[] magic = new byte[JournalFormat.MAGIC.length()];
            int read = IOUtils.read(in, magic);
            if (read < magic.length) {
                return new Extent(0, false);
            }
            if (!Arrays.equals(magic, JournalFormat.MAGIC.toBytes())) {
                return new Extent(0, true);
            }
            long good = magic.length;
            while (true) {
                Frame frame = Frame.read(in);
                if (frame.record.isEmpty()) {
                    return new Extent(good, frame.isDamaged);
                }
                JournalRecord record = frame.record.get();
                boolean isHeader = record instanceof JournalRecord.Header;
                boolean isFirst = good == magic.length;
                if (isHeader != isFirst || record instanceof JournalRecord.Header h
                        && !(expected.isOf(h) && transfer.equals(h.transfer()))) {
                    return new Extent(good, true);
                }
                consumer.accept(good, record);
                good += frame.length;
            }
        }
    }

    /** A frame as read from the file: without a record at the end of the file and at damage. */
    private record Frame(Optional<JournalRecord> record, int length, boolean isDamaged) {

        private static final Frame END = new Frame(Optional.empty(), 0, false);
        private static final Frame DAMAGED = new Frame(Optional.empty(), 0, true);

        static Frame read(InputStream in) throws IOException {
            byte[] head = new byte[5];
            if (IOUtils.read(in, head) < head.length) {
                return END;
            }
            int length = EndianUtils.readSwappedInteger(head, 0);
            if (length < 0 || length > JournalFormat.MOST_PAYLOAD) {
                return DAMAGED;
            }
            byte[] frame = Arrays.copyOf(head, JournalFormat.FRAME_BYTES + length);
            try {
                IOUtils.readFully(in, frame, head.length, frame.length - head.length);
            } catch (EOFException e) {
                return END;
            }
            return new Frame(parse(frame), frame.length, true);
        }
    }

    private static Optional<JournalRecord> parse(byte[] frame) {
        int end = frame.length - 4;
        if (EndianUtils.readSwappedInteger(frame, end) != JournalFormat.crc(frame, end)) {
            return Optional.empty();
        }
        return JournalFormat.parse(frame[4], ByteBuffer.wrap(frame, 5, end - 5).slice());
    }

    /** Reads only the header; empty if it is missing or incomplete. */
    public static Optional<JournalRecord.Header> header(Path file) throws IOException {
        try (InputStream in = new BufferedInputStream(Files.newInputStream(file), 512)) {
            byte[] magic = new byte[JournalFormat.MAGIC.length()];
            IOUtils.read(in, magic);
            if (!Arrays.equals(magic, JournalFormat.MAGIC.toBytes())) {
                return Optional.empty();
            }
            return Frame.read(in).record.filter(JournalRecord.Header.class::isInstance)
                    .map(JournalRecord.Header.class::cast);
        }
    }

    /**
     * Reads only the last record, from the end of the file; empty unless it is an end. The records before it are not
     * checked.
     */
    public static Optional<JournalRecord.End> end(Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file)) {
            long size = channel.size();
            if (size < JournalFormat.END_BYTES) {
                return Optional.empty();
            }
            ByteBuffer frame = ByteBuffer.allocate(JournalFormat.END_BYTES).order(ByteOrder.LITTLE_ENDIAN);
            while (frame.hasRemaining() && channel.read(frame, size - frame.remaining()) >= 0) {
                // Reads until the buffer is full.
            }
            boolean isFrame = !frame.hasRemaining()
                    && frame.getInt(0) == JournalFormat.END_BYTES - JournalFormat.FRAME_BYTES;
            return isFrame
                    ? parse(frame.array()).filter(JournalRecord.End.class::isInstance)
                            .map(JournalRecord.End.class::cast)
                    : Optional.empty();
        }
    }
}
