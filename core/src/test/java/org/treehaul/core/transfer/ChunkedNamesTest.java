// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.treehaul.core.transfer.TransferTest.path;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import org.apache.commons.io.file.PathUtils;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.Call;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.Fault;
import org.treehaul.core.fs.FaultInjectingCalls;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.TreeWriter;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.directory.TransferResult;
import org.treehaul.core.transfer.finish.Finishing;

/** Names of a large file that vanish or become something else after planning. */
class ChunkedNamesTest {

    private static final int LARGE = 3 * (int) TransferFixture.CHUNK_BYTES;

    private final TransferFixture fixture = TransferFixture.onTmpfs();
    private TransferDirectory transfer;

    @BeforeEach
    void makeTree() throws IOException {
        fixture.with(writer -> writer.file(path("file"), 10, 1)
                .file(path("a/first"), LARGE, 2)
                .hardLink(path("a/first"), path("b/second"))
                .hardLink(path("a/first"), path("b/third")));
        transfer = WalkedPlans.plan(fixture, WalkedPlans.arguments(fixture.source(), fixture.target()),
                TransferFixture.options());
    }

    @AfterEach
    void close() {
        fixture.close();
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

    private TransferResult start() throws IOException {
        return fixture.run(transfer, fixture.transfers().start(transfer), 2);
    }

    private void completesWithChanged(int expected) throws IOException {
        TransferResult result = start();
        assertThat(errors()).isEmpty();
        staysComplete(result, expected);
    }

    private void completesByResume(int expected) throws IOException {
        assertThat(start().state()).isEqualTo(TransferResult.State.PARTIAL);
        assertThat(errors()).isNotEmpty();
        TransferResult result = fixture.resume(transfer);
        assertThat(errors()).isEmpty();
        staysComplete(result, expected);
    }

    private void staysComplete(TransferResult result, int expected) throws IOException {
        assertThat(result.state()).isEqualTo(TransferResult.State.COMPLETE);
        assertThat(result.changed()).isEqualTo(expected);
        assertThat(result.done()).isEqualTo(result.entries());
        fixture.isCopied();
        assertThat(verify()).isEmpty();
        TransferResult again = fixture.resume(transfer);
        assertThat(again.changed()).isEqualTo(result.changed());
        assertThat(again.unplanned()).isEqualTo(result.unplanned());
        assertThat(again.state()).isEqualTo(TransferResult.State.COMPLETE);
        fixture.isCopied();
    }

    private List<String> verify() throws IOException {
        TransferDirectory verify = fixture.transfers().createVerify(transfer, "verify", TransferFixture.CALM);
        fixture.run(verify, fixture.transfers().start(verify), 2);
        List<String> errors = new ArrayList<>();
        fixture.transfers().failures(verify, failure -> errors.add(failure.failure().toString()));
        return errors;
    }

    private void onlyVanished(TransferResult result, String... names) throws IOException {
        assertThat(result.state()).isEqualTo(TransferResult.State.PARTIAL);
        assertThat(result.failures()).containsOnlyKeys(EntryFailure.Kind.VANISHED);
        assertThat(errors()).allSatisfy(error -> assertThat(error).contains(": vanished: "));
        for (String name : names) {
            assertThat(errors())
                    .anySatisfy(error -> assertThat(error).startsWith(fixture.source().resolve(name) + ": vanished: "));
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void theFirstNameVanished(boolean isAfterTheChunks) throws IOException {
        int generation = fixture.transfers().start(transfer);
        if (isAfterTheChunks) {
            fixture.work(transfer, generation);
        }
        removed("a/first");
        onlyVanished(fixture.run(transfer, generation, 2), "a/first");
        fixture.isCopied();
        onlyVanished(fixture.resume(transfer), "a/first");
        fixture.isCopied();
    }

    @Test
    void theFirstTwoNamesVanished() throws IOException {
        removed("a/first");
        removed("b/second");
        onlyVanished(start(), "a/first", "b/second");
        fixture.isCopied();
        onlyVanished(fixture.resume(transfer), "a/first", "b/second");
        fixture.isCopied();
    }

    @Test
    void theFirstNameVanishedBelowAnotherOperand() throws IOException {
        fixture.transfers().forget(transfer);
        Path target = Files.createDirectories(fixture.target());
        transfer = WalkedPlans.plan(fixture, WalkedPlans.arguments(fixture.source().resolve("a"),
                fixture.source().resolve("b"), fixture.source().resolve("file"), target), TransferFixture.options());
        removed("a/first");
        onlyVanished(start(), "a/first");
        isCopiedInto(target);
        onlyVanished(fixture.resume(transfer), "a/first");
        isCopiedInto(target);
    }

    // The directory itself is not of the transfer.
    private void isCopiedInto(Path target) throws IOException {
        Files.setLastModifiedTime(target, Files.getLastModifiedTime(fixture.source()));
        fixture.isCopied();
    }

    @Test
    void allNamesVanished() throws IOException {
        removed("a/first");
        removed("b");
        onlyVanished(start(), "a/first", "b/second", "b/third");
        onlyVanished(fixture.resume(transfer), "a/first", "b/second", "b/third");
    }

    @Test
    void aFurtherNameVanished() throws IOException {
        removed("b/second");
        onlyVanished(start(), "b/second");
        fixture.isCopied();
        onlyVanished(fixture.resume(transfer), "b/second");
        fixture.isCopied();
    }

    @Test
    void aFurtherNameBecameADirectory() throws IOException {
        removed("b/second");
        fixture.with(writer -> writer.file(path("b/second/new"), 10, 3));
        completesByResume(1);
    }

    @Test
    void aFurtherNameBecameADirectoryAndTheFirstVanished() throws IOException {
        removed("a/first");
        removed("b/second");
        fixture.with(writer -> writer.file(path("b/second/new"), 10, 3));
        start();
        onlyVanished(fixture.resume(transfer), "a/first");
        fixture.isCopied();
        onlyVanished(fixture.resume(transfer), "a/first");
        fixture.isCopied();
    }

    @Test
    void theDirectoryOfFurtherNamesBecameAFile() throws IOException {
        removed("b");
        fixture.with(writer -> writer.file(path("b"), 10, 3));
        completesByResume(0);
    }

    @Test
    void aFurtherNameBecameAnotherFile() throws IOException {
        removed("b/second");
        fixture.with(writer -> writer.file(path("b/second"), LARGE, 3));
        completesWithChanged(1);
        Files.writeString(fixture.target().resolve("b/second"), "damaged");
        assertThat(verify()).isNotEmpty()
                .allSatisfy(error -> assertThat(error).startsWith(fixture.target().resolve("b/second") + ": "));
    }

    @Test
    void aFurtherNameBecameALink() throws IOException {
        Files.createSymbolicLink(removed("b/second"), Path.of("third"));
        completesWithChanged(1);
    }

    private void damage(String name) {
        try (TreeWriter writer = TreeWriter.in(Linux.calls(), fixture.target())) {
            writer.damage(ByteString.of(name), LARGE / 2);
        }
    }

    @Test
    void damageIsFoundInNamesThatWereCopiedWithoutTheFirst() throws IOException {
        removed("a/first");
        onlyVanished(start(), "a/first");
        assertThat(verify()).singleElement().asString().contains("a/first: ");
        Path copied = fixture.target().resolve("b/second");
        damage("b/second");
        assertThat(verify()).hasSize(2)
                .anySatisfy(error -> assertThat(error).startsWith(copied + ": ")
                        .contains("content from byte " + LARGE / 2));
        assertThat(Files.isSameFile(copied, fixture.target().resolve("b/third"))).isTrue();
    }

    @Test
    void damageIsFoundInNamesThatWereCopiedWithoutTheFirstAndAlone() throws IOException {
        int generation = fixture.transfers().start(transfer);
        fixture.work(transfer, generation);
        FaultInjectingCalls calls = FaultInjectingCalls.over(Linux.calls(),
                Fault.on(Call.LINKAT).named("first").fails(Errno.EMLINK));
        Finishing.of(calls, transfer, generation).finish(fixture.listener(), new Progress(), new Cancellation());
        Path copied = fixture.target().resolve("b/second");
        assertThat(Files.isSameFile(copied, fixture.target().resolve("a/first"))).isFalse();
        damage("b/second");
        assertThat(verify()).anySatisfy(
                error -> assertThat(error).startsWith(copied + ": ").contains("content from byte " + LARGE / 2));
    }

    @Test
    void namesOfASmallFileBecameOthers() throws IOException {
        fixture.transfers().forget(transfer);
        fixture.with(writer -> writer.hardLink(path("file"), path("group/directory"))
                .hardLink(path("file"), path("group/other"))
                .hardLink(path("file"), path("group/last")));
        transfer = WalkedPlans.plan(fixture, WalkedPlans.arguments(fixture.source(), fixture.target()),
                TransferFixture.options());
        removed("group/directory");
        removed("group/other");
        fixture.with(writer -> writer.file(path("group/directory/new"), 10, 3).file(path("group/other"), 20, 4));
        completesByResume(2);
    }
}
