// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.batch;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.BitSet;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Consumer;

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
import org.treehaul.core.places.FilePlaces;
import org.treehaul.core.plan.format.ChunkRange;
import org.treehaul.core.plan.format.ManifestEntry;
import org.treehaul.core.plan.format.Plan;
import org.treehaul.core.task.CommandOperation;
import org.treehaul.core.task.CommandTask;
import org.treehaul.core.task.ListFile;
import org.treehaul.core.task.OutputFiles;
import org.treehaul.core.task.Segment;
import org.treehaul.core.task.TaskEnd;
import org.treehaul.core.task.TaskInput;
import org.treehaul.core.task.TaskOutputs;
import org.treehaul.core.task.TaskRunner;
import org.treehaul.core.task.TaskWatch;
import org.treehaul.core.threads.ParallelLoop;
import org.treehaul.core.transfer.directory.Lease;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.journal.FailureRecord;
import org.treehaul.core.transfer.journal.JournalRecord;

/**
 * Runs a command, or a Java class, for each entry of a batch, or once for a list of all. The outcome of each command is
 * in the journal before the thread begins another. When the attempt is asked to stop or loses its lease, the commands
 * that run are ended, and their entries count as not tried. Used by one thread, which starts others.
 */
public final class CommandWork implements BatchWork {

    /** The directory in that of a transfer that has the outputs, if the user gives no other. */
    private static final String OUTPUTS = "outputs";

    private final FileSystemCalls calls;
    private final CommandOperation operation;
    private final CommandTask task;
    private final WorkSettings settings;
    private final Plan plan;
    private final Claims.Claimed claim;
    private final BatchCounts counts;
    private final Lease lease;
    private final TaskSlots.Attempt slots;
    // Null while the attempt does not run, or if each entry has a path of its own.
    private @Nullable FilePlaces places;

    /** An entry, and whether it is another name of the file of the entry before it. */
    private record Item(ManifestEntry entry, boolean isFurtherName) {}

    /** The entries that a command handles. */
    @FunctionalInterface
    private interface Members {
        void each(Consumer<Item> consumer) throws IOException;
    }

    public CommandWork(FileSystemCalls calls, CommandOperation operation, WorkSettings settings, Plan plan,
            Claims.Claimed claim, BatchCounts counts, Lease lease, TaskSlots.Attempt slots) {
        this.calls = calls;
        this.slots = slots;
        this.operation = operation;
        this.task = operation.task();
        this.settings = settings;
        this.plan = plan;
        this.claim = claim;
        this.counts = counts;
        this.lease = lease;
    }

    @Override
    public boolean run(EventListener listener, Progress progress, Cancellation stop) throws IOException {
        try (FilePlaces opened = operation.openPlaces();
                TaskOutputs outputs = outputs();
                TaskRunner runner = operation.open(calls);
                EntryGroups entries = open();
                // The lease may lapse while the state directory is unreachable.
                TaskWatch _ = TaskWatch.start(() -> !stop.isCancelled() && lease.isGood(), runner::stop)) {
            places = opened;
            Items items = new Items(entries, stop);
            if (task.body().takesList()) {
                runList(items, new Attempt(runner, outputs, listener, progress, stop));
            } else {
                ParallelLoop.each(items::next, slots.most(),
                        () -> new Worker(new Attempt(runner, outputs, listener, progress, stop)));
            }
            claim.journal().flush();
            return !stop.isCancelled() && lease.isGood();
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    /** Returns the slots for the tasks of a worker. There is one for lists, because each batch has only one list. */
    public static TaskSlots slots(CommandTask task, WorkSettings settings) {
        int wanted = settings.options().threads();
        return new TaskSlots(
                task.body().takesList() ? 1 : wanted > 0 ? wanted : Runtime.getRuntime().availableProcessors());
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
        if (task.outputs().isEmpty()) {
            PrivateFiles.makeDirectories(settings.directory().path().resolve(OUTPUTS));
        }
        return outputs(task, settings.directory());
    }

    /** Returns the directory of the outputs of a transfer, which may not exist yet. */
    public static ByteString outputs(CommandTask task, TransferDirectory transfer) {
        return task.outputs().orElseGet(() -> ByteString.of(transfer.path().resolve(OUTPUTS)));
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
                    return item(new Item(entry, isFurtherName));
                }
                counts.wasDone(entry, isFurtherName);
            }
            slots.last();
            return null;
        }

