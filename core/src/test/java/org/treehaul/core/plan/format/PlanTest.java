// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.plan.format;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchEvent;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.Timestamp;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.plan.PlanWriter;
import org.treehaul.core.state.Checksum;

class PlanTest {

    private static final byte[] ODD = {'a', (byte) 0xFF, '\n', '\t', '\\', '/', 1, '/', 'x'};
    private static final ByteString SOURCE = ByteString.of(new byte[]{'/', (byte) 0xC3, '\t', 'q'});

    @TempDir
    private Path directory;

    private static byte[] bytes(String text) {
        return ByteString.of(text).toBytes();
    }

    private static PlanHeader header() {
        return new PlanHeader("20260101-000000-abcd", Instant.parse("2026-01-01T00:00:00Z"), 022, 1000, "n\u00f6de",
                "size-balanced", new BatchLimits(7, 8, 9), 3, 1 << 20, true,
                List.of(new PlannedRoot(SOURCE, ByteString.of("/to"))), ".treehaul-20260101-000000-abcd",
                List.of(ByteString.of("/")), new TreeMap<>(Map.of("with tab\t", "and\nnewline")));
    }

    private static ManifestEntry entry(int index, byte[] path, EntryKind kind, long size, long group,
            @Nullable ChunkRange chunk) {
        return entry(index, path, kind, size, group, chunk, ManifestEntry.bytes(kind, size, chunk));
    }

    private static ManifestEntry entry(int index, byte[] path, EntryKind kind, long size, long group,
            @Nullable ChunkRange chunk, long data) {
        return new ManifestEntry(index, 0, TreePath.of(path), kind, size, new Timestamp(-5, 999_999_999), -1L, 42,
                group, chunk, data);
    }

    private final List<ManifestEntry> first = List.of(entry(0, ODD, EntryKind.REGULAR, 10, 0, null),
            entry(1, bytes("a/b"), EntryKind.REGULAR, 7, 3, null, 2),
            entry(2, bytes("c"), EntryKind.REGULAR, 7, 3, null, 2),
            entry(3, bytes("big"), EntryKind.REGULAR, 100, 0, new ChunkRange(1, 2, 60, 100), 25),
            entry(4, bytes("fifo"), EntryKind.FIFO, 0, 0, null));
    private final List<ManifestEntry> second = List.of(entry(0, new byte[0], EntryKind.SYMLINK, 3, 0, null));
    private final List<PlannedDirectory> directories = List.of(
            new PlannedDirectory(0, TreePath.of(bytes("a/b")), OptionalInt.of(0755), true),
            new PlannedDirectory(0, TreePath.root(), OptionalInt.empty(), false));
    private final PlannedFile chunked = new PlannedFile(0, TreePath.of(bytes("big")), 100, new Timestamp(1, 2), 5, 6, 2,
            9, List.of(new PlannedFile.Name(0, TreePath.of(ODD))));
    private final PlannedFailure failure = new PlannedFailure(0,
            new EntryFailure(EntryFailure.Kind.VANISHED, SOURCE, TreePath.of(ODD), "open", 13));
    private final PlannedProbe probe = new PlannedProbe(0, TreePath.of(ODD), EntryKind.REGULAR, -1, 10);

    private void write(boolean sealed) throws PlanException {
        try (PlanWriter writer = PlanWriter.create(directory, header())) {
            writer.addBatch(first);
            writer.addBatch(second);
            for (PlannedDirectory each : directories) {
                writer.addDirectory(each);
            }
            writer.addChunked(chunked);
            writer.addFailure(failure);
            writer.probes(List.of(probe));
            if (sealed) {
                writer.seal();
            }
        }
    }

    private static <T> List<T> all(PlanRecords<T> records) throws PlanException {
        try (records) {
            List<T> list = new ArrayList<>();
            for (T next = records.next(); next != null; next = records.next()) {
                list.add(next);
            }
            return list;
        }
    }

