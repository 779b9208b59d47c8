// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.core.condition.ConditionContext;
import org.treehaul.core.condition.ConditionException;
import org.treehaul.core.condition.FileTimes;
import org.treehaul.core.condition.RowQuery;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.state.StateFile;
import org.treehaul.core.transfer.AttemptRecord;
import org.treehaul.core.transfer.BatchStatus;
import org.treehaul.core.transfer.TransferFixture;
import org.treehaul.core.transfer.TransferStatus;
import org.treehaul.core.transfer.Transfers;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.operation.Operation;
import org.treehaul.core.transfer.work.Worker;
import org.treehaul.tuplespace.PostgresServer;
import org.treehaul.tuplespace.TupleSpace;
import org.treehaul.tuplespace.TupleSpaces;
import org.treehaul.tuplespace.files.FileTuple;
import org.treehaul.tuplespace.partition.Partitions;
import org.treehaul.tuplespace.store.SpaceUri;
import org.treehaul.tuplespace.tuple.Template;

/** Tuples say what the state directory of a transfer says, and queries find them by conditions. */
class PublishedTransferTest {

    private static final int FILES = 12;

    private final TransferFixture fixture = TransferFixture.onTmpfs();
    private Instant now = Instant.EPOCH;
    private TupleSpace space = TupleSpaces.memory(TransferPublisher.SPACE);

    @AfterEach
    void close() {
        space.close();
        fixture.close();
    }

    private void use(String store) {
        if (!store.equals("memory")) {
            space.close();
            space = TupleSpaces.open(address(store), TransferPublisher.SPACE);
        }
    }

    private SpaceUri address(String store) {
        return switch (store) {
            case "sqlite" -> SpaceUri.of(fixture.directory().resolve("space"));
            case "postgresql" -> PostgresServer.shared().fresh();
            case "partitions" -> Partitions.create(fixture.directory().resolve("list"),
                    Stream.of("p0", "p1", "p2", "p3")
                            .map(name -> SpaceUri.of(fixture.directory().resolve(name)))
                            .toList(),
                    4, 0);
            default -> throw new IllegalArgumentException(store);
        };
    }

    private Path file(int number) {
        return fixture.source().resolve("f" + number);
    }

    /** Makes a transfer of which one file is gone when it is to be copied. */
    private TransferDirectory failed() throws IOException {
        fixture.with(writer -> {
            for (int i = 0; i < FILES; i++) {
                writer.file(ByteString.of("f" + i), 10 + i, i);
            }
        });
        TransferDirectory transfer = fixture.planned(3);
        Files.delete(file(0));
        fixture.run(transfer, fixture.transfers().start(transfer), 1);
        return transfer;
    }

    private TransferPublisher publisher() {
        return new TransferPublisher(space, fixture.transfers(), () -> now);
    }

    private <T> List<T> all(Class<T> type) {
        try (Stream<T> tuples = space.contents(Template.of(type))) {
            return tuples.toList();
        }
    }

