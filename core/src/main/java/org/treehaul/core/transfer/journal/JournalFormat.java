// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.journal;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import org.treehaul.core.copy.target.SourceIdentity;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.state.Checksum;
import org.treehaul.core.transfer.directory.TransferId;

/**
 * Converts records to frames and back. A frame consists of length, type, payload and the CRC-32C of these; numbers are
 * little-endian.
 */
public final class JournalFormat {

    /** The first bytes of every journal; the last one is the version. */
    static final ByteString MAGIC = ByteString.of("THJOURN1");

    /** Size of a frame without its payload, in bytes. */
    static final int FRAME_BYTES = 4 + 1 + 4;

    /** Size of the last frame in bytes, so that it can be found from the end of the file. */
    static final int END_BYTES = FRAME_BYTES + 1 + 4 * 8;

    /** Maximum size of a payload in bytes; a greater length is damage. A path of 10,000 names of 255 bytes fits. */
    static final int MOST_PAYLOAD = 16 << 20;

    // Maximum number of characters in the text of a failure. An operation of another jar may return a text of any length,
    // and a reader takes a record above MOST_PAYLOAD for damage.
    private static final int MOST_TEXT = 1 << 16;

    /** Maximum number of ranges in a frame. */
    public static final int MOST_RANGES = 1 << 15;

    private static final int HEADER = 1;
    private static final int DONE = 2;
    private static final int SKIPPED = 3;
    private static final int CHANGED = 4;
    private static final int AGAIN = 5;
    private static final int FAILED = 6;
    private static final int CHUNK = 7;
    private static final int DURABLE = 8;
    private static final int PHASE = 9;
    private static final int LARGE_FILE = 10;
    private static final int DISCARDED = 11;
    private static final int END = 12;
    private static final int RETRIED = 13;
    private static final int REPLACED = 14;
    private static final int BEGUN = 15;

    private JournalFormat() {}

    static ByteBuffer frame(JournalRecord record) {
        ByteBuffer payload = switch (record) {
            case JournalRecord.Header r -> header(r);
            case JournalRecord.Indexes r -> {
                ByteBuffer b = buffer(r.ranges().size() * 8);
                r.ranges().forEach(range -> b.putInt(range.from()).putInt(range.to()));
                yield b;
            }
            case JournalRecord.Failed r -> failed(r.failure());
            case JournalRecord.Chunk r -> {
                ByteBuffer b = buffer(4 + 5 * 8 + 2 * 4 + 4 + r.proof().length()).putInt(r.index());
                SourceIdentity s = r.source();
                b.putLong(s.device()).putLong(s.inode()).putLong(s.size());
                b.putLong(s.mtimeSeconds()).putInt(s.mtimeNanos()).putLong(s.ctimeSeconds()).putInt(s.ctimeNanos());
                put(b, r.proof().toBytes());
                yield b;
            }
            case JournalRecord.Durable r -> buffer(8).putLong(r.before());
            case JournalRecord.Phase r -> {
                ByteBuffer b = buffer(2 * 4 + utf8(r.name()).length + utf8(r.detail()).length);
                put(b, utf8(r.name()));
                put(b, utf8(r.detail()));
                yield b;
            }
            case JournalRecord.LargeFile r -> {
                ByteBuffer b = buffer(2 * 4 + r.path().length()).putInt(r.root());
                put(b, r.path().toBytes());
                yield b;
            }
            case JournalRecord.Retried r -> {
                ByteBuffer b = buffer(2 * 4 + r.path().length() + 1 + 8).putInt(r.root());
                put(b, r.path().toBytes());
                yield b.put((byte) (r.isWhole() ? 1 : 0)).putLong(r.entries());
            }
            case JournalRecord.Replaced r -> {
                ByteBuffer b = buffer(4 + 1 + r.ranges().size() * 8).putInt(r.batch())
                        .put((byte) (r.isWhole() ? 1 : 0));
                r.ranges().forEach(range -> b.putInt(range.from()).putInt(range.to()));
                yield b;
            }
            case JournalRecord.Discarded r -> buffer(2 * 4).putInt(r.batch()).putInt(r.index());
            case JournalRecord.End r -> buffer(1 + 4 * 8).put(code(r.ending()))
                    .putLong(r.done())
                    .putLong(r.failed())
                    .putLong(r.changed())
                    .putLong(r.bytes());
        };
        payload.flip();
        byte[] frame = new byte[FRAME_BYTES + payload.remaining()];
        ByteBuffer b = ByteBuffer.wrap(frame).order(ByteOrder.LITTLE_ENDIAN);
        b.putInt(payload.remaining()).put((byte) type(record)).put(payload);
        b.putInt(crc(frame, b.position()));
        return b.flip();
    }

