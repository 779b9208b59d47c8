// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.treehaul.core.copy.Copies.archive;
import static org.treehaul.core.copy.Copies.path;

import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.treehaul.core.copy.Copies;
import org.treehaul.core.copy.data.DataHash;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.copy.options.CopyOptionsBuilder;
import org.treehaul.core.copy.outcome.CopyResult;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.fs.Call;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.Fault;
import org.treehaul.core.fs.FaultInjectingCalls;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.Privilege;
import org.treehaul.core.testing.TreeRemoval;
import org.treehaul.core.testing.TreeWriter;

/** Large files whose chunks several copiers copy, and which are then finished: complete, or absent. */
class ChunkCopyTest {

    private static final long CHUNK = 1 << 20;

    private final Copies copies = Copies.onTmpfs();

    @AfterEach
    void close() {
        copies.close();
    }

    private static void make(TreeWriter writer) {
        writer.file(path("d/large"), 5 * CHUNK + 123, 1)
                .mode(path("d/large"), 0640)
                .attribute(path("d/large"), path("user.x"), path("y"))
                .hardLink(path("d/large"), path("e/link"))
                .hardLink(path("d/large"), path("other"))
                .sparse(path("sparse"), 40 * CHUNK, 0, 7 * CHUNK, 39 * CHUNK + 5)
                .file(path("d/small"), 5, 5);
    }

    private Batches batches(CopyOptions options, Fault... faults) {
        return Batches.of(copies, options, 3, 1, CHUNK, FaultInjectingCalls.over(Linux.calls(), faults));
    }

    private static List<BatchChunk> chunks(Batches batches) {
        List<BatchChunk> all = new ArrayList<>();
        batches.chunked().values().forEach(all::addAll);
        return all;
    }

    private List<String> temporaries() {
        return copies.targetListing()
                .byPath()
                .keySet()
                .stream()
                .map(Object::toString)
                .filter(name -> name.contains(".treehaul-"))
                .toList();
    }

    @ParameterizedTest
    @EnumSource(CopyOptions.Verify.class)
    void severalCopiersAtOnceMakeOneFile(CopyOptions.Verify verify) {
        copies.with(ChunkCopyTest::make);
        Batches batches = batches(archive().verify(verify).build());
        List<BatchChunk> shuffled = new ArrayList<>(chunks(batches));
        // Each chunk twice, by any of the copiers.
        shuffled.addAll(chunks(batches));
        Collections.shuffle(shuffled, new Random(3));
        try (ExecutorService runs = Executors.newFixedThreadPool(3)) {
            IntStream.range(0, 3)
                    .mapToObj(
                            i -> CompletableFuture.supplyAsync(
                                    () -> batches.copyChunks(
                                            shuffled.subList(i * shuffled.size() / 3, (i + 1) * shuffled.size() / 3)),
                                    runs))
                    .toList()
                    .forEach(run -> assertThat(run.join().isSuccess()).isTrue());
        }
        IntStream.range(0, batches.count()).forEach(batches::copy);
        batches.finish().allDone();
        copies.isCopied().hasNoTemporaries();
        assertThat(batches.toldOfOthers).isEqualTo(Map.of("d/large", List.of("done"), "sparse", List.of("done"),
                "e/link", List.of("linked"), "other", List.of("linked")));
    }

    @Test
    void chunksPastTheCacheMakeTheSameFile() {
        try (Copies onDisk = Copies.onDisk()) {
            onDisk.with(ChunkCopyTest::make);
            CopyOptions options = archive().direct(true).verify(CopyOptions.Verify.XXH3).build();
            Batches.of(onDisk, options, 3, 1, CHUNK, FaultInjectingCalls.over(Linux.calls()))
                    .copyAll(new Random(2))
                    .finish()
                    .allDone();
            onDisk.isCopied().hasNoTemporaries();
        }
    }

