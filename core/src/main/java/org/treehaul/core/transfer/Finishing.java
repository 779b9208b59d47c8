// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import org.treehaul.core.copy.CopyPair;
import org.treehaul.core.copy.CopyResult;
import org.treehaul.core.copy.TransferFinisher;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.event.Event;
import org.treehaul.core.event.EventListener;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.plan.Plan;
import org.treehaul.core.plan.PlanRecords;
import org.treehaul.core.plan.PlannedDirectory;
import org.treehaul.core.plan.PlannedFile;
import org.treehaul.core.plan.PlannedRoot;
import org.treehaul.core.walk.Cancellation;
import org.treehaul.core.walk.Root;

/**
 * Ends a transfer when its workers have ended: gives large files their names and directories their metadata, removes
 * what dead workers left, and reports. It trusts only the journals of the attempts. All of it may be done again, after
 * a kill at any moment.
 */
public final class Finishing {

    /** The phase that removes the tokens; its detail is the inodes of the directories that they stood in. */
    static final String TOKEN = "token";

    private static final String FILES = "files";
    private static final String DIRECTORIES = "directories";
    private static final long NAP_MILLIS = 50;

    private final FileSystemCalls calls;
    private final TransferDirectory directory;
    private final int generation;
    private final Attempts attempts;
    private int threads;

    private Finishing(FileSystemCalls calls, TransferDirectory directory, int generation) {
        this.calls = calls;
        this.directory = directory;
        this.generation = generation;
        this.attempts = Attempts.atFinishing(directory);
    }

    /** Returns the finishing of a generation of a transfer. */
    public static Finishing of(FileSystemCalls calls, TransferDirectory directory, int generation) {
        return new Finishing(calls, directory, generation);
    }

    /** Works with so many threads; 0 leaves it to the options of the transfer. */
    public Finishing withThreads(int number) {
        threads = number;
        return this;
    }

    /** Returns where the result stands. */
    static Path resultFile(TransferDirectory directory) {
        return directory.finish().resolve("result");
    }

    /**
     * Finishes, and writes down the result unless there is a newer generation. Of several that do this at once one
     * waits for the other.
     *
     * @param listener hears failures and notices, on any thread
     * @param progress is counted up meanwhile
     * @throws WrongMountException when this host does not see source or destination; nothing was written there
     * @throws IOException when the plan or the state directory cannot be read or written; the message says what to do
     */
    public TransferResult finish(EventListener listener, Progress progress, Cancellation cancellation)
            throws IOException {
        Optional<JournalWriter> claimed = claim(cancellation);
        if (claimed.isEmpty()) {
            return empty(isOutdated() ? TransferResult.State.SUPERSEDED : TransferResult.State.STOPPED, "");
        }
        Cancellation stop = Cancellation.of(cancellation);
        Lease lease = new Lease(directory.timing().takeover().dividedBy(2), stop);
        try (JournalWriter journal = claimed.get();
                Heartbeat heartbeat = new Heartbeat(lease, directory.timing(), () -> beat(journal))) {
            heartbeat.start();
            TransferResult result;
            try {
                result = !Plan.exists(directory.plan())
                        ? empty(TransferResult.State.INCOMPLETE,
                                "nothing is planned: the output of the job that was to plan " + "is in "
                                        + directory.log() + "; resume plans again")
                        : new Run(journal, lease, listener, progress, stop).finish();
            } catch (IOException e) {
                // Written down, so that whoever looks need not search the output of jobs for it.
                if (!isOutdated()) {
                    empty(TransferResult.State.STOPPED, StateDirectory.reason(e)).write(resultFile(directory));
                }
                journal.end(new JournalRecord.End(JournalRecord.Ending.GAVE_UP, 0, 0, 0, 0));
                throw e;
            }
            if (isOutdated()) {
                result = empty(TransferResult.State.SUPERSEDED, "");
            } else {
                result.write(resultFile(directory));
            }
            boolean isEnd = result.state() != TransferResult.State.STOPPED
                    && result.state() != TransferResult.State.SUPERSEDED;
            journal.end(new JournalRecord.End(isEnd ? JournalRecord.Ending.COMPLETE : JournalRecord.Ending.STOPPED,
                    result.done(), result.failed(), result.changed(), 0));
            return result;
        }
    }

    private boolean isOutdated() throws IOException {
        return directory.generations().newest() != generation;
    }

    private TransferResult empty(TransferResult.State state, String problem) {
        return new TransferResult(state, generation, Instant.now(), 0, 0, 0, 0, Map.of(), 0, problem);
    }

    // Another that finishes in this generation is let end, or die.
    private Optional<JournalWriter> claim(Cancellation cancellation) throws IOException {
        try (ServerClock clock = new ServerClock(directory.progress())) {
            while (!cancellation.isCancelled() && !isOutdated()) {
                AttemptName last = new AttemptName(generation, attempts.newest().getOrDefault(generation, 0));
                if (last.number() == 0 || attempts.end(last).isPresent() || isDead(clock, last)) {
                    Optional<JournalWriter> journal = attempts.claim(last.next(), generation);
                    if (journal.isPresent()) {
                        return journal;
                    }
                }
                try {
                    Thread.sleep(NAP_MILLIS);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    cancellation.cancel();
                }
            }
        }
        return Optional.empty();
    }

    private boolean isDead(ServerClock clock, AttemptName name) throws IOException {
        return ServerClock.age(clock.now(), attempts.journal(name), heartbeatFile())
                .orElse(Duration.ZERO)
                .compareTo(directory.timing().takeover()) > 0;
    }

    private Path heartbeatFile() {
        return directory.finish().resolve(generation + ".alive");
    }

