// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.plan;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

import org.apache.commons.io.FileUtils;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.fs.PrivateFiles;

/**
 * Writes a plan: batches first, one after another, then the rest, and at last the seal. Until that is there the plan is
 * not valid, and closing this leaves what was written. Used by one thread.
 */
public final class PlanWriter implements AutoCloseable {

    private static final int BUFFER_BYTES = 64 * 1024;

    private final PlanFiles files;
    private final PlanGuard guard;
    private final int header;
    private final TextFile batches;
    private final RecordFiles.Writer directories;
    private final RecordFiles.Writer chunked;
    private final RecordFiles.Writer failures;
    private final Map<String, Integer> small = new TreeMap<>();
    private int count;
    private long entries;
    private long regular;
    private long bytes;

    private PlanWriter(PlanFiles files, PlanHeader header, PlanGuard guard) throws IOException {
        this.files = files;
        this.guard = guard;
        PrivateFiles.makeDirectories(files.directory());
        this.header = TextFile.replace(files.header(), "plan", HeaderText.lines(header));
        PrivateFiles.makeDirectories(files.manifests());
        this.batches = TextFile.begin(files.batches(), "batches");
        this.directories = new RecordFiles.Writer(files.directories(), PlanFiles.DIRECTORIES);
        this.chunked = new RecordFiles.Writer(files.chunked(), PlanFiles.CHUNKED);
        this.failures = new RecordFiles.Writer(files.failures(), PlanFiles.FAILURES);
    }

    /**
     * Begins a plan in a directory, which is made where it is not there.
     *
     * @throws PlanException when a sealed plan stands there, or it cannot be written
     */
    public static PlanWriter create(Path directory, PlanHeader header) throws PlanException {
        return create(directory, header, PlanGuard.none());
    }

    static PlanWriter create(Path directory, PlanHeader header, PlanGuard guard) throws PlanException {
        PlanFiles files = new PlanFiles(directory);
        if (Files.exists(files.sealed())) {
            throw new PlanException("there is a finished plan in " + PlanException.printable(directory)
                    + " already: remove it, or name another directory");
        }
        try {
            clear(files);
            return new PlanWriter(files, header, guard);
        } catch (IOException e) {
            throw PlanException.unwritable(directory, e);
        }
    }

    // What a plan that was not finished left is of no use; what is no plan must not be lost.
    private static void clear(PlanFiles files) throws IOException {
        if (!Files.exists(files.directory())) {
            return;
        }
        if (!Files.exists(files.header()) && hasOther(files)) {
            throw new PlanException(PlanException.printable(files.directory())
                    + " is not empty and holds no plan: name a directory that is empty or not there");
        }
        for (Path file : List.of(files.batches(), files.directories(), files.chunked(), files.failures(),
                files.probes(), files.followed(), files.room(), files.header())) {
            Files.deleteIfExists(file);
        }
        FileUtils.deleteDirectory(files.manifests().toFile());
    }

    // A header that there was no room for leaves its beginning.
    private static boolean hasOther(PlanFiles files) throws IOException {
        try (Stream<Path> names = Files.list(files.directory())) {
            return names.anyMatch(name -> !name.equals(TextFile.temporary(files.header())));
        }
    }

