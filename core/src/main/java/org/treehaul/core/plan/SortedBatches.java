// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.plan;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.DataBytes;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.plan.format.BatchLimits;
import org.treehaul.core.plan.format.ChunkRange;
import org.treehaul.core.plan.format.ManifestWriter;
import org.treehaul.core.plan.format.PlanException;
import org.treehaul.core.plan.format.PlannedBatch;
import org.treehaul.core.plan.format.PlannedProbe;
import org.treehaul.core.plan.format.SpooledStatus;
import org.treehaul.core.plan.format.TextFile;
import org.treehaul.core.plan.servers.ServerShares;
import org.treehaul.core.plan.servers.ServerTable;
import org.treehaul.core.plan.spool.BatchSort;
import org.treehaul.core.plan.spool.Chunks;
import org.treehaul.core.plan.spool.CutFile;
import org.treehaul.core.plan.spool.ExternalSort;
import org.treehaul.core.plan.spool.SpoolKey;
import org.treehaul.core.plan.spool.SpooledEntry;

/**
 * Divides all entries into batches at once: passes the numbers of the sorted entries to the strategy, then reads the
 * entries again and writes each one to the manifest of its batch.
 */
final class SortedBatches {

    // Manifests written side by side: each needs a buffer. For more, the entries are sorted by batch.
    private static final int MOST_MANIFESTS = 2048;
    private static final int LARGEST_BUFFER = 64 * 1024;

    // Creating an entry takes about as long as reading and writing this number of bytes.
    private static final long BYTES_OF_AN_ENTRY = 256 << 10;

    // Besides the root itself; enough that one of them is likely to remain if others are deleted later.
    static final int PROBES_PER_ROOT = 3;

    private final PlanRequest request;
    private final Spool spool;
    private final DataBytes data;
    private final PlanWriter plan;
    private final @Nullable ServerTable servers;
    private final boolean isBound;
    private final List<PlannedProbe> probes = new ArrayList<>();

    /**
     * Creates the division.
     *
     * @param servers the servers by which batches are divided; null if they are not known
     * @param isBound whether no batch may have entries of other servers, because its worker could not reach them
     */
    SortedBatches(PlanRequest request, Spool spool, DataBytes data, @Nullable ServerTable servers, boolean isBound,
            PlanWriter plan) {
        this.request = request;
        this.spool = spool;
        this.data = data;
        this.servers = servers;
        this.isBound = isBound;
        this.plan = plan;
    }

    /** Returns the entries that show whether the source is mounted. */
    List<PlannedProbe> probes() {
        return probes;
    }

    void write() throws IOException {
        try (ItemColumns items = new ItemColumns()) {
            measure(items);
            int[] numbers = assign(items);
            int count = 0;
            for (int number : numbers) {
                count = Math.max(count, number + 1);
            }
            write(items, numbers, count);
        }
    }

    private void measure(ItemColumns items) throws IOException {
        try (ExternalSort.Records records = spool.entries().open()) {
            Measuring measuring = new Measuring(items);
            while (records.advance()) {
                measuring.add(records);
            }
        }
    }

    /**
     * A pass over all entries, which adds their numbers to the columns. Each entry is a call: the JVM compiles what is
     * called often long before the body of a loop that runs once.
     */
    private final class Measuring {
        private final ItemColumns items;
        private final SpoolKey.Parser keys = new SpoolKey.Parser();
        private int root = -1;
        private int directory = -1;
        private boolean isCut;
        private int probed;

        Measuring(ItemColumns items) {
            this.items = items;
        }

        void add(ExternalSort.Records records) {
            byte[] bytes = records.bytes();
            if (isWholeFile(records)) {
                int status = SpooledEntry.statusStart(records.contentStart());
                enter(records);
                isCut = false;
                items.add(data.of(EntryKind.REGULAR, SpooledStatus.device(bytes, status),
                        SpooledStatus.size(bytes, status), SpooledStatus.blocks(bytes, status)), directory, 0);
                if (probed < PROBES_PER_ROOT) {
                    probe(SpooledStatus.read(bytes, status, records.end()));
                }
                return;
            }
            SpooledEntry entry = SpooledEntry.decode(bytes, records.contentStart(), records.end());
            if (entry.role() == SpooledEntry.Role.FURTHER) {
                if (!isCut) {
                    items.addName();
                }
                return;
            }
            enter(records);
            Chunks chunks = Chunks.of(entry, request.chunkBytes());
            isCut = chunks.isCut();
            long toRead = entry.status().dataBytes(data);
            for (int i = 0; i < chunks.count(); i++) {
                items.add(chunks.range(i).share(toRead, chunks.size()), directory, entry.server(i));
            }
            if (!isCut) {
                items.add(toRead, directory, entry.server(0));
            }
            if (probed < PROBES_PER_ROOT) {
                probe(entry.status());
            }
        }

