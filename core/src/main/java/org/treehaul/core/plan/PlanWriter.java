// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.plan;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

import org.treehaul.core.entry.Amounts;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.fs.PrivateFiles;
import org.treehaul.core.plan.format.HeaderText;
import org.treehaul.core.plan.format.ManifestEntry;
import org.treehaul.core.plan.format.ManifestWriter;
import org.treehaul.core.plan.format.PlanException;
import org.treehaul.core.plan.format.PlanFiles;
import org.treehaul.core.plan.format.PlanHeader;
import org.treehaul.core.plan.format.PlanTotals;
import org.treehaul.core.plan.format.PlannedBatch;
import org.treehaul.core.plan.format.PlannedDirectory;
import org.treehaul.core.plan.format.PlannedFailure;
import org.treehaul.core.plan.format.PlannedFile;
import org.treehaul.core.plan.format.PlannedFollow;
import org.treehaul.core.plan.format.PlannedProbe;
import org.treehaul.core.plan.format.PlannedRoom;
import org.treehaul.core.plan.format.RecordFiles;
import org.treehaul.core.plan.format.SpooledStatus;
import org.treehaul.core.plan.format.TextFile;
import org.treehaul.core.state.AtomicFiles;
import org.treehaul.core.state.Checksum;

/**
 * Writes a plan: the batches one after another, then the other files, and finally the seal. Without the seal the plan
 * is not valid; closing an unsealed writer leaves the files written so far. Used by one thread.
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
    private long data;

    private PlanWriter(PlanFiles files, PlanHeader header, PlanGuard guard) throws IOException {
        this.files = files;
        this.guard = guard;
        PrivateFiles.makeDirectories(files.directory());
        this.header = TextFile.replace(files.header(), "plan", HeaderText.lines(header));
        PrivateFiles.makeDirectories(files.manifests());
        List<AutoCloseable> opened = new ArrayList<>();
        try {
            this.batches = TextFile.begin(files.batches(), "batches");
            opened.add(batches);
            this.directories = new RecordFiles.Writer(files.directories(), PlanFiles.DIRECTORIES);
            opened.add(directories);
            this.chunked = new RecordFiles.Writer(files.chunked(), PlanFiles.CHUNKED);
            opened.add(chunked);
            this.failures = new RecordFiles.Writer(files.failures(), PlanFiles.FAILURES);
        } catch (IOException e) {
            close(opened);
            throw e;
        }
    }

    /**
     * Starts a plan in a directory, creating the directory if necessary.
     *
     * @throws PlanException if the directory holds a sealed plan or cannot be written
     */
    public static PlanWriter create(Path directory, PlanHeader header) throws PlanException {
        return create(directory, header, PlanGuard.none());
    }

    static PlanWriter create(Path directory, PlanHeader header, PlanGuard guard) throws PlanException {
        PlanFiles files = new PlanFiles(directory);
        if (Files.exists(files.sealed())) {
            throw new PlanException("there is already a finished plan in " + PlanException.printable(directory)
                    + ": remove it, or use another directory");
        }
        try {
            clear(files);
            return new PlanWriter(files, header, guard);
        } catch (IOException e) {
            throw PlanException.unwritable(directory, e);
        }
    }

    // The remains of an unfinished plan are useless; other files must not be lost. The header stays until the next one
    // replaces it: without it, what is left after a kill would count as other files.
    private static void clear(PlanFiles files) throws IOException {
        if (!Files.exists(files.directory())) {
            return;
        }
        if (!Files.exists(files.header()) && hasOther(files)) {
            throw new PlanException(PlanException.printable(files.directory())
                    + " is not empty and contains no plan: use an empty or new directory");
        }
        for (Path file : List.of(files.batches(), files.directories(), files.chunked(), files.failures(),
                files.probes(), files.followed(), files.room(), files.servers())) {
            Files.deleteIfExists(file);
        }
        PrivateFiles.removeDirectory(files.manifests());
    }

    // A header for which there was no space leaves its temporary file.
    private static boolean hasOther(PlanFiles files) throws IOException {
        try (Stream<Path> names = Files.list(files.directory())) {
            return names.anyMatch(name -> !name.equals(TextFile.temporary(files.header())));
        }
    }

    /** Adds a batch with its manifest; entries are numbered by their order, and their own indexes are ignored. */
    public PlannedBatch addBatch(Iterable<ManifestEntry> content) throws PlanException {
        Path file = files.manifest(count);
        try {
            Path temporary = temporary(count);
            PlannedBatch batch;
            try (ManifestWriter manifest = new ManifestWriter(TextFile.synced(temporary), BUFFER_BYTES, count)) {
                for (ManifestEntry entry : content) {
                    byte[] path = entry.path().toBytes();
                    manifest.add(entry.root(), path, path.length - entry.path().name().length(),
                            SpooledStatus.of(entry), entry.data(), entry.group(), entry.chunk());
                }
                batch = manifest.end();
            }
            AtomicFiles.rename(temporary, file);
            batchDone(batch);
            return batch;
        } catch (IOException e) {
            throw PlanException.unwritable(file, e);
        }
    }

    /** Returns the temporary file of a batch's manifest, used until it is complete. */
    Path temporary(int batch) throws IOException {
        guard.check();
        return files.manifests().resolve(batch + ".new");
    }

    /** Adds the line of a batch whose manifest has its final name. */
    void batchDone(PlannedBatch batch) throws IOException {
        batches.line(String.valueOf(batch.number()), String.valueOf(batch.entries()), String.valueOf(batch.files()),
                String.valueOf(batch.bytes()), String.valueOf(batch.largest()), Checksum.hex(batch.checksum()),
                String.valueOf(batch.data()));
        count++;
        entries += batch.entries();
        regular += batch.files();
        bytes = Amounts.sum(bytes, batch.bytes());
        data = Amounts.sum(data, batch.data());
    }

    /** Adds a directory; it must follow all directories below it. */
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
                    file.root(), file.path().toBytes(), new SpooledStatus(EntryKind.REGULAR, file.size(), 0,
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

    /** Writes the probes, at any time before sealing. */
    public void probes(List<PlannedProbe> list) throws PlanException {
        List<String[]> lines = new ArrayList<>();
        for (PlannedProbe probe : list) {
            lines.add(new String[]{String.valueOf(probe.root()), ByteString.escape(probe.path().toBytes()),
                    String.valueOf(PlanFiles.letter(probe.kind())), Long.toUnsignedString(probe.inode()),
                    String.valueOf(probe.size())});
        }
        small(files.probes(), lines);
    }

    /** Writes the followed links, at any time before sealing. */
    public void followed(List<PlannedFollow> list) throws PlanException {
        List<String[]> lines = new ArrayList<>();
        for (PlannedFollow link : list) {
            lines.add(new String[]{String.valueOf(link.root()), ByteString.escape(link.path().toBytes())});
        }
        small(files.followed(), lines);
    }

    /** Writes the space that the copies need, at any time before sealing. */
    public void room(List<PlannedRoom> list) throws PlanException {
        List<String[]> lines = new ArrayList<>();
        for (PlannedRoom room : list) {
            lines.add(new String[]{room.directory().toString(), String.valueOf(room.bytes()),
                    String.valueOf(room.nearBytes()), String.valueOf(room.roundedBytes()),
                    String.valueOf(room.inodes())});
        }
        small(files.room(), lines);
    }

    /**
     * Writes the servers of batches, at most once, before the first batch.
     *
     * @param lines the number of a batch, and the servers that store its data
     */
    void servers(List<String[]> lines) throws PlanException {
        small(files.servers(), lines);
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

    /** Returns the writer of directories, for records that are written without creating values. */
    RecordFiles.Writer directories() {
        return directories;
    }

    /** Returns the writer of files in chunks, for records that are written without creating values. */
    RecordFiles.Writer chunked() {
        return chunked;
    }

    int batchCount() {
        return count;
    }

    /**
     * Completes the plan. All of it is on stable storage when this returns.
     *
     * @throws PlanException if a file cannot be written; the plan is not valid then
     */
    public PlanTotals seal() throws PlanException {
        for (Path file : List.of(files.probes(), files.followed(), files.room())) {
            if (!small.containsKey(file.getFileName().toString())) {
                small(file, List.of());
            }
        }
        PlanTotals totals = new PlanTotals(entries, regular, bytes, data, directories.count(), chunked.count(),
                failures.count());
        try {
            List<String[]> lines = new ArrayList<>();
            line(lines, "batches", count);
            line(lines, "entries", totals.entries());
            line(lines, "files", totals.files());
            line(lines, "bytes", totals.bytes());
            line(lines, "data", totals.data());
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
        lines.add(new String[]{"file", file, Checksum.hex(checksum)});
    }

    /** Gives the manifest of a batch its final name. */
    void place(int batch) throws IOException {
        guard.check();
        AtomicFiles.rename(temporary(batch), files.manifest(batch));
    }

    /** Closes the files; an unsealed plan stays as it is. */
    @Override
    public void close() {
        close(List.of(batches, directories, chunked, failures));
    }

    private static void close(List<AutoCloseable> files) {
        for (AutoCloseable file : files) {
            try {
                file.close();
            } catch (Exception e) {
                // Sealing has closed the files that matter; an unsealed plan is not valid anyway.
            }
        }
    }
}
