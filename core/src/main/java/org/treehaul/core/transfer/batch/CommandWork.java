// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.batch;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.event.Event;
import org.treehaul.core.event.EventListener;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.LongPath;
import org.treehaul.core.fs.PrivateFiles;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.plan.format.ManifestEntry;
import org.treehaul.core.plan.format.Plan;
import org.treehaul.core.task.CommandTask;
import org.treehaul.core.task.ListFile;
import org.treehaul.core.task.OutputFiles;
import org.treehaul.core.task.TaskEnd;
import org.treehaul.core.task.TaskOutputs;
import org.treehaul.core.task.TaskRunner;
import org.treehaul.core.threads.ParallelLoop;
import org.treehaul.core.transfer.directory.Lease;
import org.treehaul.core.transfer.journal.FailureRecord;
import org.treehaul.core.transfer.journal.JournalRecord;

/**
 * Runs a command for each entry of a batch, or once for a list of all. The outcome of each command is in the journal
 * before the thread begins another. When the attempt is asked to stop or loses its lease, the commands that run are
 * ended, and their entries count as not tried. Used by one thread, which starts others.
 */
public final class CommandWork implements BatchWork {

    /** The directory in that of a transfer that has the outputs, if the user gives no other. */
    private static final String OUTPUTS = "outputs";
    private static final long WATCH_MILLIS = 200;

    private final FileSystemCalls calls;
    private final CommandTask task;
    private final WorkSettings settings;
    private final Plan plan;
    private final Claims.Claimed claim;
    private final BatchCounts counts;
    private final Lease lease;
    private final Set<ByteString> busy = ConcurrentHashMap.newKeySet();

    /** An entry, and whether it is another name of the file of the entry before it. */
    private record Item(ManifestEntry entry, boolean isFurtherName) {}

    public CommandWork(FileSystemCalls calls, CommandTask task, WorkSettings settings, Plan plan, Claims.Claimed claim,
            BatchCounts counts, Lease lease) {
        this.calls = calls;
        this.task = task;
        this.settings = settings;
        this.plan = plan;
        this.claim = claim;
        this.counts = counts;
        this.lease = lease;
    }

    @Override
    public boolean run(EventListener listener, Progress progress, Cancellation stop) throws IOException {
        progress.setBusy(() -> busy.stream().map(ByteString::toString).toList());
        try (TaskOutputs outputs = outputs();
                TaskRunner runner = TaskRunner.open(calls, task, false);
                EntryGroups entries = EntryGroups.open(plan, claim.name().batch(), entry -> false);
                Watch watch = new Watch(runner, stop)) {
            watch.start();
            Items items = new Items(entries, stop);
            if (task.command().takesList()) {
                runList(items, new Attempt(runner, outputs, listener, progress));
            } else {
                ParallelLoop.each(items::next, threads(),
                        () -> new Worker(new Attempt(runner, outputs, listener, progress)));
            }
            claim.journal().flush();
            return !stop.isCancelled() && lease.isGood();
        } catch (UncheckedIOException e) {
            throw e.getCause();
        } finally {
            progress.setBusy(List::of);
        }
    }

    private int threads() {
        int wanted = settings.options().threads();
        return wanted > 0 ? wanted : Runtime.getRuntime().availableProcessors();
    }

    private TaskOutputs outputs() throws IOException {
        ByteString path = directoryOfOutputs();
        try {
            return OutputFiles.in(calls, path);
        } catch (SystemCallException e) {
            throw new IOException("the directory of outputs " + path + " cannot be used: " + e.getMessage(), e);
        }
    }

    private ByteString directoryOfOutputs() throws IOException {
        if (task.outputs().isPresent()) {
            return task.outputs().get();
        }
        Path directory = settings.directory().path().resolve(OUTPUTS);
        PrivateFiles.makeDirectories(directory);
        return ByteString.of(directory);
    }

    /** The entries that are not done. Used by one thread at a time. */
    private final class Items {

        private final EntryGroups entries;
        private final Cancellation stop;
        private long group;

        Items(EntryGroups entries, Cancellation stop) {
            this.entries = entries;
            this.stop = stop;
        }

        @Nullable Item next() throws IOException {
            while (entries.hasNext() && !stop.isCancelled() && lease.isGood()) {
                ManifestEntry entry = entries.next().getFirst();
                boolean isFurtherName = entry.group() != 0 && entry.group() == group;
                group = entry.group();
                if (!claim.before().isDone(entry.index())) {
                    return new Item(entry, isFurtherName);
                }
                counts.wasDone(entry, isFurtherName);
            }
            return null;
        }
    }

    // One list has all entries; the plan limits how many a batch has.
    private void runList(Items items, Attempt attempt) throws IOException {
        List<Item> all = new ArrayList<>();
        try (FileAccess access = FileAccess.open(calls)) {
            for (Item item = items.next(); item != null; item = items.next()) {
                Optional<EntryFailure> failure = attempt.examine(item.entry, access);
                if (failure.isPresent()) {
                    attempt.failed(item.entry, failure.get());
                } else {
                    all.add(item);
                }
            }
        }
        if (all.isEmpty() || !lease.isGood()) {
            return;
        }
        try (ListFile list = ListFile.of(all.stream().map(item -> path(item.entry)).toList())) {
            attempt.run(all, list.name());
        }
    }

    private ByteString root(ManifestEntry entry) {
        return plan.header().roots().get(entry.root()).source();
    }

    private ByteString path(ManifestEntry entry) {
        return entry.path().below(root(entry));
    }