    private List<String> found(WorkKind kind, String field, String... conditions) {
        RowQuery query = RowQuery.parse(Arrays.stream(conditions).map(ByteString::of).toList(), kind.fields(),
                ConditionContext.ofIndex(FileTimes.unknown()));
        try (Stream<WorkRow> rows = new WorkIndex(space).rows(kind, query)) {
            return rows.map(row -> row
                    .print(kind.fields().stream().filter(one -> one.label().equals(field)).findFirst().orElseThrow())
                    .orElse("-")).sorted().toList();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"memory", "sqlite", "postgresql", "partitions"})
    void aTransferItsBatchesItsAttemptsAndItsFailuresAreTuples(String store) throws IOException {
        use(store);
        TransferDirectory transfer = failed();
        TransferStatus status = fixture.transfers().status(transfer);
        publisher().publish(transfer);
        assertThat(all(TransferTuple.class)).singleElement().satisfies(tuple -> {
            assertThat(tuple.transfer()).isEqualTo(transfer.id().text());
            assertThat(tuple.state()).isEqualTo(TransferStatus.State.PARTIAL);
            assertThat(tuple.operation()).isEqualTo("copy");
            assertThat(tuple.user()).isEqualTo(System.getProperty("user.name"));
            assertThat(tuple.source().toString()).isEqualTo(fixture.source().toString());
            assertThat(tuple.destination()).hasToString(fixture.target().toString());
            assertThat(tuple.entries()).isEqualTo(status.total(BatchStatus::entries));
            assertThat(tuple.entriesDone()).isEqualTo(tuple.entries() - 1);
            assertThat(tuple.failed()).isOne();
            assertThat(tuple.batches()).isEqualTo(3);
            assertThat(tuple.batchesDone()).isEqualTo(3);
            assertThat(tuple.ended()).isNotNull();
        });
        assertThat(all(BatchTuple.class)).hasSize(3)
                .extracting(BatchTuple::state)
                .containsOnlyOnce(BatchStatus.State.FAILED);
        assertThat(all(AttemptTuple.class)).hasSize(3).allSatisfy(tuple -> {
            assertThat(tuple.state()).isEqualTo(AttemptRecord.State.COMPLETE);
            assertThat(tuple.worker()).startsWith(tuple.node() + ", ");
        });
        assertThat(all(FailureTuple.class)).singleElement().satisfies(tuple -> {
            assertThat(tuple.directory().toString()).isEqualTo(fixture.source().toString());
            assertThat(tuple.name().toString()).isEqualTo("f0");
            assertThat(tuple.failure()).isEqualTo(EntryFailure.Kind.VANISHED);
            assertThat(tuple.resolved()).isFalse();
            assertThat(tuple.batch()).isBetween(0, 2);
            assertThat(tuple.node()).isEqualTo(all(AttemptTuple.class).getFirst().node());
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"memory", "sqlite", "postgresql", "partitions"})
    void aFailureIsResolvedWhenALaterAttemptCopiesTheEntry(String store) throws IOException {
        use(store);
        TransferDirectory transfer = failed();
        publisher().publish(transfer);
        Files.writeString(file(0), "again");
        fixture.completes(transfer);
        publisher().publish(transfer);
        assertThat(all(FailureTuple.class)).singleElement().matches(FailureTuple::resolved);
        assertThat(all(AttemptTuple.class)).hasSize(4);
        assertThat(all(TransferTuple.class)).singleElement()
                .extracting(TransferTuple::state, TransferTuple::failed)
                .containsExactly(TransferStatus.State.COMPLETE, 0L);
    }

    @Test
    void publishingAgainChangesOnlyWhatHasChanged() throws IOException {
        TransferDirectory transfer = failed();
        publisher().publish(transfer);
        Map<Class<?>, List<?>> before = tuples();
        now = now.plus(Duration.ofHours(1));
        publisher().publish(transfer);
        assertThat(tuples()).isEqualTo(before);
        space.remove(Template.of(BatchTuple.class).equal("batch", 2));
        publisher().publish(transfer);
        assertThat(all(BatchTuple.class)).hasSize(3);
    }

    private Map<Class<?>, List<?>> tuples() {
        return Stream.of(TransferTuple.class, BatchTuple.class, AttemptTuple.class, FailureTuple.class)
                .collect(Collectors.toMap(Function.identity(), type -> all(type)));
    }

    @Test
    void oneBatchIsPublishedWithoutTheOthers() throws IOException {
        TransferDirectory transfer = failed();
        publisher().publishBatch(transfer, 2);
        assertThat(all(BatchTuple.class)).extracting(BatchTuple::batch).containsExactly(2);
        assertThat(all(AttemptTuple.class)).extracting(AttemptTuple::batch).containsExactly(2);
        assertThat(all(TransferTuple.class)).isEmpty();
        publisher().publishBatch(transfer, 3);
        assertThat(all(BatchTuple.class)).hasSize(1);
    }

    @Test
    void theTuplesOfForgottenTransfersAreRemovedAndThoseOfOtherStateDirectoriesStay() throws IOException {
        TransferDirectory transfer = failed();
        publisher().publish(transfer);
        // A state directory of another node may have the same path.
        space.write(copyOf(all(TransferTuple.class).getFirst(), "other", "another"));
        space.write(copyOf(all(TransferTuple.class).getFirst(), "old", null));
        assertThat(publisher().removeForgotten()).isZero();
        fixture.transfers().forget(transfer);
        assertThat(publisher().removeForgotten()).isOne();
        assertThat(all(TransferTuple.class)).extracting(TransferTuple::transfer)
                .containsExactlyInAnyOrder("other", "old");
        assertThat(all(BatchTuple.class)).isEmpty();
        assertThat(all(FailureTuple.class)).isEmpty();
    }

    @Test
    void forgottenTransfersAreFoundAlsoIfTheStateDirectoryWasMoved() throws IOException {
        TransferDirectory transfer = failed();
        publisher().publish(transfer);
        Path state = transfer.stateDirectory();
        Path moved = Files.move(state, state.resolveSibling("moved"));
        Transfers transfers = Transfers.in(moved);
        TransferPublisher publisher = new TransferPublisher(space, transfers);
        assertThat(publisher.removeForgotten()).isZero();
        transfers.forget(transfers.open(transfer.id()));
        assertThat(publisher.removeForgotten()).isOne();
        assertThat(all(TransferTuple.class)).isEmpty();
    }

    @Test
    void aStateDirectoryThatCannotBeReadHasForgottenNothing() throws IOException {
        TransferDirectory transfer = failed();
        publisher().publish(transfer);
        Path transfers = transfer.stateDirectory().resolve("transfers");
        Path away = Files.move(transfers, transfers.resolveSibling("away"));
        Files.createSymbolicLink(transfers, transfers);
        assertThatThrownBy(() -> publisher().removeForgotten()).isInstanceOf(IOException.class)
                .hasMessageContaining(transfers.toString());
        Files.delete(transfers);
        Files.move(away, transfers);
        assertThat(publisher().removeForgotten()).isZero();
        // One of several cannot be read.
        Path header = transfer.path().resolve("transfer");
        Path aside = Files.move(header, header.resolveSibling("aside"));
        Files.createSymbolicLink(header, header);
        assertThat(publisher().removeForgotten()).isZero();
        Files.delete(header);
        assertThat(publisher().removeForgotten()).isOne();
        assertThat(aside).exists();
    }

    @Test
    void aCopyOfAStateDirectoryForgetsNothingOfTheOriginal() throws Exception {
        TransferDirectory transfer = failed();
        publisher().publish(transfer);
        Path state = transfer.stateDirectory();
        Path copy = state.resolveSibling("copy");
        assertThat(new ProcessBuilder("cp", "-a", state.toString(), copy.toString()).start().waitFor()).isZero();
        Transfers copied = Transfers.in(copy);
        copied.forget(copied.open(transfer.id()));
        TransferPublisher publisher = new TransferPublisher(space, copied);
        assertThat(publisher.removeForgotten()).isZero();
        assertThat(all(TransferTuple.class)).hasSize(1);
        // It gets an identity of its own with the first transfer that it publishes.
        TransferDirectory own = copied.create(new Operation.Copy(), "a test", TransferFixture.CALM);
        publisher.publishTransfer(own);
        assertThat(all(TransferTuple.class)).extracting(TransferTuple::stateIdentity)
                .doesNotContainNull()
                .doesNotHaveDuplicates();
        copied.forget(own);
        assertThat(publisher.removeForgotten()).isOne();
        assertThat(publisher().removeForgotten()).isZero();
    }

    @Test
    void anIdentityOfAnEarlierVersionIsKept() throws IOException {
        TransferDirectory transfer = failed();
        Path file = transfer.stateDirectory().resolve("identity");
        StateFile.empty().with("id", "old").writeNew(file);
        publisher().publish(transfer);
        assertThat(all(TransferTuple.class)).extracting(TransferTuple::stateIdentity).containsExactly("old");
        assertThat(StateFile.read(file).text("inode")).isNotEmpty();
    }

    @Test
    void aTransferThatBeginsDuringTheSearchForForgottenOnesIsNotOneOfThem() throws IOException {
        publisher().publish(failed());
        // The space is asked for the transfers when another process has just begun and published one.
        TupleSpace busy = (TupleSpace) Proxy.newProxyInstance(TupleSpace.class.getClassLoader(),
                new Class<?>[]{TupleSpace.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("contents")) {
                        publisher().publishTransfer(fixture.create());
                    }
                    return method.invoke(space, arguments);
                });
        assertThat(new TransferPublisher(busy, fixture.transfers()).removeForgotten()).isZero();
        assertThat(all(TransferTuple.class)).hasSize(2);
    }