    @Test
    void aFileFinishedTwiceIsTheSameAndReportedAgain() {
        copies.with(ChunkCopyTest::make);
        Batches batches = batches(archive().verify(CopyOptions.Verify.XXH3).build());
        batches.copyAll(new Random(1)).finish();
        batches.toldOfOthers.clear();
        batches.finish().allDone();
        assertThat(batches.toldOfOthers).isEqualTo(Map.of("d/large", List.of("done"), "sparse", List.of("done"),
                "e/link", List.of("linked"), "other", List.of("linked")));
        copies.isCopied();
    }

    @Test
    void eachChunkIsOnTheDiskBeforeItIsReported() {
        copies.with(writer -> writer.file(path("large"), 3 * CHUNK, 1));
        Batches batches = batches(archive().build(), Fault.on(Call.FSYNC).fails(Errno.EIO));
        batches.copyChunks(chunks(batches));
        assertThat(batches.copiedChunks()).isEmpty();
        assertThat(batches.toldOfOthers).isEqualTo(Map.of("large", Collections.nCopies(3, "chunk ERROR fsync 5")));
    }

    @Test
    void failuresOfAFullDestinationBetweenChunksThatAreCopiedAreNotInARow() {
        int failing = 40;
        copies.with(writer -> writer.file(path("large"), 3L * failing * 4096, 1));
        Fault[] full = IntStream.range(0, failing)
                .mapToObj(i -> Fault.on(Call.PWRITE).nth(2 * i + 1).fails(Errno.ENOSPC))
                .toArray(Fault[]::new);
        // Hashed, so that no other call copies the data.
        Batches batches = Batches.of(copies, archive().threads(1).verify(CopyOptions.Verify.XXH3).build(), 1, 1, 4096,
                FaultInjectingCalls.over(Linux.calls(), full));
        assertThat(batches.copyChunks(chunks(batches)).isComplete()).isTrue();
        assertThat(batches.copiedChunks()).hasSize(2 * failing);
    }

    @Test
    void aFencedCopierWritesNoFurtherBlock() {
        copies.with(writer -> writer.file(path("large"), 3 * CHUNK, 1));
        FaultInjectingCalls calls = FaultInjectingCalls.over(Linux.calls());
        Batches batches = Batches.of(copies, archive().threads(1).build(), 1, 1, CHUNK, calls);
        AtomicInteger asked = new AtomicInteger();
        CopyResult result = batches.fencedBy(() -> asked.incrementAndGet() < 12).copyChunks(chunks(batches));
        assertThat(result.isComplete()).isFalse();
        assertThat(calls.count(Call.PWRITE)).isLessThan(12).isLessThan(3 * CHUNK / FileAccess.BUFFER_BYTES);
        assertThat(batches.toldOfOthers).isEmpty();
        // Others continue the work that it had done.
        batches.fencedBy(() -> true).copyAll(new Random(1)).finish().allDone();
        copies.isCopied().hasNoTemporaries();
    }

    @Test
    void aFileThatChangedBetweenItsChunksIsDiscarded() {
        copies.with(writer -> writer.file(path("large"), 3 * CHUNK, 1));
        copies.there(writer -> writer.file(path("large"), 7, 7));
        Batches batches = batches(archive().build());
        List<BatchChunk> all = chunks(batches);
        batches.copyChunks(all.subList(0, 2));
        copies.with(writer -> writer.flipByte(path("large"), 5));
        batches.copyChunks(all.subList(2, 3));
        assertThat(temporaries()).hasSize(2);
        batches.finishFiles();
        assertThat(batches.toldOfOthers).isEqualTo(Map.of("large", List.of("CHANGED read 0")));
        copies.hasNoTemporaries();
        assertThat(copies.at("large")).hasSize(7);
    }

    @Test
    void aFileThatChangedBeforeItWasFinishedIsDiscarded() throws IOException {
        copies.with(writer -> writer.file(path("large"), 3 * CHUNK, 1));
        Batches batches = batches(archive().build());
        batches.copyChunks(chunks(batches));
        copies.with(writer -> writer.flipByte(path("large"), 5));
        batches.finishFiles();
        assertThat(batches.toldOfOthers).isEqualTo(Map.of("large", List.of("CHANGED read 0")));
        copies.hasNoTemporaries();
        assertThat(copies.at("large")).doesNotExist();
        // The same chunks again, of the file as it is now.
        batches.copiedChunks().clear();
        batches.copyChunks(chunks(batches));
        batches.finish();
        copies.isCopied();
    }

