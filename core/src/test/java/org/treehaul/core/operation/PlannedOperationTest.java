// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.operation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.treehaul.core.fs.LinuxConstants.AT_FDCWD;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.Identity;
import org.treehaul.core.entry.TreePath;
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

    private boolean perform(Repetition repetition, long inodeOffset) throws SystemCallException {
        PlannedOperation operation = new PlannedOperation(setMode, repetition, mayBegin::get, mayWrite::get);
        byte[] path = file.toString().getBytes(StandardCharsets.UTF_8);
        try (FileAccess access = FileAccess.open(operation.checked(Linux.calls()))) {
            FileStatus status = access.status(AT_FDCWD, access.rootName(path));
            Identity planned = new Identity(status.kind(), status.inode() + inodeOffset, status.device(),
                    status.ctime(), null);
            return operation.perform(access, new PlannedOperation.Planned(AT_FDCWD, access.rootName(path), planned,
                    ByteString.of(path), TreePath.root()));
        }
    }

    private static void isCanceled(Throwable thrown) {
        assertThat(((SystemCallException) thrown).errno()).isEqualTo(Errno.ECANCELED);
    }

    @ParameterizedTest
    @EnumSource
    void nothingBeginsAfterTheLeaseHasLapsed(Repetition repetition) throws IOException {
        mayBegin.set(false);
        assertThatThrownBy(() -> perform(repetition, 0)).isInstanceOf(SystemCallException.class)
                .satisfies(PlannedOperationTest::isCanceled);
        assertThat(begun).hasValue(0);
        assertThat(mode()).isEqualTo("rw-------");
    }

    @Test
    void anIdempotentOperationCompletesWhatItHasBegunWhileNoOtherCanHaveStarted() throws IOException {
        before = () -> mayBegin.set(false);
        assertThat(perform(Repetition.IDEMPOTENT, 0)).isTrue();
        assertThat(mode()).isEqualTo("rwx------");
    }

    @Test
    void anIdempotentOperationChangesNothingOnceAnotherMayHaveStarted() throws IOException {
        before = () -> {
            mayBegin.set(false);
            mayWrite.set(false);
        };
        assertThatThrownBy(() -> perform(Repetition.IDEMPOTENT, 0)).satisfies(PlannedOperationTest::isCanceled);
        assertThat(mode()).isEqualTo("rw-------");
    }

    @Test
    void anOperationThatIsComparedChangesNothingOnceTheLeaseHasLapsed() throws IOException {
        before = () -> mayBegin.set(false);
        assertThatThrownBy(() -> perform(Repetition.COMPARED_WITH_PLAN, 0)).satisfies(PlannedOperationTest::isCanceled);
        assertThat(mode()).isEqualTo("rw-------");
    }

    @Test
    void anOperationThatReadsOnlyChangesNothing() throws IOException {
        assertThatThrownBy(() -> perform(Repetition.READ_ONLY, 0)).satisfies(PlannedOperationTest::isCanceled);
        assertThat(begun).hasValue(1);
        assertThat(mode()).isEqualTo("rw-------");
    }

    @Test
    void onlyAnOperationThatIsComparedLeavesAnotherEntryAlone() throws IOException {
        assertThat(perform(Repetition.COMPARED_WITH_PLAN, 1)).isFalse();
        assertThat(begun).hasValue(0);
        assertThat(perform(Repetition.IDEMPOTENT, 1)).isTrue();
        assertThat(mode()).isEqualTo("rwx------");
    }
}