    @Test
    void aStateDirectoryThatDoesNotExistHasNoForgottenTransfers() throws IOException {
        Transfers transfers = Transfers.reading(fixture.directory().resolve("none"));
        assertThat(new TransferPublisher(space, transfers).removeForgotten()).isZero();
    }

    @Test
    void aPlanThatIsCompleteIsReadOnceForAllBatches() throws IOException {
        TransferDirectory transfer = failed();
        TransferPublisher publisher = publisher();
        publisher.publishBatch(transfer, 0);
        Files.delete(transfer.plan().resolve("batches"));
        publisher.publishBatch(transfer, 1);
        publisher.publishBatch(transfer, 2);
        assertThat(all(BatchTuple.class)).extracting(BatchTuple::batch).containsExactlyInAnyOrder(0, 1, 2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"memory", "sqlite"})
    void anyNumberOfFailuresOfPlanningIsPublishedAndReplacedIfOneHasChanged(String store) throws IOException {
        use(store);
        int failures = 1203;
        fixture.with(writer -> writer.file(ByteString.of("f0"), 10, 0));
        TransferDirectory transfer = fixture.plannedWithFailures(failures);
        publisher().publish(transfer);
        assertThat(all(FailureTuple.class)).hasSize(failures).allMatch(tuple -> tuple.batch() == null);
        List<FailureTuple> before = all(FailureTuple.class);
        publisher().publish(transfer);
        assertThat(all(FailureTuple.class)).isEqualTo(before);
        space.remove(Template.of(FailureTuple.class).equal("name", ByteString.of("gone7")));
        assertThat(all(FailureTuple.class)).hasSize(failures - 1);
        publisher().publish(transfer);
        assertThat(all(FailureTuple.class)).containsExactlyInAnyOrderElementsOf(before);
    }