    // Files of several directories and devices, in one or the other way, with and without holes and times.
    @Test
    void aFileWrittenFromItsBytesIsTheOneWrittenFromItsValues() throws IOException {
        Random random = new Random(17);
        List<String> directories = List.of("", "a/", "a/b\n/", "c/");
        ByteArrayOutputStream ofValues = new ByteArrayOutputStream();
        ByteArrayOutputStream ofBytes = new ByteArrayOutputStream();
        try (ManifestWriter values = new ManifestWriter(ofValues, BinaryWriter.PIECE, 3);
                ManifestWriter mixed = new ManifestWriter(ofBytes, BinaryWriter.PIECE, 3)) {
            for (int i = 0; i < 500; i++) {
                int root = random.nextInt(2);
                byte[] inDirectory = bytes(directories.get(random.nextInt(directories.size())));
                byte[] name = bytes("n\u00fc" + "x".repeat(random.nextInt(100)));
                byte[] path = Arrays.copyOf(inDirectory, inDirectory.length + name.length);
                System.arraycopy(name, 0, path, inDirectory.length, name.length);
                boolean hasChangeTime = random.nextBoolean();
                long size = random.nextInt(1000);
                long toRead = random.nextBoolean() ? size : size / 2;
                SpooledStatus status = new SpooledStatus(EntryKind.REGULAR, size, random.nextLong(), random.nextLong(),
                        random.nextInt(), random.nextLong(), random.nextInt(2), hasChangeTime ? random.nextLong() : 0,
                        hasChangeTime ? random.nextInt(1_000_000_000) : SpooledStatus.NO_CHANGE_TIME);
                values.add(root, path, inDirectory.length, status, toRead, 0, null);
                if (random.nextInt(3) == 0) {
                    mixed.add(root, path, inDirectory.length, status, toRead, 0, null);
                    continue;
                }
                int at = 1 + name.length;
                int end = at + SpooledStatus.bytes(hasChangeTime);
                byte[] record = new byte[end + 1];
                System.arraycopy(name, 0, record, 1, name.length);
                status.put(record, at);
                assertThat(SpooledStatus.read(record, at, end)).isEqualTo(status);
                mixed.addFile(root, inDirectory, record, 1, at, at, end, toRead);
            }
            assertThat(mixed.end()).isEqualTo(values.end());
        }
        assertThat(ofBytes.toByteArray()).isEqualTo(ofValues.toByteArray());
    }

    @Test
    void aWrittenPlanIsRead() throws PlanException {
        write(true);
        Plan plan = Plan.open(directory);
        assertThat(plan.header()).isEqualTo(header());
        assertThat(plan.isSealed()).isTrue();
        assertThat(plan.totals()).contains(new PlanTotals(6, 3, 57, 37, 2, 1, 1));
        assertThat(plan.batches()).extracting(PlannedBatch::entries).containsExactly(5L, 1L);
        assertThat(plan.batches()).extracting(PlannedBatch::bytes).containsExactly(57L, 0L);
        assertThat(plan.batches()).extracting(PlannedBatch::data).containsExactly(37L, 0L);
        assertThat(plan.batches()).extracting(PlannedBatch::largest).containsExactly(40L, 0L);
        assertThat(all(plan.manifest(0))).isEqualTo(first);
        assertThat(all(plan.manifest(1))).isEqualTo(second);
        assertThat(all(plan.directories())).isEqualTo(directories);
        assertThat(all(plan.chunked())).containsExactly(chunked);
        assertThat(all(plan.failures())).containsExactly(failure);
        assertThat(plan.probes()).containsExactly(probe);
    }

