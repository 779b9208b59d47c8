// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SortedMap;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.Call;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.Fault;
import org.treehaul.core.fs.FaultInjectingCalls;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.ListedEntry;
import org.treehaul.core.testing.TreeAssert;
import org.treehaul.core.testing.TreeListing;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.directory.TransferResult;
import org.treehaul.core.transfer.finish.Finishing;

/** Moves by transfers: finishing removes the sources whose copies are complete. */
class MoveTransferTest {

    private static final long LARGE = 3 * TransferFixture.CHUNK_BYTES;

    private final TransferFixture fixture = TransferFixture.onTmpfs();
    private final Path source = fixture.source();
    private final Path target = fixture.target();
    private SortedMap<ByteString, ListedEntry> listed;
    private TreeListing wanted;

    @BeforeEach
    void makeTree() {
        fixture.with(writer -> {
            for (int i = 0; i < 60; i++) {
                writer.file(path("d" + i % 5 + "/e" + i % 3 + "/f" + i), 100L * i, i);
            }
            writer.file(path("large"), LARGE, 1)
                    .file(path("d1/large-first"), LARGE, 2)
                    .hardLink(path("d1/large-first"), path("d2/large-second"))
                    .hardLink(path("d1/e1/f1"), path("d3/second"))
                    .hardLink(path("d1/e1/f1"), path("third"))
                    .symlink(path("d1/link"), path("nowhere"))
                    .special(path("d2/fifo"), EntryKind.FIFO, 0)
                    .directory(path("empty"));
        });
        wanted = TreeListing.of(Linux.calls(), source);
        listed = wanted.byPath();
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    private static ByteString path(String text) {
        return ByteString.of(text);
    }

    private TransferDirectory planned() throws IOException {
        return WalkedPlans.move(fixture, TransferFixture.options());
    }

    private TransferResult run(TransferDirectory transfer) throws IOException {
        return fixture.run(transfer, fixture.transfers().start(transfer), 2);
    }

    private List<String> errors(TransferDirectory transfer) throws IOException {
        List<String> errors = new ArrayList<>();
        fixture.transfers().failures(transfer, failure -> errors.add(failure.failure().toString()));
        return errors;
    }

    private void isCopied() {
        TreeAssert.assertThat(TreeListing.of(Linux.calls(), target)).isCopyOf(wanted);
        fixture.hasNothingLeft();
    }

    @Test
    void aDirectoryWhoseCopyFailedStaysAtTheSource() throws IOException {
        TransferDirectory transfer = planned();
        int generation = fixture.transfers().start(transfer);
        fixture.work(transfer, generation);
        FaultInjectingCalls calls = FaultInjectingCalls.over(Linux.calls(),
                Fault.on(Call.MKDIRAT).named("empty").fails(Errno.EACCES));
        TransferResult result = Finishing.of(calls, transfer, generation)
                .finish(fixture.listener(), new Progress(), new Cancellation());
        assertThat(result.state()).isEqualTo(TransferResult.State.PARTIAL);
        assertThat(target.resolve("empty")).doesNotExist();
        assertThat(source.resolve("empty")).isDirectory();
        assertThat(source.resolve("d1")).doesNotExist();
    }

    @Test
    void theWholeSourceIsRemoved() throws IOException {
        TransferDirectory transfer = planned();
        TransferResult result = run(transfer);
        assertThat(errors(transfer)).isEmpty();
        assertThat(result.state()).as(result.toString()).isEqualTo(TransferResult.State.COMPLETE);
        assertThat(source).doesNotExist();
        isCopied();
    }

    @Test
    void aSourceOfEachKindIsMoved() throws IOException {
        Path file = Files.writeString(fixture.directory().resolve("file"), "data");
        Path link = Files.createSymbolicLink(fixture.directory().resolve("link"), file);
        Files.createDirectory(target);
        TransferDirectory transfer = WalkedPlans.move(fixture,
                WalkedPlans.arguments(file, link, source.resolve("d2/fifo"), source.resolve("d0"), target),
                TransferFixture.options());
        TransferResult result = run(transfer);
        assertThat(result.state()).as(errors(transfer) + "").isEqualTo(TransferResult.State.COMPLETE);
        assertThat(target.resolve("file")).hasContent("data");
        assertThat(Files.readSymbolicLink(target.resolve("link"))).isEqualTo(file);
        assertThat(target.resolve("fifo")).exists();
        assertThat(target.resolve("d0/e0/f0")).exists();
        assertThat(file).doesNotExist();
        assertThat(Files.exists(link, LinkOption.NOFOLLOW_LINKS)).isFalse();
        assertThat(source.resolve("d0")).doesNotExist();
        assertThat(source.resolve("d1")).exists();
    }

    @Test
    void anEntryThatChangedAfterPlanningStaysWithAllItsNames() throws IOException {
        TransferDirectory transfer = planned();
        FileTime planned = Files.getLastModifiedTime(source.resolve("d2/e2/f2"));
        Files.writeString(source.resolve("d2/e2/f2"), "changed");
        // As a program that hides the change.
        Files.setLastModifiedTime(source.resolve("d2/e2/f2"), planned);
        Files.writeString(source.resolve("third"), "more", StandardOpenOption.APPEND);
        Files.writeString(source.resolve("d4/new"), "new");
        Files.setLastModifiedTime(source.resolve("d1/large-first"), FileTime.from(Instant.EPOCH));
        TransferResult result = run(transfer);
        assertThat(result.state()).isEqualTo(TransferResult.State.PARTIAL);
        assertThat(result.failures()).containsOnlyKeys(EntryFailure.Kind.CHANGED);
        assertThat(errors(transfer))
                .anySatisfy(
                        error -> assertThat(error).endsWith("/d2/e2/f2: changed concurrently: compare with the plan"))
                .anySatisfy(error -> assertThat(error).contains("/third: "))
                .anySatisfy(error -> assertThat(error).contains("/d4: "));
        assertThat(TreeListing.of(Linux.calls(), source).byPath().keySet().stream().map(ByteString::toString))
                .containsExactlyInAnyOrder("", "d1", "d1/e1", "d1/e1/f1", "d2", "d2/e2", "d2/e2/f2", "d3", "d3/second",
                        "d4", "d4/new", "third");
        assertThat(target.resolve("d2/e2/f2")).hasContent("changed");
        TransferResult again = fixture.resume(transfer);
        assertThat(again.state()).isEqualTo(TransferResult.State.PARTIAL);
        assertThat(source.resolve("d4/new")).hasContent("new");
        // A move of the rest.
        TransferDirectory rest = WalkedPlans.move(fixture,
                WalkedPlans.arguments(source, target).withNoTargetDirectory(true), TransferFixture.options());
        assertThat(run(rest).state()).isEqualTo(TransferResult.State.COMPLETE);
        assertThat(source).doesNotExist();
        assertThat(target.resolve("d4/new")).hasContent("new");
        fixture.hasNothingLeft();
    }

    @Test
    void aSourceStaysIfItsCopyIsGoneOrChanged() throws IOException {
        TransferDirectory transfer = planned();
        int generation = fixture.transfers().start(transfer);
        fixture.work(transfer, generation);
        Files.delete(target.resolve("d0/e0/f0"));
        Files.writeString(target.resolve("d4/e1/f4"), "other");
        // As rounded to two seconds, which only FAT does.
        long time = Files.getLastModifiedTime(source.resolve("d2/e2/f2")).to(TimeUnit.SECONDS);
        Files.setLastModifiedTime(target.resolve("d2/e2/f2"), FileTime.from(time & ~1L, TimeUnit.SECONDS));
        Files.delete(target.resolve("d3/second"));
        TransferResult result = fixture.finish(transfer, generation);
        assertThat(result.state()).isEqualTo(TransferResult.State.PARTIAL);
        assertThat(errors(transfer)).hasSize(4)
                .allSatisfy(error -> assertThat(error).contains("compare with the copy"));
        for (String name : List.of("d0/e0/f0", "d4/e1/f4", "d2/e2/f2", "d3/second", "third", "d1/e1/f1")) {
            assertThat(source.resolve(name)).exists();
        }
        assertThat(source.resolve("large")).doesNotExist();
    }

    @Test
    void existingFilesThatAreKeptKeepTheirSources() throws IOException {
        Files.createDirectories(target.resolve("d1/e1"));
        Files.writeString(target.resolve("d1/e1/f16"), "kept");
        Files.writeString(target.resolve("large"), "kept");
        Files.writeString(target.resolve("third"), "kept");
        TransferDirectory transfer = WalkedPlans.move(fixture,
                WalkedPlans.arguments(source, target).withNoTargetDirectory(true),
                TransferFixture.options().toBuilder().existing(CopyOptions.Existing.SKIP).build());
        TransferResult result = run(transfer);
        assertThat(result.state()).as(errors(transfer) + "").isEqualTo(TransferResult.State.COMPLETE);
        assertThat(TreeListing.of(Linux.calls(), source).byPath().keySet().stream().map(ByteString::toString))
                .containsExactlyInAnyOrder("", "d1", "d1/e1", "d1/e1/f1", "d1/e1/f16", "d3", "d3/second", "large",
                        "third");
        assertThat(target.resolve("large")).hasContent("kept");
    }

    @Test
    void aFinishingThatIsStoppedRemovesTheRestLater() throws IOException {
        TransferDirectory transfer = planned();
        int generation = fixture.transfers().start(transfer);
        fixture.work(transfer, generation);
        for (int i = 1; Files.exists(source); i++) {
            Cancellation stop = new Cancellation();
            TransferResult result = Finishing.of(new StoppingCalls(Linux.calls(), stop, 7), transfer, generation)
                    .withThreads(1)
                    .finish(fixture.listener(), new Progress(), stop);
            if (result.state() == TransferResult.State.COMPLETE) {
                break;
            }
            assertThat(result.state()).isEqualTo(TransferResult.State.STOPPED);
            assertNothingIsLost();
            generation = fixture.transfers().resume(transfer);
            fixture.work(transfer, generation);
            assertThat(i).isLessThan(100);
        }
        assertThat(source).doesNotExist();
        // Also the times of the directories, although the removal has changed those of their sources.
        isCopied();
    }

    private void assertNothingIsLost() {
        SortedMap<ByteString, ListedEntry> left = TreeListing.of(Linux.calls(), source).byPath();
        SortedMap<ByteString, ListedEntry> moved = TreeListing.of(Linux.calls(), target).byPath();
        listed.forEach((path, entry) -> {
            if (!left.containsKey(path)) {
                assertThat(Objects.requireNonNull(moved.get(path)).content()).as(path.toString())
                        .isEqualTo(entry.content());
            }
        });
    }
}
