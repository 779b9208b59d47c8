// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.treehaul.core.transfer.TransferTest.path;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import org.apache.commons.io.file.PathUtils;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.entry.Timestamp;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.Call;
import org.treehaul.core.fs.Fault;
import org.treehaul.core.fs.FaultInjectingCalls;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.directory.TransferResult;
import org.treehaul.core.transfer.finish.Finishing;

/** An entry that has changed its kind since planning fails until a resume copies the present one. */
class ChangedKindTest {

    private static final int LARGE = 3 * (int) TransferFixture.CHUNK_BYTES;

    private final TransferFixture fixture = TransferFixture.onTmpfs();
    private TransferDirectory transfer;

    @BeforeEach
    void makeTree() throws IOException {
        fixture.with(writer -> writer.file(path("keep/file"), 10, 1)
                .times(path("keep"), new Timestamp(77, 77))
                .file(path("file"), 10, 2)
                .file(path("group/one"), 10, 3)
                .hardLink(path("group/one"), path("group/two"))
                .file(path("large"), LARGE, 4)
                .file(path("linked/large"), LARGE, 5)
                .hardLink(path("linked/large"), path("linked/other"))
                .file(path("directory/file"), 10, 6)
                .file(path("directory/below/file"), 10, 7)
                .directory(path("empty")));
        plan(TransferFixture.options());
    }

    private void plan(CopyOptions options) throws IOException {
        transfer = WalkedPlans.plan(fixture, WalkedPlans.arguments(fixture.source(), fixture.target()), options);
    }

    private void everythingChanges() throws IOException {
        becomesDirectory("file");
        becomesDirectory("group/two");
        becomesDirectory("large");
        Files.createSymbolicLink(removed("linked/large"), Path.of("other"));
        Files.writeString(removed("directory"), "now a file");
        Files.createSymbolicLink(removed("empty"), Path.of("keep"));
    }

