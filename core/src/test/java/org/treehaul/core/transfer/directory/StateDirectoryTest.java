// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.directory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.treehaul.core.state.StateFile;
import org.treehaul.core.testing.Privilege;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.core.transfer.TransferFixture;
import org.treehaul.core.transfer.Transfers;
import org.treehaul.core.transfer.operation.Operation;

/** The state directory: its location, the owners it is trusted from, and the contents of a transfer in it. */
class StateDirectoryTest {

    private TestDirectory directory = TestDirectory.make();

    @BeforeEach
    void make() {
        directory.close();
        directory = TestDirectory.make();
    }

    @AfterEach
    void remove() {
        directory.close();
    }

    private static TransferDirectory transfer(Path in, InstantSource clock, long seed) throws IOException {
        return TransferDirectory.make(in, new Operation.Copy(), "cp -a \t\u00e4\n /x", Timing.defaults(), clock,
                new Random(seed));
    }

    @Test
    void theOptionPrecedesTheEnvironmentAndThatTheDefault() {
        Path home = Path.of("/home/ann");
        Map<String, String> set = Map.of("TREEHAUL_HOME", "/shared/ann");
        assertThat(StateDirectory.locate(Optional.of(Path.of("/said")), set, home)).isEqualTo(Path.of("/said"));
        assertThat(StateDirectory.locate(Optional.empty(), set, home)).isEqualTo(Path.of("/shared/ann"));
        assertThat(StateDirectory.locate(Optional.empty(), Map.of(), home)).isEqualTo(Path.of("/home/ann/.treehaul"));
    }