        private void enter(ExternalSort.Records records) {
            keys.next(records.bytes(), records.keyStart(), records.contentStart());
            probed = root == keys.root() ? probed : 0;
            root = keys.root();
            directory += keys.isBeside() ? 0 : 1;
        }

        private void probe(SpooledStatus status) {
            SpoolKey key = keys.key();
            if (key.path().length > 0) {
                probed++;
                probes.add(new PlannedProbe(key.root(), TreePath.of(key.path()), status.kind(), status.inode(),
                        status.size()));
            }
        }
    }

    // Returns whether a record is of a file with one name that is not divided and whose servers are unknown: nearly all are, and
    // need no object.
    private boolean isWholeFile(ExternalSort.Records records) {
        int content = records.contentStart();
        return SpooledEntry.isFileWithOneName(records.bytes(), content) && !Chunks
                .divides(SpooledStatus.size(records.bytes(), SpooledEntry.statusStart(content)), request.chunkBytes());
    }

    // Returns the final number of each batch of the strategy: empty batches get -1.
    private int[] assign(ItemColumns items) throws PlanException {
        if (items.count() == 0) {
            return new int[0];
        }
        ServerShares shares = shares(items);
        List<ItemColumns.Part> parts = items.divide(shares.parts(), shares::part);
        // The batches of a part follow those of the parts before it.
        BitSet used = new BitSet();
        int[] ends = new int[parts.size()];
        int count = 0;
        for (int part = 0; part < ends.length; part++) {
            count += assign(parts.get(part), limits(shares, part), count, items, used);
            ends[part] = count;
        }
        return number(shares, ends, used);
    }

    private ServerShares shares(ItemColumns items) {
        if (servers == null || servers.count() == 1) {
            // The servers of no item are known: all items are of one part.
            return ServerShares.of(new ServerTable(), new double[]{1}, request.limits().batches(), isBound);
        }
        double[] work = new double[servers.count()];
        for (long item = 0; item < items.count(); item++) {
            work[items.server(item)] += items.bytes(item) + (double) items.files(item) * BYTES_OF_AN_ENTRY;
        }
        return ServerShares.of(servers, work, request.limits().batches(), isBound);
    }

    private BatchLimits limits(ServerShares shares, int part) {
        BatchLimits all = request.limits();
        return shares.parts() == 1 ? all : new BatchLimits(shares.batches(part), all.maxFiles(), all.maxBytes());
    }

    // Returns the number of batches that the strategy made of a part, and numbers them from a first number on.
    private int assign(ItemColumns.Part part, BatchLimits limits, int first, ItemColumns items, BitSet used)
            throws PlanException {
        String name = request.batching().name();
        int count;
        try {
            count = request.batching().assign(part, limits, part);
        } catch (RuntimeException e) {
            throw new PlanException("the strategy " + name + " failed: " + e, e);
        }
        if (count < 1 || count > BatchLimits.MAX_BATCHES - first) {
            throw new PlanException("the strategy " + name + " made " + ((long) first + count) + " batches; 1 to "
                    + BatchLimits.MAX_BATCHES + " are possible: choose other limits, or another strategy");
        }
        int last = 0;
        for (long index = 0; index < part.count();) {
            int batch = items.batch(part.item(index));
            if (index == 0 || batch != last) {
                if (batch < 0 || batch >= count) {
                    throw new PlanException("the strategy " + name + " put an entry into batch " + batch + " of "
                            + count + ": this is a bug of the strategy; choose another");
                }
                used.set(first + batch);
                last = batch;
            }
            long end = part.endOfBatch(index);
            if (first > 0) {
                part.setAll(index, end, first + batch);
            }
            index = end;
        }
        return count;
    }

    // Batches of different servers alternate, so that workers that run at the same time read from all of them.
    private int[] number(ServerShares shares, int[] ends, BitSet used) throws PlanException {
        int[] counts = new int[ends.length];
        for (int part = 0; part < ends.length; part++) {
            counts[part] = used.get(part == 0 ? 0 : ends[part - 1], ends[part]).cardinality();
        }
        int[] order = ServerShares.alternate(counts);
        int[] next = new int[ends.length];
        for (int part = 1; part < ends.length; part++) {
            next[part] = ends[part - 1];
        }
        int[] numbers = new int[ends[ends.length - 1]];
        Arrays.fill(numbers, -1);
        List<String[]> lines = new ArrayList<>();
        for (int number = 0; number < order.length; number++) {
            int part = order[number];
            int batch = used.nextSetBit(next[part]);
            next[part] = batch + 1;
            numbers[batch] = number;
            if (!shares.servers(part).isEmpty()) {
                List<String> line = new ArrayList<>(List.of(String.valueOf(number)));
                line.addAll(shares.servers(part));
                lines.add(line.toArray(String[]::new));
            }
        }
        if (!lines.isEmpty()) {
            plan.servers(lines);
        }
        return numbers;
    }

