// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.directory;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;

import org.apache.commons.io.file.PathUtils;
import org.jspecify.annotations.Nullable;
import org.treehaul.core.annotation.Api;
import org.treehaul.core.annotation.Internal;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.PrivateFiles;
import org.treehaul.core.fs.linux.ServerView;
import org.treehaul.core.plan.format.Plan;
import org.treehaul.core.plan.format.PlanException;
import org.treehaul.core.state.DamagedFileException;
import org.treehaul.core.state.StateFile;
import org.treehaul.core.transfer.operation.Operation;
import org.treehaul.core.transfer.operation.OperationFormat;

/** The directory of a transfer: the paths of its parts, and the properties fixed at its creation. Immutable. */
@Api
public final class TransferDirectory {

    private static final String VERSION = "1";
    // A command line may have 2 MiB, and each byte takes up to 4 characters. A status reads them.
    private static final int MOST_SHOWN = 50_000;
    // The parameters of an operation may contain a whole command.
    private static final int MOST_BYTES = 64 << 20;

    private static final String HEADER = "transfer";
    private static final String PLAN = "plan";
    private static final List<String> PARTS = List.of("generations", "jobs", "attempts", "progress", "finish", "log",
            "launch");

    private final Path path;
    private final StateFile header;
    private final TransferId id;
    private final Operation operation;
    private final Timing timing;
    private final Duration silenceLimit;
    // The inode of the containing directory; null if it cannot be read.
    private final @Nullable Object place;

    private TransferDirectory(Path path, StateFile header, Operation operation) {
        this.path = path;
        this.header = header;
        this.operation = operation;
        this.id = new TransferId(header.text("id"));
        this.timing = Timing.readFrom(header);
        this.silenceLimit = timing.silenceLimit(AttributeCache.of(path));
        this.place = place(path);
    }

    /**
     * Creates the directory of a new transfer. If this fails, nothing remains; if it is killed, a part may remain,
     * which does not count as a transfer without its first file.
     *
     * @param transfers the directory that contains all transfers
     * @param operation the operation to apply to each entry
     * @param commandLine the command of the user, for display; escaped if it is not printable, and cut if it is very
     *        long
     */
    @Internal
    public static TransferDirectory make(Path transfers, Operation operation, String commandLine, Timing timing,
            InstantSource clock, Random random) throws IOException {
        StateDirectory.keepPart(transfers);
        requireFresh(transfers);
        String shown = commandLine.length() <= MOST_SHOWN ? commandLine : commandLine.substring(0, MOST_SHOWN) + "...";
        while (true) {
            Instant now = clock.instant();
            TransferId id = TransferId.make(now, random);
            Path path = transfers.resolve(id.text());
            try {
                PrivateFiles.makeDirectory(path);
            } catch (FileAlreadyExistsException e) {
                continue;
            }
            StateFile header = StateFile.empty()
                    .with("version", VERSION)
                    .with("id", id)
                    .with("created", now)
                    .withEscaped("user", System.getProperty("user.name", ""))
                    .withEscaped("host", ThisProcess.host());
            for (Map.Entry<String, String> line : OperationFormat.lines(operation).entrySet()) {
                header = header.with(line.getKey(), line.getValue());
            }
            header = timing.writeTo(header.with("command",
                    shown.codePoints().noneMatch(Character::isISOControl) ? shown : ByteString.of(shown)));
            try {
                for (String part : PARTS) {
                    PrivateFiles.makeDirectory(path.resolve(part));
                }
                // The header comes last: a kill before it leaves a directory that is not listed, not one that is
                // damaged.
                header.replace(path.resolve(HEADER), true);
            } catch (IOException e) {
                try {
                    PathUtils.deleteDirectory(path);
                } catch (IOException suppressed) {
                    e.addSuppressed(suppressed);
                }
                throw e;
            }
            return new TransferDirectory(path, header, operation);
        }
    }

    /**
     * Opens the directory of a transfer after checking that only its owner could write in it.
     *
     * @throws TransferException if it does not exist, belongs to another user, is damaged, or has an unknown version or
     *         operation
     */
    public static TransferDirectory open(Path path) throws IOException {
        return open(path, false);
    }

    /**
     * Like {@link #open}; if the file of the transfer is damaged, uses what is known without it, which is enough to
     * forget the transfer.
     *
     * @throws TransferException if the directory does not exist, belongs to another user, or has an unknown version or
     *         operation
     */
    public static TransferDirectory openDamaged(Path path) throws IOException {
        return open(path, true);
    }

    private static TransferDirectory open(Path path, boolean isDamageFine) throws IOException {
        try {
            Path real = StateDirectory.requireTransfer(path);
            Optional<TransferDirectory> whole = whole(real);
            if (whole.isEmpty() && !isDamageFine) {
                throw new TransferException(real.resolve(HEADER) + " is damaged: 'treehaul forget --force "
                        + real.getFileName() + "' removes the transfer but not its copy; then copy again");
            }
            return whole.isPresent() ? whole.get() : withoutHeader(real);
        } catch (NoSuchFileException e) {
            throw new TransferException("there is no transfer in " + path, e);
        }
    }