    private static TransferTuple copyOf(TransferTuple from, String id, @Nullable String identity) {
        return new TransferTuple(id, from.operation(), from.state(), from.user(), from.node(), from.command(),
                from.source(), from.sources(), from.destination(), from.created(), from.ended(), from.generation(),
                from.planned(), from.batches(), from.batchesDone(), from.entries(), from.entriesDone(), from.bytes(),
                from.bytesDone(), from.failed(), from.verifies(), from.checked(), from.stateDirectory(), from.updated(),
                identity);
    }

    @ParameterizedTest
    @ValueSource(strings = {"memory", "sqlite"})
    void conditionsSelectRowsOfEachKind(String store) throws IOException {
        use(store);
        TransferDirectory transfer = failed();
        publisher().publish(transfer);
        String id = transfer.id().text();
        assertThat(found(WorkKind.TRANSFERS, "transfer", "state=failed")).containsExactly(id);
        assertThat(found(WorkKind.TRANSFERS, "transfer", "state=complete,active")).isEmpty();
        assertThat(found(WorkKind.TRANSFERS, "state", "failed>0", "entries>=12", "created>-1h"))
                .containsExactly("partial");
        assertThat(found(WorkKind.TRANSFERS, "transfer", "source=" + fixture.source())).containsExactly(id);
        assertThat(found(WorkKind.TRANSFERS, "transfer", "source^=" + fixture.source() + "/")).isEmpty();
        assertThat(found(WorkKind.BATCHES, "batch", "state=failed")).hasSize(1);
        assertThat(found(WorkKind.BATCHES, "batch", "state!=failed")).hasSize(2);
        assertThat(found(WorkKind.BATCHES, "batch", "not", "(", "state=failed", "or", "batch=1", ")")).hasSizeBetween(1,
                2);
        assertThat(found(WorkKind.BATCHES, "batch", "transfer-state=partial", "batch>=1")).containsExactly("1", "2");
        assertThat(found(WorkKind.ATTEMPTS, "batch", "state=complete", "attempt=1")).containsExactly("0", "1", "2");
        assertThat(found(WorkKind.ATTEMPTS, "batch", "node=nowhere")).isEmpty();
        assertThat(found(WorkKind.FAILURES, "path", "failure=vanished", "resolved=no"))
                .containsExactly(file(0).toString());
        assertThat(found(WorkKind.FAILURES, "path", "operation=copy", "name=f*", "errno=2")).hasSize(1);
        assertThat(found(WorkKind.FAILURES, "path", "error~=no such*")).hasSize(1);
        assertThat(found(WorkKind.FAILURES, "path", "batch>2147483648")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"memory", "sqlite"})
    void failuresHaveTheMetadataOfTheIndexInTheSameSpace(String store) throws IOException {
        use(store);
        TransferDirectory transfer = failed();
        publisher().publish(transfer);
        assertThat(found(WorkKind.FAILURES, "path", "size>1G")).isEmpty();
        assertThat(found(WorkKind.FAILURES, "size")).containsExactly("-");
        assertThat(found(WorkKind.FAILURES, "size", "owner!=root", "size=")).containsExactly("-");
        assertThat(found(WorkKind.FAILURES, "size", "owner!=root", "size>=0")).isEmpty();
        space.write(indexed("f0", 5L << 30));
        space.write(indexed("f1", 6L << 30));
        assertThat(found(WorkKind.FAILURES, "path", "size>1G", "verified=no", "node!=nowhere", "kind=regular"))
                .containsExactly(file(0).toString());
        assertThat(found(WorkKind.FAILURES, "size", "size<6G", "owner=0", "age<1h")).containsExactly("5368709120");
        assertThat(found(WorkKind.FAILURES, "path", "size>5G", "or", "size=0")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"memory", "sqlite", "postgresql", "partitions"})
    void theQuestionAboutLargeFilesOnANodeHasTheSameAnswerInEveryStore(String store) {
        use(store);
        LargeFailures.write(space);
        assertThat(found(WorkKind.FAILURES, "path", LargeFailures.CONDITIONS)).containsExactly(LargeFailures.ANSWER);
        assertThat(found(WorkKind.FAILURES, "path", "size>1G", "node=n07")).containsExactly(LargeFailures.ANSWER,
                "/data/verified");
        assertThat(found(WorkKind.FAILURES, "path", "verified=no", "node=n07")).containsExactly(LargeFailures.ANSWER,
                "/data/small", "/data/unknown");
        assertThat(found(WorkKind.FAILURES, "path", "verified=no", "size>1G")).containsExactly("/data/elsewhere",
                LargeFailures.ANSWER);
    }

