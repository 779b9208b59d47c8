// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Random;
import java.util.function.Consumer;

import org.apache.commons.io.file.PathUtils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.treehaul.core.copy.CopyPair;
import org.treehaul.core.copy.TransferFinisher;
import org.treehaul.core.event.EventListener;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.plan.Plan;
import org.treehaul.core.plan.PlanRecords;
import org.treehaul.core.plan.PlanTokens;
import org.treehaul.core.plan.PlannedDirectory;
import org.treehaul.core.walk.Cancellation;
import org.treehaul.core.walk.Root;

/**
 * The transfers in a state directory: the entrance for programs.
 *
 * <p>
 * A transfer is made ({@link #create}), planned into its {@link TransferDirectory#plan()}, started ({@link #start}),
 * worked on by any number of {@link Worker}s, and ended by {@link Finishing}; {@link TransferRunner} does the last two
 * in this process. What is left when any of these dies is done after {@link #resume}.
 *
 * <p>
 * It keeps no state, so that any number of processes and threads may use one directory.
 */
public final class Transfers {

    private static final Logger LOG = LoggerFactory.getLogger(Transfers.class);
    // Longer than anybody takes to make or forget a transfer, and clocks of hosts differ.
    private static final Duration HALF_MADE = Duration.ofDays(1);

    private final Path directory;
    private final InstantSource clock;
    private final Random random = new SecureRandom();

    private Transfers(Path directory, InstantSource clock) {
        this.directory = directory;
        this.clock = clock;
    }

    /**
     * Opens a state directory, and makes it where there is none.
     *
     * @throws TransferException when it cannot be made, is not ours, or is open to others
     */
    public static Transfers in(Path stateDirectory) throws TransferException {
        return in(stateDirectory, InstantSource.system());
    }

    /**
     * Opens a state directory to look at what is there: none is made, and it need not be writable.
     *
     * @throws TransferException when it is not ours, is open to others, or cannot be read
     */
    public static Transfers reading(Path stateDirectory) throws TransferException {
        return new Transfers(StateDirectory.look(stateDirectory).resolve("transfers"), InstantSource.system());
    }

    /** Opens a state directory with another clock. */
    public static Transfers in(Path stateDirectory, InstantSource clock) throws TransferException {
        return new Transfers(StateDirectory.make(stateDirectory).resolve("transfers"), clock);
    }

    /**
     * Makes a new transfer. It is to be planned next.
     *
     * @param kind {@code copy} or {@code verify}
     * @param commandLine what the user said, to be shown
     */
    public TransferDirectory create(String kind, String commandLine, Timing timing) throws IOException {
        try {
            return TransferDirectory.make(directory, kind, commandLine, timing, clock, random);
        } catch (TransferException e) {
            throw e;
        } catch (IOException e) {
            throw new TransferException("no transfer can be made in " + directory + ": " + StateDirectory.reason(e)
                    + "; name another place with --state-dir", e);
        }
    }

    /**
     * Makes a new transfer that reads again what a finished copy copied, and compares it. Its plan is there already; it
     * never writes in source or destination. The copy may be forgotten then.
     *
     * @throws TransferException when the copy is not finished, or is no copy
     */
    public TransferDirectory createVerify(TransferDirectory copy, String commandLine, Timing timing)
            throws IOException {
        if (copy.kind().equals(VerifiedCopy.KIND)) {
            throw new TransferException(copy.id() + " is itself a verification: verify the copy, "
                    + VerifiedCopy.of(copy).map(VerifiedCopy::id).orElse(""));
        }
        TransferStatus.State state = status(copy).state();
        if (state != TransferStatus.State.COMPLETE && state != TransferStatus.State.PARTIAL) {
            throw new TransferException(copy.id() + " is not finished but " + state.name().toLowerCase(Locale.ROOT)
                    + ": verify it when it is");
        }
        TransferDirectory verify = create(VerifiedCopy.KIND, commandLine, timing);
        try {
            VerifiedCopy.bring(copy, verify);
            return verify;
        } catch (IOException e) {
            try {
                forget(verify);
            } catch (IOException suppressed) {
                e.addSuppressed(suppressed);
            }
            throw e;
        }
    }

    /** Opens a transfer. */
    public TransferDirectory open(TransferId id) throws IOException {
        return TransferDirectory.open(directory.resolve(id.text()));
    }

    /** Opens a transfer, and one whose own file is damaged as far as {@link #forget} needs it. */
    public TransferDirectory openDamaged(TransferId id) throws IOException {
        return TransferDirectory.openDamaged(directory.resolve(id.text()));
    }

