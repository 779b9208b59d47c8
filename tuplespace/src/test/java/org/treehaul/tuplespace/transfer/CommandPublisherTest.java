// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.core.transfer.TransferStatus;
import org.treehaul.core.transfer.directory.ThisProcess;
import org.treehaul.tuplespace.PostgresServer;
import org.treehaul.tuplespace.TupleSpace;
import org.treehaul.tuplespace.TupleSpaces;
import org.treehaul.tuplespace.store.SpaceUri;
import org.treehaul.tuplespace.tuple.Template;

/** Commands without a state directory are transfers in a space. */
class CommandPublisherTest {

    private final TestDirectory directory = TestDirectory.make();
    private final Progress progress = new Progress();
    private final List<String> problems = Collections.synchronizedList(new ArrayList<>());

    @AfterEach
    void delete() {
        directory.close();
    }

    private SpaceUri space() {
        return SpaceUri.of(directory.resolve("space"));
    }

    private static CommandPublisher.Work copy(String source, String target) {
        return new CommandPublisher.Work("copy", "cp -a a\nb", List.of(ByteString.of(source)),
                List.of(ByteString.of(target)), true);
    }

    private static EntryFailure failure(String root, String path) {
        return new EntryFailure(EntryFailure.Kind.ERROR, ByteString.of(root),
                TreePath.of(ByteString.of(path).toBytes()), "openat", Errno.EACCES);
    }

    private static <T> List<T> all(SpaceUri space, Class<T> type) {
        try (TupleSpace tuples = TupleSpaces.openExisting(space, TransferPublisher.SPACE);
                Stream<T> found = tuples.contents(Template.of(type))) {
            return found.toList();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"sqlite", "postgresql"})
    void aCommandAndItsFailuresAreTuples(String store) {
        SpaceUri space = store.equals("sqlite") ? space() : PostgresServer.shared().fresh();
        String id;
        try (CommandPublisher publisher = CommandPublisher.start(space, copy("s/./tree//", "t"), progress,
                problems::add)) {
            id = publisher.id();
            progress.entryDone(EntryKind.REGULAR);
            progress.entrySkipped();
            progress.bytesDone(30);
            publisher.failed(failure("s/./tree//", "d/f"));
            publisher.failed(failure("t", "d/g"));
            publisher.end(true);
        }
        String here = Path.of("").toAbsolutePath().toString();
        assertThat(problems).isEmpty();
        assertThat(all(space, TransferTuple.class)).singleElement().satisfies(tuple -> {
            assertThat(tuple.transfer()).isEqualTo(id);
            assertThat(tuple.state()).isEqualTo(TransferStatus.State.PARTIAL);
            assertThat(tuple.operation()).isEqualTo("copy");
            assertThat(tuple.command()).isEqualTo("cp -a a\\nb");
            assertThat(tuple.source()).hasToString(here + "/s/tree");
            assertThat(tuple.destination()).hasToString(here + "/t");
            assertThat(tuple.entries()).isEqualTo(4);
            assertThat(tuple.entriesDone()).isEqualTo(2);
            assertThat(tuple.bytesDone()).isEqualTo(30);
            assertThat(tuple.failed()).isEqualTo(2);
            assertThat(tuple.batches()).isZero();
            assertThat(tuple.checked()).isTrue();
            assertThat(tuple.ended()).isGreaterThanOrEqualTo(tuple.created());
            assertThat(tuple.stateDirectory().length()).isZero();
        });
        assertThat(all(space, FailureTuple.class)).hasSize(2).allSatisfy(tuple -> {
            assertThat(tuple.transfer()).isEqualTo(id);
            assertThat(tuple.batch()).isNull();
            assertThat(tuple.directory()).hasToString(here + "/s/tree/d");
            assertThat(tuple.errno()).isEqualTo(Errno.EACCES);
            assertThat(tuple.resolved()).isFalse();
        })
                .extracting(tuple -> tuple.name() + " " + tuple.place())
                .containsExactlyInAnyOrder("f ", "g " + here + "/t/d/g");
        assertThat(all(space, BatchTuple.class)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"true,COMPLETE", "false,INCOMPLETE"})
    void theStateSaysWhetherEveryEntryWasTried(boolean isComplete, TransferStatus.State expected) {
        try (CommandPublisher publisher = CommandPublisher.start(space(), copy("/s", "/t"), progress, problems::add)) {
            publisher.end(isComplete);
        }
        assertThat(all(space(), TransferTuple.class)).extracting(TransferTuple::state).containsExactly(expected);
    }