    private FileTuple indexed(String name, long size) {
        long now = System.currentTimeMillis() * 1_000_000;
        return new FileTuple(ByteString.of(fixture.source().toString()), ByteString.of(name), EntryKind.REGULAR, size,
                8, now, now, now, null, 0644, 0, 0, 1, 7, 8, null, null, false, 1);
    }

    @Test
    void entriesThatAVerificationComparedCountAsVerified() throws IOException {
        TransferDirectory transfer = failed();
        publisher().publish(transfer);
        Files.writeString(file(0), "again");
        fixture.completes(transfer);
        publisher().publish(transfer);
        assertThat(found(WorkKind.FAILURES, "verified")).containsExactly("no");
        assertThat(found(WorkKind.TRANSFERS, "transfer", "verified=yes")).isEmpty();
        TransferDirectory verify = fixture.transfers().createVerify(transfer, "verify", TransferFixture.CALM);
        fixture.run(verify, fixture.transfers().start(verify), 1);
        publisher().publish(verify);
        assertThat(found(WorkKind.TRANSFERS, "transfer", "verifies=" + transfer.id()))
                .containsExactly(verify.id().text());
        assertThat(found(WorkKind.TRANSFERS, "transfer", "verified=yes", "operation=copy"))
                .containsExactly(transfer.id().text());
        assertThat(found(WorkKind.FAILURES, "verified")).containsExactly("yes");
    }

