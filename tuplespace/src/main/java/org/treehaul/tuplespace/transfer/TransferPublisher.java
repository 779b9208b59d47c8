// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.transfer;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.plan.format.Plan;
import org.treehaul.core.transfer.AttemptRecord;
import org.treehaul.core.transfer.BatchStatus;
import org.treehaul.core.transfer.TransferStatus;
import org.treehaul.core.transfer.Transfers;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.directory.TransferId;
import org.treehaul.tuplespace.Lease;
import org.treehaul.tuplespace.SpaceOptions;
import org.treehaul.tuplespace.TupleOperations;
import org.treehaul.tuplespace.TupleSpace;
import org.treehaul.tuplespace.files.FileIndex;
import org.treehaul.tuplespace.tuple.Template;

/**
 * Publishes transfers in a space: writes tuples that say what the state directory says. The state directory stays the
 * truth, and publishing again repairs tuples that are missing or old. Tuples that are up to date stay as they are. Not
 * thread-safe; several processes may publish the same transfer, and the last one counts.
 */
public final class TransferPublisher {

    /** Options for a space with transfers, which may also have an index of files. */
    public static final SpaceOptions SPACE = FileIndex.SPACE.index(TransferTuple.class, WorkColumns.TRANSFER)
            .index(BatchTuple.class, WorkColumns.TRANSFER, WorkColumns.BATCH)
            .index(AttemptTuple.class, WorkColumns.TRANSFER, WorkColumns.BATCH)
            .index(FailureTuple.class, WorkColumns.TRANSFER, WorkColumns.BATCH);

    static final List<Class<? extends Record>> TYPES = List.of(TransferTuple.class, BatchTuple.class,
            AttemptTuple.class, FailureTuple.class, LiveCommand.class);

    // Other writers of the space wait for about a tenth of a second while this many are written.
    private static final int BATCHES_AT_ONCE = 500;
    /** Failures in memory from which on batches are written: a batch may have a million. */
    private static final int MANY_FAILURES = 10_000;
    private static final int FAILURES_AT_ONCE = 500;

    private final TupleSpace space;
    private final Transfers transfers;
    private final InstantSource clock;
    private @Nullable Plan sealed;

    /** Creates a publisher of the transfers in a state directory. */
    public TransferPublisher(TupleSpace space, Transfers transfers) {
        this(space, transfers, InstantSource.system());
    }

    TransferPublisher(TupleSpace space, Transfers transfers, InstantSource clock) {
        this.space = space;
        this.transfers = transfers;
        this.clock = clock;
    }

    /**
     * Brings all tuples of a transfer up to date. If this fails, some of them may be old.
     *
     * @throws IOException if the state directory cannot be read
     * @throws org.treehaul.tuplespace.store.SpaceException if the space cannot be used
     */
    public void publish(TransferDirectory transfer) throws IOException {
        TransferStatus status = transfers.status(transfer);
        WorkTuples tuples = tuples(transfer);
        Map<Integer, List<AttemptRecord>> attempts = transfers.attempts(transfer)
                .stream()
                .collect(Collectors.groupingBy(AttemptRecord::batch));
        List<Batch> batches = new ArrayList<>();
        int failures = 0;
        for (BatchStatus one : status.batches()) {
            Batch batch = Batch.of(tuples, one, attempts.getOrDefault(one.number(), List.of()));
            batches.add(batch);
            failures += batch.failures().size();
            if (batches.size() == BATCHES_AT_ONCE || failures >= MANY_FAILURES) {
                writeBatches(transfer, batches);
                batches.clear();
                failures = 0;
            }
        }
        writeBatches(transfer, batches);
        writeFailuresOfNoBatch(transfer, tuples);
        TransferTuple wanted = transfer(tuples, status);
        Set<Integer> planned = status.batches().stream().map(BatchStatus::number).collect(Collectors.toSet());
        space.atomically(inside -> {
            removeUnplanned(inside, transfer, planned);
            return write(inside, wanted);
        });
    }

    /** Brings the tuple of a transfer up to date, but not those of its batches. */
    public void publishTransfer(TransferDirectory transfer) throws IOException {
        TransferStatus status = transfers.status(transfer);
        TransferTuple wanted = transfer(tuples(transfer), status);
        space.atomically(inside -> write(inside, wanted));
    }

