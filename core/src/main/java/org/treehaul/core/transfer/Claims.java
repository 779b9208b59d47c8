// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer;

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
import org.treehaul.core.plan.Plan;
import org.treehaul.core.plan.PlannedBatch;

/** Finds batches that nobody works on, and claims them. Used by one thread. */
final class Claims implements AutoCloseable {

    // Heartbeats that may be missed before it is worth waiting to see whether a worker is dead.
    private static final int SUSPICIOUS = 3;

    // The golden ratio: its multiples, without their whole parts, lie far apart however many there are.
    private static final double SPREAD = 0.618_033_988_749_895;

    private final TransferDirectory directory;
    private final Attempts attempts;
    private final int generation;
    private final double start;
    private final FinishingHistory history;
    private final int lastForced;
    private final ServerClock clock;
    private final Duration silence;
    private final BitSet settled = new BitSet();

    // When each batch of others was heard of last, by its files, since this worker has had nothing to do.
    private final Map<Integer, FileTime> lastHeard = new HashMap<>();

    // Since when there has been no heartbeat of a planner.
    private @Nullable FileTime plannerMissed;

    // Attempts that were there when the first batch was claimed by its number.
    private @Nullable Map<Integer, Integer> known;

    /** What to do next. */
    sealed interface Next {}

    /**
     * A batch is claimed.
     *
     * @param since a moment before that
     * @param before what is known from earlier attempts
     */
    record Claimed(AttemptName name, Lease.Moment since, JournalWriter journal, BatchOutcome before) implements Next {}

    /** Nothing is free, but that may change in a while: more is planned, or somebody is dead. */
    record Wait() implements Next {}

    /** Nothing is left to be claimed. */
    record Nothing() implements Next {}

    /** There is a newer generation. */
    record Superseded() implements Next {}

    private enum State {
        FREE,
        SETTLED,
        RUNNING,
        SUSPICIOUS,
        SUPERSEDED
    }

    /**
     * Makes claims for a worker.
     *
     * @param index which of the workers it is: each begins elsewhere, so that they seldom want the same
     */
    Claims(TransferDirectory directory, int generation, int index, FinishingHistory history) throws IOException {
        this.directory = directory;
        this.attempts = Attempts.atBatches(directory);
        this.generation = generation;
        this.start = index * SPREAD % 1;
        this.history = history;
        this.lastForced = directory.generations().lastForced();
        this.clock = new ServerClock(directory.progress());
        this.silence = directory.silence();
    }

    Next next(Plan plan) throws IOException {
        if (directory.generations().newest() != generation) {
            return new Superseded();
        }
        Map<Integer, Integer> newest = attempts.newest();
        boolean mayChange = !plan.isSealed();
        int count = plan.batchCount();
        int first = (int) (start * count);
        for (int i = 0; i < count; i++) {
            int batch = (first + i) % count;
            if (settled.get(batch)) {
                continue;
            }
            AttemptName last = new AttemptName(batch, newest.getOrDefault(batch, 0));
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

    /**
     * Claims one batch.
     *
     * @return {@link Wait} while somebody else may work on it, {@link Nothing} when it is settled
     */
    Next claim(Plan plan, int batch) throws IOException {
        if (directory.generations().newest() != generation) {
            return new Superseded();
        }
        if (known == null) {
            known = attempts.newest();
        }
        AttemptName last = new AttemptName(batch, attempts.newest(batch, known));
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

    // Whoever died just now is not suspicious yet. So that its batch is not left over, a worker that has nothing to do stays
    // until it has heard of all others once more, which takes a heartbeat.
    private boolean isHeardAgain(AttemptName name) throws IOException {
        Optional<FileTime> heard = ServerClock.newest(attempts.journal(name),
                directory.progress().resolve(name.toString()));
        FileTime before = heard.isPresent() ? lastHeard.putIfAbsent(name.batch(), heard.get()) : null;
        return before != null && heard.get().compareTo(before) > 0;
    }

    private Next claimed(AttemptName name, Lease.Moment since, JournalWriter journal) throws IOException {
        try {
            // Whoever began a generation after the look above may already have seen this batch as free.
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
                // Damaged; or, without hard links, just being made, or its maker died at it.
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
                // One that gave up would do so again: that is for whoever resumes the transfer.
                return end.get().ending() == JournalRecord.Ending.STOPPED ? State.FREE : State.SETTLED;
            }
            return isSilent ? State.FREE : age.compareTo(suspicious()) > 0 ? State.SUSPICIOUS : State.RUNNING;
        } catch (NoSuchFileException e) {
            return State.FREE;
        }
    }

    // So long that it does not write any more, should it live: see Lease. Before that is believed the server is asked.
    private boolean isSilent(AttemptName name, Duration age) throws IOException {
        return age.compareTo(silence) > 0
                && clock.ageAtServer(attempts.journal(name), directory.progress().resolve(name.toString()))
                        .orElse(Duration.ZERO)
                        .compareTo(silence) > 0;
    }

    private Duration suspicious() {
        return directory.timing().heartbeat().multipliedBy(SUSPICIOUS);
    }

    private Duration age(AttemptName name) throws IOException {
        FileTime now = clock.now();
        return ServerClock.age(now, attempts.journal(name), directory.progress().resolve(name.toString()))
                .orElse(Duration.ZERO);
    }

    /**
     * Returns whether the planner of a plan that still grows has not been heard of for too long. One that ended takes
     * its heartbeat with it: it has sealed the plan, which may be seen a while later, or never will.
     */
    boolean isPlannerDead() throws IOException {
        Path heartbeat = Plan.heartbeat(directory.plan());
        FileTime now = clock.now();
        Optional<Duration> age = ServerClock.age(now, heartbeat, heartbeat);
        FileTime missed = age.isPresent() ? null : plannerMissed == null ? now : plannerMissed;
        plannerMissed = missed;
        Duration unheard = missed == null ? age.orElseThrow() : Duration.between(missed.toInstant(), now.toInstant());
        return unheard.compareTo(silence) > 0;
    }

    @Override
    public void close() throws IOException {
        clock.close();
    }
}
