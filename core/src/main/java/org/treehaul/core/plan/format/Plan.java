// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.plan.format;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.fs.linux.ServerView;

/**
 * A snapshot of a plan on disk, taken when it was opened. To see more of a plan that grows while batches are released,
 * open it again. Immutable; each stream that it opens is for one thread.
 */
public final class Plan {

    private final PlanFiles files;
    private final PlanHeader header;
    private final List<PlannedBatch> batches;
    private final List<PlannedProbe> probes;
    private final List<PlannedFollow> followed;
    private final List<PlannedRoom> room;
    private final Map<Integer, List<String>> servers;
    private final @Nullable Seal seal;

    private record Seal(PlanTotals totals, Map<String, Integer> checksums) {}

    private Plan(PlanFiles files, PlanHeader header, List<PlannedBatch> batches, List<PlannedProbe> probes,
            List<PlannedFollow> followed, List<PlannedRoom> room, Map<Integer, List<String>> servers,
            @Nullable Seal seal) {
        this.files = files;
        this.header = header;
        this.batches = List.copyOf(batches);
        this.probes = List.copyOf(probes);
        this.followed = List.copyOf(followed);
        this.room = List.copyOf(room);
        this.servers = Map.copyOf(servers);
        this.seal = seal;
    }

    /**
     * Returns whether a directory holds a plan or the start of one.
     *
     * @throws PlanException if the server of the directory does not answer
     */
    public static boolean exists(Path directory) throws PlanException {
        return isThere(new PlanFiles(directory).header());
    }

    /**
     * Opens the plan in a directory, sealed or not.
     *
     * @throws PlanException if there is no plan, or it is damaged or has an unknown version
     */
    public static Plan open(Path directory) throws PlanException {
        PlanFiles files = new PlanFiles(directory);
        if (!exists(directory)) {
            throw new PlanException("there is no plan in " + PlanException.printable(directory)
                    + ": name the directory that 'treehaul plan' wrote, which contains a file 'header'");
        }
        // The seal is written last, so it is read first: all files that it names exist then.
        Seal seal = isThere(files.sealed()) ? seal(files) : null;
        TextFile.Content header = TextFile.read(files.header(), "plan", false);
        List<PlannedBatch> batches = batches(files.batches(), seal);
        List<PlannedProbe> probes = small(files.probes(), seal, line -> new PlannedProbe(Integer.parseInt(line[0]),
                path(line[1]), kind(line[2]), Long.parseUnsignedLong(line[3]), Long.parseLong(line[4])));
        List<PlannedFollow> followed = small(files.followed(), seal,
                line -> new PlannedFollow(Integer.parseInt(line[0]), path(line[1])));
        List<PlannedRoom> room = small(files.room(), seal, line -> new PlannedRoom(ByteString.unescape(line[0]),
                Long.parseLong(line[1]), Long.parseLong(line[2]), Long.parseLong(line[3]), Long.parseLong(line[4])));
        Map<Integer, List<String>> servers = new HashMap<>();
        small(files.servers(), seal,
                line -> Map.entry(Integer.parseInt(line[0]), List.of(line).subList(1, line.length)))
                .forEach(line -> servers.put(line.getKey(), line.getValue()));
        check(files.header(), seal, header);
        return new Plan(files, HeaderText.parse(files.header(), header.lines()), batches, probes, followed, room,
                servers, seal);
    }

    /**
     * Reads only the header of the plan in a directory, sealed or not.
     *
     * @throws PlanException if it is missing or damaged
     */
    public static PlanHeader header(Path directory) throws PlanException {
        Path file = new PlanFiles(directory).header();
        return HeaderText.parse(file, TextFile.read(file, "plan", false).lines());
    }

    // The file may be new: a planner extends the plan while other processes read it.
    private static boolean isThere(Path file) throws PlanException {
        try {
            return ServerView.exists(file);
        } catch (IOException e) {
            throw PlanException.unreadable(file, e);
        }
    }