    /** Brings the tuples of one batch, of its attempts and of its failures up to date. */
    public void publishBatch(TransferDirectory transfer, int number) throws IOException {
        Plan plan = plan(transfer);
        if (plan != null && number < plan.batchCount()) {
            BatchStatus status = transfers.status(transfer, plan.batches().get(number));
            WorkTuples tuples = new WorkTuples(transfer, plan);
            writeBatches(transfer, List.of(Batch.of(tuples, status, transfers.attempts(transfer, number))));
        }
    }

    private WorkTuples tuples(TransferDirectory transfer) throws IOException {
        return new WorkTuples(transfer, plan(transfer));
    }

    /** Returns the plan of a transfer, null if there is none. A sealed plan, which never changes, is read once. */
    private @Nullable Plan plan(TransferDirectory transfer) throws IOException {
        Plan known = sealed;
        if (known != null && known.directory().equals(transfer.plan())) {
            return known;
        }
        if (!Plan.exists(transfer.plan())) {
            return null;
        }
        Plan plan = Plan.open(transfer.plan());
        if (plan.isSealed()) {
            sealed = plan;
        }
        return plan;
    }

    /**
     * Removes the tuples of transfers of this state directory that were forgotten, also if it has another path now.
     * Those of another state directory stay, even if it has the same path on another node.
     *
     * @return how many transfers these were
     */
    public int removeForgotten() throws IOException {
        Optional<String> identity = StateIdentity.find(transfers.stateDirectory());
        if (identity.isEmpty()) {
            // No transfer of it was published.
            return 0;
        }
        List<String> published;
        try (Stream<TransferTuple> all = space
                .contents(Template.of(TransferTuple.class).equal(WorkColumns.STATE_IDENTITY, identity.get()))) {
            published = all.map(TransferTuple::transfer).distinct().toList();
        }
        // Only now: a transfer that begins in the meantime may be published before it is in an older list.
        Set<String> known = transfers.list().stream().map(TransferId::text).collect(Collectors.toSet());
        List<String> gone = published.stream().filter(id -> !known.contains(id)).toList();
        gone.forEach(id -> remove(space, id));
        return gone.size();
    }

    /**
     * Removes all tuples of a transfer from a space.
     *
     * @return how many these were
     */
    public static long remove(TupleSpace space, String transfer) {
        return space.atomically(inside -> {
            long removed = 0;
            for (Class<? extends Record> type : TYPES) {
                removed += inside.remove(Template.of(type).equal(WorkColumns.TRANSFER, transfer));
            }
            return removed;
        });
    }

    /** A batch, its attempts and its failures as they should be. */
    private record Batch(int number, BatchTuple batch, List<AttemptTuple> attempts, List<FailureTuple> failures) {

        static Batch of(WorkTuples tuples, BatchStatus status, List<AttemptRecord> attempts) throws IOException {
            // Failures may have been recorded, or may have been resolved since.
            boolean mayHaveFailures = status.failed() > 0
                    || attempts.stream().anyMatch(attempt -> attempt.failed() > 0);
            return new Batch(status.number(), tuples.batch(status), attempts.stream().map(tuples::attempt).toList(),
                    mayHaveFailures ? tuples.failures(status.number()) : List.of());
        }
    }

    private void writeBatches(TransferDirectory transfer, List<Batch> batches) {
        if (batches.isEmpty()) {
            return;
        }
        String id = transfer.id().text();
        int first = batches.getFirst().number();
        int last = batches.getLast().number();
        space.atomically(inside -> {
            Published<BatchTuple> oldBatches = Published.read(inside, BatchTuple.class, id, first, last,
                    BatchTuple::batch);
            Published<AttemptTuple> oldAttempts = Published.read(inside, AttemptTuple.class, id, first, last,
                    AttemptTuple::batch);
            Published<FailureTuple> oldFailures = Published.read(inside, FailureTuple.class, id, first, last,
                    failure -> Objects.requireNonNull(failure.batch()));
            List<Record> written = new ArrayList<>();
            for (Batch batch : batches) {
                int number = batch.number();
                oldBatches.replace(number, List.of(batch.batch()), written);
                oldAttempts.replace(number, batch.attempts(), written);
                oldFailures.replace(number, batch.failures(), written);
            }
            return inside.writeAll(written, Lease.FOREVER);
        });
    }

