// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer;

import java.io.IOException;
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
import java.util.Objects;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.function.Consumer;

import org.apache.commons.io.file.PathUtils;
import org.treehaul.core.annotation.Api;
import org.treehaul.core.annotation.Internal;
import org.treehaul.core.fs.linux.ServerView;
import org.treehaul.core.plan.format.Plan;
import org.treehaul.core.plan.format.PlannedBatch;
import org.treehaul.core.transfer.directory.GenerationResult;
import org.treehaul.core.transfer.directory.Generations;
import org.treehaul.core.transfer.directory.Listing;
import org.treehaul.core.transfer.directory.OvertakenException;
import org.treehaul.core.transfer.directory.SharedBandwidth;
import org.treehaul.core.transfer.directory.StateDirectory;
import org.treehaul.core.transfer.directory.Timing;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.directory.TransferException;
import org.treehaul.core.transfer.directory.TransferId;
import org.treehaul.core.transfer.finish.Finishing;
import org.treehaul.core.transfer.journal.FailureReader;
import org.treehaul.core.transfer.journal.FailureRecord;
import org.treehaul.core.transfer.journal.VerifiedCopy;
import org.treehaul.core.transfer.operation.CopySettings;
import org.treehaul.core.transfer.operation.Operation;
import org.treehaul.core.transfer.request.TransferRequest;
import org.treehaul.core.transfer.work.Worker;

/**
 * The transfers in a state directory: the entry point of the API.
 *
 * <p>
 * A transfer is created ({@link #create}), planned into its {@link TransferDirectory#plan()}, started ({@link #start}),
 * processed by any number of {@link Worker}s, and completed by {@link Finishing}. If any of these dies, {@link #resume}
 * allows the rest to be done.
 *
 * <p>
 * The object keeps no state, so that any number of processes and threads may use one directory.
 */
@Api
public final class Transfers {

    // Longer than creating or forgetting a transfer takes, even if the clocks of hosts differ.
    private static final Duration HALF_MADE = Duration.ofDays(1);

    private final Path directory;
    private final InstantSource clock;

    private Transfers(Path directory, InstantSource clock) {
        this.directory = directory;
        this.clock = clock;
    }

    /**
     * Opens a state directory, creating it if necessary.
     *
     * @throws TransferException if it cannot be created, belongs to another user, or others can change its content
     */
    public static Transfers in(Path stateDirectory) throws TransferException {
        return in(stateDirectory, InstantSource.system());
    }

    /**
     * Opens a state directory for reading: it is not created and need not be writable.
     *
     * @throws TransferException if it belongs to another user, others can change its content, or it cannot be read
     */
    public static Transfers reading(Path stateDirectory) throws TransferException {
        return new Transfers(StateDirectory.look(stateDirectory).resolve("transfers"), InstantSource.system());
    }

    /** Opens a state directory with another clock. */
    @Internal
    public static Transfers in(Path stateDirectory, InstantSource clock) throws TransferException {
        return new Transfers(StateDirectory.make(stateDirectory).resolve("transfers"), clock);
    }

    /** Returns the state directory. */
    @Internal
    public Path stateDirectory() {
        return Objects.requireNonNull(directory.getParent());
    }

    /**
     * Creates a new transfer. The caller must plan it next.
     *
     * @param operation the operation to apply to each entry
     * @param commandLine the command of the user, for display
     */
    @Internal
    public TransferDirectory create(Operation operation, String commandLine, Timing timing) throws IOException {
        try {
            return TransferDirectory.make(directory, operation, commandLine, timing, clock, new SecureRandom());
        } catch (TransferException e) {
            throw e;
        } catch (IOException e) {
            throw new TransferException("cannot create a transfer in " + directory + ": " + StateDirectory.reason(e)
                    + "; use another directory with --state-dir", e);
        }
    }

