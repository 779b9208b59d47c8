// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.Event;
import org.treehaul.core.event.EventListener;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.Call;
import org.treehaul.core.fs.InterceptedCalls;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.operation.EntryOperation;
import org.treehaul.core.operation.OperationTarget;
import org.treehaul.core.operation.Removal;
import org.treehaul.core.plan.format.Plan;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.core.transfer.batch.BatchCounts;
import org.treehaul.core.transfer.batch.Claims;
import org.treehaul.core.transfer.batch.EntryWork;
import org.treehaul.core.transfer.batch.WorkSettings;
import org.treehaul.core.transfer.directory.Lease;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.directory.TransferResult;
import org.treehaul.core.transfer.finish.FinishingRun;
import org.treehaul.core.transfer.journal.AttemptName;
import org.treehaul.core.transfer.journal.Attempts;
import org.treehaul.core.transfer.journal.FinishingHistory;
import org.treehaul.core.transfer.journal.JournalWriter;
import org.treehaul.core.transfer.work.Worker;

/**
 * A worker or finishing whose lease lapses after a removal, or while it examines the next entry, begins no further
 * removal, because another worker may have removed the names, and the user made them anew.
 */
class LapsedRemovalTest {

    private static final int DIRECTORIES = 4;
    private static final int FILES = 40;
    private static final Duration LENGTH = Duration.ofSeconds(60);

    private final TestDirectory directory = TestDirectory.onTmpfs();
    private final Path tree = directory.directory("tree");
    private final List<String> failures = Collections.synchronizedList(new ArrayList<>());
    private final EventListener listener = event -> {
        if (event instanceof Event.Failed failed) {
            failures.add(failed.failure().toString());
        }
    };
    private final AtomicLong nanos = new AtomicLong(5);
    private final Cancellation stop = new Cancellation();
    private final Lease lease = new Lease(LENGTH, stop, now(), this::now);

    private Transfers transfers() throws IOException {
        return Transfers.in(directory.resolve("state"));
    }

    private Lease.Moment now() {
        return new Lease.Moment(nanos.get(), nanos.get() / 1_000_000);
    }

    @BeforeEach
    void makeTree() throws IOException {
        for (int i = 0; i < FILES; i++) {
            Path file = tree.resolve("d" + i % DIRECTORIES + "/f" + i);
            Files.createDirectories(file.getParent());
            Files.writeString(file, "planned");
        }
    }

    @AfterEach
    void close() {
        directory.close();
    }

    /** The moment at which the lease lapses. */
    enum Moment {
        /** Right after a removal. */
        AFTER_A_REMOVAL,
        /** When the next entry is examined, before it is removed. */
        BEFORE_THE_NEXT
    }

    /** Lets the time of the lease pass after the last removal that may begin, and counts the removals. */
    private final class Passing extends InterceptedCalls {
        private final Optional<Call> moment;
        private final int last;
        private final AtomicInteger removals = new AtomicInteger();

        /**
         * Creates calls.
         *
         * @param moment the call after which the time passes; empty if an operation passes it
         */
        Passing(Optional<Call> moment, int last) {
            super(Linux.calls());
            this.moment = moment;
            this.last = last;
        }

        @Override
        protected long around(Call call, int descriptor, MemorySegment name, LongSupplier made) {
            long result = made.getAsLong();
            int done = call == Call.UNLINKAT ? removals.incrementAndGet() : removals.get();
            if (done == last && moment.filter(call::equals).isPresent()) {
                nanos.addAndGet(LENGTH.toNanos());
            }
            return result;
        }

        /** Returns an operation before which the time passes, later than the check of the worker before each entry. */
        EntryOperation before(EntryOperation operation) {
            return new EntryOperation() {
                @Override
                public void entry(OperationTarget target) throws SystemCallException {
                    if (removals.get() == last) {
                        nanos.addAndGet(LENGTH.toNanos());
                    }
                    operation.entry(target);
                }

                @Override
                public void directory(OperationTarget target) throws SystemCallException {
                    operation.directory(target);
                }

                @Override
                public boolean removes() {
                    return operation.removes();
                }
            };
        }
    }

    private TransferDirectory plan() throws IOException {
        return WalkedPlans.removal(transfers(), tree, 1, 1, listener);
    }

    private long left() throws IOException {
        try (Stream<Path> all = Files.walk(tree)) {
            return all.filter(path -> !path.equals(tree)).count();
        }
    }

    @ParameterizedTest
    @CsvSource({"AFTER_A_REMOVAL,1", "AFTER_A_REMOVAL,17", "BEFORE_THE_NEXT,1", "BEFORE_THE_NEXT,17"})
    void aWorkerBeginsNoFurtherRemoval(Moment moment, int last) throws IOException {
        TransferDirectory transfer = plan();
        int generation = transfers().start(transfer);
        Plan plan = Plan.open(transfer.plan());
        boolean isBefore = moment == Moment.BEFORE_THE_NEXT;
        Passing calls = new Passing(isBefore ? Optional.empty() : Optional.of(Call.UNLINKAT), last);
        EntryOperation operation = isBefore ? calls.before(new Removal()) : new Removal();
        try (Claims claims = new Claims(transfer, generation, 0, FinishingHistory.none())) {
            Claims.Claimed claimed = (Claims.Claimed) claims.next(plan);
            try (EntryWork work = new EntryWork(calls, operation, WorkSettings.of(plan, transfer, 1), plan, claimed,
                    new BatchCounts(), lease)) {
                assertThat(work.run(listener, new Progress(), stop)).isFalse();
            } finally {
                claimed.journal().close();
            }
        }
        assertThat(calls.removals).hasValue(last);
        assertThat(left()).isEqualTo(FILES + DIRECTORIES - last);
        assertThat(lease.loss()).contains(Lease.Loss.LAPSED);
        assertThat(failures).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"AFTER_A_REMOVAL,1", "AFTER_A_REMOVAL,3", "BEFORE_THE_NEXT,1", "BEFORE_THE_NEXT,3"})
    void aFinishingBeginsNoFurtherRemoval(Moment moment, int last) throws IOException {
        TransferDirectory transfer = plan();
        int generation = transfers().start(transfer);
        Worker.of(Linux.calls(), transfer, generation).work(listener, new Progress(), new Cancellation());
        assertThat(left()).isEqualTo(DIRECTORIES);
        Passing calls = new Passing(Optional.of(moment == Moment.BEFORE_THE_NEXT ? Call.STATX : Call.UNLINKAT), last);
        AttemptName name = new AttemptName(generation, 1);
        Attempts attempts = Attempts.atFinishing(transfer);
        try (JournalWriter journal = attempts.claim(name, generation).orElseThrow()) {
            TransferResult result = new FinishingRun(calls, transfer, generation, 1, journal, lease,
                    lease.whileGood(listener), new Progress(), stop).finish();
            assertThat(result.state()).isEqualTo(TransferResult.State.STOPPED);
        }
        assertThat(calls.removals).hasValue(last);
        assertThat(left()).isEqualTo(DIRECTORIES - last);
        assertThat(lease.loss()).contains(Lease.Loss.LAPSED);
        transfers().failures(transfer, failure -> failures.add(failure.failure().toString()));
        assertThat(failures).isEmpty();
    }
}