    @ParameterizedTest
    @EnumSource(names = {"NONE", "XXH3"})
    void aFileThatGrewOrShrankSinceItWasPlannedIsCopiedAsItIs(CopyOptions.Verify verify) throws IOException {
        for (long size : new long[]{4 * CHUNK + 7, CHUNK + 9, 100, 0}) {
            try (Copies other = Copies.onTmpfs()) {
                other.with(writer -> writer.file(path("large"), 3 * CHUNK, 1));
                Batches batches = Batches.of(other, archive().verify(verify).build(), 2, 1, CHUNK);
                other.with(writer -> writer.remove(path("large")).file(path("large"), size, 2));
                batches.copyAll(new Random(1)).finish().allDone();
                assertThat(batches.toldOfOthers).isEqualTo(Map.of("large", List.of("done")));
                other.isCopied().hasNoTemporaries();
            }
        }
    }

    @Test
    void theCopierOfAChunkReportsThatItReadsBackDifferently() throws IOException {
        copies.with(writer -> writer.file(path("large"), 3 * CHUNK, 1));
        AtomicInteger times = new AtomicInteger(1);
        Batches batches = batches(archive().verify(CopyOptions.Verify.XXH3).threads(1).build(),
                Fault.on(Call.POSIX_FADVISE).runs(call -> {
                    if (times.getAndDecrement() > 0) {
                        try (TreeWriter writer = TreeWriter.in(Linux.calls(), copies.target())) {
                            writer.flipByte(path(temporaries().getFirst()), 5);
                        }
                    }
                }));
        batches.copyChunks(chunks(batches));
        assertThat(times).hasNegativeValue();
        assertThat(batches.copiedChunks()).as("chunks that are proved").hasSize(2);
        batches.finish();
        copies.hasNoTemporaries();
        assertThat(copies.at("large")).doesNotExist();
    }

    // From a certain call on, nothing has an effect, as when a process was killed.
    private static void finisherDies(int everyNth) {
        boolean isDead = true;
        for (long n = 1; isDead; n += everyNth) {
            try (Copies copies = Copies.onTmpfs()) {
                copies.with(ChunkCopyTest::make).there(writer -> writer.file(path("d/large"), 3, 3));
                CopyOptions options = archive().threads(1).build();
                FaultInjectingCalls dying = FaultInjectingCalls.over(Linux.calls(),
                        Fault.onAny().from(n).fails(Errno.EIO));
                Batches first = Batches.of(copies, options, 1, 1, CHUNK, dying);
                Batches batches = Batches.of(copies, options, 1, 1, CHUNK);
                batches.copyAll(new Random(1));
                first.copiedChunks().putAll(batches.copiedChunks());
                first.finishFiles();
                isDead = dying.total() >= n;
                batches.finish().allDone();
                copies.isCopied().hasNoTemporaries();
            }
        }
    }

    @Test
    void furtherNamesAreCopiesWhereNoLinkCanBeMade() throws IOException {
        copies.with(ChunkCopyTest::make);
        for (int errno : new int[]{Errno.EPERM, Errno.EMLINK}) {
            // A second thread could place its copy by the call that is to fail.
            Batches batches = batches(archive().threads(1).build(),
                    Fault.on(Call.LINKAT).named("link").times(1).fails(errno),
                    Fault.on(Call.LINKAT).named("other").times(1).fails(errno));
            batches.copyAll(new Random(1)).finish().allDone();
            assertThat(batches.toldOfOthers).containsEntry("e/link", List.of("linked"))
                    .containsEntry("other", List.of("linked"));
            for (String name : List.of("e/link", "other")) {
                assertThat(copies.at(name)).hasSameBinaryContentAs(copies.source().resolve("d/large"));
                assertThat(Files.getAttribute(copies.at(name), "unix:ino"))
                        .isNotEqualTo(Files.getAttribute(copies.at("d/large"), "unix:ino"));
            }
            copies.hasNoTemporaries();
            TreeRemoval.remove(Linux.calls(), copies.target());
        }
    }