    // Files without data may be that large on XFS, Btrfs and tmpfs.
    @Test
    void sizesWhoseSumNoLongHoldsAreTheLargestLong() throws PlanException {
        long large = 7L << 60;
        List<ManifestEntry> both = List.of(entry(0, bytes("a"), EntryKind.REGULAR, large, 0, null),
                entry(1, bytes("b"), EntryKind.REGULAR, large, 0, null));
        try (PlanWriter writer = PlanWriter.create(directory, header())) {
            writer.addBatch(both);
            writer.addBatch(both.subList(0, 1));
            writer.seal();
        }
        Plan plan = Plan.open(directory);
        assertThat(plan.batches()).extracting(PlannedBatch::bytes).containsExactly(Long.MAX_VALUE, large);
        assertThat(plan.batches()).extracting(PlannedBatch::data).containsExactly(Long.MAX_VALUE, large);
        assertThat(plan.totals().orElseThrow().bytes()).isEqualTo(Long.MAX_VALUE);
        assertThat(plan.totals().orElseThrow().data()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void oneThatGrowsShowsTheBatchesThatAreThere() throws IOException {
        write(false);
        Files.writeString(directory.resolve("batches"), Files.readString(directory.resolve("batches")) + "2\t7\t1");
        Plan plan = Plan.open(directory);
        assertThat(plan.isSealed()).isFalse();
        assertThat(plan.batchCount()).isEqualTo(2);
        assertThat(all(plan.manifest(0))).isEqualTo(first);
        assertThatThrownBy(plan::directories).isInstanceOf(PlanException.class).hasMessageContaining("not finished");
    }

    @Test
    void everyBitThatFlipsIsNoticed() throws IOException {
        write(true);
        for (String name : List.of("header", "batches", "manifest/0", "directories", "chunked", "failures", "probes",
                "sealed")) {
            Path file = directory.resolve(name);
            byte[] good = Files.readAllBytes(file);
            for (int at = 0; at < good.length; at++) {
                byte[] bad = good.clone();
                bad[at] ^= (byte) (1 << at % 8);
                Files.write(file, bad);
                assertThatThrownBy(this::readAll).as("%s, byte %d", name, at)
                        .isInstanceOf(PlanException.class)
                        .hasMessageContaining(file.toString());
            }
            for (int length = 0; length < good.length; length++) {
                Files.write(file, Arrays.copyOf(good, length));
                assertThatThrownBy(this::readAll).as("%s, %d bytes", name, length)
                        .isInstanceOf(PlanException.class)
                        .hasMessageContaining(file.toString());
            }
            Files.write(file, good);
        }
        readAll();
    }

    private void readAll() throws PlanException {
        Plan plan = Plan.open(directory);
        for (PlannedBatch batch : plan.batches()) {
            all(plan.manifest(batch.number()));
        }
        all(plan.directories());
        all(plan.chunked());
        all(plan.failures());
    }

    @Test
    void aFileThatCannotBeReadForAMomentIsReadAgain() throws Exception {
        write(true);
        Path manifest = new PlanFiles(directory).manifest(0);
        Path away = directory.resolve("away");
        Files.move(manifest, away);
        // Reading a directory fails, as reading from a server that is away does.
        Files.createDirectory(manifest);
        Thread reader = Thread.currentThread();
        Thread server = Thread.ofPlatform().daemon(true).start(() -> {
            while (reader.getState() != Thread.State.TIMED_WAITING) {
                LockSupport.parkNanos(1_000_000);
            }
            try {
                Files.delete(manifest);
                Files.move(away, manifest);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        assertThat(all(Plan.open(directory).manifest(0))).isEqualTo(first);
        server.join();
    }

    @Test
    void oneOfAnotherVersionIsNamed() throws IOException {
        write(true);
        Path sealed = directory.resolve("sealed");
        Files.writeString(sealed, Files.readString(sealed).replace("sealed\t2\n", "sealed\t3\n"));
        assertThatThrownBy(() -> Plan.open(directory)).isInstanceOf(PlanException.class)
                .hasMessageContaining("is of format 3, but this TreeHaul reads formats 1 to 2");
    }

    @Test
    void aDirectoryWithoutOneIsNamed() {
        assertThatThrownBy(() -> Plan.open(directory)).isInstanceOf(PlanException.class)
                .hasMessageContaining("there is no plan in " + directory);
    }

    @Test
    void aFinishedOneIsNotOverwritten() throws PlanException {
        write(true);
        assertThatThrownBy(() -> write(true)).isInstanceOf(PlanException.class).hasMessageContaining("finished plan");
    }

    // Without its header, the rest of a plan would count as a directory of the user, in which nothing is planned.
    @Test
    void anUnfinishedOneHasAHeaderUntilTheNextReplacesIt() throws Exception {
        write(false);
        List<String> deleted = new ArrayList<>();
        try (WatchService watch = directory.getFileSystem().newWatchService()) {
            directory.register(watch, StandardWatchEventKinds.ENTRY_CREATE, StandardWatchEventKinds.ENTRY_DELETE);
            write(true);
            Files.createFile(directory.resolve("last"));
            boolean isLast = false;
            while (!isLast) {
                WatchKey key = Objects.requireNonNull(watch.poll(1, TimeUnit.MINUTES), "no event");
                for (WatchEvent<?> event : key.pollEvents()) {
                    String name = String.valueOf(event.context());
                    isLast |= name.equals("last");
                    if (event.kind().equals(StandardWatchEventKinds.ENTRY_DELETE)) {
                        deleted.add(name);
                    }
                }
                key.reset();
            }
        }
        assertThat(deleted).contains("batches", "manifest").doesNotContain("header");
    }

    // Changes to the table that its own checksum and that of the seal do not show, and those that they do.
    @Test
    void theTableOfBatchesIsReadFromItsBytesOnlyIfItsLinesAreTheUsualOnes() throws IOException {
        String first = "treehaul-batches\t" + PlanHeader.VERSION + "\n";
        String lines = "0\t5\t4\t30\t9\t0a1b2c3d\t28\n1\t999999999999999999\t0\t0\t0\tffffffff\t0\n";
        assertThat(usual(first + lines)).contains(List.of(new PlannedBatch(0, 5, 4, 30, 28, 9, 0x0a1b2c3d),
                new PlannedBatch(1, 999_999_999_999_999_999L, 0, 0, 0, 0, -1)));
        assertThat(usual(first)).contains(List.of());
        for (String other : List.of("", "\n", lines, "treehaul-batches\t1\n" + lines, first + lines.substring(1),
                first + "1" + lines.substring(1), first + lines.replace("\t28", ""), first + lines.replace("28", "-28"),
                first + lines.replace("28", ""), first + lines.replace("28", "28\t7"),
                first + lines.replace("0a1", "0A1"), first + lines.replace("0a1b", "a1b"),
                first + lines.replace("9999\t", "99999\t"), first + lines + "2",
                first + lines + "2\t1\t1\t1\t1\t00000000\t1", first + lines + "\n", first + lines + "3\t3\t\n")) {
            assertThat(usual(other)).as(other).isEmpty();
        }
        byte[] text = bytes(first + lines + Checksum.line(Checksum.of(bytes(first + lines))));
        assertThat(PlannedBatch.Lines.read(text, 1)).isEmpty();
        assertThat(PlannedBatch.Lines.read(bytes(first + lines + Checksum.line(1)), 1)).isEmpty();
    }

    private static Optional<List<PlannedBatch>> usual(String lines) {
        int checksum = Checksum.of(bytes(lines));
        return PlannedBatch.Lines.read(bytes(lines + Checksum.line(checksum)), checksum);
    }
}