    /** Returns all of them, the oldest first; those that are half made are left out. */
    public List<TransferId> list() throws IOException {
        return list(true);
    }

    private List<TransferId> list(boolean isMade) throws IOException {
        List<TransferId> ids = new ArrayList<>();
        if (Files.isDirectory(directory)) {
            try (Listing all = Listing.of(directory)) {
                for (Path path = all.next(); path != null; path = all.next()) {
                    String name = path.getFileName().toString();
                    if (TransferId.isId(name) && Files.exists(path.resolve("transfer")) == isMade) {
                        ids.add(new TransferId(name));
                    }
                }
            }
        }
        ids.sort(null);
        for (int from = 0, to; from < ids.size(); from = to) {
            String second = ids.get(from).second();
            for (to = from + 1; to < ids.size() && ids.get(to).second().equals(second);) {
                to++;
            }
            if (to - from > 1) {
                byTime(ids.subList(from, to));
            }
        }
        return ids;
    }

    private void byTime(List<TransferId> ofOneSecond) {
        Map<TransferId, FileTime> times = new HashMap<>();
        ofOneSecond.forEach(id -> times.put(id, made(id)));
        ofOneSecond.sort(Comparator.comparing(times::get));
    }

    private FileTime made(TransferId id) {
        try {
            return Files.getLastModifiedTime(directory.resolve(id.text()).resolve("transfer"));
        } catch (IOException e) {
            // Forgotten just now, or not whole.
            return FileTime.fromMillis(0);
        }
    }

    /**
     * Begins the first generation of a transfer whose plan is there or, when it streams, begins to be, and returns it.
     *
     * @throws OvertakenException when there is one
     */
    public int start(TransferDirectory transfer) throws IOException {
        return transfer.generations().raiseAfter(0, Generations.Reason.START, false);
    }

    /** Says how far a transfer is. Reads only small files. */
    public TransferStatus status(TransferDirectory transfer) throws IOException {
        return new StatusReader(transfer, clock).read();
    }

    /**
     * Begins a new generation, which does what is missing and tries again what failed, and returns it. Its workers and
     * its finishing are to be started next. Whoever calls this has made sure that jobs of older generations are gone;
     * should one live nevertheless, it stops at its next heartbeat. Until then it may put whole copies of its own in
     * the place of what was copied meanwhile, which are no links of the other names of those files.
     */
    public int resume(TransferDirectory transfer) throws IOException {
        return transfer.generations().raise(Generations.Reason.RESUME);
    }

    /** Returns whether a transfer has to be planned before it can be resumed, as the walk died. */
    public boolean needsPlan(TransferDirectory transfer) throws IOException {
        return !Plan.exists(transfer.plan()) || !Plan.open(transfer.plan()).isSealed();
    }

    /**
     * Removes the plan of a transfer that {@linkplain #needsPlan needs another}, with its tokens, and what was done by
     * it: batches of the new plan are not those of the old one. To be called in a new generation.
     */
    public void removePlan(TransferDirectory transfer) throws IOException {
        // The new plan may write them elsewhere, as a target that was not there may be by now.
        removeTokens(transfer);
        for (Path part : List.of(transfer.attempts(), transfer.progress(), transfer.finish())) {
            PathUtils.cleanDirectory(part);
        }
        if (Files.exists(transfer.plan())) {
            PathUtils.deleteDirectory(transfer.plan());
        }
    }

    /**
     * Begins a generation in which nothing is done: workers and finishing stop at their next heartbeat.
     *
     * @return its number, or nothing where the transfer is finished: then nothing is done
     */
    public OptionalInt cancel(TransferDirectory transfer) throws IOException {
        while (true) {
            try {
                return cancel(transfer, transfer.generations().newest());
            } catch (OvertakenException e) {
                // Somebody else was first: the one after that.
            }
        }
    }

    /**
     * As {@link #cancel(TransferDirectory)}, of what is begun by one generation.
     *
     * @throws OvertakenException when another has begun one since; nothing is done
     */
    public OptionalInt cancel(TransferDirectory transfer, int seen) throws IOException {
        transfer.generations().requireNewest(seen);
        return GenerationEnd.of(transfer, seen).cancel()
                ? OptionalInt.of(transfer.generations().raiseAfter(seen, Generations.Reason.CANCEL, false))
                : OptionalInt.empty();
    }

    /**
     * Limits the data that all processes of a transfer move together, from now on and after each resume. Processes that
     * work on it follow at their next heartbeat.
     *
     * @param bytesPerSecond the limit; 0 for none
     * @throws IllegalArgumentException when it is negative
     */
    public void limitBandwidth(TransferDirectory transfer, long bytesPerSecond) throws IOException {
        if (bytesPerSecond < 0) {
            throw new IllegalArgumentException("a negative limit: " + bytesPerSecond);
        }
        SharedBandwidth.setLimit(transfer, bytesPerSecond);
    }

