// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

import org.treehaul.core.event.EventListener;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.plan.Plan;
import org.treehaul.core.walk.Cancellation;

/**
 * Ends a transfer when its workers have ended: gives large files their names and directories their metadata, removes
 * what dead workers left, and reports. It trusts only the journals of the attempts. All of it may be done again, after
 * a kill at any moment.
 */
public final class Finishing {

    /** The phase that removes the tokens; its detail is the inodes of the directories that they stood in. */
    static final String TOKEN = "token";

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

    /** Returns where a result stands that is not for good, and in older transfers any. */
    static Path resultFile(TransferDirectory directory) {
        return directory.finish().resolve("result");
    }

    /**
     * Finishes, and writes down the result unless there is a newer generation, or this one is cancelled. Of several
     * that do this at once one waits for the other.
     *
     * @param listener hears failures and notices, on any thread
     * @param progress is counted up meanwhile
     * @throws WrongMountException when this host does not see source or destination; nothing was written there
     * @throws IOException when the plan or the state directory cannot be read or written; the message says what to do
     */
    public TransferResult finish(EventListener listener, Progress progress, Cancellation cancellation)
            throws IOException {
        Optional<Claimed> won = claim(cancellation);
        if (won.isEmpty()) {
            return TransferResult.empty(generation,
                    isOutdated() ? TransferResult.State.SUPERSEDED : TransferResult.State.STOPPED, "");
        }
        Cancellation stop = Cancellation.of(cancellation);
        Lease lease = new Lease(directory.timing().takeover().dividedBy(2), stop, won.get().since());
        try (JournalWriter journal = won.get().journal();
                Heartbeat heartbeat = new Heartbeat(lease, directory.timing(), () -> beat(journal, won.get().name()))) {
            heartbeat.start();
            TransferResult result;
            try {
                result = !Plan.exists(directory.plan())
                        ? TransferResult.empty(generation, TransferResult.State.INCOMPLETE,
                                "nothing is planned: the output of the job that was to plan " + "is in "
                                        + directory.log() + "; resume plans again")
                        : new FinishingRun(calls, directory, generation, threads, journal, lease,
                                lease.whileGood(listener), progress, stop).finish();
            } catch (IOException e) {
                if (isOvertaken(won.get().name())) {
                    // The other has removed what this one worked with.
                    journal.end(new JournalRecord.End(JournalRecord.Ending.STOPPED, 0, 0, 0, 0));
                    return TransferResult.empty(generation, TransferResult.State.SUPERSEDED, "");
                }
                // Written down, so that whoever looks need not search the output of jobs for it.
                GenerationEnd.of(directory, generation)
                        .tell(TransferResult.empty(generation, TransferResult.State.STOPPED, StateDirectory.reason(e)));
                journal.end(new JournalRecord.End(JournalRecord.Ending.GAVE_UP, 0, 0, 0, 0));
                throw e;
            }
            if (isOvertaken(won.get().name()) || !GenerationEnd.of(directory, generation).tell(result)) {
                result = TransferResult.empty(generation, TransferResult.State.SUPERSEDED, "");
            }
            boolean isEnd = result.state() != TransferResult.State.STOPPED
                    && result.state() != TransferResult.State.SUPERSEDED;
            journal.end(new JournalRecord.End(isEnd ? JournalRecord.Ending.COMPLETE : JournalRecord.Ending.STOPPED,
                    result.done(), result.failed(), result.changed(), 0));
            return result;
        }
    }

    /**
     * Writes down that nobody goes on with this generation, nor finishes it; unless it is finished, or over.
     *
     * @throws IOException when the state directory cannot be written
     */
    public void giveUp(String problem) throws IOException {
        GenerationEnd end = GenerationEnd.of(directory, generation);
        if (end.result().isEmpty() && !isOutdated()) {
            end.tell(TransferResult.empty(generation, TransferResult.State.INCOMPLETE, problem));
        }
    }

    private boolean isOvertaken(AttemptName name) throws IOException {
        return isOutdated() || attempts.exists(name.next());
    }

    private boolean isOutdated() throws IOException {
        return directory.generations().newest() != generation;
    }

    /**
     * A claim on the finishing.
     *
     * @param since a moment before it was made
     */
    private record Claimed(AttemptName name, JournalWriter journal, Lease.Moment since) {}

    // Another that finishes in this generation is let end, or die.
    private Optional<Claimed> claim(Cancellation cancellation) throws IOException {
        try (ServerClock clock = new ServerClock(directory.progress())) {
            while (!cancellation.isCancelled() && !isOutdated()) {
                AttemptName last = new AttemptName(generation, attempts.newest().getOrDefault(generation, 0));
                if (last.number() == 0 || attempts.end(last).isPresent() || isDead(clock, last)) {
                    Lease.Moment since = Lease.Moment.now();
                    Optional<JournalWriter> journal = attempts.claim(last.next(), generation);
                    if (journal.isPresent()) {
                        return journal.map(own -> new Claimed(last.next(), own, since));
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

    private Optional<Lease.Loss> beat(JournalWriter journal, AttemptName name) throws IOException {
        journal.flush();
        KeyFile.empty().withEscaped("host", ThisProcess.host()).replace(heartbeatFile(), false);
        if (isOutdated()) {
            return Optional.of(Lease.Loss.SUPERSEDED);
        }
        return attempts.exists(name.next()) ? Optional.of(Lease.Loss.TAKEN_OVER) : Optional.empty();
    }
}
