// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.plan;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * Batches that leave while the walk goes on: what it hands on is gathered until a limit is reached, sorted and written.
 * Names of files that have several come last, each file's together. Safe for any number of threads.
 */
final class StreamedBatches implements EntrySink {

    /** Entries of a batch where nobody says otherwise. */
    static final long FILES = 5_000;

    /** Bytes of a batch where nobody says otherwise. */
    static final long BYTES = 16L << 30;

    /** Entries of a batch at most: they are in memory until it leaves. */
    static final long MOST_FILES = 100_000;

    private static final int BUFFER_BYTES = 64 * 1024;

    private final PlanRequest request;
    private final PlanWriter plan;
    private final FollowedLinks followed;
    private final long maxFiles;
    private final long maxBytes;

    // All guarded by this.
    private final List<Part> parts = new ArrayList<>();
    private int firstName;
    private long files;
    private long bytes;
    private long groups;
    private long group;
    private @Nullable CutFile cut;

    /** A chunk, or what is not cut, in the buffer. */
    private record Part(SpoolKey key, SpooledEntry entry, long group, @Nullable ChunkRange chunk) {}

    StreamedBatches(PlanRequest request, PlanWriter plan, FollowedLinks followed) {
        this.request = request;
        this.plan = plan;
        this.followed = followed;
        BatchLimits limits = request.limits();
        this.maxFiles = Math.min(MOST_FILES, limits.maxFiles() == 0 ? FILES : limits.maxFiles());
        this.maxBytes = limits.maxBytes() == 0 ? BYTES : limits.maxBytes();
    }

    @Override
    public synchronized void addAll(RunBuffer block) throws IOException {
        block.sort(false);
        for (int i = 0; i < block.count(); i++) {
            add(block.key(i), SpooledEntry.decode(block.content(i)));
        }
        endFile();
    }

    private void add(byte[] sortedBy, SpooledEntry entry) throws IOException {
        SpoolKey key = SpoolKey.parse(sortedBy, entry.keyStart());
        if (entry.role() == SpooledEntry.Role.FURTHER) {
            if (cut != null) {
                cut.names().add(key);
            } else {
                addName(new Part(key, entry, group, null));
            }
            return;
        }
        endFile();
        group = entry.role() == SpooledEntry.Role.FIRST ? ++groups : 0;
        Chunks chunks = Chunks.of(entry, request.chunkBytes());
        for (int i = 0; i < chunks.count(); i++) {
            add(new Part(key, entry, group, chunks.range(i)), chunks.range(i).bytes());
        }
        if (chunks.isCut()) {
            cut = new CutFile(key, entry, chunks.count(), group, new ArrayList<>());
        } else {
            add(new Part(key, entry, group, null), entry.bytes());
        }
    }

    private void add(Part part, long partBytes) throws IOException {
        if (!parts.isEmpty() && (files + 1 > maxFiles || bytes + partBytes > maxBytes)) {
            leave(parts.size());
            bytes = 0;
        }
        firstName = parts.size();
        parts.add(part);
        files++;
        bytes += partBytes;
    }

    // The names of a file stay together: with one too many all of them go into a batch of their own.
    private void addName(Part part) throws IOException {
        if (files + 1 > maxFiles && firstName > 0) {
            leave(firstName);
            firstName = 0;
            bytes = part.entry().bytes();
        }
        parts.add(part);
        files++;
    }

    private void endFile() throws IOException {
        if (cut != null) {
            cut.write(plan.chunked());
        }
        cut = null;
    }

    // Writes the first of what is gathered; the rest stays.
    private void leave(int count) throws IOException {
        int number = plan.batchCount();
        Path temporary = plan.temporary(number);
        PlannedBatch batch;
        try (ManifestWriter manifest = new ManifestWriter(TextFile.synced(temporary), BUFFER_BYTES, number)) {
            for (Part part : parts.subList(0, count)) {
                manifest.add(part.key().root(), part.key().path(), part.key().nameStart(), part.entry().status(),
                        part.group(), part.chunk());
            }
            batch = manifest.end();
        }
        followed.write(plan);
        plan.place(number);
        plan.batchDone(batch);
        parts.subList(0, count).clear();
        files = parts.size();
    }

    /** Writes the last batch. */
    synchronized void end() throws IOException {
        if (!parts.isEmpty()) {
            leave(parts.size());
        }
    }
}