    @Test
    void aFileIsReportedOnlyAfterItsFurtherNames() {
        copies.with(ChunkCopyTest::make);
        Cancellation cancellation = new Cancellation();
        Batches batches = batches(archive().threads(1).build(),
                Fault.on(Call.LINKAT).named("link").times(1).runs(call -> cancellation.cancel()).fails(Errno.EPERM),
                Fault.on(Call.LINKAT).named("other").times(1).runs(call -> cancellation.cancel()).fails(Errno.EPERM));
        batches.copyAll(new Random(1));
        assertThat(batches.finishFiles(cancellation).isComplete()).isFalse();
        assertThat(batches.toldOfOthers).as("a name is missing").doesNotContainKey("d/large");
        batches.finish().allDone();
        assertThat(batches.toldOfOthers).containsEntry("d/large", List.of("done"));
        assertThat(copies.at("e/link")).hasSameBinaryContentAs(copies.source().resolve("d/large"));
        assertThat(copies.at("other")).hasSameBinaryContentAs(copies.source().resolve("d/large"));
        copies.hasNoTemporaries();
    }

    @Test
    void furtherNamesLinkToAnotherCopyIfTheFirstIsReplaced() throws IOException {
        copies.with(ChunkCopyTest::make);
        Batches batches = batches(archive().threads(1).build(),
                Fault.on(Call.LINKAT, Call.OPENAT, Call.STATX).named("link").times(1).runs(call -> replaceLarge()),
                Fault.on(Call.LINKAT, Call.OPENAT, Call.STATX).named("other").times(1).runs(call -> replaceLarge()));
        batches.copyAll(new Random(1)).finish().allDone();
        assertThat(batches.notices).containsExactly(
                "some hard links are separate files in the copy: " + "another process replaced the file to link to");
        assertThat(batches.toldOfOthers).containsEntry("e/link", List.of("linked"))
                .containsEntry("other", List.of("linked"));
        assertThat(copies.at("d/large")).hasSize(7);
        assertThat(copies.at("other")).hasSameBinaryContentAs(copies.source().resolve("d/large"));
        assertThat(Files.getAttribute(copies.at("e/link"), "unix:ino"))
                .isEqualTo(Files.getAttribute(copies.at("other"), "unix:ino"));
        copies.hasNoTemporaries();
    }

    private void replaceLarge() {
        try (TreeWriter writer = TreeWriter.in(Linux.calls(), copies.target())) {
            writer.remove(path("d/large")).file(path("d/large"), 7, 7);
        }
    }

    @Test
    void anExistingDeviceIsWrittenAndStays() throws IOException {
        Privilege.requireRoot("to make a device");
        copies.with(writer -> writer.file(path("d/large"), 3 * CHUNK, 1).hardLink(path("d/large"), path("name")));
        // The device of /dev/null.
        long device = 0x103;
        copies.directory().directory("T");
        try (TreeWriter writer = TreeWriter.in(Linux.calls(), copies.target())) {
            writer.special(path("d/large"), EntryKind.CHARACTER, device);
        }
        Batches batches = batches(archive().build());
        batches.copyAll(new Random(1)).finish().allDone();
        assertThat(batches.toldOfOthers).isEqualTo(Map.of("d/large", List.of("done"), "name", List.of("linked")));
        assertThat((int) Files.getAttribute(copies.at("d/large"), "unix:mode") & 0170000).isEqualTo(0020000);
        assertThat(copies.at("name")).hasSameBinaryContentAs(copies.source().resolve("name"));
        copies.hasNoTemporaries();
    }

    @Test
    void aFinisherThatDiedIsFollowedByOneThatEndsRight() {
        finisherDies(7);
    }

