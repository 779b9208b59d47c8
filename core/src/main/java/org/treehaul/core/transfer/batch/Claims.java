// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.batch;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.plan.format.Plan;
import org.treehaul.core.plan.format.PlannedBatch;
import org.treehaul.core.plan.servers.OwnHost;
import org.treehaul.core.transfer.directory.Durations;
import org.treehaul.core.transfer.directory.Lease;
import org.treehaul.core.transfer.directory.ServerClock;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.journal.AttemptName;
import org.treehaul.core.transfer.journal.Attempts;
import org.treehaul.core.transfer.journal.BatchOutcome;
import org.treehaul.core.transfer.journal.FinishingHistory;
import org.treehaul.core.transfer.journal.JournalRecord;
import org.treehaul.core.transfer.journal.JournalWriter;

/** Finds free batches and claims them. Used by one thread. */
public final class Claims implements AutoCloseable {

    // Missed heartbeats after which a worker may be dead, so that waiting for its batch makes sense.
    private static final int SUSPICIOUS = 3;

    private final TransferDirectory directory;
    private final Attempts attempts;
    private final int generation;
    private final BatchOrder order;
    private final FinishingHistory history;
    private final int lastForced;
    private final ServerClock clock;
    private final Duration silenceLimit;
    private final BitSet settled = new BitSet();

    // When the worker of a batch last gave a sign of life, as seen since this worker became idle.
    private final Map<Integer, FileTime> lastHeard = new HashMap<>();

    // When the planner's heartbeat was first missed; null while it is there.
    private @Nullable FileTime plannerMissed;

    // The newest attempts when they were listed last, and those that were found since.
    private @Nullable Map<Integer, Integer> known;

    // The number of batches in the order, the first one of it that was not tried as untouched, and the first one that
    // is not settled.
    private int counted;
    private int untried;
    private int unsettled;

    /** Result of a search for a batch. */
    public sealed interface Next {}

    /**
     * A batch was claimed.
     *
     * @param since a moment before the claim
     * @param before the outcome of earlier attempts
     */
    public record Claimed(AttemptName name, Lease.Moment since, JournalWriter journal,
            BatchOutcome before) implements Next {}

    /** No batch is free now, but one may become free: planning continues, or a worker may have died. */
    public record Wait() implements Next {}

    /** No batch is left to claim. */
    public record Nothing() implements Next {}

    /** A newer generation exists. */
    public record Superseded() implements Next {}

    private enum State {
        FREE,
        SETTLED,
        RUNNING,
        SUSPICIOUS,
        SUPERSEDED
    }

    /**
     * Creates claims for a worker.
     *
     * @param index the index of the worker: each starts at another batch, so that they rarely compete for the same
     */
    public Claims(TransferDirectory directory, int generation, int index, FinishingHistory history) throws IOException {
        this.directory = directory;
        this.attempts = Attempts.atBatches(directory);
        this.generation = generation;
        this.order = new BatchOrder(index, OwnHost::here, directory.operation().isAtData());
        this.history = history;
        this.lastForced = directory.generations().lastForced();
        this.clock = new ServerClock(directory.progress());
        this.silenceLimit = directory.silenceLimit();
    }

    /**
     * Claims a batch: at first one of which this worker knows no attempt, later any that needs another attempt. The
     * attempts are listed only when the plan has grown or another worker was first, so that a transfer of many batches
     * takes a few calls for each.
     */
    public Next next(Plan plan) throws IOException {
        if (directory.generations().newest() != generation) {
            return new Superseded();
        }
        int count = order.count(plan);
        if (count != counted) {
            counted = count;
            untried = 0;
            unsettled = 0;
            known = new HashMap<>(attempts.newest());
        }
        Optional<Next> untouched = nextUntouched(plan);
        return untouched.isPresent() ? untouched.get() : nextAgain(plan);
    }

    private Optional<Next> nextUntouched(Plan plan) throws IOException {
        while (untried < counted) {
            int batch = order.at(plan, untried++);
            if (!known().containsKey(batch)) {
                AttemptName name = new AttemptName(batch, 1);
                Lease.Moment since = Lease.Moment.now();
                Optional<JournalWriter> journal = attempts.claim(name, generation);
                if (journal.isPresent()) {
                    lastHeard.clear();
                    return Optional.of(claimed(name, since, journal.get()));
                }
                // The worker that was first has probably claimed others as well.
                known = new HashMap<>(attempts.newest());
            }
        }
        return Optional.empty();
    }

    private Next nextAgain(Plan plan) throws IOException {
        while (unsettled < counted && settled.get(order.at(plan, unsettled))) {
            unsettled++;
        }
        boolean mayChange = !plan.isSealed();
        for (int i = unsettled; i < counted; i++) {
            int batch = order.at(plan, i);
            if (settled.get(batch)) {
                continue;
            }
            AttemptName last = newest(batch);
            switch (look(last, plan.batches().get(batch))) {
                case FREE -> {
                    Lease.Moment since = Lease.Moment.now();
                    Optional<JournalWriter> journal = attempts.claim(last.next(), generation);
                    if (journal.isPresent()) {
                        lastHeard.clear();
                        return claimed(last.next(), since, journal.get());
                    }
                    mayChange = true;
                }
                case SETTLED -> settled.set(batch);
                case SUSPICIOUS -> mayChange = true;
                case SUPERSEDED -> {
                    return new Superseded();
                }
                case RUNNING -> mayChange |= !isHeardAgain(last);
            }
        }
        return mayChange ? new Wait() : new Nothing();
    }