    @Test
    void aWrongConditionSaysWhatIsPossible() {
        assertThatThrownBy(() -> found(WorkKind.TRANSFERS, "transfer", "state=broken"))
                .isInstanceOf(ConditionException.class)
                .hasMessageContaining("'broken' is not a state; use planning waiting not-submitted")
                .hasMessageContaining("failed");
        assertThatThrownBy(() -> found(WorkKind.TRANSFERS, "transfer", "size>1G"))
                .hasMessageContaining("unknown field 'size'; fields: transfer operation state");
        assertThatThrownBy(() -> found(WorkKind.BATCHES, "batch", "entries=many"))
                .hasMessageContaining("'many' is not a whole number for entries");
        assertThatThrownBy(() -> found(WorkKind.FAILURES, "path", "path=x"))
                .hasMessageContaining("paths in an index start with '/'");
    }

    private TransferDirectory planned() {
        fixture.with(writer -> {
            for (int i = 0; i < FILES; i++) {
                writer.file(ByteString.of("f" + i), 10 + i, i);
            }
        });
        return fixture.planned(3);
    }

    private void workAndPublish(TransferDirectory transfer, List<String> problems) throws IOException {
        int generation = fixture.transfers().start(transfer);
        try (LivePublisher live = Publication.live(transfer, problems::add).orElseThrow()) {
            Worker.of(Linux.calls(), transfer, generation)
                    .withChanges(live)
                    .work(fixture.listener(), new Progress(), new Cancellation());
        }
    }

    @Test
    void aWorkerPublishesTheBatchesThatItHasDone() throws IOException {
        use("sqlite");
        TransferDirectory transfer = planned();
        assertThat(Publication.live(transfer, problem -> {
            throw new AssertionError(problem);
        })).isEmpty();
        Publication.set(transfer, SpaceUri.of(fixture.directory().resolve("space")));
        List<String> problems = Collections.synchronizedList(new ArrayList<>());
        workAndPublish(transfer, problems);
        assertThat(problems).isEmpty();
        assertThat(found(WorkKind.BATCHES, "batch", "state=done")).containsExactly("0", "1", "2");
        assertThat(found(WorkKind.ATTEMPTS, "state")).containsOnly("complete").hasSize(3);
        assertThat(found(WorkKind.TRANSFERS, "state")).containsExactly("waiting");
    }

