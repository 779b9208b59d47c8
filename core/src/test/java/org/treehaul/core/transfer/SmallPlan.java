// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.plan.PlanWriter;
import org.treehaul.core.plan.format.ChunkRange;
import org.treehaul.core.plan.format.ManifestEntry;
import org.treehaul.core.plan.format.PlanHeader;
import org.treehaul.core.plan.format.PlannedDirectory;
import org.treehaul.core.plan.format.PlannedFile;
import org.treehaul.core.plan.format.PlannedProbe;
import org.treehaul.core.testing.ListedEntry;
import org.treehaul.core.testing.TreeListing;

/** A plan of a small tree, made without the planner: its items are dealt out in turn. */
final class SmallPlan {

    private final List<List<ManifestEntry>> batches = new ArrayList<>();
    private final List<PlannedFile> chunked = new ArrayList<>();
    private final List<PlannedDirectory> directories = new ArrayList<>();
    private final List<PlannedProbe> probes = new ArrayList<>();
    private int turn;

    private SmallPlan() {}

    static SmallPlan of(Path source, int batches) {
        SmallPlan plan = new SmallPlan();
        for (int i = 0; i < batches; i++) {
            plan.batches.add(new ArrayList<>());
        }
        Map<ByteString, List<ListedEntry>> groups = new LinkedHashMap<>();
        for (ListedEntry entry : TreeListing.of(Linux.calls(), source).entries()) {
            FileStatus status = entry.status();
            if (status.kind() == EntryKind.DIRECTORY) {
                plan.directories.add(new PlannedDirectory(0, path(entry), OptionalInt.empty(), false));
            } else {
                groups.computeIfAbsent(entry.linkGroup(), path -> new ArrayList<>()).add(entry);
            }
            if (plan.probes.size() < 5) {
                plan.probes.add(new PlannedProbe(0, path(entry), status.kind(), status.inode(),
                        status.kind() == EntryKind.DIRECTORY ? 0 : status.size()));
            }
        }
        plan.directories.sort(Comparator.comparing(PlannedDirectory::path).reversed());
        long group = 0;
        for (List<ListedEntry> names : groups.values()) {
            group += names.size() > 1 ? 1 : 0;
            plan.add(names, names.size() > 1 ? group : 0);
        }
        return plan;
    }

    private static TreePath path(ListedEntry entry) {
        return TreePath.of(entry.path().toBytes());
    }

    private void add(List<ListedEntry> names, long group) {
        FileStatus status = names.getFirst().status();
        long size = status.size();
        if (status.kind() == EntryKind.REGULAR && size > TransferFixture.CHUNK_BYTES) {
            int count = (int) ((size + TransferFixture.CHUNK_BYTES - 1) / TransferFixture.CHUNK_BYTES);
            for (int i = 0; i < count; i++) {
                long from = i * TransferFixture.CHUNK_BYTES;
                put(names.getFirst(), group,
                        new ChunkRange(i, count, from, Math.min(size, from + TransferFixture.CHUNK_BYTES)), next());
            }
            chunked.add(new PlannedFile(0, path(names.getFirst()), size, status.mtime(), status.inode(),
                    status.device(), count, group,
                    names.stream().skip(1).map(name -> new PlannedFile.Name(0, path(name))).toList()));
            return;
        }
        List<ManifestEntry> batch = next();
        names.forEach(name -> put(name, group, null, batch));
    }

    private List<ManifestEntry> next() {
        return batches.get(turn++ % batches.size());
    }

    private static void put(ListedEntry entry, long group, @Nullable ChunkRange chunk, List<ManifestEntry> batch) {
        FileStatus status = entry.status();
        long data = chunk != null ? chunk.bytes() : status.kind().hasData() ? status.size() : 0;
        batch.add(new ManifestEntry(batch.size(), 0, path(entry), status.kind(), status.size(), status.mtime(),
                status.inode(), status.device(), group, chunk, data));
    }

    List<List<ManifestEntry>> batches() {
        return batches;
    }

    void write(Path plan, PlanHeader header) throws IOException {
        try (PlanWriter writer = PlanWriter.create(plan, header)) {
            writer.probes(probes);
            for (List<ManifestEntry> batch : batches) {
                writer.addBatch(batch);
            }
            end(writer);
        }
    }

    void end(PlanWriter writer) throws IOException {
        for (PlannedDirectory directory : directories) {
            writer.addDirectory(directory);
        }
        for (PlannedFile file : chunked) {
            writer.addChunked(file);
        }
        writer.seal();
    }

    List<PlannedProbe> probes() {
        return probes;
    }
}