    /** The tuples of a class that are in the space for some batches, by batch. */
    private record Published<T extends Record>(TupleOperations inside, Class<T> type, String transfer,
            Map<Integer, List<T>> tuples) {

        interface BatchOf<T> {
            int of(T tuple);
        }

        static <T extends Record> Published<T> read(TupleOperations inside, Class<T> type, String transfer, int first,
                int last, BatchOf<T> batch) {
            try (Stream<T> all = inside.contents(
                    Template.of(type).equal(WorkColumns.TRANSFER, transfer).range(WorkColumns.BATCH, first, last))) {
                return new Published<>(inside, type, transfer, all.collect(Collectors.groupingBy(batch::of)));
            }
        }

        /** Removes the tuples of a batch and adds those to write instead, unless they are the same. */
        void replace(int batch, List<T> wanted, List<Record> written) {
            List<T> old = tuples.getOrDefault(batch, List.of());
            if (!areSame(old, wanted)) {
                if (!old.isEmpty()) {
                    inside.remove(
                            Template.of(type).equal(WorkColumns.TRANSFER, transfer).equal(WorkColumns.BATCH, batch));
                }
                written.addAll(wanted);
            }
        }
    }

    // Planning or finishing may have a million failures, so that they are read twice instead of held.
    private void writeFailuresOfNoBatch(TransferDirectory transfer, WorkTuples tuples) throws IOException {
        Template<FailureTuple> mine = Template.of(FailureTuple.class)
                .equal(WorkColumns.TRANSFER, transfer.id().text())
                .isNull(WorkColumns.BATCH);
        TupleSum wanted = new TupleSum();
        tuples.failuresOfNoBatch(wanted::add);
        TupleSum old = new TupleSum();
        try (Stream<FailureTuple> all = space.contents(mine)) {
            all.forEach(old::add);
        }
        if (old.isSameAs(wanted)) {
            return;
        }
        try {
            space.atomically(inside -> {
                inside.remove(mine);
                List<FailureTuple> some = new ArrayList<>();
                try {
                    tuples.failuresOfNoBatch(failure -> {
                        some.add(failure);
                        if (some.size() == FAILURES_AT_ONCE) {
                            inside.writeAll(some, Lease.FOREVER);
                            some.clear();
                        }
                    });
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
                return inside.writeAll(some, Lease.FOREVER);
            });
        } catch (UncheckedIOException e) {
            throw Objects.requireNonNull(e.getCause());
        }
    }

    private static <T> boolean areSame(List<T> one, List<T> other) {
        return one.size() == other.size() && new HashSet<>(one).equals(new HashSet<>(other));
    }

    // After a transfer was planned again, it may have fewer batches.
    private static void removeUnplanned(TupleOperations inside, TransferDirectory transfer, Set<Integer> planned) {
        String id = transfer.id().text();
        List<Integer> old;
        try (Stream<BatchTuple> all = inside.contents(Template.of(BatchTuple.class).equal(WorkColumns.TRANSFER, id))) {
            old = all.map(BatchTuple::batch).filter(number -> !planned.contains(number)).distinct().toList();
        }
        for (int number : old) {
            for (Class<? extends Record> type : List.of(BatchTuple.class, AttemptTuple.class, FailureTuple.class)) {
                inside.remove(Template.of(type).equal(WorkColumns.TRANSFER, id).equal(WorkColumns.BATCH, number));
            }
        }
    }

    private TransferTuple transfer(WorkTuples tuples, TransferStatus status) throws IOException {
        return tuples.transfer(status, Instant.ofEpochMilli(clock.millis()));
    }

    static TransferTuple write(TupleOperations inside, TransferTuple wanted) {
        Template<TransferTuple> mine = Template.of(TransferTuple.class).equal(WorkColumns.TRANSFER, wanted.transfer());
        List<TransferTuple> old;
        try (Stream<TransferTuple> all = inside.contents(mine)) {
            old = all.toList();
        }
        if (old.size() != 1 || !wanted.saysAs(old.getFirst())) {
            inside.remove(mine);
            inside.write(wanted);
        }
        return wanted;
    }
}