    @Test
    void oneProcessPublishesTheBatchesOfAll() throws IOException {
        use("sqlite");
        TransferDirectory transfer = planned();
        List<String> problems = Collections.synchronizedList(new ArrayList<>());
        assertThat(Publication.liveForAll(transfer, problems::add)).isEmpty();
        Publication.set(transfer, SpaceUri.of(fixture.directory().resolve("space")));
        Files.delete(file(0));
        int generation = fixture.transfers().start(transfer);
        try (LivePublisher live = Publication.liveForAll(transfer, problems::add).orElseThrow()) {
            assertThat(live).isNotNull();
            Worker.of(Linux.calls(), transfer, generation).work(fixture.listener(), new Progress(), new Cancellation());
        }
        assertThat(problems).isEmpty();
        assertThat(found(WorkKind.BATCHES, "batch")).containsExactly("0", "1", "2");
        assertThat(found(WorkKind.BATCHES, "batch", "state=failed")).hasSize(1);
        assertThat(found(WorkKind.FAILURES, "path")).containsExactly(file(0).toString());
        assertThat(found(WorkKind.TRANSFERS, "state")).containsExactly("waiting");
    }

    @Test
    void aWorkerEndsWithItsWorkDoneAlthoughTheSpaceCannotBeUsed() throws IOException {
        TransferDirectory transfer = planned();
        Path file = Files.writeString(fixture.directory().resolve("file"), "no directory");
        Publication.set(transfer, SpaceUri.of(file));
        List<String> problems = Collections.synchronizedList(new ArrayList<>());
        workAndPublish(transfer, problems);
        assertThat(problems).singleElement().asString().contains(file.toString(), "'treehaul publish'");
        assertThat(fixture.transfers().status(transfer).isTried()).isTrue();
    }

    @Test
    void aPublisherRemovesWhatItWroteOnlyIfTheTransferWasForgotten() throws IOException {
        use("sqlite");
        TransferDirectory transfer = failed();
        Publication.set(transfer, SpaceUri.of(fixture.directory().resolve("space")));
        publisher().publish(transfer);
        List<String> problems = Collections.synchronizedList(new ArrayList<>());
        Path state = transfer.stateDirectory();
        Path away = state.resolveSibling("away");
        try (LivePublisher live = Publication.live(transfer, problems::add).orElseThrow()) {
            // As if its file system were not mounted for a moment.
            Files.move(state, away);
            live.accept(0);
        }
        assertThat(all(BatchTuple.class)).hasSize(3);
        Files.move(away, state);
        try (LivePublisher live = Publication.live(transfer, problems::add).orElseThrow()) {
            fixture.transfers().forget(transfer);
            live.accept(0);
        }
        assertThat(all(BatchTuple.class)).isEmpty();
        assertThat(all(TransferTuple.class)).isEmpty();
    }

    @Test
    void anErrorOfAnyKindIsReportedOnceAndDoesNotEndTheWork() throws IOException {
        TransferDirectory transfer = planned();
        Path header = transfer.path().resolve("transfer");
        StateFile.read(header).with("created", "yesterday").replace(header, true);
        TransferDirectory odd = fixture.transfers().open(transfer.id());
        Publication.set(odd, SpaceUri.of(fixture.directory().resolve("space")));
        List<String> problems = Collections.synchronizedList(new ArrayList<>());
        workAndPublish(odd, problems);
        assertThat(problems).singleElement().asString().contains("'yesterday'", "'treehaul publish'");
        Publication.update(odd, problems::add);
        assertThat(problems).hasSize(2);
    }

    @Test
    void theTuplesOfATransferThatIsForgottenAreRemoved() throws IOException {
        use("sqlite");
        TransferDirectory transfer = failed();
        Publication.set(transfer, SpaceUri.of(fixture.directory().resolve("space")));
        Consumer<String> problems = problem -> {
            throw new AssertionError(problem);
        };
        Publication.update(transfer, problems);
        assertThat(all(BatchTuple.class)).hasSize(3);
        Publication publication = Publication.of(transfer).orElseThrow();
        fixture.transfers().forget(transfer);
        publication.remove(problems);
        assertThat(all(BatchTuple.class)).isEmpty();
        assertThat(all(TransferTuple.class)).isEmpty();
    }
}