        private Item item(Item item) {
            if (!task.body().takesList()) {
                slots.taken();
            }
            return item;
        }
    }

    // One list has all entries; the plan limits how many a batch has. They are read twice, so that none is kept.
    private void runList(Items items, Attempt attempt) throws IOException {
        BitSet listed = new BitSet();
        ManifestEntry first = null;
        slots.taken();
        try (FileAccess access = FileAccess.open(calls); ListFile list = ListFile.make()) {
            for (Item item = items.next(); item != null; item = items.next()) {
                Optional<EntryFailure> failure = attempt.examine(item.entry, access);
                if (failure.isPresent()) {
                    attempt.failed(item.entry, failure.get());
                } else {
                    first = first == null ? item.entry : first;
                    listed.set(item.entry.index());
                    list.add(path(item.entry));
                }
            }
            list.end();
            if (first == null || !slots.begin(path(first), attempt::mayBegin)) {
                return;
            }
            try {
                attempt.run(first, TaskInput.of(list.name()), consumer -> listed(listed, consumer));
            } finally {
                slots.end(path(first));
            }
        }
    }

    private void listed(BitSet indexes, Consumer<Item> consumer) throws IOException {
        try (EntryGroups entries = open()) {
            long group = 0;
            while (entries.hasNext()) {
                ManifestEntry entry = entries.next().getFirst();
                if (indexes.get(entry.index())) {
                    consumer.accept(new Item(entry, entry.group() != 0 && entry.group() == group));
                }
                group = entry.group();
            }
        }
    }

    private EntryGroups open() throws IOException {
        return EntryGroups.open(plan, claim.name().batch(), entry -> false);
    }

    private ByteString root(ManifestEntry entry) {
        return plan.header().roots().get(entry.root()).source();
    }

    private ByteString path(ManifestEntry entry) {
        return entry.path().below(root(entry));
    }

    private TaskInput input(ManifestEntry entry) {
        ChunkRange chunk = entry.chunk();
        if (places != null) {
            // Its place in the file is known when it is opened.
            return TaskInput.of(chunk == null ? path(entry) : path(entry).plus(ByteString.of(segment(chunk))));
        }
        return new TaskInput(path(entry),
                !task.segments().divides() ? null : chunk == null ? Segment.whole(entry.bytes()) : Segment.of(chunk));
    }

    private static String segment(ChunkRange chunk) {
        return " segment " + chunk.number();
    }

    /** The parts that the threads share. Safe for any number of threads. */
    private final class Attempt {

        private final TaskRunner runner;
        private final TaskOutputs outputs;
        private final EventListener listener;
        private final Progress progress;
        private final Cancellation stop;

        Attempt(TaskRunner runner, TaskOutputs outputs, EventListener listener, Progress progress, Cancellation stop) {
            this.stop = stop;
            this.runner = runner;
            this.outputs = outputs;
            this.listener = listener;
            this.progress = progress;
        }

        boolean mayBegin() {
            return !stop.isCancelled() && lease.isGood();
        }

        /** Returns the reason why the command must not run for an entry, if there is one. */
        Optional<EntryFailure> examine(ManifestEntry entry, FileAccess access) throws IOException {
            if (task.isOnce() && claim.before().isBegun(entry.index())) {
                return Optional.of(failure(entry, new SystemCallException(
                        "the command began in an earlier attempt, which did not record its end; it is not repeated",
                        0)));
            }
            if (places != null) {
                return Optional.empty();
            }
            try {
                FileStatus status = LongPath.status(access, path(entry), false);
                // The end of a file that has grown belongs to no segment, also if it was planned as one.
                boolean isPlanned = status.kind() == entry.kind()
                        && (!task.segments().divides() || !entry.kind().hasData() || status.size() == entry.size());
                return isPlanned
                        ? Optional.empty()
                        : Optional.of(failure(entry, new SystemCallException("compare with the plan", 0))
                                .as(EntryFailure.Kind.CHANGED));
            } catch (SystemCallException e) {
                EntryFailure failure = failure(entry, e);
                return Optional.of(e.errno() == Errno.ENOENT ? failure.as(EntryFailure.Kind.VANISHED) : failure);
            }
        }

        private EntryFailure failure(ManifestEntry entry, SystemCallException cause) {
            ChunkRange chunk = entry.chunk();
            SystemCallException named = places == null
                    ? input(entry).named(cause)
                    : chunk == null
                            ? cause
                            : new SystemCallException(segment(chunk).strip() + ": " + cause.operation(), cause.errno());
            return EntryFailure.of(root(entry), entry.path(), named);
        }

        /** Runs the command for an entry. */
        void run(Item item, TaskInput input) throws IOException {
            FilePlaces files = places;
            if (files == null) {
                run(item.entry, input, consumer -> consumer.accept(item));
                return;
            }
            ManifestEntry entry = item.entry;
            ChunkRange chunk = entry.chunk();
            FilePlaces.Place opened;
            try {
                opened = files.open(path(entry), entry.inode(), entry.size(),
                        chunk == null ? FilePlaces.WHOLE : chunk.number());
            } catch (SystemCallException e) {
                EntryFailure failure = failure(entry, e);
                failed(entry, switch (e.errno()) {
                    case Errno.ENOENT -> failure.as(EntryFailure.Kind.VANISHED);
                    case Errno.ESTALE -> failure.as(EntryFailure.Kind.CHANGED);
                    default -> failure;
                });
                return;
            }
            try (FilePlaces.Place place = opened) {
                Segment segment = !task.segments().divides()
                        ? null
                        : new Segment(chunk == null ? 0 : chunk.number(), place.parts(), place.offset(),
                                place.length());
                run(entry, new TaskInput(place.path(), segment), consumer -> consumer.accept(item));
            }
        }

        /**
         * Runs the command for one entry, or for the list of several.
         *
         * @param first the first entry
         * @param members passes on all entries
         */
        void run(ManifestEntry first, TaskInput input, Members members) throws IOException {
            if (task.isOnce()) {
                members.each(item -> claim.journal().add(JournalRecord.Fact.BEGUN, item.entry.index()));
                claim.journal().force();
            }
            // The source may have been slow to answer, and another worker may have the batch and its outputs by now.
            if (!mayBegin()) {
                return;
            }
            long began = System.nanoTime();
            TaskEnd end;
            try {
                TaskOutputs.Opened opened = outputs.open(first.index(), label(first), path(first));
                try {
                    end = runner.run(input, opened, new Cancellation());
                } finally {
                    opened.end();
                }
            } catch (SystemCallException e) {
                members.each(item -> failed(item.entry, failure(item.entry, e)));
                return;
            }
            // Asked to end: the entries count as not tried.
            if (!(end instanceof TaskEnd.Stopped)) {
                settle(members, end);
                counts.took(first, root(first), System.nanoTime() - began);
            }
        }

        private void settle(Members members, TaskEnd end) throws IOException {
            Optional<SystemCallException> failure = end.failure();
            members.each(item -> failure.ifPresentOrElse(cause -> failed(item.entry, failure(item.entry, cause)),
                    () -> done(item)));
            // There is nothing to sync, and the repetition of a command may cost hours.
            claim.journal().settle();
        }

        private String label(ManifestEntry entry) {
            return task.body().takesList()
                    ? String.format(Locale.ROOT, "%06d", claim.name().batch())
                    : OutputFiles.label(claim.name().batch(), entry.index());
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
            TaskInput input = input(item.entry);
            if (!slots.begin(input.label(), attempt::mayBegin)) {
                return;
            }
            try {
                Optional<EntryFailure> failure = attempt.examine(item.entry, access);
                if (failure.isPresent()) {
                    attempt.failed(item.entry, failure.get());
                } else {
                    attempt.run(item, input);
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            } finally {
                slots.end(input.label());
            }
        }

        @Override
        public void close() {
            access.close();
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