    /**
     * Returns how many bytes a second all processes of a transfer may move together; 0 for no limit.
     *
     * @throws IOException when the plan, or the limit, cannot be read
     */
    public long bandwidth(TransferDirectory transfer) throws IOException {
        OptionalLong limit = SharedBandwidth.limit(transfer);
        return limit.isPresent() || !Plan.exists(transfer.plan())
                ? limit.orElse(0)
                : CopySettings.parse(Plan.open(transfer.plan()).header().settings()).bandwidth();
    }

    /**
     * Tells what failed and was not mended by a later attempt, in no stated order.
     *
     * @param consumer is given each; the index says nothing
     */
    public void failures(TransferDirectory transfer, Consumer<FailureRecord> consumer) throws IOException {
        new FailureReader(transfer, consumer::accept).read();
    }

    /**
     * Removes all that is known of a transfer, and its tokens in the destinations where these are seen; the copy stays.
     * When this fails, a part may be left, that no longer counts as a transfer.
     */
    public void forget(TransferDirectory transfer) throws IOException {
        removeTokens(transfer);
        Files.deleteIfExists(transfer.path().resolve("transfer"));
        PathUtils.deleteDirectory(transfer.path());
    }

    /** Removes what has been left for a day of transfers that were killed while they were made or forgotten. */
    public void forgetHalves() throws IOException {
        FileTime before = FileTime.from(clock.instant().minus(HALF_MADE));
        for (TransferId id : list(false)) {
            Path half = directory.resolve(id.text());
            if (Files.getLastModifiedTime(half).compareTo(before) < 0) {
                PathUtils.deleteDirectory(half);
            }
        }
    }

    /**
     * Removes what killed workers of a copy left in the destination; for a copy that nobody goes on with. What has its
     * final name stays.
     *
     * @param listener hears what could not be looked at
     * @return what names of temporaries begin with, where some may be left as this host does not see the destination;
     *         nothing when all is swept
     */
    public Optional<String> sweep(TransferDirectory transfer, EventListener listener, Cancellation cancellation)
            throws IOException {
        if (!transfer.kind().equals("copy") || !Plan.exists(transfer.plan())) {
            return Optional.empty();
        }
        Plan plan = Plan.open(transfer.plan());
        if (Attempts.atBatches(transfer).newest().isEmpty()) {
            return Optional.empty();
        }
        Optional<String> prefix = Optional.of(TransferFinisher.temporaryPrefix(transfer.id().text()));
        Worker.Settings settings = Worker.Settings.of(plan, transfer, 0);
        try (TransferFinisher finisher = TransferFinisher.of(Linux.calls(), settings.options(), transfer.id().text())) {
            try (MountCheck mounts = MountCheck.of(Linux.calls(), plan, settings, FinishingHistory.read(transfer))) {
                mounts.checkTargets();
            } catch (WrongMountException e) {
                return prefix;
            }
            List<CopyPair> pairs = plan.header()
                    .roots()
                    .stream()
                    .map(root -> new CopyPair(Root.of(root.source()), root.target()))
                    .toList();
            boolean isSwept = false;
            try (PlanRecords<PlannedDirectory> directories = plan.isSealed()
                    ? plan.directories()
                    : new ManifestDirectories(plan)) {
                isSwept = finisher.sweep(pairs, new FinalDirectories(directories), listener, cancellation).isComplete();
            } catch (UncheckedIOException e) {
                throw e.getCause();
            }
            return isSwept ? Optional.empty() : prefix;
        }
    }

    /**
     * Writes the tokens of a copy again, of which finishing has removed some: so its workers may go on where inode
     * numbers have changed.
     */
    public void renewTokens(TransferDirectory transfer) throws IOException {
        if (transfer.kind().equals("copy") && Plan.exists(transfer.plan())) {
            PlanTokens.write(Linux.calls(), Plan.open(transfer.plan()));
        }
    }

    /** Removes the tokens of a copy in the destinations, where these are seen. */
    public void removeTokens(TransferDirectory transfer) {
        // Those that a verification has in its plan belong to the copy.
        if (transfer.kind().equals("copy") && Plan.exists(transfer.plan())) {
            try (MountCheck tokens = MountCheck.ofTokens(Linux.calls(), Plan.open(transfer.plan()))) {
                tokens.removeTokens();
            } catch (IOException e) {
                LOG.debug("tokens of {} stay", transfer.id(), e);
            }
        }
    }
}
