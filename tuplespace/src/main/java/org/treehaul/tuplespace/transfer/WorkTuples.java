// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.transfer;

import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.ToLongFunction;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.Timestamp;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.plan.format.Plan;
import org.treehaul.core.transfer.AttemptRecord;
import org.treehaul.core.transfer.BatchStatus;
import org.treehaul.core.transfer.TransferStatus;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.journal.AttemptFailure;
import org.treehaul.core.transfer.journal.FailureHistory;
import org.treehaul.core.transfer.journal.VerifiedCopy;
import org.treehaul.core.transfer.operation.CopySettings;
import org.treehaul.tuplespace.files.FileTuple;

/** Makes the tuples of a transfer from what its state directory says. */
final class WorkTuples {

    private final TransferDirectory directory;
    private final String id;
    private final WorkRoots roots;
    private final @Nullable Plan plan;
    private final boolean isChecked;
    private @Nullable FailureHistory history;

    /**
     * Creates the maker of the tuples of a transfer.
     *
     * @param plan its plan, as far as it is known; null before planning has begun
     */
    WorkTuples(TransferDirectory directory, @Nullable Plan plan) {
        this.directory = directory;
        this.id = directory.id().text();
        this.plan = plan;
        if (plan != null) {
            roots = WorkRoots.of(plan.header().roots());
            isChecked = directory.operation().isVerifiable()
                    && CopySettings.parse(plan.header().settings()).verify() != CopyOptions.Verify.NONE;
        } else {
            roots = WorkRoots.of(List.of());
            isChecked = false;
        }
    }

    TransferTuple transfer(TransferStatus status, Instant now) throws IOException {
        List<ByteString> sources = status.places().sources();
        long batchesDone = status.batches()
                .stream()
                .filter(batch -> batch.state() == BatchStatus.State.DONE || batch.state() == BatchStatus.State.FAILED)
                .count();
        return new TransferTuple(id, status.operation().name(), status.state(), directory.user(), directory.host(),
                directory.commandLine(), sources.isEmpty() ? ByteString.empty() : roots.absolute(sources.getFirst()),
                sources.size(), status.places().destination().map(roots::absolute).orElse(null),
                nanos(status.created()), nanos(status.ended()), status.generation(), status.isPlanned(),
                status.batches().size(), (int) batchesDone, total(status, BatchStatus::entries),
                total(status, BatchStatus::entriesDone), total(status, BatchStatus::bytes),
                total(status, BatchStatus::bytesDone), status.failed(),
                VerifiedCopy.of(directory).map(VerifiedCopy::id).orElse(null), isChecked,
                ByteString.of(directory.stateDirectory()), nanos(now),
                StateIdentity.keep(directory.stateDirectory()).orElse(null));
    }

    private static long total(TransferStatus status, ToLongFunction<BatchStatus> of) {
        return status.total(of);
    }

    BatchTuple batch(BatchStatus batch) {
        return new BatchTuple(id, batch.number(), batch.state(), batch.attempts(), batch.host(), batch.job(),
                batch.entries(), batch.entriesDone(), batch.files(), batch.filesDone(), batch.bytes(),
                batch.bytesDone(), batch.failed(), nanos(batch.started()), nanos(batch.reported()));
    }

    AttemptTuple attempt(AttemptRecord attempt) {
        // The text of a worker is its host, its job if it has one, and its process.
        int host = attempt.worker().indexOf(", ");
        return new AttemptTuple(id, attempt.batch(), attempt.number(), attempt.generation(), attempt.state(),
                host < 0 ? attempt.worker() : attempt.worker().substring(0, host), attempt.worker(),
                nanos(attempt.started()), nanos(attempt.ended()), attempt.entries(), attempt.bytes(), attempt.failed());
    }

    /** Returns the failures of a batch. */
    List<FailureTuple> failures(int batch) throws IOException {
        Optional<FailureHistory> known = history();
        List<FailureTuple> tuples = new ArrayList<>();
        if (known.isPresent()) {
            for (AttemptFailure failure : known.get().ofBatch(batch)) {
                tuples.add(failure(id, failure, roots));
            }
        }
        return tuples;
    }

    /** Passes the failures of planning and finishing on, of which there may be any number. */
    void failuresOfNoBatch(Consumer<FailureTuple> consumer) throws IOException {
        Optional<FailureHistory> known = history();
        if (known.isPresent()) {
            known.get().ofNoBatch(failure -> consumer.accept(failure(id, failure, roots)));
        }
    }

    private Optional<FailureHistory> history() throws IOException {
        if (history == null && plan != null) {
            history = FailureHistory.of(directory, plan);
        }
        return Optional.ofNullable(history);
    }

    /**
     * Returns the tuple of a failure.
     *
     * @param transfer the id of its transfer
     * @param roots the roots of the transfer
     */
    static FailureTuple failure(String transfer, AttemptFailure found, WorkRoots roots) {
        EntryFailure failure = found.record().failure();
        ByteString place = failure.path().below(roots.absolute(failure.root()));
        ByteString entry = failure.path().below(roots.source(failure.root()));
        boolean isAbsolute = entry.length() > 0 && entry.at(0) == '/';
        return new FailureTuple(transfer, found.batch() == AttemptFailure.NO_BATCH ? null : (Integer) found.batch(),
                found.attempt(), found.generation(), found.host(),
                isAbsolute ? FileTuple.directoryOf(entry) : ByteString.empty(),
                isAbsolute ? FileTuple.nameOf(entry) : entry, failure.kind(), failure.operation(), failure.errno(),
                failure.errno() == 0 ? "" : Errno.describe(failure.errno()),
                place.equals(entry) ? ByteString.empty() : place, found.record().tries(), found.isResolved());
    }

    static long nanos(Instant instant) {
        return Timestamp.sinceEpoch(instant.getEpochSecond(), instant.getNano());
    }

    private static @Nullable Long nanos(Optional<Instant> instant) {
        return instant.map(WorkTuples::nanos).orElse(null);
    }
}