    /** Adds a batch with its manifest; the indexes of the entries are not looked at, their order counts. */
    public PlannedBatch addBatch(Iterable<ManifestEntry> content) throws PlanException {
        Path file = files.manifest(count);
        try {
            Path temporary = temporary(count);
            PlannedBatch batch;
            try (ManifestWriter manifest = new ManifestWriter(TextFile.synced(temporary), BUFFER_BYTES, count)) {
                for (ManifestEntry entry : content) {
                    byte[] path = entry.path().toBytes();
                    manifest.add(entry.root(), path, path.length - entry.path().name().length(),
                            SpooledStatus.of(entry), entry.group(), entry.chunk());
                }
                batch = manifest.end();
            }
            Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE);
            batchDone(batch);
            return batch;
        } catch (IOException e) {
            throw PlanException.unwritable(file, e);
        }
    }

    /** Returns where the manifest of a batch is written before it gets its name. */
    Path temporary(int batch) throws IOException {
        guard.check();
        return files.manifests().resolve(batch + ".new");
    }

    /** Adds the line of a batch whose manifest stands in its place. */
    void batchDone(PlannedBatch batch) throws IOException {
        batches.line(String.valueOf(batch.number()), String.valueOf(batch.entries()), String.valueOf(batch.files()),
                String.valueOf(batch.bytes()), String.valueOf(batch.largest()), TextFile.hex(batch.checksum()));
        count++;
        entries += batch.entries();
        regular += batch.files();
        bytes += batch.bytes();
    }

    /** Adds a directory; each comes after all that stand below it. */
    public void addDirectory(PlannedDirectory directory) throws PlanException {
        try {
            directories.directory(directory);
        } catch (IOException e) {
            throw PlanException.unwritable(files.directories(), e);
        }
    }

    /** Adds a file in chunks. */
    public void addChunked(PlannedFile file) throws PlanException {
        try {
            chunked.chunked(
                    file.root(), file.path().toBytes(), new SpooledStatus(EntryKind.REGULAR, file.size(),
                            file.mtime().seconds(), file.mtime().nanos(), file.inode(), file.device()),
                    file.chunks(), file.group(), file.links().size());
            for (PlannedFile.Name name : file.links()) {
                chunked.place(name.root(), name.path().toBytes());
            }
        } catch (IOException e) {
            throw PlanException.unwritable(files.chunked(), e);
        }
    }

    /** Adds an entry that could not be planned. */
    public void addFailure(PlannedFailure failure) throws PlanException {
        try {
            failures.failure(failure);
        } catch (IOException e) {
            throw PlanException.unwritable(files.failures(), e);
        }
    }

    /** Writes the probes, at any time before the seal. */
    public void probes(List<PlannedProbe> list) throws PlanException {
        List<String[]> lines = new ArrayList<>();
        for (PlannedProbe probe : list) {
            lines.add(new String[]{String.valueOf(probe.root()), ByteString.escape(probe.path().toBytes()),
                    String.valueOf(PlanFiles.letter(probe.kind())), Long.toUnsignedString(probe.inode()),
                    String.valueOf(probe.size())});
        }
        small(files.probes(), lines);
    }

    /** Writes which links were followed, at any time before the seal. */
    public void followed(List<PlannedFollow> list) throws PlanException {
        List<String[]> lines = new ArrayList<>();
        for (PlannedFollow link : list) {
            lines.add(new String[]{String.valueOf(link.root()), ByteString.escape(link.path().toBytes())});
        }
        small(files.followed(), lines);
    }

    /** Writes what the copies take, at any time before the seal. */
    public void room(List<PlannedRoom> list) throws PlanException {
        List<String[]> lines = new ArrayList<>();
        for (PlannedRoom room : list) {
            lines.add(new String[]{room.directory().toString(), String.valueOf(room.bytes()),
                    String.valueOf(room.nearBytes()), String.valueOf(room.roundedBytes()),
                    String.valueOf(room.inodes())});
        }
        small(files.room(), lines);
    }

    private void small(Path file, List<String[]> lines) throws PlanException {
        String name = file.getFileName().toString();
        try {
            guard.check();
            small.put(name, TextFile.replace(file, name, lines));
        } catch (IOException e) {
            throw PlanException.unwritable(file, e);
        }
    }

    /** Returns the writer of directories, for what need not become a value. */
    RecordFiles.Writer directories() {
        return directories;
    }

    /** Returns the writer of files in chunks, for what need not become a value. */
    RecordFiles.Writer chunked() {
        return chunked;
    }

    int batchCount() {
        return count;
    }

    /**
     * Completes the plan. All of it is on the disk then.
     *
     * @throws PlanException when something cannot be written; the plan is not valid then
     */
    public PlanTotals seal() throws PlanException {
        for (Path file : List.of(files.probes(), files.followed(), files.room())) {
            if (!small.containsKey(file.getFileName().toString())) {
                small(file, List.of());
            }
        }
        PlanTotals totals = new PlanTotals(entries, regular, bytes, directories.count(), chunked.count(),
                failures.count());
        try {
            List<String[]> lines = new ArrayList<>();
            line(lines, "batches", count);
            line(lines, "entries", totals.entries());
            line(lines, "files", totals.files());
            line(lines, "bytes", totals.bytes());
            line(lines, "directories", totals.directories());
            line(lines, "chunked", totals.chunked());
            line(lines, "failures", totals.failures());
            checksum(lines, "header", header);
            checksum(lines, "batches", batches.end());
            small.forEach((name, checksum) -> checksum(lines, name, checksum));
            checksum(lines, "directories", directories.end());
            checksum(lines, "chunked", chunked.end());
            checksum(lines, "failures", failures.end());
            guard.require();
            TextFile.replace(files.sealed(), "sealed", lines);
            return totals;
        } catch (IOException e) {
            throw PlanException.unwritable(files.sealed(), e);
        }
    }

    private static void line(List<String[]> lines, String key, long value) {
        lines.add(new String[]{key, String.valueOf(value)});
    }

    private static void checksum(List<String[]> lines, String file, int checksum) {
        lines.add(new String[]{"file", file, TextFile.hex(checksum)});
    }

    /** Opens a manifest's temporary for adding at its end. */
    OutputStream append(int batch) throws IOException {
        return PrivateFiles.append(temporary(batch));
    }

    /** Gives the manifest of a batch its name. */
    void place(int batch) throws IOException {
        guard.check();
        Files.move(temporary(batch), files.manifest(batch), StandardCopyOption.ATOMIC_MOVE);
    }

    /** Closes the files; what was not sealed stays as it is. */
    @Override
    public void close() {
        for (AutoCloseable file : List.of(batches, directories, chunked, failures)) {
            try {
                file.close();
            } catch (Exception e) {
                // What matters was closed by the seal; the rest is not valid anyway.
            }
        }
    }
}