    @ParameterizedTest
    @EnumSource(CopyOptions.Existing.class)
    void everythingChangesWhateverIsReplaced(CopyOptions.Existing existing) throws IOException {
        fixture.transfers().forget(transfer);
        plan(TransferFixture.options().toBuilder().existing(existing).build());
        everythingChanges();
        resumeCompletes();
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    private void planOperands() throws IOException {
        fixture.transfers().forget(transfer);
        Files.createDirectories(fixture.target());
        transfer = WalkedPlans.plan(fixture,
                WalkedPlans.arguments(fixture.source().resolve("directory"), fixture.source().resolve("file"),
                        fixture.source().resolve("large"), fixture.source().resolve("keep"), fixture.target()),
                TransferFixture.options());
    }

    // Creates the new entry before the old one is removed, so that its inode number is another.
    private void inPlaceOf(String name, Change change) throws IOException {
        Path old = fixture.source().resolve(name);
        Path away = fixture.directory().resolve("old-" + name);
        Files.move(old, away);
        change.make();
    }

    private void operandsAreCopied() throws IOException {
        isPartial(fixture.transfers().start(transfer));
        assertThat(fixture.target().resolve("keep/file")).as("of an operand that is as planned").exists();
        TransferResult result = fixture.resume(transfer);
        assertThat(errors()).isEmpty();
        assertThat(result.state()).isEqualTo(TransferResult.State.COMPLETE);
        for (String name : List.of("empty", "group", "linked")) {
            PathUtils.delete(fixture.source().resolve(name));
        }
        operandsAreEqual();
        assertThat(verify()).isEmpty();
        assertThat(fixture.resume(transfer).state()).isEqualTo(TransferResult.State.COMPLETE);
        operandsAreEqual();
    }

    // The directory into which the operands were copied is no copy of the one in which they are.
    private void operandsAreEqual() throws IOException {
        Files.setLastModifiedTime(fixture.target(), FileTime.fromMillis(99));
        Files.setLastModifiedTime(fixture.source(), FileTime.fromMillis(99));
        fixture.isCopied();
    }

    @Test
    void anOperandThatBecameAFile() throws IOException {
        planOperands();
        inPlaceOf("directory", () -> Files.writeString(fixture.source().resolve("directory"), "now a file"));
        operandsAreCopied();
    }

    @Test
    void anOperandThatBecameALink() throws IOException {
        planOperands();
        inPlaceOf("directory", () -> Files.createSymbolicLink(fixture.source().resolve("directory"), Path.of("keep")));
        operandsAreCopied();
    }

    @Test
    void operandsThatBecameDirectories() throws IOException {
        planOperands();
        for (String name : List.of("file", "large")) {
            inPlaceOf(name, () -> fixture.with(writer -> writer.file(path(name + "/new/file"), 10, 8)));
        }
        operandsAreCopied();
    }

    @Test
    void anOperandThatBecameALargeFile() throws IOException {
        planOperands();
        inPlaceOf("directory", () -> fixture.with(writer -> writer.file(path("directory"), LARGE, 13)));
        operandsAreCopied();
    }

    private List<String> errors() throws IOException {
        List<String> errors = new ArrayList<>();
        fixture.transfers().failures(transfer, failure -> errors.add(failure.failure().toString()));
        return errors;
    }

    private Path removed(String name) throws IOException {
        Path path = fixture.source().resolve(name);
        PathUtils.delete(path);
        return path;
    }

    private void becomesDirectory(String name) throws IOException {
        removed(name);
        fixture.with(writer -> writer.file(path(name + "/new/file"), 10, 8)
                .file(path(name + "/file"), 10, 9)
                .mode(path(name), 0710)
                .times(path(name + "/new"), new Timestamp(88, 88)));
    }

    private void isPartial(int generation) throws IOException {
        TransferResult result = fixture.run(transfer, generation, 2);
        assertThat(result.state()).isEqualTo(TransferResult.State.PARTIAL);
    }

    private TransferResult resumeCompletes() throws IOException {
        isPartial(fixture.transfers().start(transfer));
        TransferResult result = fixture.resume(transfer);
        assertThat(errors()).isEmpty();
        assertThat(result.state()).isEqualTo(TransferResult.State.COMPLETE);
        assertThat(result.done()).isEqualTo(result.entries());
        assertThat(result.failed()).isZero();
        assertThat(fixture.transfers().status(transfer).failed()).isZero();
        fixture.isCopied();
        isVerified();
        TransferResult again = fixture.resume(transfer);
        assertThat(again.state()).isEqualTo(TransferResult.State.COMPLETE);
        assertThat(again.done()).isEqualTo(result.done());
        assertThat(again.unplanned()).isEqualTo(result.unplanned());
        fixture.isCopied();
        return result;
    }

    private void isVerified() throws IOException {
        assertThat(verify()).isEmpty();
        Path copied = fixture.target().resolve("file/new/file");
        if (Files.exists(copied)) {
            byte[] content = Files.readAllBytes(copied);
            FileTime time = Files.getLastModifiedTime(copied);
            Files.writeString(copied, "other data");
            assertThat(verify()).isNotEmpty().allSatisfy(error -> assertThat(error).startsWith(copied + ": "));
            Files.write(copied, content);
            Files.setLastModifiedTime(copied, time);
        }
    }

    private List<String> verify() throws IOException {
        TransferDirectory verify = fixture.transfers().createVerify(transfer, "verify", TransferFixture.CALM);
        TransferResult result = fixture.run(verify, fixture.transfers().start(verify), 2);
        List<String> errors = new ArrayList<>();
        fixture.transfers().failures(verify, failure -> errors.add(failure.failure().toString()));
        assertThat(result.state())
                .isEqualTo(errors.isEmpty() ? TransferResult.State.COMPLETE : TransferResult.State.PARTIAL);
        return errors;
    }

    @Test
    void aFileThatBecameADirectory() throws IOException {
        becomesDirectory("file");
        TransferResult result = resumeCompletes();
        assertThat(result.unplanned()).isEqualTo(2);
        assertThat(result.changed()).isEqualTo(1);
    }

    @Test
    void aNameOfAGroupThatBecameADirectory() throws IOException {
        becomesDirectory("group/two");
        resumeCompletes();
    }

    @Test
    void aLargeFileThatBecameADirectoryOrALink() throws IOException {
        becomesDirectory("large");
        Files.createSymbolicLink(removed("linked/large"), Path.of("other"));
        resumeCompletes();
    }

    @Test
    void aDirectoryThatBecameAFile() throws IOException {
        Files.writeString(removed("directory"), "now a file");
        assertThat(resumeCompletes().unplanned()).isEqualTo(1);
    }

    @Test
    void aDirectoryThatBecameALink() throws IOException {
        Files.createSymbolicLink(removed("directory"), Path.of("keep"));
        resumeCompletes();
    }

    @Test
    void anEmptyDirectoryThatBecameAFile() throws IOException {
        Files.writeString(removed("empty"), "now a file");
        resumeCompletes();
    }

    @Test
    void aDirectoryThatBecameAFileIsRefusedOnceIfItsCopyIsNotEmpty() throws IOException {
        isPartialAfter(() -> {
            becomesDirectory("file");
            Files.writeString(removed("directory"), "now a file");
            Files.writeString(Files.createDirectories(fixture.target().resolve("directory")).resolve("own"), "other");
        });
        for (int i = 0; i < 2; i++) {
            TransferResult result = fixture.resume(transfer);
            assertThat(result.state()).isEqualTo(TransferResult.State.PARTIAL);
            assertThat(errors()).singleElement().asString().contains("directory: ");
            assertThat(result.failed()).isEqualTo(1);
            assertThat(fixture.transfers().status(transfer).failed()).isEqualTo(1);
            assertThat(fixture.transfers().status(transfer).total(BatchStatus::failed)).as("the failure is of no batch")
                    .isZero();
            assertThat(fixture.target().resolve("directory/own")).hasContent("other");
        }
        PathUtils.delete(fixture.target().resolve("directory"));
        assertThat(fixture.resume(transfer).state()).isEqualTo(TransferResult.State.COMPLETE);
        assertThat(errors()).isEmpty();
        fixture.isCopied();
    }

    private interface Change {
        void make() throws IOException;
    }

    private void isPartialAfter(Change change) throws IOException {
        change.make();
        isPartial(fixture.transfers().start(transfer));
    }

    @Test
    void aFileOfItsPlannedKindAgainIsCopiedByItsBatch() throws IOException {
        isPartialAfter(() -> becomesDirectory("large"));
        removed("large");
        fixture.with(writer -> writer.file(path("large"), LARGE, 11));
        assertThat(fixture.resume(transfer).state()).isEqualTo(TransferResult.State.COMPLETE);
        fixture.isCopied();
    }

    @Test
    void aStopOrKillDuringAResumeIsRepairedByTheNextResume() throws Exception {
        isPartialAfter(this::everythingChanges);
        long moment = 0;
        for (Call call : List.of(Call.MKDIRAT, Call.UNLINKAT, Call.SYNCFS, Call.FUTIMENS)) {
            for (int nth = 1; nth < 6; nth += 2) {
                Cancellation stop = new Cancellation();
                int generation = fixture.transfers().resume(transfer);
                fixture.work(transfer, generation);
                FaultInjectingCalls calls = FaultInjectingCalls.over(Linux.calls(),
                        Fault.on(call).nth(nth).runs(invocation -> stop.cancel()));
                Finishing.of(calls, transfer, generation).finish(fixture.listener(), new Progress(), stop);
            }
            int generation = fixture.transfers().resume(transfer);
            try (TransferProcess worker = TransferProcess.worker(transfer, generation, 0)) {
                worker.await();
            }
            try (TransferProcess finishing = TransferProcess.finishing(transfer, generation)) {
                TimeUnit.MILLISECONDS.sleep(moment += 80);
                finishing.kill();
            }
        }
        fixture.completes(transfer);
        assertThat(errors()).isEmpty();
        assertThat(verify()).isEmpty();
    }
}
