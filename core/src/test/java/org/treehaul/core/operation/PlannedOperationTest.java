// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.operation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.treehaul.core.fs.LinuxConstants.AT_FDCWD;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.core.attributes.AttributeSetting;
import org.treehaul.core.attributes.ModeChange;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.Identity;
import org.treehaul.core.entry.Timestamp;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.TestDirectory;

/** The checks before an operation that its property of repetition demands. */
class PlannedOperationTest {

    private final TestDirectory directory = TestDirectory.onTmpfs();
    private final Path file = directory.resolve("file");
    private final AtomicBoolean mayBegin = new AtomicBoolean(true);
    private final AtomicBoolean mayWrite = new AtomicBoolean(true);
    private final AtomicInteger begun = new AtomicInteger();
    private Runnable before = () -> {};

    private final EntryOperation setMode = new EntryOperation() {
        @Override
        public void entry(OperationTarget target) throws SystemCallException {
            begun.incrementAndGet();
            before.run();
            FileAccess.check("chmod", target.calls().fchmodat(target.directory(), target.name(), 0700));
        }

        @Override
        public void directory(OperationTarget target) {
            throw new AssertionError("not a directory");
        }
    };

    @BeforeEach
    void makeFile() throws IOException {
        Files.writeString(file, "data");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    }

    @AfterEach
    void close() {
        directory.close();
    }