    private Map<Integer, Integer> known() throws IOException {
        Map<Integer, Integer> listed = known;
        if (listed == null) {
            listed = new HashMap<>(attempts.newest());
            known = listed;
        }
        return listed;
    }

    private AttemptName newest(int batch) throws IOException {
        int number = attempts.newest(batch, known());
        if (number > 0) {
            known().put(batch, number);
        }
        return new AttemptName(batch, number);
    }

    /**
     * Claims a given batch.
     *
     * @return {@link Wait} while another worker may be working on it, {@link Nothing} if it is settled
     */
    public Next claim(Plan plan, int batch) throws IOException {
        if (directory.generations().newest() != generation) {
            return new Superseded();
        }
        AttemptName last = newest(batch);
        return switch (look(last, plan.batches().get(batch))) {
            case FREE -> {
                Lease.Moment since = Lease.Moment.now();
                Optional<JournalWriter> journal = attempts.claim(last.next(), generation);
                yield journal.isPresent() ? claimed(last.next(), since, journal.get()) : new Wait();
            }
            case SETTLED -> new Nothing();
            case SUSPICIOUS, RUNNING -> new Wait();
            case SUPERSEDED -> new Superseded();
        };
    }

    // A worker that died just now is not suspicious yet. To avoid leaving its batch behind, an idle worker stays until
    // it has seen one more sign of life from all others, which takes a heartbeat.
    private boolean isHeardAgain(AttemptName name) throws IOException {
        Optional<FileTime> heard = ServerClock.newest(attempts.journal(name),
                directory.progress().resolve(name.toString()));
        FileTime before = heard.isPresent() ? lastHeard.putIfAbsent(name.batch(), heard.get()) : null;
        return before != null && heard.get().compareTo(before) > 0;
    }

    private Next claimed(AttemptName name, Lease.Moment since, JournalWriter journal) throws IOException {
        try {
            // The process that began a generation after the check above may already have seen this batch as free.
            if (directory.generations().newest() != generation) {
                journal.end(new JournalRecord.End(JournalRecord.Ending.STOPPED, 0, 0, 0, 0));
                journal.close();
                return new Superseded();
            }
            return new Claimed(name, since, journal,
                    BatchOutcome.read(attempts, name.batch(), name.number() - 1, history));
        } catch (IOException e) {
            journal.close();
            throw e;
        }
    }

    private State look(AttemptName last, PlannedBatch batch) throws IOException {
        if (last.number() == 0) {
            return State.FREE;
        }
        try {
            Optional<JournalRecord.Header> header = attempts.header(last);
            if (header.isEmpty()) {
                // The journal is damaged; or, without hard links, it is just being created, or its creator died while
                // creating it.
                return age(last).compareTo(suspicious()) > 0 ? State.FREE : State.SUSPICIOUS;
            }
            int of = header.get().generation();
            if (of > generation) {
                return State.SUPERSEDED;
            }
            Optional<JournalRecord.End> end = attempts.end(last);
            if (of < generation) {
                if (end.isEmpty() && of < lastForced && !isSilent(last, age(last))) {
                    return State.SUSPICIOUS;
                }
                return end.filter(e -> e.ending() == JournalRecord.Ending.COMPLETE).isPresent()
                        && BatchOutcome.read(attempts, last.batch(), last.number(), history).isWhole(batch.entries())
                                ? State.SETTLED
                                : State.FREE;
            }
            Duration age = end.isPresent() ? Duration.ZERO : age(last);
            boolean isSilent = isSilent(last, age);
            end = isSilent ? attempts.endAtServer(last) : end;
            if (end.isPresent()) {
                // A new attempt would give up as well: resume retries such a batch.
                return end.get().ending() == JournalRecord.Ending.STOPPED ? State.FREE : State.SETTLED;
            }
            return isSilent ? State.FREE : age.compareTo(suspicious()) > 0 ? State.SUSPICIOUS : State.RUNNING;
        } catch (NoSuchFileException e) {
            // The journal was listed but is gone: after replanning the next listing lacks it, otherwise the progress
            // file shows the age.
            return isSilent(last, age(last)) ? State.FREE : State.SUSPICIOUS;
        }
    }

    // Silent for so long that a live worker would have stopped writing: see Lease. The server confirms it first.
    private boolean isSilent(AttemptName name, Duration age) throws IOException {
        return age.compareTo(silenceLimit) > 0
                && clock.ageAtServer(attempts.journal(name), directory.progress().resolve(name.toString()))
                        .orElse(Duration.ZERO)
                        .compareTo(silenceLimit) > 0;
    }

    private Duration suspicious() {
        return Durations.multiple(directory.timing().heartbeat(), SUSPICIOUS);
    }

    private Duration age(AttemptName name) throws IOException {
        FileTime now = clock.now();
        return ServerClock.age(now, attempts.journal(name), directory.progress().resolve(name.toString()))
                .orElse(Duration.ZERO);
    }

    /**
     * Returns whether the planner of an unsealed plan has been silent for too long. A planner that ends removes its
     * heartbeat: it has sealed the plan, which may become visible later, or it will never do so.
     */
    public boolean isPlannerDead() throws IOException {
        Path heartbeat = Plan.heartbeat(directory.plan());
        FileTime now = clock.now();
        Optional<Duration> age = ServerClock.age(now, heartbeat, heartbeat);
        FileTime missed = age.isPresent() ? null : plannerMissed == null ? now : plannerMissed;
        plannerMissed = missed;
        Duration unheard = missed == null ? age.orElseThrow() : Duration.between(missed.toInstant(), now.toInstant());
        return unheard.compareTo(silenceLimit) > 0;
    }

    @Override
    public void close() throws IOException {
        clock.close();
    }
}