    /** The parts that the threads share. Safe for any number of threads. */
    private final class Attempt {

        private final TaskRunner runner;
        private final TaskOutputs outputs;
        private final EventListener listener;
        private final Progress progress;

        Attempt(TaskRunner runner, TaskOutputs outputs, EventListener listener, Progress progress) {
            this.runner = runner;
            this.outputs = outputs;
            this.listener = listener;
            this.progress = progress;
        }

        /** Returns the reason why the command must not run for an entry, if there is one. */
        Optional<EntryFailure> examine(ManifestEntry entry, FileAccess access) throws IOException {
            if (task.isOnce() && claim.before().isBegun(entry.index())) {
                return Optional.of(failure(entry, new SystemCallException(
                        "the command began in an earlier attempt, which did not record its end; it is not repeated",
                        0)));
            }
            try {
                FileStatus status = LongPath.status(access, path(entry), false);
                return status.kind() == entry.kind()
                        ? Optional.empty()
                        : Optional.of(failure(entry, new SystemCallException("compare with the plan", 0))
                                .as(EntryFailure.Kind.CHANGED));
            } catch (SystemCallException e) {
                EntryFailure failure = failure(entry, e);
                return Optional.of(e.errno() == Errno.ENOENT ? failure.as(EntryFailure.Kind.VANISHED) : failure);
            }
        }

        private EntryFailure failure(ManifestEntry entry, SystemCallException cause) {
            return EntryFailure.of(root(entry), entry.path(), cause);
        }

        /** Runs the command for one entry, or for the list of several. */
        void run(List<Item> items, ByteString argument) throws IOException {
            ManifestEntry first = items.getFirst().entry;
            if (task.isOnce()) {
                items.forEach(item -> claim.journal().add(JournalRecord.Fact.BEGUN, item.entry.index()));
                claim.journal().force();
            }
            long began = System.nanoTime();
            busy.add(path(first));
            TaskEnd end;
            try {
                TaskOutputs.Opened opened = outputs.open(first.index(), label(first), path(first));
                try {
                    end = runner.run(argument, opened);
                } finally {
                    opened.end();
                }
            } catch (SystemCallException e) {
                items.forEach(item -> failed(item.entry, failure(item.entry, e)));
                return;
            } finally {
                busy.remove(path(first));
            }
            // Asked to end: the entries count as not tried.
            if (!(end instanceof TaskEnd.Stopped)) {
                settle(items, end);
                counts.took(first, root(first), System.nanoTime() - began);
            }
        }

        private void settle(List<Item> items, TaskEnd end) throws IOException {
            Optional<SystemCallException> failure = end.failure();
            for (Item item : items) {
                if (failure.isPresent()) {
                    failed(item.entry, failure(item.entry, failure.get()));
                } else {
                    done(item);
                }
            }
            // There is nothing to sync, and the repetition of a command may cost hours.
            claim.journal().settle();
        }

        private String label(ManifestEntry entry) {
            return task.command().takesList()
                    ? String.format(Locale.ROOT, "%06d", claim.name().batch())
                    : String.format(Locale.ROOT, "%06d-%07d", claim.name().batch(), entry.index());
        }

        private void done(Item item) {
            ManifestEntry entry = item.entry;
            claim.journal().add(JournalRecord.Fact.DONE, entry.index());
            counts.done(entry, item.isFurtherName, false);
            progress.entryDone(entry.kind());
        }

        /** Records a failure. */
        void failed(ManifestEntry entry, EntryFailure failure) {
            if (!lease.isGood()) {
                return;
            }
            claim.journal().writeQuietly(new JournalRecord.Failed(new FailureRecord(entry.index(), failure, 1)));
            counts.failed(entry.index(), failure.kind());
            progress.entryFailed();
            listener.onEvent(new Event.Failed(failure));
        }
    }

    /** Runs commands on one thread. */
    private final class Worker implements ParallelLoop.Worker<Item> {

        private final FileAccess access = FileAccess.open(calls);
        private final Attempt attempt;

        Worker(Attempt attempt) {
            this.attempt = attempt;
        }

        @Override
        public void process(Item item) {
            try {
                Optional<EntryFailure> failure = attempt.examine(item.entry, access);
                if (failure.isPresent()) {
                    attempt.failed(item.entry, failure.get());
                } else {
                    attempt.run(List.of(item), path(item.entry));
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public void close() {
            access.close();
        }
    }

    /** Ends the commands when the attempt must end. */
    private static final class Watch implements AutoCloseable {

        private final TaskRunner runner;
        private final Cancellation stop;
        private final Thread thread = Thread.ofPlatform().name("treehaul-watch").daemon(true).unstarted(this::watch);

        Watch(TaskRunner runner, Cancellation stop) {
            this.runner = runner;
            this.stop = stop;
        }

        void start() {
            thread.start();
        }

        private void watch() {
            try {
                while (!stop.isCancelled()) {
                    Thread.sleep(WATCH_MILLIS);
                }
                runner.stop();
            } catch (InterruptedException e) {
                // The work has ended.
            }
        }

        // The runner is closed next, and must not be used any more then.
        @Override
        public void close() {
            thread.interrupt();
            boolean isInterrupted = false;
            while (thread.isAlive()) {
                try {
                    thread.join();
                } catch (InterruptedException e) {
                    isInterrupted = true;
                }
            }
            if (isInterrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @Override
    public void sync() {
        // A command syncs the files that it writes, if it needs to.
    }

    @Override
    public void close() {
        // The parts are closed when the run ends.
    }
}
