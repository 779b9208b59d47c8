// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;

import org.apache.commons.io.file.PathUtils;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.PrivateFiles;
import org.treehaul.core.plan.Plan;
import org.treehaul.core.plan.PlanException;

/** The directory of one transfer: what stands where in it, and what was fixed when it was made. Immutable. */
public final class TransferDirectory {

    private static final String VERSION = "1";
    private static final String HEADER = "transfer";
    private static final String PLAN = "plan";
    private static final List<String> PARTS = List.of("generations", "jobs", "attempts", "progress", "finish", "log",
            "launch");

    private final Path path;
    private final KeyFile header;
    private final TransferId id;
    private final Timing timing;
    private final Duration silence;

    private TransferDirectory(Path path, KeyFile header) {
        this.path = path;
        this.header = header;
        this.id = new TransferId(header.text("id"));
        this.timing = Timing.readFrom(header);
        this.silence = timing.silence(AttributeCache.of(path));
    }

    /**
     * Makes the directory of a new transfer. When this fails, nothing is left of it; when it is killed, a part of it
     * may be there, which counts as none without its first file.
     *
     * @param transfers the directory that all of them stand in
     * @param kind what it is to do: {@code copy} or {@code verify}
     * @param commandLine what the user said, to be shown; escaped where it is not printable
     */
    static TransferDirectory make(Path transfers, String kind, String commandLine, Timing timing, InstantSource clock,
            Random random) throws IOException {
        StateDirectory.keepPart(transfers);
        requireFresh(transfers);
        while (true) {
            Instant now = clock.instant();
            TransferId id = TransferId.make(now, random);
            Path path = transfers.resolve(id.text());
            try {
                PrivateFiles.makeDirectory(path);
            } catch (FileAlreadyExistsException e) {
                continue;
            }
            KeyFile header = timing.writeTo(KeyFile.empty()
                    .with("version", VERSION)
                    .with("id", id)
                    .with("created", now)
                    .withEscaped("user", System.getProperty("user.name", ""))
                    .withEscaped("host", ThisProcess.host())
                    .with("kind", kind)
                    .with("command",
                            commandLine.codePoints().noneMatch(Character::isISOControl)
                                    ? commandLine
                                    : ByteString.of(commandLine)));
            try {
                for (String part : PARTS) {
                    PrivateFiles.makeDirectory(path.resolve(part));
                }
                // Whoever is killed meanwhile leaves one that is not listed, not one that is damaged.
                header.replace(path.resolve(HEADER), true);
            } catch (IOException e) {
                try {
                    PathUtils.deleteDirectory(path);
                } catch (IOException suppressed) {
                    e.addSuppressed(suppressed);
                }
                throw e;
            }
            return new TransferDirectory(path, header);
        }
    }

    /**
     * Opens the directory of a transfer, once it is sure that nobody but its owner could write in it.
     *
     * @throws TransferException when there is none, when it is not ours, or of another version, or damaged
     */
    public static TransferDirectory open(Path path) throws IOException {
        return open(path, false);
    }

    /**
     * As {@link #open}; where its own file is damaged, by what can be known without that: enough to forget it.
     *
     * @throws TransferException when there is none, when it is not ours, or of another version
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
                        + real.getFileName() + "' removes the transfer, what it copied stays; then copy again");
            }
            return whole.isPresent() ? whole.get() : new TransferDirectory(real, withoutHeader(real));
        } catch (NoSuchFileException e) {
            throw new TransferException("there is no transfer in " + path, e);
        }
    }

    private static Optional<TransferDirectory> whole(Path real) throws IOException {
        KeyFile header;
        try {
            header = KeyFile.read(real.resolve(HEADER));
        } catch (TransferException e) {
            return Optional.empty();
        }
        if (!header.text("version").equals(VERSION)) {
            throw new TransferException(real + " is of version '" + header.text("version")
                    + "', this program knows version " + VERSION + ": use the program that made it");
        }
        try {
            return Optional.of(new TransferDirectory(real, header));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    // Its plan has a checksum of its own. Where that is of another transfer, tokens and temporaries are not ours.
    private static KeyFile withoutHeader(Path real) {
        String id = real.getFileName().toString();
        String kind = "copy";
        try {
            Path plan = real.resolve(PLAN);
            if (Plan.exists(plan) && !Plan.open(plan).header().id().equals(id)) {
                kind = VerifiedCopy.KIND;
            }
        } catch (PlanException e) {
            // Nothing is done by it then.
        }
        return Timing.defaults()
                .writeTo(KeyFile.empty().with("id", id).with("created", Instant.EPOCH).with("kind", kind));
    }

    /** Returns the directory itself. */
    public Path path() {
        return path;
    }

    /** Returns the state directory that it stands in. */
    public Path stateDirectory() {
        // .../transfers/ID
        return Objects.requireNonNull(Objects.requireNonNull(path.getParent()).getParent());
    }

    /** Returns the id of the transfer. */
    public TransferId id() {
        return id;
    }

    /** Returns what it is to do: {@code copy} or {@code verify}. */
    public String kind() {
        return header.text("kind");
    }

    /** Returns when it was made. */
    public Instant created() {
        return Instant.parse(header.text("created"));
    }

    /** Returns what the user said, escaped to be shown. */
    public String commandLine() {
        return header.text("command");
    }

    /** Returns how often its workers tell that they live. */
    public Timing timing() {
        return timing;
    }

    /**
     * Returns how long nothing must have been heard of a worker, as seen from here, before another takes its place:
     * longer than the takeover time where the state directory is on a mount with a long cache of attributes.
     */
    Duration silence() {
        return silence;
    }

    /**
     * Fails where what others write here is seen hours later.
     *
     * @throws TransferException that says how to mount it
     */
    static void requireFresh(Path directory) throws TransferException {
        Duration cache = AttributeCache.of(directory);
        if (cache.compareTo(AttributeCache.LONGEST) > 0) {
            throw new TransferException(directory + " is on a mount that caches attributes for " + cache.toSeconds()
                    + " s: mount it with actimeo=60 or less, or name another place with --state-dir");
        }
    }

    /** Returns the generations. */
    public Generations generations() {
        return new Generations(path.resolve("generations"));
    }

    /** Returns the directory of the plan; the planner makes it. */
    public Path plan() {
        return path.resolve(PLAN);
    }

    /** Writes down that jobs were submitted. */
    public void record(SubmittedJobs jobs) throws IOException {
        jobs.writeTo(path.resolve("jobs"));
    }

    /**
     * Returns the jobs that were submitted, in the order of generations.
     *
     * @throws TransferException when what was written down of some is damaged
     */
    public List<SubmittedJobs> submittedJobs() throws IOException {
        return SubmittedJobs.readFrom(path.resolve("jobs"));
    }

    /**
     * Passes by what was written down of jobs and is damaged, for good; to be called when it is known that none of them
     * is left.
     *
     * @return the files that are passed by
     */
    public List<Path> putDamagedJobsAside() throws IOException {
        return SubmittedJobs.putDamagedAside(path.resolve("jobs"));
    }

    /** Returns the directory where jobs leave their output. */
    public Path log() {
        return path.resolve("log");
    }

    /** Returns the directory of what the job script reads. */
    public Path launch() {
        return path.resolve("launch");
    }

    /** Returns the job script. */
    public Path script() {
        return path.resolve("script");
    }

    Path attempts() {
        return path.resolve("attempts");
    }

    Path progress() {
        return path.resolve("progress");
    }

    Path finish() {
        return path.resolve("finish");
    }
}