    private static int type(JournalRecord record) {
        return switch (record) {
            case JournalRecord.Header r -> HEADER;
            case JournalRecord.Indexes r -> switch (r.fact()) {
                case DONE -> DONE;
                case SKIPPED -> SKIPPED;
                case CHANGED -> CHANGED;
                case AGAIN -> AGAIN;
                case BEGUN -> BEGUN;
            };
            case JournalRecord.Failed r -> FAILED;
            case JournalRecord.Chunk r -> CHUNK;
            case JournalRecord.Durable r -> DURABLE;
            case JournalRecord.Phase r -> PHASE;
            case JournalRecord.LargeFile r -> LARGE_FILE;
            case JournalRecord.Discarded r -> DISCARDED;
            case JournalRecord.Retried r -> RETRIED;
            case JournalRecord.Replaced r -> REPLACED;
            case JournalRecord.End r -> END;
        };
    }

    static int crc(byte[] bytes, int length) {
        return Checksum.of(bytes, 0, length);
    }

    /** Returns the record of a frame with a correct checksum; empty if its content is invalid nevertheless. */
    static Optional<JournalRecord> parse(int type, ByteBuffer payload) {
        payload.order(ByteOrder.LITTLE_ENDIAN);
        try {
            JournalRecord record = switch (type) {
                case HEADER -> new JournalRecord.Header(new TransferId(text(payload)), payload.getInt(),
                        payload.getInt(), payload.getInt(), text(payload), payload.getLong(), text(payload),
                        Instant.ofEpochMilli(payload.getLong()));
                case DONE -> indexes(JournalRecord.Fact.DONE, payload);
                case SKIPPED -> indexes(JournalRecord.Fact.SKIPPED, payload);
                case CHANGED -> indexes(JournalRecord.Fact.CHANGED, payload);
                case AGAIN -> indexes(JournalRecord.Fact.AGAIN, payload);
                case BEGUN -> indexes(JournalRecord.Fact.BEGUN, payload);
                case FAILED -> new JournalRecord.Failed(failure(payload));
                case CHUNK ->
                    new JournalRecord.Chunk(payload.getInt(), identity(payload), ByteString.of(bytes(payload)));
                case DURABLE -> new JournalRecord.Durable(payload.getLong());
                case PHASE -> new JournalRecord.Phase(text(payload), text(payload));
                case LARGE_FILE -> new JournalRecord.LargeFile(payload.getInt(), ByteString.of(bytes(payload)));
                case DISCARDED -> new JournalRecord.Discarded(payload.getInt(), payload.getInt());
                case RETRIED -> new JournalRecord.Retried(payload.getInt(), ByteString.of(bytes(payload)),
                        payload.get() == 1, payload.getLong());
                case REPLACED -> {
                    int batch = payload.getInt();
                    boolean isWhole = payload.get() == 1;
                    yield new JournalRecord.Replaced(batch, ranges(payload), isWhole);
                }
                case END -> new JournalRecord.End(ending(payload.get()), payload.getLong(), payload.getLong(),
                        payload.getLong(), payload.getLong());
                default -> throw new IllegalArgumentException("type " + type);
            };
            return payload.hasRemaining() ? Optional.empty() : Optional.of(record);
        } catch (IllegalArgumentException | BufferUnderflowException | IndexOutOfBoundsException
                | NegativeArraySizeException e) {
            return Optional.empty();
        }
    }