    private interface Line<T> {
        T read(String[] fields);
    }

    private static <T> List<T> small(Path file, @Nullable Seal seal, Line<T> line) throws PlanException {
        // Some of these files exist from the start, others only when they are needed.
        boolean isThere = seal == null ? isThere(file) : seal.checksums.containsKey(name(file));
        if (!isThere) {
            return List.of();
        }
        TextFile.Content content = TextFile.read(file, name(file), false);
        check(file, seal, content);
        List<T> values = new ArrayList<>();
        try {
            for (String[] fields : content.lines()) {
                values.add(line.read(fields));
            }
        } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
            throw PlanException.damaged(file, String.valueOf(e.getMessage()));
        }
        return values;
    }

    private static TreePath path(String field) {
        return TreePath.of(ByteString.unescape(field).toBytes());
    }

    private static EntryKind kind(String field) {
        return PlanFiles.kind(field.charAt(0)).orElseThrow(() -> new IllegalArgumentException("not a kind: " + field));
    }

    private static void check(Path file, @Nullable Seal seal, TextFile.Content content) throws PlanException {
        if (seal != null && !Integer.valueOf(content.checksum()).equals(seal.checksums.get(name(file)))) {
            throw PlanException.damaged(file, "it is not the file that was written with the plan");
        }
    }

    private static String name(Path file) {
        return String.valueOf(file.getFileName());
    }

    private static Seal seal(PlanFiles files) throws PlanException {
        Path file = files.sealed();
        Map<String, Long> totals = new HashMap<>();
        Map<String, Integer> checksums = new HashMap<>();
        try {
            for (String[] line : TextFile.read(file, "sealed", false).lines()) {
                if (line[0].equals("file")) {
                    checksums.put(line[1], Integer.parseUnsignedInt(line[2], 16));
                } else {
                    totals.put(line[0], Long.parseLong(line[1]));
                }
            }
            return new Seal(new PlanTotals(total(totals, "entries"), total(totals, "files"), total(totals, "bytes"),
                    totals.getOrDefault("data", total(totals, "bytes")), total(totals, "directories"),
                    total(totals, "chunked"), total(totals, "failures")), checksums);
        } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
            throw PlanException.damaged(file, String.valueOf(e.getMessage()));
        }
    }

    private static long total(Map<String, Long> totals, String key) {
        Long value = totals.get(key);
        if (value == null) {
            throw new IllegalArgumentException("a line that starts with " + key + " is missing");
        }
        return value;
    }

    private static List<PlannedBatch> batches(Path file, @Nullable Seal seal) throws PlanException {
        byte[] text = TextFile.bytes(file, seal == null);
        Integer checksum = seal == null ? null : seal.checksums.get(name(file));
        Optional<List<PlannedBatch>> usual = checksum == null
                ? Optional.empty()
                : PlannedBatch.Lines.read(text, checksum);
        if (usual.isPresent()) {
            return usual.get();
        }
        TextFile.Content content = TextFile.read(file, "batches", seal == null, text);
        check(file, seal, content);
        List<PlannedBatch> batches = new ArrayList<>(content.lines().size());
        try {
            for (String[] line : content.lines()) {
                // Format 1 does not record holes.
                long data = Long.parseLong(line[line.length > 6 ? 6 : 3]);
                PlannedBatch batch = new PlannedBatch(Integer.parseInt(line[0]), Long.parseLong(line[1]),
                        Long.parseLong(line[2]), Long.parseLong(line[3]), data, Long.parseLong(line[4]),
                        Integer.parseUnsignedInt(line[5], 16));
                if (batch.number() != batches.size()) {
                    throw PlanException.damaged(file, "batch " + batches.size() + " is missing");
                }
                batches.add(batch);
            }
        } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
            throw PlanException.damaged(file, String.valueOf(e.getMessage()));
        }
        return batches;
    }

    /** Returns the file that a live planner rewrites every few seconds. */
    public static Path heartbeat(Path directory) {
        return new PlanFiles(directory).heartbeat();
    }

    /** Returns the directory of the plan. */
    public Path directory() {
        return files.directory();
    }

    /** Returns the header of the plan. */
    public PlanHeader header() {
        return header;
    }

    /**
     * Returns whether the plan is complete. An unsealed plan still grows, or its walk has died and must be repeated.
     */
    public boolean isSealed() {
        return seal != null;
    }

    /** Returns the totals of a sealed plan; empty for others. */
    public Optional<PlanTotals> totals() {
        return Optional.ofNullable(seal).map(Seal::totals);
    }

    /** Returns the number of batches. */
    public int batchCount() {
        return batches.size();
    }

    /** Returns the batches, in the order of their numbers. */
    public List<PlannedBatch> batches() {
        return batches;
    }

    /** Returns the probes that show whether the source is mounted. */
    public List<PlannedProbe> probes() {
        return probes;
    }

    /** Returns the symbolic links that were followed on the way to listed paths: all that the batches need. */
    public List<PlannedFollow> followed() {
        return followed;
    }

    /** Returns the space that the copies need on each file system; complete in a sealed plan. */
    public List<PlannedRoom> room() {
        return room;
    }

    /** Returns whether batches were divided by the servers that store their data. */
    public boolean hasServers() {
        return !servers.isEmpty();
    }

    /**
     * Returns the servers of which each stores all data of a batch, or a fragment of all of them.
     *
     * @param batch 0 to batchCount - 1
     * @return names of hosts, or of targets where the file system knows no hosts; empty if the servers are unknown
     */
    public List<String> servers(int batch) {
        return servers.getOrDefault(batch, List.of());
    }

    /**
     * Opens the manifest of a batch.
     *
     * @param batch 0 to batchCount - 1
     * @throws PlanException if the manifest is missing or damaged
     */
    public PlanRecords<ManifestEntry> manifest(int batch) throws PlanException {
        return ManifestReader.open(files.manifest(batch), batch, OptionalInt.of(batches.get(batch).checksum()));
    }

    /**
     * Opens the directories of a sealed plan; each follows all directories below it.
     *
     * @throws PlanException if the plan is not sealed, or the file is missing or damaged
     */
    public PlanRecords<PlannedDirectory> directories() throws PlanException {
        return new RecordFiles.Directories(open(files.directories(), PlanFiles.DIRECTORIES));
    }

    /**
     * Opens the list of files in chunks of a sealed plan.
     *
     * @throws PlanException if the plan is not sealed, or the file is missing or damaged
     */
    public PlanRecords<PlannedFile> chunked() throws PlanException {
        return new RecordFiles.Chunked(open(files.chunked(), PlanFiles.CHUNKED));
    }

    /**
     * Opens the entries that a sealed plan does not contain because planning could not read them.
     *
     * @throws PlanException if the plan is not sealed, or the file is missing or damaged
     */
    public PlanRecords<PlannedFailure> failures() throws PlanException {
        return new RecordFiles.Failures(open(files.failures(), PlanFiles.FAILURES), header.roots());
    }

    /**
     * Reads the whole plan: opening a file compares its checksum, and each record is checked when it is read.
     *
     * @throws PlanException if a file is missing or damaged
     */
    public void check() throws PlanException {
        for (PlannedBatch batch : batches) {
            readAll(manifest(batch.number()));
        }
        if (isSealed()) {
            readAll(directories());
            readAll(chunked());
            readAll(failures());
        }
    }

    private static void readAll(PlanRecords<?> records) throws PlanException {
        try (records) {
            while (records.next() != null) {}
        }
    }

    private BinaryReader open(Path file, String magic) throws PlanException {
        if (seal == null) {
            throw new PlanException("the plan in " + PlanException.printable(files.directory())
                    + " is not finished: wait until it is, or plan again");
        }
        Integer checksum = seal.checksums.get(name(file));
        return BinaryReader.open(file, magic, checksum == null ? OptionalInt.empty() : OptionalInt.of(checksum));
    }
}
