// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.journal;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.fs.PrivateFiles;
import org.treehaul.core.state.AtomicFiles;
import org.treehaul.core.transfer.directory.StateDirectory;
import org.treehaul.core.transfer.directory.TransferException;

/**
 * Writes the journal of one attempt. Any thread may add records; indexes are collected until a flush.
 *
 * <p>
 * A failed write may leave an incomplete frame at the end of the file, and a reader would ignore every record after it.
 * Every later write therefore fails with the same message.
 */
public final class JournalWriter implements AutoCloseable {

    /** Makes written data durable. */
    public interface Sync {
        void sync() throws IOException;
    }

    private static final String ALIVE = "alive";

    private final Path file;
    private final FileChannel channel;
    private final Map<JournalRecord.Fact, IndexSet> pending = new EnumMap<>(JournalRecord.Fact.class);
    private final Object durability = new Object();
    private long length;
    private long lengthAtBeat;
    private @Nullable IOException broken;

    private JournalWriter(Path file, FileChannel channel) {
        this.file = file;
        this.channel = channel;
        for (JournalRecord.Fact fact : JournalRecord.Fact.values()) {
            pending.put(fact, new IndexSet());
        }
    }

    /**
     * Creates a journal; returns empty if another process created it first. The journal appears together with its
     * header, because without one it would look like that of a dead worker. Only without hard links it may appear
     * before its header.
     */
    public static Optional<JournalWriter> claim(Path file, JournalRecord.Header header) throws IOException {
        Path temporary = AtomicFiles.temporary(file);
        try {
            // Closed first: over NFS other clients see the data only then.
            make(temporary, file, header).close();
            if (!AtomicFiles.tryLink(temporary, file)) {
                return Optional.of(make(file, file, header));
            }
        } catch (FileAlreadyExistsException e) {
            return Optional.empty();
        } finally {
            AtomicFiles.removeQuietly(temporary);
        }
        JournalWriter writer = new JournalWriter(file, FileChannel.open(file, StandardOpenOption.WRITE));
        try {
            writer.length = writer.channel.size();
            writer.channel.position(writer.length);
            return Optional.of(writer);
        } catch (IOException e) {
            writer.channel.close();
            throw e;
        }
    }

    private static JournalWriter make(Path file, Path name, JournalRecord.Header header) throws IOException {
        FileChannel channel = PrivateFiles.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        JournalWriter writer = new JournalWriter(name, channel);
        try {
            writer.write(ByteBuffer.wrap(JournalFormat.MAGIC.toBytes()));
            writer.write(header);
            return writer;
        } catch (IOException e) {
            channel.close();
            throw e;
        }
    }

    /** Notes a fact about an entry, to be written by the next {@link #flush}. */
    public synchronized void add(JournalRecord.Fact fact, int index) {
        IndexSet set = pending.get(fact);
        if (set != null) {
            set.add(index);
        }
    }

    /** Writes a record at once, after all noted facts. */
    public synchronized void write(JournalRecord record) throws IOException {
        flush();
        write(JournalFormat.frame(record));
    }

    /** Like {@link #write}, for callers that cannot throw: the next flush reports the exception. */
    public void writeQuietly(JournalRecord record) {
        try {
            write(record);
        } catch (IOException e) {
            // The field keeps the exception.
        }
    }

    /** Writes the noted facts. */
    public synchronized void flush() throws IOException {
        for (JournalRecord.Fact fact : JournalRecord.Fact.values()) {
            IndexSet set = pending.get(fact);
            if (set != null && !set.isEmpty()) {
                for (List<JournalRecord.Range> ranges : set.takeRanges(JournalFormat.MOST_RANGES)) {
                    write(JournalFormat.frame(new JournalRecord.Indexes(fact, ranges)));
                }
            }
        }
    }

    /**
     * Writes the noted facts, or, if nothing was written since the last beat, an empty record. Other clients thus see
     * the file itself change, however long they cache directory entries.
     */
    public synchronized void beat() throws IOException {
        flush();
        if (length == lengthAtBeat) {
            write(JournalFormat.frame(new JournalRecord.Phase(ALIVE, "")));
        }
        lengthAtBeat = length;
    }

    private void write(ByteBuffer frame) throws IOException {
        if (broken != null) {
            throw new IOException(broken.getMessage(), broken);
        }
        try {
            length += frame.remaining();
            uninterrupted(() -> {
                while (frame.hasRemaining()) {
                    channel.write(frame);
                }
            });
        } catch (IOException e) {
            broken = new TransferException("the journal " + file + " cannot be written: " + StateDirectory.reason(e)
                    + "; the work stops, and 'treehaul resume' continues it", e);
            throw broken;
        }
    }

    // An interrupt that an operation has left behind would close the file.
    private static void uninterrupted(Sync work) throws IOException {
        boolean isInterrupted = Thread.interrupted();
        try {
            work.sync();
        } finally {
            if (isInterrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private void sync(boolean isWithLength) throws IOException {
        uninterrupted(() -> channel.force(isWithLength));
    }

    /**
     * Makes everything noted before this call durable, and records that. Facts noted by other threads during the call
     * are covered by the next call.
     */
    public void makeDurable(Sync sync) throws IOException {
        synchronized (durability) {
            long before;
            synchronized (this) {
                flush();
                before = length;
            }
            sync.sync();
            write(new JournalRecord.Durable(before));
            sync(false);
        }
    }

    /**
     * Writes the noted facts as ones that count although they are not made durable: for work that leaves nothing to
     * sync. They survive the end of this process; a crash of the node may lose them.
     */
    public synchronized void settle() throws IOException {
        flush();
        write(JournalFormat.frame(new JournalRecord.Durable(length)));
    }

    /** Writes the noted facts and makes them durable. */
    public void force() throws IOException {
        flush();
        sync(false);
    }

    /** Writes the last record. */
    public void end(JournalRecord.End end) throws IOException {
        write(end);
        sync(true);
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
