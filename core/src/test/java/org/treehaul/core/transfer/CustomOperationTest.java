// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.Event;
import org.treehaul.core.event.EventListener;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.operation.OperationProvider;
import org.treehaul.core.operation.Repetition;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.directory.TransferException;
import org.treehaul.core.transfer.directory.TransferResult;
import org.treehaul.core.transfer.operation.Operation;
import org.treehaul.core.transfer.request.JobOptions;
import org.treehaul.core.transfer.request.TransferRequest;
import org.treehaul.core.transfer.work.Worker;

/** Transfers of operations that another jar adds: the engine carries them like its own, with the checks they need. */
class CustomOperationTest {

    private static final String BEFORE = "rw-r--r--";
    private static final String AFTER = "rwxr-x---";
    private static final int FILES = 60;

    private final TestDirectory directory = TestDirectory.onTmpfs();
    private final Path tree = directory.directory("tree");
    private final List<String> failures = Collections.synchronizedList(new ArrayList<>());
    private final EventListener listener = event -> {
        if (event instanceof Event.Failed failed) {
            failures.add(failed.failure().toString());
        }
    };

    @BeforeEach
    void makeTree() throws IOException {
        for (int i = 0; i < FILES; i++) {
            Path file = tree.resolve("d" + i % 7 + "/e/f" + i);
            Files.createDirectories(file.getParent());
            Files.writeString(file, "data");
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(BEFORE));
        }
        Files.createSymbolicLink(tree.resolve("link"), Path.of("d0"));
    }

    @AfterEach
    void close() {
        directory.close();
    }

    private Transfers transfers() throws IOException {
        return Transfers.in(directory.resolve("state"));
    }

    private static Operation.Custom custom(OperationProvider provider, String... more) {
        Map<String, String> parameters = new TreeMap<>(Map.of("mode", "750"));
        for (int i = 0; i < more.length; i += 2) {
            parameters.put(more[i], more[i + 1]);
        }
        return Operation.Custom.of(provider, parameters);
    }

    private TransferDirectory plan(Operation.OnEntries operation) throws IOException {
        return WalkedPlans.onEntries(transfers(), operation, tree, 2, 3, listener);
    }

    private TransferResult run(TransferDirectory transfer) throws IOException {
        int generation = transfer.generations().newest() == 0
                ? transfers().start(transfer)
                : transfers().resume(transfer);
        return TransferRunner.of(Linux.calls(), transfer)
                .withWorkers(2)
                .run(generation, listener, new Progress(), new Cancellation());
    }

    private static String mode(Path path) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }

    private List<Path> all() throws IOException {
        try (Stream<Path> walk = Files.walk(tree)) {
            return walk.filter(path -> !Files.isSymbolicLink(path)).toList();
        }
    }

    private void assertAllSet() throws IOException {
        for (Path path : all()) {
            assertThat(mode(path)).as(path.toString()).isEqualTo(AFTER);
        }
    }

    private void assertNoneSet() throws IOException {
        for (Path path : all()) {
            assertThat(mode(path)).as(path.toString()).isNotEqualTo(AFTER);
        }
    }

    @Test
    void anOperationOfAnotherJarIsPerformedOnEveryEntryAndDirectory() throws IOException {
        TransferResult result = run(plan(custom(new TestOperations.Modes())));
        assertThat(result.state()).as(failures.toString()).isEqualTo(TransferResult.State.COMPLETE);
        assertThat(result.done()).isEqualTo(result.entries()).isEqualTo(FILES + 1);
        assertAllSet();
    }

    @Test
    void aTransferIsReadBackWithItsOperation() throws IOException {
        Operation.Custom custom = custom(new TestOperations.Modes(), "text", "tab\t, line\nend, \u00e4\\");
        TransferDirectory transfer = plan(custom);
        assertThat(TransferDirectory.open(transfer.path()).operation()).isEqualTo(custom);
        assertThat(transfers().status(transfer).operation().name()).isEqualTo("test-modes");
    }

    private TransferDirectory planHalting(int entry) throws IOException {
        Path file = Files.createFile(directory.resolve("halt"));
        return plan(custom(new TestOperations.Modes(), "halt-before", String.valueOf(entry), "halt-while",
                file.toString()));
    }

    private void resume(TransferDirectory transfer) throws IOException {
        Files.delete(directory.resolve("halt"));
        TransferResult result = run(transfer);
        assertThat(result.state()).as(result + " " + failures).isEqualTo(TransferResult.State.COMPLETE);
        assertThat(result.done()).isEqualTo(result.entries()).isEqualTo(FILES + 1);
        assertAllSet();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 17})
    void aTransferWhoseWorkerWasKilledIsResumed(int entry) throws Exception {
        TransferDirectory transfer = planHalting(entry);
        try (TransferProcess worker = TransferProcess.worker(transfer, transfers().start(transfer), 0)) {
            assertThat(worker.await()).as("it died before its last line").isEmpty();
        }
        assertThat(mode(tree.resolve("d0"))).isNotEqualTo(AFTER);
        resume(transfer);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 5})
    void aTransferWhoseFinishingWasKilledIsResumed(int number) throws Exception {
        TransferDirectory transfer = planHalting(number);
        int generation = transfers().start(transfer);
        Path halt = directory.resolve("halt");
        Files.delete(halt);
        Worker.of(Linux.calls(), transfer, generation).work(listener, new Progress(), new Cancellation());
        Files.createFile(halt);
        try (TransferProcess finishing = TransferProcess.finishing(transfer, generation)) {
            assertThat(finishing.await()).as("it died before its last line").isEmpty();
        }
        assertThat(mode(tree)).as("the last directory").isNotEqualTo(AFTER);
        resume(transfer);
    }

    @ParameterizedTest
    @ValueSource(strings = {"other-name", "test-modes"})
    void aWorkerThatDoesNotFindNameAndVersionWritesNothing(String name) throws IOException {
        Path jar = Path.of("/jars/operation.jar");
        TransferDirectory transfer = plan(
                new Operation.Custom(name, 4, Repetition.IDEMPOTENT, new TreeMap<>(Map.of("mode", "750"))));
        TransferRequest.of(JobOptions.of("local"), List.of(jar)).write(transfer);
        assertThatThrownBy(() -> run(transfer)).isInstanceOf(TransferException.class)
                .hasMessageContaining("operation '" + name + "' version 4")
                .hasMessageContaining(jar.toString())
                .hasMessageContaining("begin a new transfer with a jar that provides this version");
        assertNoneSet();
        assertThat(transfer.attempts()).isEmptyDirectory();
    }

    @Test
    void aWorkerNamesTheVersionThatItFinds() throws IOException {
        TransferDirectory transfer = plan(
                new Operation.Custom("test-modes", 2, Repetition.IDEMPOTENT, new TreeMap<>(Map.of("mode", "750"))));
        assertThatThrownBy(() -> run(transfer)).hasMessageContaining("version 2")
                .hasMessageContaining("version 3 (IDEMPOTENT) of " + TestOperations.Modes.class.getName())
                .hasMessageContaining("no jar");
    }

    @Test
    void anotherPropertyOfRepetitionIsAnotherVersion() throws IOException {
        TransferDirectory transfer = plan(new Operation.Custom("test-modes", 3, Repetition.COMPARED_WITH_PLAN,
                new TreeMap<>(Map.of("mode", "750"))));
        assertThatThrownBy(() -> run(transfer)).hasMessageContaining("version 3 (COMPARED_WITH_PLAN) is not found");
        assertNoneSet();
    }

    @Test
    void parametersThatTheOperationRefusesAreRefusedBeforeAnythingIsWritten() throws IOException {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Operation.Custom.of(new TestOperations.Modes(), Map.of()));
        TransferDirectory transfer = plan(
                new Operation.Custom("test-modes", 3, Repetition.IDEMPOTENT, new TreeMap<>()));
        assertThatThrownBy(() -> run(transfer)).hasMessageContaining("parameter 'mode' is missing");
        assertThat(transfer.attempts()).isEmptyDirectory();
    }

    @Test
    void namesOfTreehaulAndOddNamesAreRefused() {
        for (String name : List.of("copy", "verify", "remove", "", "Upper", "a/b", "a b", "-a")) {
            assertThatIllegalArgumentException().as(name)
                    .isThrownBy(() -> new Operation.Custom(name, 1, Repetition.READ_ONLY, new TreeMap<>()));
        }
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Operation.Custom("a", 0, Repetition.READ_ONLY, new TreeMap<>()));
        assertThatIllegalArgumentException().isThrownBy(
                () -> new Operation.Custom("a", 1, Repetition.READ_ONLY, new TreeMap<>(Map.of("a\tb", ""))));
    }

    // The new file is made first, so that it cannot get the inode of the old one.
    private static void replace(Path file) throws IOException {
        Path other = file.resolveSibling("new");
        Files.writeString(other, "new");
        Files.setPosixFilePermissions(other, PosixFilePermissions.fromString(BEFORE));
        Files.delete(file);
        Files.move(other, file);
    }

    @Test
    void anOperationThatIsComparedWithThePlanSkipsRecreatedEntries() throws IOException {
        TransferDirectory transfer = plan(custom(new TestOperations.Once()));
        Path file = tree.resolve("d0/e/f0");
        replace(file);
        assertThat(run(transfer).state()).isEqualTo(TransferResult.State.PARTIAL);
        assertThat(mode(file)).isEqualTo(BEFORE);
        assertThat(mode(tree.resolve("d1/e/f1"))).isEqualTo(AFTER);
        assertThat(mode(tree.resolve("d0/e"))).as("a directory with a failure").isEqualTo(AFTER);
        assertThat(failures).containsExactly(file + ": changed concurrently: compare with the plan");
    }

    @Test
    void anIdempotentOperationIsPerformedOnTheEntryThatHasTheNameNow() throws IOException {
        TransferDirectory transfer = plan(custom(new TestOperations.Modes()));
        replace(tree.resolve("d0/e/f0"));
        Path directoryNow = tree.resolve("d1/e/f1");
        Files.delete(directoryNow);
        Files.createDirectory(directoryNow);
        Files.setPosixFilePermissions(directoryNow, PosixFilePermissions.fromString("rwx------"));
        Files.delete(tree.resolve("d2/e/f2"));
        assertThat(run(transfer).state()).isEqualTo(TransferResult.State.PARTIAL);
        assertThat(mode(tree.resolve("d0/e/f0"))).isEqualTo(AFTER);
        assertThat(mode(directoryNow)).as("an entry of another kind").isEqualTo("rwx------");
        assertThat(failures).containsExactlyInAnyOrder(
                directoryNow + ": changed concurrently: stat: Is a directory (EISDIR)",
                tree.resolve("d2/e/f2") + ": vanished: stat: No such file or directory (ENOENT)");
    }

    @Test
    void anOperationThatReadsOnlyCannotChangeAnything() throws IOException {
        TransferResult result = run(plan(custom(new TestOperations.Reader())));
        assertThat(result.state()).isEqualTo(TransferResult.State.PARTIAL);
        assertThat(result.done()).as("the link, whose mode is not set").isEqualTo(1);
        assertNoneSet();
    }

    // Left to the worker, the fault would end each one that takes the batch over.
    @Test
    void aFaultOfTheOperationIsReportedForItsEntriesAndTheRestIsDone() throws IOException {
        TransferDirectory transfer = plan(Operation.Custom.of(new TestOperations.Faulty(), Map.of("digit", "5")));
        TransferResult result = run(transfer);
        assertThat(result.state()).as(result.problem()).isEqualTo(TransferResult.State.PARTIAL);
        String fault = ": fault in the operation: java.lang.IllegalStateException: a fault";
        assertThat(failures).hasSize(7)
                .contains(tree.resolve("d5/e/f5") + fault, tree.resolve("d5") + fault)
                .allMatch(line -> line.endsWith("5" + fault));
        assertThat(result.done()).isEqualTo(FILES + 1 - 6);
    }
}
