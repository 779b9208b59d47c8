// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.transfer;

import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.annotation.Internal;
import org.treehaul.core.copy.options.UserPath;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.event.Progress;
import org.treehaul.core.transfer.TransferStatus;
import org.treehaul.core.transfer.directory.ThisProcess;
import org.treehaul.core.transfer.directory.TransferId;
import org.treehaul.core.transfer.journal.AttemptFailure;
import org.treehaul.core.transfer.journal.FailureRecord;
import org.treehaul.tuplespace.Lease;
import org.treehaul.tuplespace.TupleSpace;
import org.treehaul.tuplespace.TupleSpaces;
import org.treehaul.tuplespace.store.SpaceUri;
import org.treehaul.tuplespace.tuple.Template;

/**
 * Publishes a command that works in this process and has no state directory, as a transfer without batches, and its
 * failures. It uses a thread of its own, so that the work never waits for the space; at the end the command waits for
 * this thread for a limited time. Thread-safe.
 */
@Internal
public final class CommandPublisher implements AutoCloseable {

    /** The space is open only for a moment, because a server has few connections for many commands. */
    private static final Duration PAUSE = Duration.ofSeconds(5);
    private static final Duration RETRY = Duration.ofSeconds(30);
    /** How long one attempt waits while another process writes. */
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final Duration LAST = Duration.ofSeconds(20);
    /** About 2 MB: more failures than wait while the space answers, and little beside the memory of a copy. */
    private static final int MOST_WAITING = 10_000;
    private static final int FAILURES_AT_ONCE = 500;
    // As in the file of a transfer.
    private static final int MOST_SHOWN = 50_000;

    /**
     * A command and its operands.
     *
     * @param operation the word of its operation, such as {@code copy}
     * @param command the command line, for display
     * @param sources the sources, or the trees to process, as the user gave them
     * @param targets the copies of the sources in the same order, as failures name them; nothing if the operation has
     *        no targets
     * @param isChecked whether the command reads back what it writes
     */
    public record Work(String operation, String command, List<ByteString> sources, List<ByteString> targets,
            boolean isChecked) {

        /** Copies the lists. */
        public Work {
            sources = List.copyOf(sources);
            targets = List.copyOf(targets);
            if (!targets.isEmpty() && targets.size() != sources.size()) {
                throw new IllegalArgumentException(sources.size() + " sources, " + targets.size() + " targets");
            }
        }
    }

    private final SpaceUri space;
    private final Work work;
    private final WorkRoots roots;
    private final Progress progress;
    private final Consumer<String> problems;
    private final Duration pause;
    private final Instant created = Instant.now();
    private final String id = TransferId.make(created, new SecureRandom()).text();
    private final Thread thread = new Thread(this::run, "publisher");
    // Guarded by this.
    private final ArrayDeque<EntryFailure> waiting = new ArrayDeque<>();
    private long failed;
    private long lost;
    private boolean isGivenUp;
    private @Nullable Instant ended;
    private TransferStatus.State state = TransferStatus.State.RUNNING;
    // Used by the thread only.
    private long written;
    private boolean isReported;
    private boolean isSigned;
    private @Nullable Long signedAt;

    private CommandPublisher(SpaceUri space, Work work, Progress progress, Consumer<String> problems, Duration pause) {
        this.pause = pause;
        this.space = space;
        this.work = work;
        this.roots = WorkRoots.of(work.sources(), work.targets());
        this.progress = progress;
        this.problems = problems;
        thread.setDaemon(true);
    }

    /**
     * Starts to publish a command, which is in the space some seconds later, or when it ends.
     *
     * @param progress counts the work
     * @param problems receives reasons why the command is not published, on any thread
     */
    public static CommandPublisher start(SpaceUri space, Work work, Progress progress, Consumer<String> problems) {
        return start(space, work, progress, problems, PAUSE);
    }

    static CommandPublisher start(SpaceUri space, Work work, Progress progress, Consumer<String> problems,
            Duration pause) {
        CommandPublisher publisher = new CommandPublisher(space, work, progress, problems, pause);
        publisher.thread.start();
        return publisher;
    }

    /** Returns the id of the command in the space. */
    public String id() {
        return id;
    }

    /** Publishes a failure soon, without waiting for that. While too many failures wait, it is only counted. */
    public synchronized void failed(EntryFailure failure) {
        failed++;
        if (waiting.size() < MOST_WAITING) {
            waiting.add(failure);
        } else {
            lost++;
        }
    }

    /**
     * Publishes what is left and the end of the command, and ends the thread.
     *
     * @param isComplete whether every entry was tried
     */
    public void end(boolean isComplete) {
        end(!isComplete
                ? TransferStatus.State.INCOMPLETE
                : failures() > 0 ? TransferStatus.State.PARTIAL : TransferStatus.State.COMPLETE);
    }

    /** Publishes that the command did not complete, unless its end was published. */
    @Override
    public void close() {
        end(TransferStatus.State.INCOMPLETE);
    }

    private void end(TransferStatus.State with) {
        synchronized (this) {
            if (ended != null) {
                return;
            }
            ended = Instant.now();
            state = with;
            notifyAll();
        }
        try {
            if (!thread.join(LAST)) {
                report("the command is not published completely: " + space.withoutPassword() + " did not answer for "
                        + LAST.toSeconds() + " s");
                giveUp();
            }
        } catch (InterruptedException e) {
            giveUp();
            Thread.currentThread().interrupt();
        }
    }

