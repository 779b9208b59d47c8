// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.transfer;

import java.io.IOException;
import java.nio.file.Files;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.transfer.AttemptRecord;
import org.treehaul.core.transfer.BatchStatus;
import org.treehaul.core.transfer.TransferStatus;
import org.treehaul.core.transfer.Transfers;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.directory.TransferId;
import org.treehaul.core.transfer.journal.AttemptFailure;
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
            AttemptTuple.class, FailureTuple.class);

    // Other writers of the space wait for about a tenth of a second while this many are written.
    private static final int BATCHES_AT_ONCE = 500;

    private final TupleSpace space;
    private final Transfers transfers;
    private final InstantSource clock;

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
        WorkTuples tuples = WorkTuples.of(transfer);
        Map<Integer, List<AttemptRecord>> attempts = transfers.attempts(transfer)
                .stream()
                .collect(Collectors.groupingBy(AttemptRecord::batch));
        List<Batch> batches = new ArrayList<>();
        for (BatchStatus batch : status.batches()) {
            batches.add(Batch.of(tuples, batch, attempts.getOrDefault(batch.number(), List.of())));
            if (batches.size() == BATCHES_AT_ONCE) {
                writeBatches(transfer, tuples, batches);
                batches.clear();
            }
        }
        writeBatches(transfer, tuples, batches);
        List<FailureTuple> others = tuples.failures(AttemptFailure.NO_BATCH);
        TransferTuple wanted = transfer(tuples, status);
        Set<Integer> planned = status.batches().stream().map(BatchStatus::number).collect(Collectors.toSet());
        space.atomically(inside -> {
            removeUnplanned(inside, transfer, planned);
            replace(inside,
                    Template.of(FailureTuple.class)
                            .equal(WorkColumns.TRANSFER, transfer.id().text())
                            .isNull(WorkColumns.BATCH),
                    others);
            return write(inside, wanted);
        });
    }

    /** Brings the tuple of a transfer up to date, but not those of its batches. */
    public void publishTransfer(TransferDirectory transfer) throws IOException {
        TransferStatus status = transfers.status(transfer);
        TransferTuple wanted = transfer(WorkTuples.of(transfer), status);
        space.atomically(inside -> write(inside, wanted));
    }

    /** Brings the tuples of one batch, of its attempts and of its failures up to date. */
    public void publishBatch(TransferDirectory transfer, int number) throws IOException {
        Optional<BatchStatus> status = transfers.status(transfer, number);
        if (status.isPresent()) {
            WorkTuples tuples = WorkTuples.of(transfer);
            writeBatches(transfer, tuples,
                    List.of(Batch.of(tuples, status.get(), transfers.attempts(transfer, number))));
        }
    }

    /**
     * Removes the tuples of transfers of this state directory that were forgotten.
     *
     * @return how many transfers these were
     */
    public int removeForgotten() throws IOException {
        if (!Files.exists(transfers.stateDirectory())) {
            return 0;
        }
        ByteString directory = ByteString.of(transfers.stateDirectory().toRealPath());
        Set<String> known = transfers.list().stream().map(TransferId::text).collect(Collectors.toSet());
        List<String> gone;
        try (Stream<TransferTuple> published = space
                .contents(Template.of(TransferTuple.class).equal(WorkColumns.STATE_DIRECTORY, directory))) {
            gone = published.map(TransferTuple::transfer).filter(id -> !known.contains(id)).distinct().toList();
        }
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

    /** A batch and its attempts as they should be. */
    private record Batch(int number, BatchTuple batch, List<AttemptTuple> attempts) {

        static Batch of(WorkTuples tuples, BatchStatus status, List<AttemptRecord> attempts) {
            return new Batch(status.number(), tuples.batch(status), attempts.stream().map(tuples::attempt).toList());
        }

        /** Returns whether failures may have been recorded, or may have been resolved since. */
        boolean mayHaveFailures() {
            return batch.failed() > 0 || attempts.stream().anyMatch(attempt -> attempt.failed() > 0);
        }
    }

    private void writeBatches(TransferDirectory transfer, WorkTuples tuples, List<Batch> batches) throws IOException {
        if (batches.isEmpty()) {
            return;
        }
        Map<Integer, List<FailureTuple>> failures = new HashMap<>();
        for (Batch batch : batches) {
            failures.put(batch.number(), batch.mayHaveFailures() ? tuples.failures(batch.number()) : List.of());
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
                oldFailures.replace(number, failures.getOrDefault(number, List.of()), written);
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

    private static <T extends Record> void replace(TupleOperations inside, Template<T> template, List<T> wanted) {
        List<T> old;
        try (Stream<T> all = inside.contents(template)) {
            old = all.toList();
        }
        if (!areSame(old, wanted)) {
            inside.remove(template);
            inside.writeAll(wanted, Lease.FOREVER);
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
