// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.plan;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.DataBytes;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.plan.format.BatchLimits;
import org.treehaul.core.plan.format.ChunkRange;
import org.treehaul.core.plan.format.ManifestWriter;
import org.treehaul.core.plan.format.PlannedBatch;
import org.treehaul.core.plan.format.PlannedProbe;
import org.treehaul.core.plan.format.SpooledStatus;
import org.treehaul.core.plan.format.TextFile;
import org.treehaul.core.plan.spool.Chunks;
import org.treehaul.core.plan.spool.CutFile;
import org.treehaul.core.plan.spool.EntrySink;
import org.treehaul.core.plan.spool.RunBuffer;
import org.treehaul.core.plan.spool.SpoolKey;
import org.treehaul.core.plan.spool.SpooledEntry;

/**
 * Batches that are released during the walk: the entries found are collected until a limit is reached, then sorted and
 * written. The names of files with several links come last, those of each file together. Thread-safe.
 */
final class StreamedBatches implements EntrySink {

    /** Default maximum number of entries in a batch. */
    static final long FILES = 5_000;

    /** Default maximum bytes of data in a batch. */
    static final long BYTES = 16L << 30;

    /** Largest possible number of entries in a batch: they are held in memory until it is released. */
    static final long MOST_FILES = 100_000;

    private static final int BUFFER_BYTES = 64 * 1024;

    private final PlanRequest request;
    private final PlanWriter plan;
    private final FollowedLinks followed;
    private final DataBytes data;
    private final long maxFiles;
    private final long maxBytes;

    // All guarded by this.
    private final List<Part> parts = new ArrayList<>();
    private final List<PlannedProbe> probes;
    private final Map<Integer, Integer> probesOfRoots = new HashMap<>();
    private int probesWritten;
    private int firstName;
    private long files;
    private long bytes;
    private long groups;
    private long group;
    private @Nullable CutFile cut;

    /** A collected chunk or undivided entry. */
    private record Part(SpoolKey key, SpooledEntry entry, long data, long group, @Nullable ChunkRange chunk) {}

    /**
     * Creates an object without batches.
     *
     * @param rootProbes the probes that the plan has already
     */
    StreamedBatches(PlanRequest request, PlanWriter plan, FollowedLinks followed, DataBytes data,
            List<PlannedProbe> rootProbes) {
        this.probes = new ArrayList<>(rootProbes);
        this.probesWritten = probes.size();
        this.request = request;
        this.plan = plan;
        this.followed = followed;
        this.data = data;
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

    // A batch has all names of a file, and they are in memory until it is written.
    @Override
    public boolean needsAllNames() {
        return true;
    }

    private void add(byte[] sortedBy, SpooledEntry entry) throws IOException {
        SpoolKey key = SpoolKey.parse(sortedBy, entry.keyStart());
        if (entry.role() == SpooledEntry.Role.FURTHER) {
            if (cut != null) {
                cut.names().add(key);
            } else {
                addName(new Part(key, entry, entry.status().dataBytes(data), group, null));
            }
            return;
        }
        endFile();
        group = entry.role() == SpooledEntry.Role.FIRST ? ++groups : 0;
        probe(key, entry.status());
        Chunks chunks = Chunks.of(entry, request.chunkBytes());
        long toRead = entry.status().dataBytes(data);
        for (int i = 0; i < chunks.count(); i++) {
            ChunkRange range = chunks.range(i);
            add(new Part(key, entry, range.share(toRead, chunks.size()), group, range));
        }
        if (chunks.isCut()) {
            cut = new CutFile(key, entry, chunks.count(), group, new ArrayList<>());
        } else {
            add(new Part(key, entry, toRead, group, null));
        }
    }

    // The inode numbers of the roots do not suffice: on some file systems they differ between hosts.
    private void probe(SpoolKey key, SpooledStatus status) {
        int known = probesOfRoots.getOrDefault(key.root(), 0);
        if (key.path().length > 0 && known < SortedBatches.PROBES_PER_ROOT) {
            probesOfRoots.put(key.root(), known + 1);
            probes.add(new PlannedProbe(key.root(), TreePath.of(key.path()), status.kind(), status.inode(),
                    status.size()));
        }
    }

    private void add(Part part) throws IOException {
        if (!parts.isEmpty() && (files + 1 > maxFiles || part.data() > maxBytes - bytes)) {
            leave(parts.size());
            bytes = 0;
        }
        firstName = parts.size();
        parts.add(part);
        files++;
        bytes += part.data();
    }

    // The names of a file stay together: if another name exceeds the limit, all of them move to the next batch.
    private void addName(Part part) throws IOException {
        if (files + 1 > maxFiles && firstName > 0) {
            leave(firstName);
            firstName = 0;
            bytes = part.data();
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

    // Writes the first collected entries as a batch; the rest stays.
    private void leave(int count) throws IOException {
        int number = plan.batchCount();
        Path temporary = plan.temporary(number);
        PlannedBatch batch;
        try (ManifestWriter manifest = new ManifestWriter(TextFile.synced(temporary), BUFFER_BYTES, number)) {
            for (Part part : parts.subList(0, count)) {
                manifest.add(part.key().root(), part.key().path(), part.key().nameStart(), part.entry().status(),
                        part.data(), part.group(), part.chunk());
            }
            batch = manifest.end();
        }
        followed.write(plan);
        if (probes.size() > probesWritten) {
            plan.probes(probes);
            probesWritten = probes.size();
        }
        plan.place(number);
        plan.batchDone(batch);
        parts.subList(0, count).clear();
        files = parts.size();
    }

    synchronized void end() throws IOException {
        if (!parts.isEmpty()) {
            leave(parts.size());
        }
    }
}
