// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.core.condition.ConditionContext;
import org.treehaul.core.condition.FileTimes;
import org.treehaul.core.condition.RowQuery;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.transfer.TransferStatus;
import org.treehaul.tuplespace.TupleSpace;
import org.treehaul.tuplespace.TupleSpaces;
import org.treehaul.tuplespace.tuple.Template;

/** The transfers of a space as queries see them: verified or not, and killed or running. */
class KnownTransfersTest {

    private static final Instant BEGUN = Instant.parse("2026-11-26T12:00:00Z");

    private final AtomicReference<Instant> ofSpace = new AtomicReference<>(Instant.EPOCH);
    private final TupleSpace space = TupleSpaces.memory(TransferPublisher.SPACE.clock(ofSpace::get));

    @AfterEach
    void close() {
        space.close();
    }

    private void write(String id, TransferStatus.State state, @Nullable String verifies, String stateDirectory) {
        write(id, state, verifies, stateDirectory, BEGUN);
    }

    private void write(String id, TransferStatus.State state, @Nullable String verifies, String stateDirectory,
            Instant updated) {
        long time = WorkTuples.nanos(BEGUN);
        space.write(new TransferTuple(id, "copy", state, "ann", "login", "cp", ByteString.of("/data"), 1, null, time,
                state == TransferStatus.State.RUNNING ? null : (Long) time, 1, true, 0, 0, 4, 4, 0, 0, 0, verifies,
                false, ByteString.of(stateDirectory), WorkTuples.nanos(updated), null));
    }

    private void differs(String verification, String name) {
        space.write(new FailureTuple(verification, 0, 1, 1, "login", ByteString.of("/data"), ByteString.of(name),
                EntryFailure.Kind.CORRUPT, "", 0, "", ByteString.empty(), 1, false));
    }

    @ParameterizedTest
    @ValueSource(ints = {100, 3, 2, 0})
    void entriesAreVerifiedAlsoIfTooManyOthersDifferToBeKept(int most) {
        write("copy", TransferStatus.State.PARTIAL, null, "/state");
        write("first", TransferStatus.State.PARTIAL, "copy", "/state");
        write("second", TransferStatus.State.PARTIAL, "copy", "/state");
        List.of("a", "b").forEach(name -> differs("first", name));
        List.of("a", "c").forEach(name -> differs("second", name));
        KnownTransfers known = new KnownTransfers(space, BEGUN, most);
        assertThat(Stream.of("a", "b", "c", "d")
                .filter(name -> known.isVerified("copy", ByteString.of("/data"), ByteString.of(name))))
                .containsExactly("b", "c", "d");
    }

    private List<String> found(Duration later, String... conditions) {
        RowQuery query = RowQuery.parse(Stream.of(conditions).map(ByteString::of).toList(), WorkKind.TRANSFERS.fields(),
                ConditionContext.ofIndex(FileTimes.unknown()));
        try (Stream<WorkRow> rows = new WorkIndex(space, () -> BEGUN.plus(later)).rows(WorkKind.TRANSFERS, query)) {
            return rows
                    .map(row -> row.transfer().transfer() + " " + row.transfer().state() + " " + row.transfer().ended())
                    .sorted()
                    .toList();
        }
    }

    @Test
    void aCommandWithoutASignOfLifeIsIncompleteAndOtherTransfersStayAsTheyAre() {
        write("killed", TransferStatus.State.RUNNING, null, "");
        write("jobs", TransferStatus.State.RUNNING, null, "/state");
        write("done", TransferStatus.State.COMPLETE, null, "");
        long time = WorkTuples.nanos(BEGUN);
        assertThat(found(Duration.ofMinutes(4), "state=active")).containsExactly("jobs RUNNING null",
                "killed RUNNING null");
        Duration hour = Duration.ofHours(1);
        assertThat(found(hour, "state=active")).containsExactly("jobs RUNNING null");
        assertThat(found(hour, "state=incomplete")).containsExactly("killed INCOMPLETE " + time);
        assertThat(found(hour, "ended>=2026-11-26T12:00:00Z")).hasSize(2);
        assertThat(found(hour)).hasSize(3);
    }

    @Test
    void aTransferThatSaysSomethingAfterTheTransfersWereReadRuns() {
        write("jobs", TransferStatus.State.INCOMPLETE, null, "/state");
        write("cut off", TransferStatus.State.RUNNING, null, "");
        write("killed", TransferStatus.State.RUNNING, null, "");
        Instant later = BEGUN.plus(Duration.ofHours(1));
        KnownTransfers known = new KnownTransfers(space, later);
        write("jobs", TransferStatus.State.RUNNING, null, "/state", later);
        write("cut off", TransferStatus.State.RUNNING, null, "", later);
        try (Stream<TransferTuple> all = space
                .contents(Template.of(TransferTuple.class).equal("state", TransferStatus.State.RUNNING))) {
            assertThat(all.filter(one -> one.transfer().equals("killed") || one.updated() > WorkTuples.nanos(BEGUN))
                    .map(known::judged)
                    .map(TransferTuple.class::cast)).extracting(TransferTuple::transfer, TransferTuple::state)
                    .containsExactlyInAnyOrder(tuple("jobs", TransferStatus.State.RUNNING),
                            tuple("cut off", TransferStatus.State.RUNNING),
                            tuple("killed", TransferStatus.State.INCOMPLETE));
        }
    }

    @Test
    void aCommandIsAliveAsLongAsItsSignIsLeasedWhateverTheClockOfTheReaderSays() {
        write("silent", TransferStatus.State.RUNNING, null, "");
        space.write(new LiveCommand("silent", "login", 4711), LiveCommand.LEASE);
        Duration year = Duration.ofDays(365);
        assertThat(found(year, "state=running")).hasSize(1);
        ofSpace.set(Instant.EPOCH.plus(LiveCommand.LEASE).minusSeconds(1));
        assertThat(found(year, "state=running")).hasSize(1);
        ofSpace.set(Instant.EPOCH.plus(LiveCommand.LEASE).plusSeconds(1));
        assertThat(found(year, "state=running")).isEmpty();
        assertThat(found(year, "state=failed")).hasSize(1);
    }
}