    /**
     * Creates a new transfer that compares the entries of a finished copy with their sources. It already has its plan,
     * and never writes to source or destination. The transfer of the copy may be forgotten afterwards.
     *
     * @throws TransferException if the copy is not finished, or is not a copy
     */
    @Internal
    public TransferDirectory createVerify(TransferDirectory copy, String commandLine, Timing timing)
            throws IOException {
        if (!copy.operation().isVerifiable()) {
            throw new TransferException(VerifiedCopy.of(copy)
                    .map(verified -> copy.id() + " is itself a verification: verify the copy, " + verified.id())
                    .orElse(copy.id() + " is not a copy: only what was copied can be verified"));
        }
        TransferStatus.State state = status(copy).state();
        if (state != TransferStatus.State.COMPLETE && state != TransferStatus.State.PARTIAL) {
            throw new TransferException(copy.id() + " is not finished but " + state.name().toLowerCase(Locale.ROOT)
                    + ": verify it when it is finished");
        }
        TransferDirectory verify = create(new Operation.Verify(), commandLine, timing);
        try {
            VerifiedCopy.bring(copy, verify,
                    TransferRequest.find(copy)
                            .flatMap(TransferRequest::copy)
                            .map(request -> request.batching().byServers())
                            .orElse(true));
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

    /** Opens a transfer even if its own file is damaged, as far as {@link #forget} needs it. */
    public TransferDirectory openDamaged(TransferId id) throws IOException {
        return TransferDirectory.openDamaged(directory.resolve(id.text()));
    }

    /**
     * Returns all transfers, the oldest first, except incompletely created ones.
     *
     * @throws IOException if the state directory cannot be read; one that does not exist has no transfers
     */
    public List<TransferId> list() throws IOException {
        return list(true);
    }

    private List<TransferId> list(boolean isMade) throws IOException {
        List<TransferId> ids = new ArrayList<>();
        if (ServerView.exists(directory)) {
            try (Listing all = Listing.of(directory)) {
                for (Path path = all.next(); path != null; path = all.next()) {
                    String name = path.getFileName().toString();
                    if (TransferId.isId(name) && isMade(path) == isMade) {
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

    // One that cannot be read now is there all the same; opening it gives the reason.
    private static boolean isMade(Path transfer) {
        try {
            return ServerView.exists(transfer.resolve("transfer"));
        } catch (IOException e) {
            return true;
        }
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
            // It was just forgotten, or is incomplete.
            return FileTime.fromMillis(0);
        }
    }

    /**
     * Begins the first generation of a transfer and returns it. Its plan must exist or, with a streaming strategy, have
     * been started.
     *
     * @throws OvertakenException if the transfer has a generation already
     */
    @Internal
    public int start(TransferDirectory transfer) throws IOException {
        return transfer.generations().raiseAfter(0, Generations.Reason.START, false);
    }

    /** Returns the status of a transfer. Reads only small files. */
    public TransferStatus status(TransferDirectory transfer) throws IOException {
        return new StatusReader(transfer, clock).read();
    }

    /** Returns repeated looks at the status of a transfer. */
    @Internal
    public StatusWatch watch(TransferDirectory transfer) {
        return new StatusWatch(transfer, clock);
    }

    /** Returns the status of one batch of a transfer, which is in its plan. */
    @Internal
    public BatchStatus status(TransferDirectory transfer, PlannedBatch batch) throws IOException {
        return new StatusReader(transfer, clock).read(batch);
    }

    /**
     * Begins a new generation, which does the missing work and retries failures, and returns it. The caller must start
     * its workers and its finishing next, and must have made sure that jobs of older generations are gone. A surviving
     * job stops at its next heartbeat; until then it may replace newly copied files by its own complete copies, which
     * are not linked to the other names of those files.
     */
    @Internal
    public int resume(TransferDirectory transfer) throws IOException {
        return transfer.generations().raise(Generations.Reason.RESUME);
    }

    /** Returns whether a transfer must be planned before it can be resumed, because the walk died. */
    @Internal
    public boolean needsPlan(TransferDirectory transfer) throws IOException {
        return !Plan.exists(transfer.plan()) || !Plan.open(transfer.plan()).isSealed();
    }

    /**
     * Removes the plan of a transfer that {@linkplain #needsPlan needs another one}, with its tokens and the results
     * based on it: batches of the new plan differ from those of the old one. Must be called in a new generation.
     */
    @Internal
    public void removePlan(TransferDirectory transfer) throws IOException {
        // The new plan may use other token directories, because a missing target may exist by now.
        DestinationTraces.removeTokens(transfer);
        for (Path part : List.of(transfer.attempts(), transfer.progress(), transfer.finish())) {
            PathUtils.cleanDirectory(part);
        }
        if (Files.exists(transfer.plan())) {
            PathUtils.deleteDirectory(transfer.plan());
        }
    }

    /**
     * Begins a generation without work: workers and finishing stop at their next heartbeat.
     *
     * @return its number, or empty if the transfer is finished: nothing is changed then
     */
    @Internal
    public OptionalInt cancel(TransferDirectory transfer) throws IOException {
        while (true) {
            try {
                return cancel(transfer, transfer.generations().newest());
            } catch (OvertakenException e) {
                // Another command was first: cancel its generation instead.
            }
        }
    }

    /**
     * Like {@link #cancel(TransferDirectory)}, but cancels only a given generation.
     *
     * @param seen the generation to cancel
     * @throws OvertakenException if another command has begun a generation since; nothing is changed
     */
    @Internal
    public OptionalInt cancel(TransferDirectory transfer, int seen) throws IOException {
        transfer.generations().requireNewest(seen);
        return GenerationResult.of(transfer, seen).cancel()
                ? OptionalInt.of(transfer.generations().raiseAfter(seen, Generations.Reason.CANCEL, false))
                : OptionalInt.empty();
    }

    /**
     * Limits the total bandwidth of all processes of a transfer, from now on and after each resume. Running processes
     * adopt the limit at their next heartbeat.
     *
     * @param bytesPerSecond the limit; 0 for none
     * @throws IllegalArgumentException if it is negative
     */
    public void limitBandwidth(TransferDirectory transfer, long bytesPerSecond) throws IOException {
        if (bytesPerSecond < 0) {
            throw new IllegalArgumentException("a negative limit: " + bytesPerSecond);
        }
        SharedBandwidth.setLimit(transfer, bytesPerSecond);
    }

    /**
     * Returns the total bandwidth limit of all processes of a transfer in bytes per second; 0 for none.
     *
     * @throws IOException if the plan, or the limit, cannot be read
     */
    public long bandwidth(TransferDirectory transfer) throws IOException {
        OptionalLong limit = SharedBandwidth.limit(transfer);
        return limit.isPresent() || !transfer.operation().isLimited() || !Plan.exists(transfer.plan())
                ? limit.orElse(0)
                : CopySettings.parse(Plan.header(transfer.plan()).settings()).bandwidth();
    }

    /**
     * Reports the failures that no later attempt resolved, in no particular order.
     *
     * @param consumer receives each failure; its index has no meaning
     */
    public void failures(TransferDirectory transfer, Consumer<FailureRecord> consumer) throws IOException {
        new FailureReader(transfer, consumer::accept).read();
    }

    /**
     * Returns all attempts at batches, in the order of their beginning: who worked on which batch, when, and how it
     * ended. Reads two small files for each attempt.
     */
    public List<AttemptRecord> attempts(TransferDirectory transfer) throws IOException {
        return TransferHistory.read(transfer);
    }

    /** Returns the attempts at one batch, in the order of their beginning. */
    @Internal
    public List<AttemptRecord> attempts(TransferDirectory transfer, int batch) throws IOException {
        return TransferHistory.read(transfer, batch);
    }

    /**
     * Removes all data about a transfer, and its tokens in visible destinations; the copy stays. If this fails, a part
     * may remain, which no longer counts as a transfer.
     */
    public void forget(TransferDirectory transfer) throws IOException {
        DestinationTraces.removeTokens(transfer);
        Files.deleteIfExists(transfer.path().resolve("transfer"));
        PathUtils.deleteDirectory(transfer.path());
    }

    /** Removes transfers whose creation or removal was killed at least a day ago. */
    @Internal
    public void removeIncomplete() throws IOException {
        FileTime before = FileTime.from(clock.instant().minus(HALF_MADE));
        for (TransferId id : list(false)) {
            Path half = directory.resolve(id.text());
            if (Files.getLastModifiedTime(half).compareTo(before) < 0) {
                PathUtils.deleteDirectory(half);
            }
        }
    }
}
