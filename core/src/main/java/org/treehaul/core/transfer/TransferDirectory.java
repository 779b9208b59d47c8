// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Objects;
import java.util.Random;

import org.treehaul.core.entry.ByteString;

/** The directory of one transfer: what stands where in it, and what was fixed when it was made. Immutable. */
public final class TransferDirectory {

    private static final String VERSION = "1";
    private static final String HEADER = "transfer";
    private static final List<String> PARTS = List.of("generations", "jobs", "attempts", "progress", "finish", "log",
            "launch");

    private final Path path;
    private final KeyFile header;
    private final TransferId id;
    private final Timing timing;

    private TransferDirectory(Path path, KeyFile header) {
        this.path = path;
        this.header = header;
        this.id = new TransferId(header.text("id"));
        this.timing = Timing.readFrom(header);
    }

    /**
     * Makes the directory of a new transfer. When this fails, a part of it may be there; without its first file it
     * counts as none.
     *
     * @param transfers the directory that all of them stand in
     * @param kind what it is to do: {@code copy} or {@code verify}
     * @param commandLine what the user said, to be shown; escaped where it is not printable
     */
    static TransferDirectory make(Path transfers, String kind, String commandLine, Timing timing, InstantSource clock,
            Random random) throws IOException {
        Files.createDirectories(transfers);
        while (true) {
            Instant now = clock.instant();
            TransferId id = TransferId.make(now, random);
            Path path = transfers.resolve(id.text());
            try {
                StateDirectory.makePrivate(path);
            } catch (FileAlreadyExistsException e) {
                continue;
            }
            for (String part : PARTS) {
                StateDirectory.makePrivate(path.resolve(part));
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
            // Whoever is killed meanwhile leaves one that is not listed, not one that is damaged.
            header.replace(path.resolve(HEADER), true);
            return new TransferDirectory(path, header);
        }
    }

    /**
     * Opens the directory of a transfer, once it is sure that nobody but its owner could write in it.
     *
     * @throws TransferException when there is none, when it is not ours, or of another version, or damaged
     */
    public static TransferDirectory open(Path path) throws IOException {
        try {
            Path real = path.toRealPath();
            StateDirectory.requireOwn(real, 077);
            KeyFile header = KeyFile.read(real.resolve(HEADER));
            if (!header.text("version").equals(VERSION)) {
                throw new TransferException(real + " is of version '" + header.text("version")
                        + "', this program knows version " + VERSION + ": use the program that made it");
            }
            return new TransferDirectory(real, header);
        } catch (NoSuchFileException e) {
            throw new TransferException("there is no transfer in " + path, e);
        } catch (IllegalArgumentException e) {
            throw new TransferException(path.resolve(HEADER) + " is damaged: " + e.getMessage(), e);
        }
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

    /** Returns the generations. */
    public Generations generations() {
        return new Generations(path.resolve("generations"));
    }

    /** Returns the directory of the plan; the planner makes it. */
    public Path plan() {
        return path.resolve("plan");
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