    @Test
    void itIsMadeForItsOwnerAlone() throws IOException {
        Path made = StateDirectory.make(directory.resolve("a/b"));
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(made))).isEqualTo("rwx------");
        assertThat(StateDirectory.make(made)).isEqualTo(made);
    }

    @Test
    void incompleteTransfersAreForgottenAfterADay() throws IOException {
        Transfers transfers = Transfers.in(directory.path());
        TransferDirectory whole = transfers.create(new Operation.Copy(), "cp a b", Timing.defaults());
        TransferDirectory young = transfers.create(new Operation.Copy(), "cp a b", Timing.defaults());
        TransferDirectory old = transfers.create(new Operation.Copy(), "cp a b", Timing.defaults());
        for (TransferDirectory half : List.of(young, old)) {
            Files.delete(half.path().resolve("transfer"));
        }
        for (TransferDirectory aged : List.of(whole, old)) {
            TransferFixture.age(aged.path(), Duration.ofHours(25));
        }
        transfers.removeIncomplete();
        assertThat(whole.path()).exists();
        assertThat(young.path()).exists();
        assertThat(old.path()).doesNotExist();
        assertThat(transfers.list()).containsExactly(whole.id());
    }

    @Test
    void oneThatOthersCanWriteIsNotTrusted() throws IOException {
        Path open = directory.directory("open");
        Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxrwxrwx"));
        assertThatThrownBy(() -> StateDirectory.make(open)).isInstanceOf(TransferException.class)
                .hasMessageContaining("open to others (mode 777)");
    }

    @Test
    void oneOfAnotherUserIsNotTrusted() throws IOException {
        Privilege.requireRoot("it gives a directory away");
        Path foreign = directory.directory("foreign");
        Files.setAttribute(foreign, "unix:uid", 12345);
        assertThatThrownBy(() -> StateDirectory.make(foreign)).hasMessageContaining("belongs to user 12345, not to 0");
        TransferDirectory transfer = transfer(directory.path(), InstantSource.system(), 1);
        Files.setAttribute(transfer.path(), "unix:uid", 12345);
        assertThatThrownBy(() -> TransferDirectory.open(transfer.path())).hasMessageContaining("belongs to user 12345");
    }

    @Test
    void oneInADirectoryThatOthersCanWriteIsNotTrusted() throws IOException {
        Path above = directory.directory("above");
        Path state = StateDirectory.make(above.resolve("state"));
        TransferDirectory made = transfer(state.resolve("transfers"), InstantSource.system(), 1);
        Files.setPosixFilePermissions(above, PosixFilePermissions.fromString("rwxrwxr-x"));
        for (ThrowingCallable use : List.<ThrowingCallable>of(() -> StateDirectory.make(state),
                () -> StateDirectory.look(state), () -> StateDirectory.make(above.resolve("new")),
                () -> TransferDirectory.open(made.path()))) {
            assertThatThrownBy(use).isInstanceOf(TransferException.class)
                    .hasMessageContaining(above + " is writable by others (mode 775)")
                    .hasMessageContaining("chmod go-w " + above)
                    .hasMessageContaining("--state-dir");
        }
        assertThat(above.resolve("new")).doesNotExist();
    }

    @Test
    void theDirectoryOfTransfersIsClosedToOthersAndRefusedWhereTheyCouldWrite() throws IOException {
        Path transfers = directory.directory("transfers");
        Files.setPosixFilePermissions(transfers, PosixFilePermissions.fromString("rwxr-xr-x"));
        transfer(transfers, InstantSource.system(), 1);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(transfers))).isEqualTo("rwx------");
        Files.setPosixFilePermissions(transfers, PosixFilePermissions.fromString("rwxrwxr-x"));
        assertThatThrownBy(() -> transfer(transfers, InstantSource.system(), 1)).isInstanceOf(TransferException.class)
                .hasMessageContaining(transfers + " is open to others (mode 775)")
                .hasMessageContaining("chmod go-w");
    }

    @Test
    void aFileInItsPlaceIsReported() throws IOException {
        Path file = Files.writeString(directory.resolve("file"), "");
        assertThatThrownBy(() -> StateDirectory.make(file)).isInstanceOf(TransferException.class)
                .hasMessageContaining("is not a directory");
        assertThatThrownBy(() -> StateDirectory.make(file.resolve("below"))).isInstanceOf(TransferException.class)
                .hasMessageContaining("cannot be created");
    }

    @Test
    void aTransferIsOpenedAsItWasCreated() throws IOException {
        Instant time = Instant.parse("2026-11-21T16:22:02Z");
        TransferDirectory made = transfer(directory.path(), () -> time, 1);
        TransferDirectory opened = TransferDirectory.open(made.path());
        assertThat(opened.id().text()).startsWith("20261121-162202-");
        assertThat(opened.id()).isEqualTo(made.id());
        assertThat(opened.operation()).isEqualTo(new Operation.Copy());
        assertThat(opened.created()).isEqualTo(time);
        assertThat(opened.commandLine()).isEqualTo("cp -a \\t\u00e4\\n /x");
        assertThat(opened.timing()).isEqualTo(Timing.defaults());
    }

    @Test
    void noTwoHaveOneId() throws IOException {
        Instant time = Instant.parse("2026-11-21T16:22:02Z");
        Set<TransferId> ids = new HashSet<>();
        for (int i = 0; i < 5; i++) {
            // The random numbers are equal each time.
            ids.add(transfer(directory.path(), () -> time, 1).id());
        }
        assertThat(ids).hasSize(5);
    }

    @Test
    void oneThatOthersCanEnterIsNotOpened() throws IOException {
        TransferDirectory made = transfer(directory.path(), InstantSource.system(), 1);
        Files.setPosixFilePermissions(made.path(), PosixFilePermissions.fromString("rwxr-x---"));
        assertThatThrownBy(() -> TransferDirectory.open(made.path())).hasMessageContaining("chmod go-rwx");
    }

    @Test
    void anotherVersionAndDamageAreReported() throws IOException {
        TransferDirectory made = transfer(directory.path(), InstantSource.system(), 1);
        Path header = made.path().resolve("transfer");
        StateFile.read(header).with("version", "9").replace(header, false);
        assertThatThrownBy(() -> TransferDirectory.open(made.path())).hasMessageContaining("of version '9'");
        byte[] bytes = Files.readAllBytes(header);
        bytes[3] ^= 1;
        Files.write(header, bytes);
        assertThatThrownBy(() -> TransferDirectory.open(made.path()))
                .hasMessageContaining("is damaged: 'treehaul forget --force " + made.id());
        Files.write(header, new byte[0]);
        assertThatThrownBy(() -> TransferDirectory.open(made.path())).isInstanceOf(TransferException.class);
        assertThatThrownBy(() -> TransferDirectory.open(directory.resolve("none"))).hasMessageContaining("no transfer");
    }

    @Test
    void anUnknownOperationIsRefusedBeforeAnythingIsWritten() throws IOException {
        TransferDirectory made = transfer(directory.path(), InstantSource.system(), 1);
        Path header = made.path().resolve("transfer");
        StateFile known = StateFile.read(header);
        for (StateFile unknown : List.of(known.with("kind", "shred"), known.with("operation-version", 2))) {
            unknown.replace(header, false);
            String words = "of operation '" + unknown.text("kind") + "' in version '"
                    + unknown.text("operation-version") + "', which this program does not know";
            Map<Path, FileTime> before = times(made.path());
            assertThatThrownBy(() -> TransferDirectory.open(made.path())).isInstanceOf(TransferException.class)
                    .hasMessageContaining(words);
            // Only a program that supports the operation can find the files that it left in the trees.
            assertThatThrownBy(() -> TransferDirectory.openDamaged(made.path())).isInstanceOf(TransferException.class)
                    .hasMessageContaining(words);
            assertThat(times(made.path())).isEqualTo(before);
        }
    }

    private static Map<Path, FileTime> times(Path top) throws IOException {
        Map<Path, FileTime> times = new HashMap<>();
        try (Stream<Path> all = Files.walk(top)) {
            for (Path path : all.toList()) {
                times.put(path, Files.getLastModifiedTime(path));
            }
        }
        return times;
    }

    @Test
    void aTransferOlderThanVersionsOfOperationsIsRead() throws IOException {
        for (Operation operation : List.of(new Operation.Copy(), new Operation.Verify())) {
            TransferDirectory made = Transfers.in(directory.path()).create(operation, "", Timing.defaults());
            Path header = made.path().resolve("transfer");
            Map<String, String> older = new LinkedHashMap<>(StateFile.read(header).values());
            assertThat(older.remove("operation-version")).isEqualTo("1");
            assertThat(older.get("kind")).isEqualTo(operation.name());
            new StateFile(older).replace(header, false);
            assertThat(TransferDirectory.open(made.path()).operation()).isEqualTo(operation);
        }
    }

    @Test
    void generationsRiseByOneInAnyProcess() throws Exception {
        Generations generations = transfer(directory.path(), InstantSource.system(), 1).generations();
        assertThat(generations.newest()).isZero();
        assertThat(generations.reason()).isEmpty();
        Set<Integer> numbers = ConcurrentHashMap.newKeySet();
        Thread[] threads = new Thread[6];
        for (int i = 0; i < threads.length; i++) {
            threads[i] = Thread.ofPlatform().start(() -> {
                try {
                    numbers.add(generations.raise(Generations.Reason.RESUME));
                } catch (IOException e) {
                    numbers.add(-1);
                }
            });
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(numbers).containsExactlyInAnyOrder(1, 2, 3, 4, 5, 6);
        assertThat(generations.raise(Generations.Reason.CANCEL)).isEqualTo(7);
        assertThat(generations.reason()).contains(Generations.Reason.CANCEL);
        // Killed while it was created: its existence counts.
        Files.createFile(directory.path().resolve("x"));
        assertThat(generations.newest()).isEqualTo(7);
    }

    @Test
    void aDecisionBasedOnAnEarlierGenerationStartsNone() throws Exception {
        Transfers transfers = Transfers.in(directory.path());
        TransferDirectory transfer = transfers.create(new Operation.Copy(), "cp", Timing.defaults());
        Generations generations = transfer.generations();
        assertThat(generations.isOnlyOfCreator()).isTrue();
        assertThat(transfers.start(transfer)).isEqualTo(1);
        assertThat(generations.isOnlyOfCreator()).isTrue();
        assertThatThrownBy(() -> transfers.start(transfer)).isInstanceOf(OvertakenException.class);
        assertThat(generations.raiseAfter(1, Generations.Reason.RESUME, false)).isEqualTo(2);
        assertThatThrownBy(() -> generations.raiseAfter(1, Generations.Reason.RESUME, false))
                .isInstanceOf(OvertakenException.class)
                .hasMessageContaining("(generation 2)");
        assertThat(generations.newest()).isEqualTo(2);
        assertThat(generations.isOnlyOfCreator()).isFalse();
        TransferDirectory other = transfers.create(new Operation.Copy(), "cp", Timing.defaults());
        transfers.cancel(other);
        assertThat(other.generations().isOnlyOfCreator()).isFalse();
        transfers.forget(other);
        assertThat(other.generations().isNewest(1)).isFalse();
        assertThat(other.generations().isOnlyOfCreator()).isFalse();
    }

    @Test
    void aTransferIsNotForgottenWhenAnotherDirectoryIsInThePlaceOfItsOwn() throws Exception {
        Transfers transfers = Transfers.in(directory.path());
        TransferDirectory transfer = transfers
                .open(transfers.create(new Operation.Copy(), "cp", Timing.defaults()).id());
        Path all = transfer.path().getParent();
        Path aside = directory.resolve("aside");
        Files.move(all, aside);
        assertThat(transfer.isForgotten()).as("as below a file system that does not answer").isFalse();
        Files.createDirectory(all);
        assertThat(transfer.isForgotten()).as("as below a mount point that is not mounted").isFalse();
        Files.delete(all);
        Files.move(aside, all);
        assertThat(transfer.isForgotten()).isFalse();
        transfers.forget(transfer);
        assertThat(transfer.isForgotten()).isTrue();
    }

    @Test
    void ordinaryTextIsKeptLineByLine() throws IOException {
        Path file = directory.resolve("keys");
        StateFile keys = StateFile.empty().with("a", 1).withEscaped("b", "x\ny\t\u00e4").with("c", "");
        keys.replace(file, true);
        assertThat(StateFile.read(file)).isEqualTo(keys);
        assertThat(StateFile.read(file).number("a")).isEqualTo(1);
        assertThat(StateFile.read(file).text("b")).isEqualTo("x\\ny\\t\u00e4");
        assertThat(TransferFixture.names(directory.path())).hasSize(1);
    }

    @Test
    void theLastTransferOfOneSecondIsTheNewest() throws IOException {
        Transfers transfers = Transfers.in(directory.resolve("state"));
        List<TransferId> made = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            TransferDirectory transfer = transfers.create(new Operation.Copy(), "cp", Timing.defaults());
            // Seconds end while this runs, too.
            Files.setLastModifiedTime(transfer.path().resolve("transfer"),
                    FileTime.from(transfer.created().plusMillis(i)));
            made.add(transfer.id());
        }
        assertThat(transfers.list()).isEqualTo(made);
    }

    @Test
    void aVeryLongCommandLineIsCut() throws IOException {
        Transfers transfers = Transfers.in(directory.resolve("state"));
        String command = "cp " + "\u00e4\t".repeat(1_000_000) + " b";
        TransferDirectory made = transfers.create(new Operation.Copy(), command, Timing.defaults());
        assertThat(transfers.open(made.id()).commandLine().length()).isLessThan(1 << 20);
    }
}