    private static ByteBuffer header(JournalRecord.Header r) {
        byte[] transfer = utf8(r.transfer().text());
        byte[] host = utf8(r.host());
        byte[] job = utf8(r.job());
        ByteBuffer b = buffer(3 * 4 + transfer.length + host.length + job.length + 3 * 4 + 2 * 8);
        put(b, transfer);
        b.putInt(r.batch()).putInt(r.attempt()).putInt(r.generation());
        put(b, host);
        b.putLong(r.pid());
        put(b, job);
        return b.putLong(r.time().toEpochMilli());
    }

    private static JournalRecord indexes(JournalRecord.Fact fact, ByteBuffer payload) {
        return new JournalRecord.Indexes(fact, ranges(payload));
    }

    private static List<JournalRecord.Range> ranges(ByteBuffer payload) {
        List<JournalRecord.Range> ranges = new ArrayList<>();
        while (payload.hasRemaining()) {
            ranges.add(new JournalRecord.Range(payload.getInt(), payload.getInt()));
        }
        return ranges;
    }

    private static ByteBuffer failed(FailureRecord r) {
        EntryFailure failure = r.failure();
        byte[] root = failure.root().toBytes();
        byte[] path = failure.path().toBytes();
        byte[] operation = utf8(cut(failure.operation()));
        ByteBuffer b = buffer(4 + 1 + 4 + 4 + 3 * 4 + root.length + path.length + operation.length);
        b.putInt(r.index()).put(code(failure.kind())).putInt(failure.errno()).putInt(r.tries());
        put(b, root);
        put(b, path);
        put(b, operation);
        return b;
    }

    private static String cut(String text) {
        return text.length() <= MOST_TEXT ? text : text.substring(0, MOST_TEXT);
    }

    private static FailureRecord failure(ByteBuffer b) {
        int index = b.getInt();
        EntryFailure.Kind kind = kind(b.get());
        int errno = b.getInt();
        int tries = b.getInt();
        ByteString root = ByteString.of(bytes(b));
        TreePath path = TreePath.of(bytes(b));
        return new FailureRecord(index, new EntryFailure(kind, root, path, text(b), errno), tries);
    }

    private static byte code(EntryFailure.Kind kind) {
        return switch (kind) {
            case ERROR -> 0;
            case VANISHED -> 1;
            case CHANGED -> 2;
            case CORRUPT -> 3;
        };
    }

    private static EntryFailure.Kind kind(byte code) {
        return switch (code) {
            case 0 -> EntryFailure.Kind.ERROR;
            case 1 -> EntryFailure.Kind.VANISHED;
            case 2 -> EntryFailure.Kind.CHANGED;
            case 3 -> EntryFailure.Kind.CORRUPT;
            default -> throw new IllegalArgumentException("kind " + code);
        };
    }

    private static byte code(JournalRecord.Ending ending) {
        return switch (ending) {
            case COMPLETE -> 0;
            case STOPPED -> 1;
            case GAVE_UP -> 2;
        };
    }

    private static JournalRecord.Ending ending(byte code) {
        return switch (code) {
            case 0 -> JournalRecord.Ending.COMPLETE;
            case 1 -> JournalRecord.Ending.STOPPED;
            case 2 -> JournalRecord.Ending.GAVE_UP;
            default -> throw new IllegalArgumentException("ending " + code);
        };
    }

    private static SourceIdentity identity(ByteBuffer b) {
        return new SourceIdentity(b.getLong(), b.getLong(), b.getLong(), b.getLong(), b.getInt(), b.getLong(),
                b.getInt());
    }

    private static ByteBuffer buffer(int length) {
        return ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
    }

    private static void put(ByteBuffer b, byte[] bytes) {
        b.putInt(bytes.length).put(bytes);
    }

    private static byte[] bytes(ByteBuffer b) {
        int length = b.getInt();
        if (length < 0 || length > b.remaining()) {
            throw new IllegalArgumentException("length " + length);
        }
        byte[] bytes = new byte[length];
        b.get(bytes);
        return bytes;
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static String text(ByteBuffer b) {
        return new String(bytes(b), StandardCharsets.UTF_8);
    }
}
