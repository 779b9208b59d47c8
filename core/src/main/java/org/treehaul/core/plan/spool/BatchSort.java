// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.plan.spool;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.plan.format.ChunkRange;
import org.treehaul.core.plan.format.ManifestWriter;
import org.treehaul.core.plan.format.PlannedBatch;
import org.treehaul.core.plan.format.SpooledStatus;

/**
 * Entries sorted by their batches on disk, each batch in the order in which its entries were added: for plans of more
 * batches than manifests can be written side by side. Used by one thread.
 */
public final class BatchSort implements Closeable {

    private static final int KEY_BYTES = Integer.BYTES + Long.BYTES;
    private static final int CHUNK_BYTES = Integer.BYTES + 2 * Long.BYTES;

    private final ExternalSort entries;
    private long number;

    /** Creates an empty sort, which closes the given one. */
    public BatchSort(ExternalSort entries) {
        this.entries = entries;
    }

    /** Opens the manifest of a batch. */
    @FunctionalInterface
    public interface Opening {
        ManifestWriter open(int batch) throws IOException;
    }

    /** Receives the totals of a batch, whose manifest is closed. */
    @FunctionalInterface
    public interface Ending {
        void ended(PlannedBatch batch) throws IOException;
    }

    /**
     * Adds an entry.
     *
     * @param data bytes of data to read for the entry
     * @param group the number of its hard-link group, 0 for none
     */
    public void add(int batch, SpoolKey key, SpooledEntry entry, long data, long group, @Nullable ChunkRange chunk)
            throws IOException {
        byte[] path = key.path();
        int nameStart = key.nameStart();
        byte[] own = SpoolKey.of(key.root(), Arrays.copyOf(path, Math.max(0, nameStart - 1)),
                Arrays.copyOfRange(path, nameStart, path.length));
        // No servers and cuts: each chunk of a file would have those of all of them.
        SpooledStatus status = entry.status();
        byte[] content = new byte[SpooledStatus.bytes(status.hasChangeTime())];
        status.put(content, 0);
        ByteBuffer record = ByteBuffer
                .allocate(2 * Long.BYTES + Integer.BYTES + (chunk == null ? 0 : CHUNK_BYTES) + Integer.BYTES
                        + own.length + content.length)
                .putLong(data)
                .putLong(group)
                .putInt(chunk == null ? 0 : chunk.count());
        if (chunk != null) {
            record.putInt(chunk.number()).putLong(chunk.from()).putLong(chunk.to());
        }
        record.putInt(own.length).put(own).put(content);
        entries.add(ByteBuffer.allocate(KEY_BYTES).putInt(batch).putLong(number++).array(), record.array());
    }

    /** Writes the manifests of all batches that have entries, one after another. */
    public void write(Opening opening, Ending ending) throws IOException {
        try (ExternalSort.Records records = entries.open()) {
            boolean isMore = records.advance();
            while (isMore) {
                int batch = batch(records);
                PlannedBatch written;
                try (ManifestWriter manifest = opening.open(batch)) {
                    while (isMore && batch(records) == batch) {
                        add(records.content(), manifest);
                        isMore = records.advance();
                    }
                    written = manifest.end();
                }
                ending.ended(written);
            }
        }
    }

    private static int batch(ExternalSort.Records records) {
        return ByteBuffer.wrap(records.key()).getInt();
    }

    private static void add(byte[] content, ManifestWriter manifest) throws IOException {
        ByteBuffer in = ByteBuffer.wrap(content);
        long data = in.getLong();
        long group = in.getLong();
        int chunks = in.getInt();
        ChunkRange chunk = chunks == 0 ? null : new ChunkRange(in.getInt(), chunks, in.getLong(), in.getLong());
        byte[] own = new byte[in.getInt()];
        in.get(own);
        SpoolKey key = SpoolKey.parse(own, 0);
        SpooledStatus status = SpooledStatus.read(content, in.position(), content.length);
        manifest.add(key.root(), key.path(), key.nameStart(), status, data, group, chunk);
    }

    @Override
    public void close() throws IOException {
        entries.close();
    }
}
