// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.journal;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

import org.apache.commons.io.file.PathUtils;
import org.treehaul.core.copy.batch.ChunkedCopy;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.fs.PrivateFiles;
import org.treehaul.core.plan.format.ChunkRange;
import org.treehaul.core.plan.format.ManifestEntry;
import org.treehaul.core.plan.format.Plan;
import org.treehaul.core.plan.format.PlanRecords;
import org.treehaul.core.plan.format.PlannedFile;
import org.treehaul.core.plan.spool.ExternalSort;
import org.treehaul.core.transfer.directory.Listing;

/**
 * Collects the records of plan and journals about files in chunks, grouped by file. It sorts them on disk: only the
 * records of one file are in memory. Used by one thread.
 */
public final class ChunkSort implements AutoCloseable {

    private static final String PREFIX = "spool-";
    private static final int PLANNED = 0;
    private static final int CHUNK = 1;
    private static final int WHOLE = 2;
    private static final int SKIPPED = 3;

    private final Path directory;
    private final ExternalSort records;

    /** A chunk that is done, with its batch and the index of its entry. */
    public record DoneChunk(int batch, int index, ChunkedCopy.Chunk chunk) {}

    /**
     * A file in chunks.
     *
     * @param count the number of its chunks
     * @param links its further names
     * @param done its chunks that are done, in order
     * @param skipped how many of its chunks were skipped because of the options
     * @param isWhole whether it is already complete under all its names
     */
    public record LargeFile(int root, TreePath path, int count, List<ChunkedCopy.Name> links, List<DoneChunk> done,
            int skipped, boolean isWhole) {}

    private ChunkSort(Path directory) throws IOException {
        this.directory = directory;
        this.records = new ExternalSort(directory, "chunks", false, ExternalSort.defaultRunBytes());
    }

    /** Creates a sorter in the directory of finishing, and removes what a dead process left there. */
    public static ChunkSort make(Path finish) throws IOException {
        try (Listing old = Listing.of(finish, PREFIX + "*")) {
            for (Path path = old.next(); path != null; path = old.next()) {
                PathUtils.deleteDirectory(path);
            }
        }
        return new ChunkSort(PrivateFiles.makeTemporaryDirectory(finish, PREFIX));
    }

    // A path contains no 0, so that the records of one file share a prefix that no other file has.
    private static byte[] key(int root, byte[] path, int type, int number) {
        return ByteBuffer.allocate(4 + path.length + 2 + 4)
                .putInt(root)
                .put(path)
                .put((byte) 0)
                .put((byte) type)
                .putInt(number)
                .array();
    }

    /** Adds the planned files. */
    public void add(Plan plan) throws IOException {
        try (PlanRecords<PlannedFile> planned = plan.chunked()) {
            for (PlannedFile file = planned.next(); file != null; file = planned.next()) {
                int length = 8;
                for (PlannedFile.Name name : file.links()) {
                    length += 8 + name.path().toBytes().length;
                }
                ByteBuffer content = ByteBuffer.allocate(length).putInt(file.chunks()).putInt(file.links().size());
                for (PlannedFile.Name name : file.links()) {
                    byte[] path = name.path().toBytes();
                    content.putInt(name.root()).putInt(path.length).put(path);
                }
                records.add(key(file.root(), file.path().toBytes(), PLANNED, 0), content.array());
            }
        }
    }

    /** Adds a chunk that is done. */
    public void add(ManifestEntry entry, int batch, JournalRecord.Chunk chunk) throws IOException {
        ChunkRange range = entry.chunk();
        if (range == null) {
            throw new IllegalArgumentException("not a chunk: " + entry.path());
        }
        ByteBuffer frame = JournalFormat.frame(chunk);
        byte[] content = ByteBuffer.allocate(4 + 8 + 8 + frame.remaining())
                .putInt(batch)
                .putLong(range.from())
                .putLong(range.to())
                .put(frame)
                .array();
        records.add(key(entry.root(), entry.path().toBytes(), CHUNK, range.number()), content);
    }

    /** Adds a skipped chunk. */
    public void addSkipped(ManifestEntry entry) throws IOException {
        int number = Objects.requireNonNull(entry.chunk()).number();
        records.add(key(entry.root(), entry.path().toBytes(), SKIPPED, number), new byte[0]);
    }

    /** Records that a file is complete under all its names. */
    public void add(JournalRecord.LargeFile whole) {
        try {
            records.add(key(whole.root(), whole.path().toBytes(), WHOLE, 0), new byte[0]);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Opens the sorted files; no record may be added afterwards. */
    public Sorted open() throws IOException {
        return new Sorted(records.open());
    }

    @Override
    public void close() throws IOException {
        records.close();
        PathUtils.deleteDirectory(directory);
    }

    /** The files, one after another. */
    public static final class Sorted implements AutoCloseable {
        private final ExternalSort.Records records;
        private boolean hasRecord;

        private Sorted(ExternalSort.Records records) throws IOException {
            this.records = records;
            this.hasRecord = records.advance();
        }

        /** Returns the next file; empty after the last. */
        public Optional<LargeFile> next() throws IOException {
            if (!hasRecord) {
                return Optional.empty();
            }
            byte[] first = records.key();
            int end = first.length - 5;
            int count = 0;
            List<ChunkedCopy.Name> links = new ArrayList<>();
            List<DoneChunk> done = new ArrayList<>();
            int skipped = 0;
            boolean isWhole = false;
            do {
                ByteBuffer content = ByteBuffer.wrap(records.content());
                switch (records.key()[end]) {
                    case PLANNED -> {
                        count = content.getInt();
                        links.addAll(names(content));
                    }
                    case CHUNK -> {
                        done.add(chunk(content));
                    }
                    case SKIPPED -> skipped++;
                    default -> isWhole = true;
                }
                hasRecord = records.advance();
            } while (hasRecord && Arrays.equals(first, 0, end, records.key(), 0, Math.min(end, records.key().length)));
            return Optional.of(new LargeFile(ByteBuffer.wrap(first).getInt(),
                    TreePath.of(Arrays.copyOfRange(first, 4, end - 1)), count, links, done, skipped, isWhole));
        }

        private static List<ChunkedCopy.Name> names(ByteBuffer content) {
            List<ChunkedCopy.Name> names = new ArrayList<>();
            int count = content.getInt();
            for (int i = 0; i < count; i++) {
                int root = content.getInt();
                byte[] path = new byte[content.getInt()];
                content.get(path);
                names.add(new ChunkedCopy.Name(root, TreePath.of(path)));
            }
            return names;
        }

        private static DoneChunk chunk(ByteBuffer content) {
            int batch = content.getInt();
            long from = content.getLong();
            long to = content.getLong();
            // The frame consists of length, type, payload and checksum.
            int type = content.get(content.position() + 4);
            ByteBuffer payload = content.slice(content.position() + 5, content.remaining() - JournalFormat.FRAME_BYTES);
            JournalRecord record = JournalFormat.parse(type, payload).orElseThrow();
            JournalRecord.Chunk chunk = (JournalRecord.Chunk) record;
            return new DoneChunk(batch, chunk.index(),
                    new ChunkedCopy.Chunk(from, to, chunk.source(), ByteString.of(chunk.proof().toBytes())));
        }

        @Override
        public void close() {
            records.close();
        }
    }
}