    private void write(ItemColumns items, int[] numbers, int count) throws IOException {
        if (count > MOST_MANIFESTS) {
            try (BatchSort sorted = new BatchSort(spool.byBatch())) {
                new Pass(items, numbers, sorted::add).run();
                sorted.write(batch -> new ManifestWriter(TextFile.synced(plan.temporary(batch)), LARGEST_BUFFER, batch),
                        this::written);
            }
            return;
        }
        ManifestWriter[] manifests = new ManifestWriter[count];
        long memory = Runtime.getRuntime().maxMemory() / 8;
        int buffer = Math.clamp(memory / Math.max(1, count), 1024, LARGEST_BUFFER);
        try (ManifestPool pool = new ManifestPool(plan)) {
            for (int i = 0; i < count; i++) {
                manifests[i] = new ManifestWriter(pool.stream(i), buffer, i);
            }
            new Pass(items, numbers, new SideBySide(manifests)).run();
            for (ManifestWriter manifest : manifests) {
                written(manifest.end());
            }
        }
    }

    private void written(PlannedBatch batch) throws IOException {
        plan.place(batch.number());
        plan.batchDone(batch);
    }

    /** Receives entries with their batches. */
    @FunctionalInterface
    private interface Manifests {
        void add(int batch, SpoolKey key, SpooledEntry entry, long toRead, long group, @Nullable ChunkRange chunk)
                throws IOException;

        /** Receives a file that {@link #isWholeFile} accepts. */
        default void addFile(int batch, SpoolKey.Parser key, ExternalSort.Records records, long toRead)
                throws IOException {
            add(batch, key.key(), SpooledEntry.decode(records.bytes(), records.contentStart(), records.end()), toRead,
                    0, null);
        }
    }

    /** Manifests that are written at the same time. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record SideBySide(ManifestWriter[] manifests) implements Manifests {

        @Override
        public void add(int batch, SpoolKey key, SpooledEntry entry, long toRead, long group,
                @Nullable ChunkRange chunk) throws IOException {
            manifests[batch].add(key.root(), key.path(), key.nameStart(), entry.status(), toRead, group, chunk);
        }

        @Override
        public void addFile(int batch, SpoolKey.Parser key, ExternalSort.Records records, long toRead)
                throws IOException {
            manifests[batch].addFile(key.root(), key.directory(), records.bytes(), key.nameStart(), key.nameEnd(),
                    SpooledEntry.statusStart(records.contentStart()), records.end(), toRead);
        }
    }

    /** A pass over all entries, which hands each on with its batch. */
    private final class Pass {
        private final ItemColumns items;
        private final int[] numbers;
        private final Manifests manifests;
        private final SpoolKey.Parser keys = new SpoolKey.Parser();
        private long item;
        private long groups;
        private long group;
        private @Nullable CutFile cut;

        Pass(ItemColumns items, int[] numbers, Manifests manifests) {
            this.items = items;
            this.numbers = numbers;
            this.manifests = manifests;
        }

        void run() throws IOException {
            try (ExternalSort.Records records = spool.entries().open()) {
                while (records.advance()) {
                    add(records);
                }
                endFile();
            }
        }

        private void add(ExternalSort.Records records) throws IOException {
            if (isWholeFile(records)) {
                endFile();
                group = 0;
                keys.next(records.bytes(), records.keyStart(), records.contentStart());
                manifests.addFile(numbers[items.batch(item)], keys, records, items.bytes(item));
                item++;
                return;
            }
            SpooledEntry entry = SpooledEntry.decode(records.bytes(), records.contentStart(), records.end());
            SpoolKey key = keys.parse(records.bytes(), records.keyStart() + entry.keyStart(), records.contentStart());
            if (entry.role() == SpooledEntry.Role.FURTHER) {
                if (cut != null) {
                    cut.names().add(key);
                } else {
                    // The file may have become smaller since the look at its first name.
                    manifests.add(numbers[items.batch(item - 1)], key, entry, entry.status().dataBytes(data), group,
                            null);
                }
                return;
            }
            endFile();
            group = entry.role() == SpooledEntry.Role.FIRST ? ++groups : 0;
            Chunks chunks = Chunks.of(entry, request.chunkBytes());
            for (int i = 0; i < chunks.count(); i++) {
                put(item++, key, entry, chunks.range(i));
            }
            if (chunks.isCut()) {
                cut = new CutFile(key, entry, chunks.count(), group, new ArrayList<>());
            } else {
                put(item++, key, entry, null);
            }
        }

        private void put(long number, SpoolKey key, SpooledEntry entry, @Nullable ChunkRange chunk) throws IOException {
            manifests.add(numbers[items.batch(number)], key, entry, items.bytes(number), group, chunk);
        }

        private void endFile() throws IOException {
            if (cut != null) {
                cut.write(plan.chunked());
            }
            cut = null;
        }
    }
}