    private Optional<Lease.Loss> beat(JournalWriter journal) throws IOException {
        journal.flush();
        KeyFile.empty().withEscaped("host", ThisProcess.host()).replace(heartbeatFile(), false);
        return isOutdated() ? Optional.of(Lease.Loss.SUPERSEDED) : Optional.empty();
    }

    /** One finishing. */
    private final class Run {

        private final JournalWriter journal;
        private final Lease lease;
        private final EventListener listener;
        private final Progress progress;
        private final Cancellation stop;
        private final FinishingHistory history = FinishingHistory.read(directory);
        private final Plan plan = Plan.open(directory.plan());
        private final Worker.Settings settings = Worker.Settings.of(plan, directory, threads);
        private final List<CopyPair> pairs = new ArrayList<>();

        Run(JournalWriter journal, Lease lease, EventListener listener, Progress progress, Cancellation stop)
                throws IOException {
            this.journal = journal;
            this.lease = lease;
            this.listener = listener;
            this.progress = progress;
            this.stop = stop;
            for (PlannedRoot root : plan.header().roots()) {
                pairs.add(new CopyPair(Root.of(root.source()), root.target()));
            }
        }

        TransferResult finish() throws IOException {
            if (!plan.isSealed()) {
                return empty(TransferResult.State.INCOMPLETE,
                        "the plan is not complete, its walk has died: resume plans again");
            }
            BatchSurvey survey = BatchSurvey.of(directory, plan, history);
            if (!survey.open().isEmpty()) {
                List<Integer> some = survey.open().subList(0, Math.min(10, survey.open().size()));
                return survey.result(TransferResult.State.INCOMPLETE, generation,
                        "not complete: " + survey.open().size() + " of " + plan.batchCount() + " batches, of them "
                                + some + "; resume goes on with them");
            }
            if (settings.verified().isPresent()) {
                return verify(survey, settings.verified().get());
            }
            try (MountCheck mounts = MountCheck.of(calls, plan, settings, history);
                    TargetSync sync = TargetSync.open(calls, plan.header().roots())) {
                mounts.check();
                TransferFinisher finisher = TransferFinisher.of(calls, settings.options(), directory.id().text())
                        .withUmask(settings.umask());
                // A directory that a token stood in gets its times after that is gone.
                if (!(finishFiles(finisher, sync, survey) && removeTokens(mounts, sync)
                        && finishDirectories(finisher, survey) && mayGoOn())) {
                    return survey.result(TransferResult.State.STOPPED, generation,
                            "finishing was stopped, or the destination failed as a whole; resume goes on");
                }
                journal.makeDurable(sync::sync);
            }
            return survey.result(survey.hasFailures() ? TransferResult.State.PARTIAL : TransferResult.State.COMPLETE,
                    generation, "");
        }

        private TransferResult verify(BatchSurvey survey, VerifiedCopy copy) throws IOException {
            try (MountCheck mounts = MountCheck.of(calls, plan, settings, history)) {
                mounts.check();
            }
            VerifyFinishing rest = new VerifyFinishing(calls, plan, settings, copy, this::failed);
            if (!(mayGoOn() && rest.compare(progress, stop) && mayGoOn())) {
                return survey.result(TransferResult.State.STOPPED, generation, "finishing was stopped; resume goes on");
            }
            rest.failures().forEach(survey::failed);
            return survey.result(survey.hasFailures() ? TransferResult.State.PARTIAL : TransferResult.State.COMPLETE,
                    generation, "");
        }

        private void failed(EntryFailure failure) {
            journal.writeQuietly(new JournalRecord.Failed(new FailureRecord(FailureRecord.NO_ENTRY, failure, 1)));
            listener.onEvent(new Event.Failed(failure));
        }

        private boolean mayGoOn() throws IOException {
            return !stop.isCancelled() && lease.isGood() && !isOutdated();
        }

        private boolean finishFiles(TransferFinisher finisher, TargetSync sync, BatchSurvey survey) throws IOException {
            if (!mayGoOn()) {
                return false;
            }
            try (PlanRecords<PlannedFile> planned = plan.chunked()) {
                LargeFiles files = new LargeFiles(planned, survey, history, journal);
                CopyResult result = finisher.finishFiles(pairs, files, files, listener, progress, stop);
                sync.sync();
                files.tellWhole();
                if (result.isComplete()) {
                    journal.write(new JournalRecord.Phase(FILES, ""));
                }
                return result.isComplete();
            } catch (UncheckedIOException e) {
                throw e.getCause();
            }
        }

        // From now on the directories that they stood in are known by their inodes.
        private boolean removeTokens(MountCheck mounts, TargetSync sync) throws IOException {
            if (!mayGoOn()) {
                return false;
            }
            journal.write(new JournalRecord.Phase(TOKEN, mounts.inodes()));
            journal.makeDurable(sync::sync);
            mounts.removeTokens();
            return true;
        }

        private boolean finishDirectories(TransferFinisher finisher, BatchSurvey survey) throws IOException {
            if (!mayGoOn()) {
                return false;
            }
            try (PlanRecords<PlannedDirectory> planned = plan.directories()) {
                CopyResult result = finisher.finishDirectories(pairs, new FinalDirectories(planned), event -> {
                    if (event instanceof Event.Failed failed) {
                        survey.failed(failed.failure().kind(), 1);
                        journal.writeQuietly(new JournalRecord.Failed(
                                new FailureRecord(FailureRecord.NO_ENTRY, failed.failure(), 1)));
                    }
                    listener.onEvent(event);
                }, progress, stop);
                if (result.isComplete()) {
                    journal.write(new JournalRecord.Phase(DIRECTORIES, ""));
                }
                return result.isComplete();
            } catch (UncheckedIOException e) {
                throw e.getCause();
            }
        }
    }
}