    @Test
    void aCommandThatIsClosedWithoutAnEndIsIncomplete() {
        CommandPublisher.start(space(), copy("/s", "/t"), progress, problems::add).close();
        assertThat(all(space(), TransferTuple.class)).extracting(TransferTuple::state)
                .containsExactly(TransferStatus.State.INCOMPLETE);
    }

    @Test
    void severalSourcesHaveTheDirectoryOfTheirCopiesAsDestination() {
        CommandPublisher.Work work = new CommandPublisher.Work("move", "mv",
                Stream.of("/a", "/b").map(ByteString::of).toList(),
                Stream.of("/t/a", "/t/b").map(ByteString::of).toList(), true);
        try (CommandPublisher publisher = CommandPublisher.start(space(), work, progress, problems::add)) {
            publisher.failed(failure("/t/b", "x"));
            publisher.end(true);
        }
        assertThat(all(space(), TransferTuple.class)).singleElement().satisfies(tuple -> {
            assertThat(tuple.sources()).isEqualTo(2);
            assertThat(tuple.destination()).hasToString("/t");
        });
        assertThat(all(space(), FailureTuple.class)).extracting(tuple -> tuple.directory() + " " + tuple.place())
                .containsExactly("/b /t/b/x");
    }

    @Test
    void failuresBeyondTheLimitAreCountedButNotPublished() {
        try (CommandPublisher publisher = CommandPublisher.start(space(), copy("/s", "/t"), progress, problems::add)) {
            for (int i = 0; i < 10_003; i++) {
                publisher.failed(failure("/s", "f" + i));
            }
            publisher.end(true);
        }
        assertThat(all(space(), FailureTuple.class)).hasSize(10_000);
        assertThat(all(space(), TransferTuple.class)).extracting(TransferTuple::failed).containsExactly(10_003L);
        assertThat(problems).singleElement().asString().startsWith("3 failures of entries are not published");
    }

    @Test
    void failuresThatWereWrittenAlthoughTheAnswerWasLostAreNotWrittenAgain() {
        try (TupleSpace tuples = TupleSpaces.open(space(), TransferPublisher.SPACE);
                CommandPublisher publisher = CommandPublisher.start(space(), copy("/s", "/t"), progress,
                        problems::add)) {
            publisher.failed(failure("/s", "f"));
            publisher.failed(failure("/s", "g"));
            tuples.write(new FailureTuple(publisher.id(), null, 1, 1, "", ByteString.of("/s"), ByteString.of("f"),
                    EntryFailure.Kind.ERROR, "openat", Errno.EACCES, "", ByteString.empty(), 1, false));
            publisher.end(true);
        }
        assertThat(all(space(), FailureTuple.class)).extracting(tuple -> tuple.name().toString())
                .containsExactlyInAnyOrder("f", "g");
    }

    @Test
    void aCommandGivesASignOfLifeWhileItRuns() {
        try (TupleSpace tuples = TupleSpaces.open(space(), TransferPublisher.SPACE);
                CommandPublisher publisher = CommandPublisher.start(space(), copy("/s", "/t"), progress, problems::add,
                        Duration.ofMillis(10))) {
            Awaitility.await().until(() -> tuples.count(Template.of(LiveCommand.class)) == 1);
            assertThat(all(space(), LiveCommand.class)).containsExactly(
                    new LiveCommand(publisher.id(), ThisProcess.host(), ProcessHandle.current().pid()));
            assertThat(all(space(), TransferTuple.class)).extracting(TransferTuple::state)
                    .containsExactly(TransferStatus.State.RUNNING);
            publisher.end(true);
            assertThat(all(space(), LiveCommand.class)).isEmpty();
        }
        assertThat(problems).isEmpty();
    }

    @Test
    void anErrorOfAnyKindIsReportedOnce() {
        CommandPublisher.Work nothing = new CommandPublisher.Work("copy", "cp", List.of(), List.of(), false);
        try (CommandPublisher publisher = CommandPublisher.start(space(), nothing, progress, problems::add,
                Duration.ofMillis(10))) {
            Awaitility.await().until(() -> !problems.isEmpty());
            assertThat(problems).singleElement().asString().startsWith("the command is not published yet: java.util.");
            publisher.end(true);
        }
        assertThat(problems).hasSize(2).last().asString().startsWith("the command is not published completely: ");
    }

    @Test
    void aSpaceThatCannotBeUsedIsReported() throws IOException {
        Path file = Files.writeString(directory.resolve("file"), "no directory");
        try (CommandPublisher publisher = CommandPublisher.start(SpaceUri.of(file), copy("/s", "/t"), progress,
                problems::add)) {
            publisher.failed(failure("/s", "f"));
            publisher.end(true);
        }
        assertThat(problems).singleElement()
                .asString()
                .startsWith("the command is not published completely: ")
                .contains(file.toString());
    }
}
