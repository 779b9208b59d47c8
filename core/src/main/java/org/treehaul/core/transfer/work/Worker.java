// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.work;

import java.io.IOException;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.function.IntConsumer;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.event.Event;
import org.treehaul.core.event.EventListener;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.plan.format.Plan;
import org.treehaul.core.plan.format.PlannedRoot;
import org.treehaul.core.transfer.batch.Claims;
import org.treehaul.core.transfer.batch.CommandWork;
import org.treehaul.core.transfer.batch.MountCheck;
import org.treehaul.core.transfer.batch.RootCheck;
import org.treehaul.core.transfer.batch.TaskSlots;
import org.treehaul.core.transfer.batch.WorkSettings;
import org.treehaul.core.transfer.directory.BandwidthShares;
import org.treehaul.core.transfer.directory.Durations;
import org.treehaul.core.transfer.directory.GenerationResult;
import org.treehaul.core.transfer.directory.SharedBandwidth;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.directory.TransferException;
import org.treehaul.core.transfer.directory.TransferResult;
import org.treehaul.core.transfer.directory.WorkerErrors;
import org.treehaul.core.transfer.directory.WrongMountException;
import org.treehaul.core.transfer.journal.FinishingHistory;
import org.treehaul.core.transfer.journal.JournalRecord;
import org.treehaul.core.transfer.journal.JournalWriter;
import org.treehaul.core.transfer.operation.Operation;

/**
 * Processes batches of a transfer, one after another, until none is left to claim. Any number of workers may run
 * concurrently, on any hosts that see the state directory, the source and the destination.
 */
public final class Worker {

    // Interval between checks for a cancellation while waiting.
    private static final long NAP_MILLIS = 50;
    // Heartbeats after which a check of the mounts takes long.
    private static final int PATIENCE = 3;
    private static final long MOST_NAP_MILLIS = 5_000;

    private final FileSystemCalls calls;
    private final TransferDirectory directory;
    private final int generation;
    private int threads;
    private int index;
    private @Nullable BatchShare share;
    private @Nullable IntConsumer changes;
    private @Nullable BandwidthShares kept;

    private Worker(FileSystemCalls calls, TransferDirectory directory, int generation) {
        this.calls = calls;
        this.directory = directory;
        this.generation = generation;
    }

    /** Returns a worker of a generation of a transfer. */
    public static Worker of(FileSystemCalls calls, TransferDirectory directory, int generation) {
        return new Worker(calls, directory, generation);
    }

    /** Sets the number of threads; 0 uses the options of the transfer. */
    public Worker withThreads(int number) {
        threads = number;
        return this;
    }

    /** Sets the index of this worker, from 0, so that workers do not all begin with the same batch. */
    public Worker withIndex(int number) {
        index = number;
        return this;
    }

    /**
     * Restricts the worker to the batches of a share; unless it is {@linkplain BatchShare#isOpen open}, the plan must
     * be complete. The worker skips batches that are done, and waits for batches of other workers until these have
     * ended or are dead, or the share takes them back.
     */
    public Worker withShare(BatchShare batches) {
        share = batches;
        return this;
    }

    /**
     * Sets a receiver of the number of each batch when an attempt at it has begun, and again when it has ended; it must
     * be quick.
     */
    public Worker withChanges(IntConsumer receiver) {
        changes = receiver;
        return this;
    }

    /**
     * Keeps the share of the bandwidth in these for the next worker of the transfer; otherwise each joins and leaves.
     */
    public Worker withBandwidth(BandwidthShares shares) {
        kept = shares;
        return this;
    }

    private void report(Claims.Claimed claimed) {
        if (changes != null) {
            changes.accept(claimed.name().batch());
        }
    }

