// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;

import org.apache.commons.io.file.PathUtils;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.Event;
import org.treehaul.core.event.EventListener;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.Call;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.InterceptedCalls;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.HostileTree;
import org.treehaul.core.testing.RandomTree;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.core.transfer.directory.Generations;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.directory.TransferResult;
import org.treehaul.core.transfer.directory.WrongMountException;

/** Removals by workers of a plan: only what was planned is removed. */
class RemovalTransferTest {

    private final TestDirectory directory = TestDirectory.onTmpfs();
    private Path tree = directory.directory("tree");
    private final List<String> failures = Collections.synchronizedList(new ArrayList<>());
    private final EventListener listener = event -> {
        if (event instanceof Event.Failed failed) {
            failures.add(failed.failure().toString());
        }
    };

    @AfterEach
    void close() {
        directory.close();
    }

    private TransferDirectory plan() throws IOException {
        return WalkedPlans.removal(Transfers.in(directory.resolve("state")), tree, 2, 3, listener);
    }

    private TransferResult run(TransferDirectory transfer) throws IOException {
        Transfers transfers = Transfers.in(directory.resolve("state"));
        int generation = transfer.generations().newest() == 0 ? transfers.start(transfer) : transfers.resume(transfer);
        return TransferRunner.of(Linux.calls(), transfer)
                .withWorkers(2)
                .run(generation, listener, new Progress(), new Cancellation());
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void aTreeIsRemoved(long seed) throws IOException {
        RandomTree.make(Linux.calls(), tree, seed, 500);
        assertThat(run(plan()).state()).isEqualTo(TransferResult.State.COMPLETE);
        assertThat(failures).isEmpty();
        assertThat(tree).doesNotExist();
    }

    @Test
    void hostileNamesAreRemoved() throws IOException {
        HostileTree.make(Linux.calls(), tree);
        assertThat(run(plan()).state()).isEqualTo(TransferResult.State.COMPLETE);
        assertThat(tree).doesNotExist();
    }

    @Test
    void recreatedFilesStay() throws IOException {
        Files.createDirectories(tree.resolve("a/b"));
        Files.writeString(tree.resolve("a/b/same"), "planned");
        Files.writeString(tree.resolve("a/other"), "planned");
        TransferDirectory transfer = plan();
        Files.delete(tree.resolve("a/b/same"));
        Files.writeString(tree.resolve("a/b/same"), "new");
        TransferResult result = run(transfer);
        assertThat(result.state()).isEqualTo(TransferResult.State.PARTIAL);
        assertThat(tree.resolve("a/b/same")).hasContent("new");
        assertThat(tree.resolve("a/other")).doesNotExist();
        assertThat(failures).containsExactly(tree + "/a/b/same: changed concurrently: compare with the plan");
    }

    @Test
    void aDirectoryMadeAnewStaysEvenIfItIsEmpty() throws IOException {
        Path inner = Files.createDirectories(tree.resolve("a/b"));
        Path keeper = Files.createDirectory(tree.resolve("keeper"));
        TransferDirectory transfer = plan();
        // The new directory is made before the old one is removed, so that it cannot get its inode.
        Files.createDirectory(keeper.resolve("new"));
        Files.delete(inner);
        Files.move(keeper.resolve("new"), inner);
        assertThat(run(transfer).state()).isEqualTo(TransferResult.State.PARTIAL);
        assertThat(inner).isDirectory();
        assertThat(keeper).doesNotExist();
        assertThat(failures).containsExactly(inner + ": changed concurrently: compare with the plan");
    }

    @Test
    void addedFilesStay() throws IOException {
        Files.createDirectories(tree.resolve("a/b"));
        TransferDirectory transfer = plan();
        Files.writeString(tree.resolve("a/b/added"), "new");
        assertThat(run(transfer).state()).isEqualTo(TransferResult.State.PARTIAL);
        assertThat(tree.resolve("a/b/added")).hasContent("new");
        assertThat(failures)
                .containsExactly(tree + "/a/b: changed concurrently: rmdir: Directory not empty (ENOTEMPTY)");
    }

    @Test
    void aSecondRunFindsNothingToDo() throws IOException {
        RandomTree.make(Linux.calls(), tree, 7, 200);
        TransferDirectory transfer = plan();
        assertThat(run(transfer).state()).isEqualTo(TransferResult.State.COMPLETE);
        assertThat(run(transfer).state()).isEqualTo(TransferResult.State.COMPLETE);
        assertThat(failures).isEmpty();
    }

    @Test
    void theOtherNamesOfAFileAreRemovedAlthoughTheirChangeTimeIsNew() throws IOException {
        Path first = Files.writeString(tree.resolve("first"), "data");
        Path above = Files.createDirectories(tree.resolve("d/e"));
        Files.createLink(above.resolve("second"), first);
        Files.createLink(tree.resolve("third"), first);
        Path outside = directory.resolve("outside");
        Files.createLink(outside, first);
        assertThat(run(plan()).state()).isEqualTo(TransferResult.State.COMPLETE);
        assertThat(tree).doesNotExist();
        assertThat(outside).hasContent("data");
    }

    @Test
    void aLinkIsRemovedAndNotFollowed() throws IOException {
        Path outside = Files.createDirectory(directory.resolve("outside"));
        Files.writeString(outside.resolve("file"), "data");
        Files.createSymbolicLink(tree.resolve("link"), outside);
        TransferDirectory transfer = plan();
        assertThat(run(transfer).state()).isEqualTo(TransferResult.State.COMPLETE);
        assertThat(outside.resolve("file")).hasContent("data");
    }

    @Test
    void aDirectoryExchangedForALinkIsNotFollowed() throws IOException {
        Path inner = Files.createDirectory(tree.resolve("inner"));
        Files.writeString(inner.resolve("file"), "data");
        TransferDirectory transfer = plan();
        Path outside = directory.resolve("outside");
        Files.move(inner, outside);
        Files.createSymbolicLink(inner, outside);
        assertThat(run(transfer).state()).isEqualTo(TransferResult.State.PARTIAL);
        assertThat(outside.resolve("file")).hasContent("data");
        assertThat(inner).isSymbolicLink();
    }

    @Test
    void aTreeThatIsNotThereBecauseItsMountIsMissingIsNotTakenForRemoved() throws IOException {
        Files.writeString(tree.resolve("file"), "data");
        TransferDirectory transfer = plan();
        Path elsewhere = directory.resolve("elsewhere");
        Files.move(tree, elsewhere);
        Files.createDirectory(tree);
        assertThatThrownBy(() -> run(transfer)).isInstanceOf(WrongMountException.class);
        assertThat(elsewhere.resolve("file")).hasContent("data");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aTreeRemovedTogetherWithTheDirectoryAboveItIsTakenForRemovedAfterTheUserConfirmed(boolean isReplaced)
            throws IOException {
        tree = Files.createDirectories(directory.resolve("above/tree"));
        Files.writeString(tree.resolve("file"), "data");
        TransferDirectory transfer = plan();
        PathUtils.delete(directory.resolve("above"));
        if (isReplaced) {
            Files.writeString(directory.resolve("above"), "a file");
        }
        assertThatThrownBy(() -> run(transfer)).isInstanceOf(WrongMountException.class)
                .hasMessageContaining("'treehaul resume --force' continues");

        TransferResult result = TransferRunner.of(Linux.calls(), transfer)
                .run(transfer.generations().raise(Generations.Reason.RESUME, true), listener, new Progress(),
                        new Cancellation());

        assertThat(result.state()).isEqualTo(TransferResult.State.COMPLETE);
        assertThat(failures).isEmpty();
    }

    /** Ends the process, as far as a test can, after a number of removals. */
    private static final class Killed extends InterceptedCalls {
        private final AtomicInteger left;

        Killed(FileSystemCalls calls, int removals) {
            super(calls);
            this.left = new AtomicInteger(removals);
        }

        @Override
        protected long around(Call call, int descriptor, MemorySegment name, LongSupplier made) {
            if (call != Call.UNLINKAT) {
                return made.getAsLong();
            }
            int number = left.getAndDecrement();
            long result = number > 0 ? made.getAsLong() : 0;
            if (number <= 1) {
                throw new AssertionError("killed");
            }
            return result;
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 30, 77, 130, 160})
    void filesRecreatedAfterAKillStay(int removals) throws IOException {
        List<Path> files = new ArrayList<>();
        for (int i = 0; i < 150; i++) {
            Path file = tree.resolve("d" + i % 20 + "/f" + i);
            Files.createDirectories(file.getParent());
            files.add(Files.writeString(file, "planned"));
        }
        TransferDirectory transfer = plan();
        Transfers transfers = Transfers.in(directory.resolve("state"));
        int generation = transfers.start(transfer);
        assertThatThrownBy(() -> TransferRunner.of(new Killed(Linux.calls(), removals), transfer)
                .withWorkers(1)
                .run(generation, listener, new Progress(), new Cancellation()));
        List<Path> anew = new ArrayList<>();
        for (Path file : files) {
            if (!Files.exists(file)) {
                Files.createDirectories(file.getParent());
                anew.add(Files.writeString(file, "new"));
            }
        }
        assertThat(anew).isNotEmpty();
        assertThat(run(transfer).state()).isEqualTo(TransferResult.State.PARTIAL);
        assertThat(anew).allSatisfy(file -> assertThat(file).hasContent("new"));
        files.removeAll(anew);
        assertThat(files).noneMatch(Files::exists);
    }
}