    private static Optional<TransferDirectory> whole(Path real) throws IOException {
        StateFile header;
        try {
            header = StateFile.read(real.resolve(HEADER), MOST_BYTES);
        } catch (DamagedFileException e) {
            return Optional.empty();
        }
        if (!header.text("version").equals(VERSION)) {
            throw new OtherVersionException(real + " is of version '" + header.text("version")
                    + "', but this program supports version " + VERSION + ": use the program that created it");
        }
        Operation operation = OperationFormat.read(header.values())
                .orElseThrow(() -> new OtherVersionException(
                        real + " is a transfer of " + OperationFormat.shown(header.values())
                                + ", which this program does not know: use the program that made it"));
        try {
            return Optional.of(new TransferDirectory(real, header, operation));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    // The plan has its own checksum. If it belongs to another transfer, then so do the tokens and temporary files.
    private static TransferDirectory withoutHeader(Path real) {
        String id = real.getFileName().toString();
        Operation operation = new Operation.Copy();
        try {
            Path plan = real.resolve(PLAN);
            if (Plan.exists(plan) && !Plan.open(plan).header().id().equals(id)) {
                operation = new Operation.Verify();
            }
        } catch (PlanException e) {
            // Nothing uses this plan then.
        }
        return new TransferDirectory(real,
                Timing.defaults().writeTo(StateFile.empty().with("id", id).with("created", Instant.EPOCH)), operation);
    }

    /** Returns the path of the directory. */
    public Path path() {
        return path;
    }

    /** Returns the state directory that contains it. */
    public Path stateDirectory() {
        // .../transfers/ID
        return Objects.requireNonNull(Objects.requireNonNull(path.getParent()).getParent());
    }

    /**
     * Returns whether the transfer was forgotten: the state directory can be read, and does not have it any more. While
     * the state directory does not answer, or its file system is not mounted and another directory is in its place,
     * nothing counts as forgotten.
     */
    @Internal
    public boolean isForgotten() {
        try {
            return !hasHeader() && ServerView.exists(Objects.requireNonNull(path.getParent()))
                    && (place == null || place.equals(place(path))) && !hasHeader();
        } catch (IOException e) {
            return false;
        }
    }

    // Not the number of the device, which is another one when a network file system is mounted again.
    private static @Nullable Object place(Path path) {
        try {
            return Files.getAttribute(Objects.requireNonNull(path.getParent()), "unix:ino");
        } catch (IOException e) {
            return null;
        }
    }

    // Forgetting removes this file first.
    private boolean hasHeader() throws IOException {
        return ServerView.exists(path.resolve(HEADER));
    }

    /** Returns the id of the transfer. */
    public TransferId id() {
        return id;
    }

    /** Returns the operation that the transfer applies to each entry. */
    public Operation operation() {
        return operation;
    }

    /** Returns when the transfer was created. */
    public Instant created() {
        return Instant.parse(header.text("created"));
    }

    /** Returns the name of the user who created the transfer, escaped for display. */
    public String user() {
        return header.text("user");
    }

    /** Returns the host on which the transfer was created, escaped for display. */
    public String host() {
        return header.text("host");
    }

    /** Returns the command of the user, escaped for display. */
    public String commandLine() {
        return header.text("command");
    }

    /** Returns the heartbeat, takeover and sync intervals of its workers. */
    @Internal
    public Timing timing() {
        return timing;
    }

    /**
     * Returns how long a worker must be silent, as seen from this host, before another takes its place: longer than the
     * takeover time if the state directory is on a mount with a long attribute cache time.
     */
    public Duration silenceLimit() {
        return silenceLimit;
    }

    /**
     * Rejects a directory on a mount where changes by others would become visible only hours later.
     *
     * @throws TransferException with the mount options to use
     */
    @Internal
    public static void requireFresh(Path directory) throws TransferException {
        Duration cache = AttributeCache.of(directory);
        if (cache.compareTo(AttributeCache.LONGEST) > 0) {
            throw new TransferException(directory + " is on a mount that caches attributes for " + cache.toSeconds()
                    + " s: mount it with actimeo=60 or less, or use another directory with --state-dir");
        }
    }

    /** Returns the generations of the transfer. */
    @Internal
    public Generations generations() {
        return new Generations(path.resolve("generations"));
    }

    /** Returns the directory of the plan; the planner creates it. */
    public Path plan() {
        return path.resolve(PLAN);
    }

    /** Records submitted jobs. */
    @Internal
    public void record(SubmittedJobs jobs) throws IOException {
        jobs.writeTo(path.resolve("jobs"));
    }

    /**
     * Returns the submitted jobs, in the order of generations.
     *
     * @throws TransferException if a record is damaged
     */
    public List<SubmittedJobs> submittedJobs() throws IOException {
        return SubmittedJobs.readFrom(path.resolve("jobs"));
    }

    /**
     * Permanently ignores damaged records of jobs; the caller must know that none of these jobs is left.
     *
     * @return the files that are ignored
     */
    @Internal
    public List<Path> putDamagedJobsAside() throws IOException {
        return SubmittedJobs.putDamagedAside(path.resolve("jobs"));
    }

    /** Returns the directory for the output of jobs. */
    public Path log() {
        return path.resolve("log");
    }

    /** Returns the directory of the files that the job script reads. */
    @Internal
    public Path launch() {
        return path.resolve("launch");
    }

    @Internal
    public Path attempts() {
        return path.resolve("attempts");
    }

    @Internal
    public Path progress() {
        return path.resolve("progress");
    }

    @Internal
    public Path finish() {
        return path.resolve("finish");
    }

    /** Returns the file that is rewritten periodically while a generation is being finished. */
    @Internal
    public Path finishingHeartbeat(int generation) {
        return finish().resolve(generation + ".alive");
    }
}