    /**
     * Runs the worker. Afterwards the journal of every attempt that it started has an end, unless the state directory
     * cannot be written.
     *
     * @param listener receives failures and notices, on any thread
     * @param progress counts the work done
     * @throws WrongMountException if this host does not see the source or destination; nothing was written there
     * @throws IOException if the plan or the state directory cannot be read, or this program does not have the
     *         operation of the transfer; the message names the remedy
     */
    public WorkResult work(EventListener listener, Progress progress, Cancellation cancellation) throws IOException {
        if (directory.generations().newest() != generation) {
            return new WorkResult(WorkResult.Ending.SUPERSEDED, 0, Map.of(), "");
        }
        TransferDirectory.requireFresh(directory.path());
        boolean isGroup = share != null && !share.isOpen();
        if (!isGroup
                && GenerationResult.of(directory, generation).result().filter(TransferResult::isFinal).isPresent()) {
            // The job waited in a queue while others did all the work. Ranks must still leave their group together.
            return new WorkResult(WorkResult.Ending.DONE, 0, Map.of(), "");
        }
        FinishingHistory history = FinishingHistory.read(directory);
        Plan plan = Plan.open(directory.plan());
        if (isGroup && !plan.isSealed()) {
            throw new TransferException("the plan is incomplete because its walk died; 'treehaul resume' plans again");
        }
        WorkSettings found = WorkSettings.of(plan, directory, threads);
        Totals totals = new Totals(listener);
        int naps = 0;
        boolean isMountChecked = false;
        long mountsChecked = 0;
        BandwidthShares shares = kept;
        long planned = directory.operation().isLimited() ? found.options().bandwidth() : 0;
        try (Claims claims = new Claims(directory, generation, index, history);
                SharedBandwidth own = shares == null ? SharedBandwidth.join(directory, generation, planned) : null;
                OpenAttempts open = attempts(found, progress, cancellation)) {
            SharedBandwidth bandwidth = own == null
                    ? Objects.requireNonNull(shares).join(directory, generation, planned)
                    : own;
            WorkSettings settings = found.withLimiter(bandwidth.limiter());
            Turns turns = share == null ? claims::next : new GivenTurns(claims, share);
            while (true) {
                if (totals.mustEnd() || cancellation.isCancelled()) {
                    totals.add(open.rest());
                    return totals.mustEnd()
                            ? totals.result(WorkResult.Ending.GAVE_UP)
                            : totals.result(WorkResult.Ending.STOPPED, "");
                }
                if (!isMountChecked && plan.batchCount() > 0) {
                    // A growing plan has probes as soon as it has a batch.
                    checkMounts(plan, settings, MountCheck::check);
                    isMountChecked = true;
                    mountsChecked = System.nanoTime();
                }
                switch (turns.next(plan)) {
                    case Claims.Claimed claimed -> {
                        naps = 0;
                        if (System.nanoTime() - mountsChecked > directory.timing().heartbeat().toNanos()) {
                            checkMountsAgain(claimed, plan, settings);
                            mountsChecked = System.nanoTime();
                        }
                        report(claimed);
                        Plan current = plan;
                        open.begin(claimed,
                                (claim, slots, stop) -> AttemptRun.of(calls, settings, current, claim, slots)
                                        .run(listener, progress, stop));
                        while (!isTurn(open, cancellation) && !totals.mustEnd()) {
                            totals.add(open.ended());
                        }
                        totals.add(open.ended());
                    }
                    case Claims.Superseded none -> {
                        totals.add(open.rest());
                        return totals.result(WorkResult.Ending.SUPERSEDED);
                    }
                    case Claims.Nothing none -> {
                        if (open.isEmpty()) {
                            return totals.result(
                                    totals.problem().isEmpty() ? WorkResult.Ending.DONE : WorkResult.Ending.GAVE_UP);
                        }
                        totals.add(open.rest());
                    }
                    case Claims.Wait none -> {
                        // Live workers still retry the batches of dead ones; only then does the dead planner end the
                        // work.
                        boolean isDead = !plan.isSealed() && claims.isPlannerDead();
                        nap(naps++, open, cancellation);
                        totals.add(open.ended());
                        if (!plan.isSealed()) {
                            plan = Plan.open(directory.plan());
                            if (isDead && !plan.isSealed()) {
                                totals.add(open.rest());
                                return totals.result(WorkResult.Ending.PLANNER_DIED,
                                        "the planning process has sent no heartbeat for too long; 'treehaul resume' plans again");
                            }
                        }
                    }
                }
            }
        }
    }

    // Only operations that run tasks have attempts beside each other.
    private OpenAttempts attempts(WorkSettings settings, Progress progress, Cancellation cancellation) {
        TaskSlots slots = directory.operation() instanceof Operation.Run run
                ? CommandWork.slots(run.task(), settings)
                : null;
        if (slots != null) {
            progress.setBusy(slots::busy);
        }
        // By asking a share for a batch, a worker states that it has ended the one before.
        return new OpenAttempts(slots, share == null, cancellation);
    }

    private static boolean isTurn(OpenAttempts open, Cancellation cancellation) {
        try {
            return open.awaitTurn();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            cancellation.cancel();
            return true;
        }
    }

    /** The sums of the attempts of a worker. Used by one thread. */
    private final class Totals {

        private final EventListener listener;
        private final Map<EntryFailure.Kind, Long> failures = new EnumMap<>(EntryFailure.Kind.class);
        private int batches;
        private String problem = "";
        private boolean mustEnd;

        Totals(EventListener listener) {
            this.listener = listener;
        }

        /** Adds attempts that have ended; throws the exception of the first one that failed by one. */
        void add(List<OpenAttempts.Ended> attempts) throws IOException {
            for (OpenAttempts.Ended one : attempts) {
                AttemptRun.Ended ended = one.get();
                batches++;
                report(one.claimed());
                ended.failures().forEach((kind, count) -> failures.merge(kind, count, Long::sum));
                if (!ended.problem().isEmpty()) {
                    listener.onEvent(new Event.Notice(ended.problem()));
                }
                // That of an attempt after which the worker must end counts.
                problem = ended.hasGivenUp() && !mustEnd ? ended.problem() : problem;
                mustEnd |= ended.mustEnd();
            }
        }

        /** Returns whether the worker must end, because another batch would fail as well. */
        boolean mustEnd() {
            return mustEnd;
        }