    private String mode() throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
    }

    private Optional<EntryFailure> perform(Repetition repetition, long inodeOffset) throws SystemCallException {
        return perform(setMode, repetition, inodeOffset);
    }

    private Optional<EntryFailure> perform(EntryOperation single, Repetition repetition, long inodeOffset)
            throws SystemCallException {
        PlannedOperation operation = new PlannedOperation(single, repetition, mayBegin::get, mayWrite::get);
        byte[] path = file.toString().getBytes(StandardCharsets.UTF_8);
        try (FileAccess access = FileAccess.open(operation.checked(Linux.calls()))) {
            FileStatus status = access.status(AT_FDCWD, access.rootName(path));
            Identity planned = new Identity(status.kind(), status.inode() + inodeOffset, status.device(),
                    status.ctime(), null);
            return operation.perform(access, new PlannedOperation.Planned(AT_FDCWD, access.rootName(path), planned,
                    ByteString.of(path), TreePath.root()));
        }
    }

    private String isCanceled() {
        return file + ": %s: " + Errno.describe(Errno.ECANCELED);
    }

    @ParameterizedTest
    @EnumSource
    void noOperationBeginsAfterTheLeaseHasLapsed(Repetition repetition) throws IOException {
        mayBegin.set(false);
        assertThat(perform(repetition, 0).orElseThrow()).hasToString(isCanceled().formatted("begin"));
        assertThat(begun).hasValue(0);
        assertThat(mode()).isEqualTo("rw-------");
    }

    @Test
    void anIdempotentOperationCompletesBegunEntriesWhileNoOtherCanHaveStarted() throws IOException {
        before = () -> mayBegin.set(false);
        assertThat(perform(Repetition.IDEMPOTENT, 0)).isEmpty();
        assertThat(mode()).isEqualTo("rwx------");
    }

    @Test
    void anIdempotentOperationChangesNothingOnceAnotherMayHaveStarted() throws IOException {
        before = () -> {
            mayBegin.set(false);
            mayWrite.set(false);
        };
        assertThat(perform(Repetition.IDEMPOTENT, 0).orElseThrow()).hasToString(isCanceled().formatted("chmod"));
        assertThat(mode()).isEqualTo("rw-------");
    }

    @Test
    void anOperationThatIsComparedChangesNothingOnceTheLeaseHasLapsed() throws IOException {
        before = () -> mayBegin.set(false);
        assertThat(perform(Repetition.COMPARED_WITH_PLAN, 0).orElseThrow())
                .hasToString(isCanceled().formatted("chmod"));
        assertThat(mode()).isEqualTo("rw-------");
    }

    @Test
    void anInterruptThatTheOperationLeavesBehindIsGone() throws IOException {
        before = () -> Thread.currentThread().interrupt();
        assertThat(perform(Repetition.IDEMPOTENT, 0)).isEmpty();
        assertThat(Thread.interrupted()).isFalse();
        Thread.currentThread().interrupt();
        assertThat(perform(Repetition.IDEMPOTENT, 0)).isEmpty();
        assertThat(Thread.interrupted()).as("that of another").isTrue();
    }

    @Test
    void anEntryThatIsReplacedDuringTheOperationIsReportedAsChanged() throws IOException {
        EntryOperation replaced = new EntryOperation() {
            @Override
            public void entry(OperationTarget target) throws SystemCallException {
                throw new SystemCallException("open", Errno.ESTALE);
            }

            @Override
            public void directory(OperationTarget target) {
                throw new AssertionError("not a directory");
            }
        };
        assertThat(perform(replaced, Repetition.IDEMPOTENT, 0).orElseThrow())
                .hasToString(file + ": changed concurrently: open: " + Errno.describe(Errno.ESTALE));
    }

    @Test
    void anOperationThatReadsOnlyChangesNothing() throws IOException {
        assertThat(perform(Repetition.READ_ONLY, 0).orElseThrow()).hasToString(isCanceled().formatted("chmod"));
        assertThat(begun).hasValue(1);
        assertThat(mode()).isEqualTo("rw-------");
    }

    @Test
    void onlyAnOperationThatIsComparedLeavesAnotherEntryAlone() throws IOException {
        assertThat(perform(Repetition.COMPARED_WITH_PLAN, 1).orElseThrow())
                .hasToString(file + ": changed concurrently: compare with the plan");
        assertThat(begun).hasValue(0);
        assertThat(perform(Repetition.IDEMPOTENT, 1)).isEmpty();
        assertThat(mode()).isEqualTo("rwx------");
    }

    private Optional<EntryFailure> performOnNewer(EntryOperation single) throws SystemCallException {
        PlannedOperation operation = new PlannedOperation(single, Repetition.COMPARED_WITH_PLAN, mayBegin::get,
                mayWrite::get);
        byte[] path = file.toString().getBytes(StandardCharsets.UTF_8);
        try (FileAccess access = FileAccess.open(operation.checked(Linux.calls()))) {
            FileStatus status = access.status(AT_FDCWD, access.rootName(path));
            Identity planned = new Identity(status.kind(), status.inode(), status.device(), new Timestamp(1, 0), null);
            return operation.perform(access, new PlannedOperation.Planned(AT_FDCWD, access.rootName(path), planned,
                    ByteString.of(path), TreePath.root()));
        }
    }

    @Test
    void aChangeThatTheUserMadeAfterPlanningIsNotUndone() throws IOException {
        AttributeSetting setting = new AttributeSetting(ModeChange.to(0750));
        assertThat(performOnNewer(setting).orElseThrow())
                .hasToString(file + ": changed concurrently: compare with the plan");
        assertThat(mode()).isEqualTo("rw-------");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-x---"));
        assertThat(performOnNewer(setting)).as("what an earlier attempt changed").isEmpty();
        assertThat(performOnNewer(setMode)).isPresent();
    }

    /** An operation on files, which may be one that removes. */
    private record OnFiles(boolean removes, EntryWork work) implements EntryOperation {

        @Override
        public void entry(OperationTarget target) throws SystemCallException {
            work.accept(target);
        }

        @Override
        public void directory(OperationTarget target) {
            throw new AssertionError("not a directory");
        }
    }

    /** The work of {@link OnFiles}. */
    @FunctionalInterface
    private interface EntryWork {
        void accept(OperationTarget target) throws SystemCallException;
    }

    private static void moveToMissingDirectory(OperationTarget target) throws SystemCallException {
        MemorySegment missing = Arena.ofAuto().allocateFrom("/nothing/here");
        FileAccess.check("rename", target.calls().renameat2(target.directory(), target.name(), AT_FDCWD, missing, 0));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void anotherFileThatIsMissingIsNotTakenForTheEntry(boolean removes) throws IOException {
        assertThat(perform(new OnFiles(removes, PlannedOperationTest::moveToMissingDirectory), Repetition.IDEMPOTENT, 0)
                .orElseThrow()).hasToString(file + ": rename: No such file or directory (ENOENT)");
        assertThat(file).exists();
    }

    @Test
    void anEntryThatIsGoneIsDoneForAnOperationThatRemoves() throws IOException {
        EntryWork work = target -> {
            Removal removal = new Removal();
            removal.entry(target);
            removal.entry(target);
        };
        assertThat(perform(new OnFiles(true, work), Repetition.COMPARED_WITH_PLAN, 0)).isEmpty();
        assertThat(file).doesNotExist();
        Files.createFile(file);
        assertThat(perform(new OnFiles(false, work), Repetition.COMPARED_WITH_PLAN, 0).orElseThrow())
                .hasToString(file + ": vanished: unlink: No such file or directory (ENOENT)");
    }

    @Test
    void aFaultOfTheOperationIsTheFailureOfTheEntry() throws IOException {
        EntryWork work = target -> {
            throw new IllegalStateException("two\nlines");
        };
        assertThat(perform(new OnFiles(false, work), Repetition.IDEMPOTENT, 0).orElseThrow())
                .hasToString(file + ": fault in the operation: java.lang.IllegalStateException: two\\nlines");
        EntryWork unlinked = target -> {
            throw new NoClassDefFoundError("another/Class");
        };
        assertThat(perform(new OnFiles(false, unlinked), Repetition.IDEMPOTENT, 0).orElseThrow())
                .hasToString(file + ": fault in the operation: java.lang.NoClassDefFoundError: another/Class");
    }
}