    @Tag("campaign")
    @Test
    void aFinisherThatDiedAtAnyCallIsFollowedByOneThatEndsRight() {
        finisherDies(1);
    }

    @Test
    void aForeignFileUnderTheNameOfATemporaryIsNotWritten() throws IOException {
        Privilege.requireRoot("gives a file to another user");
        copies.with(writer -> writer.file(path("large"), 2 * CHUNK, 1));
        Batches batches = batches(archive().build());
        batches.copyChunks(chunks(batches).subList(0, 1));
        String temporary = temporaries().getFirst();
        Files.delete(copies.at(temporary));
        try (TreeWriter writer = TreeWriter.in(Linux.calls(), copies.target())) {
            writer.file(path(temporary), 5, 5).owner(path(temporary), 1234, 1234).mode(path(temporary), 0666);
        }
        batches.copyChunks(chunks(batches).subList(0, 1));
        assertThat(Files.size(copies.at(temporary))).isEqualTo(5);
        assertThat(batches.toldOfOthers).isEqualTo(Map.of("large", List.of("chunk ERROR open " + Errno.EEXIST)));
    }

    @Test
    void anOldFileIsNoCopyIfTheTemporaryOneIsGone() throws IOException {
        copies.with(writer -> writer.file(path("large"), 2 * CHUNK, 1));
        copies.there(writer -> writer.file(path("large"), 2 * CHUNK, 2));
        byte[] old = Files.readAllBytes(copies.at("large"));
        Batches batches = batches(archive().build());
        batches.copyChunks(chunks(batches));
        Files.delete(copies.at(temporaries().getFirst()));
        Files.setLastModifiedTime(copies.at("large"), Files.getLastModifiedTime(copies.source().resolve("large")));
        batches.finishFiles();
        assertThat(batches.toldOfOthers.get("large")).contains("ERROR open " + Errno.ENOENT);
        assertThat(copies.at("large")).hasBinaryContent(old);
        // The next generation copies the chunks again.
        batches.copyChunks(chunks(batches));
        batches.finishFiles();
        assertThat(copies.at("large")).hasSameBinaryContentAs(copies.source().resolve("large"));
    }

    @Test
    void anExistingFileIsSkippedOrReplacedAsTheOptionsSay() throws IOException {
        copies.with(writer -> writer.file(path("large"), 2 * CHUNK, 1));
        copies.there(writer -> writer.file(path("large"), 5, 5).hardLink(path("large"), path("link")));
        Batches skipping = batches(archive().existing(CopyOptions.Existing.SKIP).build());
        skipping.copyChunks(chunks(skipping));
        assertThat(skipping.toldOfOthers).isEqualTo(Map.of("large", List.of("chunk skipped", "chunk skipped")));
        copies.hasNoTemporaries();
        Batches batches = batches(archive().build());
        batches.copyAll(new Random(1)).finishFiles();
        assertThat(copies.at("large")).hasSameBinaryContentAs(copies.source().resolve("large"));
        assertThat(copies.at("link")).hasSize(5);
    }

    static Stream<CopyOptionsBuilder> uncut() {
        return Stream.of(archive().inPlace(true), archive().attributesOnly(true),
                archive().reflink(CopyOptions.When.ALWAYS));
    }

    @Test
    void copiesIntoExistingFilesAreNotDividedIntoChunks() {
        assertThat(uncut().map(CopyOptionsBuilder::build)).noneMatch(BatchCopier::mayChunk);
        assertThat(BatchCopier.mayChunk(archive().build())).isTrue();
    }

    @Test
    void aProofIsReadAsItWasWritten() {
        DataHash.Extents extents = new DataHash.Extents(5, 500);
        extents.add(7, 9);
        extents.add(20, 400);
        extents.setHash(new byte[]{1, 2, 3});
        assertThat(DataHash.Extents.of(extents.toBytes()).toBytes()).isEqualTo(extents.toBytes());
        assertThat(DataHash.Extents.of(extents.toBytes()).end(1)).isEqualTo(400);
    }
}