        /** Returns the problem of an attempt that could not continue, or an empty text. */
        String problem() {
            return problem;
        }

        WorkResult result(WorkResult.Ending ending) {
            return result(ending, ending == WorkResult.Ending.SUPERSEDED ? "" : problem);
        }

        WorkResult result(WorkResult.Ending ending, String why) {
            return new WorkResult(ending, batches, failures, why);
        }
    }

    /** Source of the next batch. */
    @FunctionalInterface
    private interface Turns {
        Claims.Next next(Plan plan) throws IOException;
    }

    /** Takes batches from a share. */
    private static final class GivenTurns implements Turns {
        private final Claims claims;
        private final BatchShare share;
        // A batch that another worker has, until its outcome is known.
        private OptionalInt batch = OptionalInt.empty();

        GivenTurns(Claims claims, BatchShare share) {
            this.claims = claims;
            this.share = share;
        }

        @Override
        public Claims.Next next(Plan plan) throws IOException {
            Claims.Next next = new Claims.Nothing();
            do {
                batch = batch.isPresent() ? batch : share.next();
                if (batch.isEmpty()) {
                    return next;
                }
                next = claim(plan, batch.getAsInt());
                if (!(next instanceof Claims.Wait)) {
                    batch = OptionalInt.empty();
                }
            } while (next instanceof Claims.Nothing);
            return next;
        }

        private Claims.Next claim(Plan plan, int number) throws IOException {
            if (number >= plan.batchCount()) {
                // The plan that this process sees may be older than the offer. A complete one has no such batch.
                return plan.isSealed() ? new Claims.Nothing() : new Claims.Wait();
            }
            Claims.Next next = claims.claim(plan, number);
            return next instanceof Claims.Wait && share.takeBack(number) ? new Claims.Nothing() : next;
        }
    }

    /** A check of an operation that has a destination. */
    @FunctionalInterface
    private interface Checked {
        void by(MountCheck check) throws WrongMountException;
    }

    private void checkMounts(Plan plan, WorkSettings settings, Checked checked) throws IOException {
        if (directory.operation().isAtData()) {
            return;
        }
        if (!directory.operation().hasDestination()) {
            RootCheck.check(calls, plan, directory.generations().trustsMounts());
            return;
        }
        try {
            checkMounts(plan, settings, checked, FinishingHistory.read(directory));
        } catch (WrongMountException e) {
            // Others may have done all the work, and finishing removes the tokens after it has recorded that.
            checkMounts(plan, settings, checked, FinishingHistory.read(directory));
        }
    }

    // A file system may be unmounted while a worker waits, or between two batches: what is written then is lost. A source
    // that is gone since the beginning may have been deleted, and its entries are reported.
    private void checkMountsAgain(Claims.Claimed claimed, Plan plan, WorkSettings settings) throws IOException {
        try {
            try {
                checkMounts(plan, settings, MountCheck::checkTargets);
            } catch (WrongMountException e) {
                // While a server fails, the entries of the batch report that, or wait.
                if (areAnswering(plan)) {
                    checkMounts(plan, settings, MountCheck::checkTargets);
                }
            }
        } catch (IOException e) {
            leave(claimed, e);
            throw e;
        }
    }

    private boolean areAnswering(Plan plan) {
        List<ByteString> places = directory.operation().hasDestination()
                ? plan.header().tokenDirectories()
                : plan.header().roots().stream().map(PlannedRoot::source).toList();
        try (FileAccess access = FileAccess.open(calls)) {
            return places.stream().allMatch(place -> RootCheck.answers(access, place));
        }
    }

    // Leaves a batch to other workers.
    private static void leave(Claims.Claimed claimed, IOException reason) {
        try (JournalWriter journal = claimed.journal()) {
            journal.end(new JournalRecord.End(JournalRecord.Ending.STOPPED, 0, 0, 0, 0));
        } catch (IOException e) {
            reason.addSuppressed(e);
        }
    }

    private void checkMounts(Plan plan, WorkSettings settings, Checked checked, FinishingHistory history)
            throws IOException {
        try (MountCheck check = MountCheck.of(calls, plan, settings, history);
                MountWatch _ = new MountWatch(WorkerErrors.of(directory, generation), index,
                        Durations.multiple(directory.timing().heartbeat(), PATIENCE), check::current)) {
            checked.by(check);
        }
    }

    // Waits longer each time: the event may come in a moment, or take hours. The end of an own attempt may be the event.
    private void nap(int number, OpenAttempts open, Cancellation cancellation) {
        long most = Math.min(directory.timing().heartbeat().toMillis(), MOST_NAP_MILLIS);
        long left = Math.min(most, NAP_MILLIS << Math.min(number, 10));
        try {
            boolean hasEnded;
            do {
                hasEnded = open.await(Math.min(left, NAP_MILLIS));
                left -= NAP_MILLIS;
            } while (left > 0 && !hasEnded && !cancellation.isCancelled());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            cancellation.cancel();
        }
    }
}