    private synchronized void giveUp() {
        isGivenUp = true;
        thread.interrupt();
    }

    private synchronized void report(String problem) {
        if (!isGivenUp) {
            problems.accept(problem);
        }
    }

    private synchronized long failures() {
        return failed;
    }

    private void run() {
        try {
            boolean isPublished = true;
            while (await(isPublished ? pause : RETRY)) {
                isPublished = publish(false);
            }
            publish(true);
        } catch (InterruptedException e) {
            // The command has waited for long enough.
        }
    }

    /** Waits for a while; returns false at the end. */
    private synchronized boolean await(Duration time) throws InterruptedException {
        long end = System.nanoTime() + time.toNanos();
        for (long rest = time.toNanos(); ended == null && rest > 0; rest = end - System.nanoTime()) {
            wait(Math.max(1, rest / 1_000_000));
        }
        return ended == null;
    }

    private boolean publish(boolean isLast) {
        try (TupleSpace tuples = TupleSpaces.open(space, TransferPublisher.SPACE.patience(PATIENCE))) {
            writeFailures(tuples);
            writeTransfer(tuples, isLast);
            if (isLast && lost() > 0) {
                report(lost() + " failures of entries are not published, because the space was too slow");
            }
            return true;
        } catch (RuntimeException e) {
            // Even a programming error in the middle of a copy is not worth more than a notice.
            if (isLast) {
                report("the command is not published completely: " + Publication.reason(e));
            } else if (!isReported) {
                isReported = true;
                report("the command is not published yet: " + Publication.reason(e)
                        + "; this is repeated until the command ends");
            }
            return false;
        }
    }

    // A command that is killed must not seem to run for ever.
    private void writeTransfer(TupleSpace tuples, boolean isLast) {
        Template<LiveCommand> sign = Template.of(LiveCommand.class).equal(WorkColumns.TRANSFER, id);
        long now = System.nanoTime();
        Long last = signedAt;
        boolean isDue = !isLast && (last == null || now - last >= LiveCommand.INTERVAL.toNanos());
        isSigned |= isDue;
        tuples.atomically(inside -> {
            if (isDue || isLast && isSigned) {
                inside.remove(sign);
            }
            if (isDue) {
                inside.write(new LiveCommand(id, printable(ThisProcess.host()), ProcessHandle.current().pid()),
                        LiveCommand.LEASE);
            }
            return TransferPublisher.write(inside, transfer());
        });
        if (isDue) {
            signedAt = now;
        }
    }

    private void writeFailures(TupleSpace tuples) {
        if (next().isEmpty()) {
            return;
        }
        // The answer to an earlier call may have been lost after its tuples were written.
        long there = tuples
                .count(Template.of(FailureTuple.class).equal(WorkColumns.TRANSFER, id).isNull(WorkColumns.BATCH));
        isWritten((int) (there - written));
        for (List<EntryFailure> some = next(); !some.isEmpty(); some = next()) {
            tuples.writeAll(some.stream().map(this::tuple).toList(), Lease.FOREVER);
            isWritten(some.size());
        }
    }

    private void isWritten(int count) {
        written += count;
        synchronized (this) {
            for (int i = 0; i < count; i++) {
                waiting.poll();
            }
        }
    }

    private synchronized List<EntryFailure> next() {
        List<EntryFailure> some = new ArrayList<>();
        for (EntryFailure failure : waiting) {
            some.add(failure);
            if (some.size() == FAILURES_AT_ONCE) {
                break;
            }
        }
        return some;
    }

    private synchronized long lost() {
        return lost;
    }

    private FailureTuple tuple(EntryFailure failure) {
        return WorkTuples.failure(id, new AttemptFailure(AttemptFailure.NO_BATCH, 1, 1, printable(ThisProcess.host()),
                new FailureRecord(FailureRecord.NO_ENTRY, failure, 1), false), roots);
    }

    private synchronized TransferTuple transfer() {
        Progress.Snapshot counts = progress.snapshot();
        long done = counts.entries() + counts.skipped();
        Instant end = ended;
        return new TransferTuple(id, work.operation(), state, printable(System.getProperty("user.name", "")),
                printable(ThisProcess.host()), command(), roots.absolute(work.sources().getFirst()),
                work.sources().size(), destination(), WorkTuples.nanos(created),
                end == null ? null : (Long) WorkTuples.nanos(end), 1, false, 0, 0, done + failed, done, counts.bytes(),
                counts.bytes(), failed, null, work.isChecked(), ByteString.empty(), WorkTuples.nanos(Instant.now()),
                null);
    }

    // As status shows it for a transfer: the copy itself, or the directory that receives the copies.
    private @Nullable ByteString destination() {
        if (work.targets().isEmpty()) {
            return null;
        }
        ByteString first = roots.absolute(work.targets().getFirst());
        return work.targets().size() == 1 ? first : UserPath.parent(first);
    }

    private String command() {
        String text = work.command();
        return printable(text.length() <= MOST_SHOWN ? text : text.substring(0, MOST_SHOWN) + "...");
    }

    private static String printable(String text) {
        return text.codePoints().noneMatch(Character::isISOControl) ? text : ByteString.of(text).toString();
    }
}
