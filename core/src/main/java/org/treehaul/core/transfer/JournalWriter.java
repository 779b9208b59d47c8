// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer;

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

/**
 * Writes the journal of one attempt. Records may come from any thread; indexes are gathered until somebody flushes
 * them.
 *
 * <p>
 * Once a write has failed, the file may end in a part of a frame, and whatever came after that would not count: so
 * every later write fails with the same exception.
 */
final class JournalWriter implements AutoCloseable {

    /** What makes written data durable. */
    interface Sync {
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
     * Makes a journal, or returns nothing when another made it first. It is there with its header or not at all:
     * without one it would be taken for a dead one's. Only where it cannot be linked it may be there without.
     */
    static Optional<JournalWriter> claim(Path file, JournalRecord.Header header) throws IOException {
        Path temporary = KeyFile.temporary(file);
        try {
            // Closed first: over NFS others see only then what was written.
            make(temporary, file, header).close();
            if (!KeyFile.tryLink(temporary, file)) {
                return Optional.of(make(file, file, header));
            }
        } catch (FileAlreadyExistsException e) {
            return Optional.empty();
        } finally {
            KeyFile.removeQuietly(temporary);
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

    /** Notes a fact of an entry, to be written with the next {@link #flush}. */
    synchronized void add(JournalRecord.Fact fact, int index) {
        IndexSet set = pending.get(fact);
        if (set != null) {
            set.add(index);
        }
    }

    /** Writes a record at once, after what was noted before. */
    synchronized void write(JournalRecord record) throws IOException {
        flush();
        write(JournalFormat.frame(record));
    }

    /** The same where nobody can take the exception: it comes again with the next flush. */
    void writeQuietly(JournalRecord record) {
        try {
            write(record);
        } catch (IOException e) {
            // Kept in "broken".
        }
    }

    /** Writes what was noted. */
    synchronized void flush() throws IOException {
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
     * Writes what was noted, and where nothing was written since the last beat a record that says nothing: so the file
     * itself is seen to be written by others, whatever they keep of names.
     */
    synchronized void beat() throws IOException {
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
            while (frame.hasRemaining()) {
                channel.write(frame);
            }
        } catch (IOException e) {
            broken = new TransferException("the journal " + file + " cannot be written: " + StateDirectory.reason(e)
                    + "; the work stops, and resume goes on", e);
            throw broken;
        }
    }

    /**
     * Makes durable what was noted before this call, and writes down that it is. What is noted meanwhile by other
     * threads counts with the next time.
     */
    void makeDurable(Sync sync) throws IOException {
        synchronized (durability) {
            long before;
            synchronized (this) {
                flush();
                before = length;
            }
            sync.sync();
            write(new JournalRecord.Durable(before));
            channel.force(false);
        }
    }

    /** Writes the last record. */
    void end(JournalRecord.End end) throws IOException {
        write(end);
        channel.force(true);
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
