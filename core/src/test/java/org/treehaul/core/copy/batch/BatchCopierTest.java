// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.treehaul.core.copy.Copies.archive;
import static org.treehaul.core.copy.Copies.bytes;
import static org.treehaul.core.copy.Copies.path;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.core.copy.Copies;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.copy.options.CopyPair;
import org.treehaul.core.copy.outcome.CopyResult;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.event.EventListener;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.Call;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.Fault;
import org.treehaul.core.fs.FaultInjectingCalls;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.TreeRemoval;
import org.treehaul.core.testing.TreeWriter;
import org.treehaul.core.walk.options.Root;
import org.treehaul.core.walk.options.SelectedEntries;
import org.treehaul.core.walk.options.Symlinks;

/** Entries copied alone, as one batch of a transfer: the entries created, those left alone, and the reports. */
class BatchCopierTest {

    private static final long NEVER = Long.MAX_VALUE;

    private final Copies copies = Copies.onTmpfs();

    @AfterEach
    void close() {
        copies.close();
    }

    private static TreePath treePath(String text) {
        return TreePath.of(text.getBytes(StandardCharsets.UTF_8));
    }

    private Batches batches(int count, CopyOptions options, Fault... faults) {
        return Batches.of(copies, options, count, 1, NEVER, FaultInjectingCalls.over(Linux.calls(), faults));
    }

    // Returns each path with the reports about it.
    private static Map<String, List<String>> told(Batches batches) {
        Map<String, List<String>> told = new HashMap<>();
        for (int i = 0; i < batches.count(); i++) {
            batches.batch(i).forEach((number, item) -> {
                List<String> words = batches.told.get(number);
                if (words != null) {
                    told.put(item.path().toString(), words);
                }
            });
        }
        return told;
    }

    private void change(Consumer<TreeWriter> change) {
        copies.with(change);
    }

    @Test
    void onlyListedEntriesAreChangedAndNewDirectoriesAboveThemArePrivate() throws IOException {
        copies.with(writer -> writer.file(path("a/b/wanted"), 10, 1)
                .file(path("a/b/other"), 10, 2)
                .file(path("a/c/other"), 10, 3)
                .mode(path("a/b"), 0755)
                .mode(path("a/b/wanted"), 0640));
        copies.there(writer -> writer.file(path("a/old"), 5, 5).mode(path("a"), 0751));
        Batches batches = batches(1, archive().build());
        Map<Integer, Batches.Item> one = new HashMap<>(batches.batch(0));
        one.values().removeIf(item -> !item.path().toString().equals("a/b/wanted"));
        assertThat(batches.copy(one).isSuccess()).isTrue();
        assertThat(copies.targetListing().byPath().keySet().stream().map(ByteString::toString)).containsExactly("", "a",
                "a/b", "a/b/wanted", "a/old");
        assertThat(mode("a")).isEqualTo(0751);
        assertThat(mode("a/b")).isEqualTo(0700);
        assertThat(mode("a/b/wanted")).isEqualTo(0640);
        assertThat(told(batches)).containsOnly(Map.entry("a/b/wanted", List.of("done")));
    }

    private int mode(String name) throws IOException {
        return (int) Files.getAttribute(copies.at(name), "unix:mode") & 07777;
    }

    @Test
    void rootsThatAreNoDirectoriesAreEntriesToo() throws IOException {
        copies.with(writer -> writer.file(path("file"), 300_000, 1)
                .symlink(path("link"), path("nowhere"))
                .file(path("directory/inside"), 5, 1)
                .special(path("fifo"), EntryKind.FIFO, 0)).there(writer -> {
                });
        Batches log = new Batches(copies, archive().build(), Linux.calls());
        List<CopyPair> pairs = List.of(alone("file", EntryKind.REGULAR, 7), alone("link", EntryKind.SYMLINK, 8),
                alone("fifo", EntryKind.FIFO, 9), alone("gone", EntryKind.REGULAR, 10),
                alone("directory", EntryKind.REGULAR, 11),
                new CopyPair(Root.of(bytes(copies.source().resolve("nothing")), SelectedEntries.ofNonDirectories()),
                        bytes(copies.at("nothing"))));
        try (BatchCopier copier = BatchCopier.of(Linux.calls(), archive().build(), Batches.ID)) {
            copier.copy(pairs, log.outcomes(), log.listener(), new Progress(), new Cancellation());
        }
        assertThat(log.told).isEqualTo(Map.of(7, List.of("done"), 8, List.of("done"), 9, List.of("done"), 10,
                List.of("failed VANISHED stat 2 tries 1"), 11, List.of("failed CHANGED open 21 tries 1")));
        assertThat(copies.at("file")).hasSameBinaryContentAs(copies.source().resolve("file"));
        assertThat(Files.readSymbolicLink(copies.at("link"))).hasToString("nowhere");
        assertThat(copies.at("directory")).doesNotExist();
    }

    @Test
    void memoryDependsOnTheNumberOfEntriesAndNotOnTheirNumbers() {
        copies.with(writer -> writer.file(path("file"), 10, 1).file(path("other"), 10, 2)).there(writer -> {
        });
        Batches log = new Batches(copies, archive().build(), Linux.calls());
        List<CopyPair> pairs = List.of(alone("file", EntryKind.REGULAR, Integer.MAX_VALUE),
                alone("other", EntryKind.REGULAR, Integer.MAX_VALUE - 1));
        try (BatchCopier copier = BatchCopier.of(Linux.calls(), archive().build(), Batches.ID)) {
            copier.copy(pairs, log.outcomes(), log.listener(), new Progress(), new Cancellation());
        }
        assertThat(log.told)
                .isEqualTo(Map.of(Integer.MAX_VALUE, List.of("done"), Integer.MAX_VALUE - 1, List.of("done")));
    }

    private CopyPair alone(String name, EntryKind kind, int number) {
        SelectedEntries selection = SelectedEntries.ofNonDirectories();
        selection.addEntry(TreePath.root(), kind, number);
        return new CopyPair(Root.of(bytes(copies.source().resolve(name)), selection), bytes(copies.at(name)));
    }

    @Test
    void linksOnTheWayAreFollowedOnlyWhereThatWasSaid() {
        copies.with(writer -> writer.file(path("real/d/file"), 10, 1).symlink(path("link"), path("real")))
                .there(writer -> {
                });
        Batches log = new Batches(copies, archive().build(), Linux.calls());
        SelectedEntries selection = SelectedEntries.ofNonDirectories();
        selection.addEntry(treePath("link/d/file"), EntryKind.REGULAR, 0);
        CopyPair pair = new CopyPair(Root.of(bytes(copies.source()), selection), bytes(copies.target()));
        try (BatchCopier copier = BatchCopier.of(Linux.calls(), archive().build(), Batches.ID)) {
            copier.copy(List.of(pair), log.outcomes(), log.listener(), new Progress(), new Cancellation());
            assertThat(log.told).isEmpty();
            assertThat(log.toldOfOthers).isEqualTo(Map.of("link", List.of("ERROR open " + Errno.ENOTDIR)));
            selection.follow(treePath("link"));
            copier.copy(List.of(pair), log.outcomes(), log.listener(), new Progress(), new Cancellation());
        }
        assertThat(log.told).isEqualTo(Map.of(0, List.of("done")));
        assertThat(copies.at("link/d/file")).hasSameBinaryContentAs(copies.source().resolve("real/d/file"));
        assertThat(copies.at("link")).isDirectory();
    }

    @Test
    void whereAllLinksAreFollowedTheirTargetsAreCopied() {
        copies.with(writer -> writer.file(path("real/file"), 10, 1)
                .symlink(path("to-directory"), path("real"))
                .symlink(path("to-file"), path("real/file")));
        CopyOptions options = archive().symlinks(Symlinks.ALWAYS).build();
        Batches log = new Batches(copies, options, Linux.calls());
        log.copy(Map.of(0, new Batches.Item(treePath("to-directory/file"), EntryKind.REGULAR), 1,
                new Batches.Item(treePath("to-file"), EntryKind.REGULAR)));
        assertThat(log.told).isEqualTo(Map.of(0, List.of("done"), 1, List.of("done")));
        assertThat(copies.at("to-directory/file")).hasSameBinaryContentAs(copies.source().resolve("real/file"));
        assertThat(copies.at("to-file")).isRegularFile();
    }

    @Test
    void entriesChangedSinceTheListingAreCopiedAsTheyAreOrReported() throws IOException {
        copies.with(writer -> writer.file(path("d/stays"), 10, 1)
                .file(path("d/gone"), 10, 1)
                .file(path("d/to-directory"), 10, 1)
                .file(path("d/to-link"), 10, 1)
                .file(path("d/to-fifo"), 10, 1)
                .symlink(path("d/to-file"), path("x"))
                .symlink(path("d/link-to-directory"), path("x"))
                .file(path("d/grows"), 10, 1)
                .file(path("swapped/secret"), 10, 1)
                .file(path("removed/file"), 10, 1)
                .file(path("elsewhere/secret"), 10, 77));
        Batches batches = batches(2, archive().build());
        change(writer -> writer.remove(path("d/gone"))
                .remove(path("d/to-directory"))
                .file(path("d/to-directory/inside"), 1, 1)
                .remove(path("d/to-link"))
                .symlink(path("d/to-link"), path("elsewhere"))
                .remove(path("d/to-fifo"))
                .special(path("d/to-fifo"), EntryKind.FIFO, 0)
                .remove(path("d/to-file"))
                .file(path("d/to-file"), 300_000, 3)
                .remove(path("d/link-to-directory"))
                .file(path("d/link-to-directory/inside"), 1, 1)
                .remove(path("d/grows"))
                .file(path("d/grows"), 500_000, 9)
                .remove(path("swapped/secret"))
                .remove(path("removed/file")));
        Files.delete(copies.source().resolve("swapped"));
        Files.delete(copies.source().resolve("removed"));
        Files.createSymbolicLink(copies.source().resolve("swapped"), Path.of("elsewhere"));
        batches.copy(0);
        batches.copy(1);
        Map<String, List<String>> expected = new HashMap<>();
        for (String done : List.of("d/stays", "d/to-link", "d/to-fifo", "d/to-file", "d/grows", "elsewhere/secret")) {
            expected.put(done, List.of("done"));
        }
        expected.put("d/gone", List.of("failed VANISHED open 2 tries 1"));
        expected.put("d/to-directory", List.of("failed CHANGED read 0 tries 2"));
        expected.put("d/link-to-directory", List.of("failed CHANGED read 0 tries 1"));
        assertThat(told(batches)).isEqualTo(expected);
        assertThat(batches.toldOfOthers).isEqualTo(Map.of("swapped", List.of("ERROR open " + Errno.ENOTDIR), "removed",
                List.of("VANISHED open " + Errno.ENOENT)));
        assertThat(Files.readSymbolicLink(copies.at("d/to-link"))).hasToString("elsewhere");
        assertThat(copies.at("d/grows")).hasSameBinaryContentAs(copies.source().resolve("d/grows"));
        assertThat(copies.at("swapped")).doesNotExist();
        copies.hasNoTemporaries();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void theSameBatchByTwoAtOnceAndTwoOfOneDirectoryEndRight(boolean isNamed) {
        copies.with(writer -> IntStream.range(0, 60).forEach(i -> {
            String name = "d" + i % 3 + "/e/f" + i;
            writer.file(path(name), 1000, i)
                    .file(path(name + "-medium"), 300_000, i)
                    .hardLink(path(name), path(name + "-link"))
                    .symlink(path(name + "-symlink"), path("x" + i));
        }));
        try (ExecutorService runs = Executors.newFixedThreadPool(4)) {
            for (int round = 0; round < 3; round++) {
                Batches batches = batches(2, archive().build(), Copies.noUnnamedFiles(isNamed));
                List<CompletableFuture<CopyResult>> running = IntStream.range(0, 4)
                        .mapToObj(i -> CompletableFuture.supplyAsync(() -> batches.copy(i % 2), runs))
                        .toList();
                running.forEach(run -> assertThat(run.join().isSuccess()).isTrue());
                batches.finish();
                assertThat(told(batches).values()).allMatch(List.of("done", "done")::equals).hasSize(240);
                copies.isCopied().hasNoTemporaries();
            }
        }
    }

    @Test
    void existingEntriesAreReportedAsSkipped() {
        copies.with(writer -> writer.file(path("a"), 10, 1)
                .file(path("large"), 300_000, 1)
                .hardLink(path("large"), path("link"))
                .symlink(path("symlink"), path("x")));
        copies.there(writer -> writer.file(path("a"), 3, 3)
                .file(path("large"), 3, 3)
                .file(path("link"), 3, 4)
                .file(path("symlink"), 3, 3));
        Batches batches = batches(1, archive().existing(CopyOptions.Existing.SKIP).build());
        batches.copy(0);
        assertThat(told(batches)).isEqualTo(Map.of("a", List.of("skipped"), "large", List.of("skipped"), "link",
                List.of("skipped"), "symlink", List.of("skipped")));
    }

    @Test
    void existingFilesAreReplacedByNewInodes() throws IOException {
        copies.with(writer -> writer.file(path("a"), 10, 1).file(path("b"), 300_000, 1));
        copies.there(writer -> writer.file(path("a"), 3, 3).hardLink(path("a"), path("other")).file(path("b"), 3, 4));
        Batches batches = batches(1, archive().build());
        batches.copy(0);
        batches.allDone();
        assertThat(copies.at("a")).hasSameBinaryContentAs(copies.source().resolve("a"));
        assertThat(Files.size(copies.at("other"))).isEqualTo(3);
    }

    @Test
    void anEntryWhoseMetadataAreNotCarriedOverHasFailedOnly() {
        copies.with(writer -> writer.file(path("a"), 10, 1).file(path("b"), 10, 1).symlink(path("c"), path("x")));
        Batches batches = batches(1, archive().threads(1).build(), Fault.on(Call.UTIMENSAT).fails(Errno.EIO),
                Fault.on(Call.FUTIMENS).fails(Errno.EIO));
        batches.copy(0);
        assertThat(told(batches)).isEqualTo(Map.of("a", List.of("failed ERROR utimensat 5 tries 1"), "b",
                List.of("failed ERROR utimensat 5 tries 1"), "c", List.of("failed ERROR utimensat 5 tries 1")));
    }

    @Test
    void aFileThatCannotBeReadBackIsNotDone() {
        copies.with(writer -> IntStream.range(0, 5).forEach(i -> writer.file(path("f" + i), 100, i)));
        Batches batches = batches(1, archive().threads(1).verify(CopyOptions.Verify.XXH3).build(),
                Fault.on(Call.PREAD).nth(1).fails(Errno.EIO));
        batches.copy(0);
        assertThat(told(batches).values().stream().filter(List.of("done")::equals)).hasSize(4);
        assertThat(told(batches).values().stream().filter(words -> words.getFirst().startsWith("failed ERROR read")))
                .hasSize(1);
    }

    @Test
    void aSyncThatFailsBeforeFilesAreReadBackFailsEachOfThemOnce() {
        try (Copies onDisk = Copies.onDisk()) {
            onDisk.with(writer -> IntStream.range(0, 5).forEach(i -> writer.file(path("f" + i), 100, i)));
            CopyOptions options = archive().threads(1).verify(CopyOptions.Verify.XXH3).build();
            Batches batches = Batches.of(onDisk, options, 1, 1, NEVER,
                    FaultInjectingCalls.over(Linux.calls(), Fault.on(Call.SYNCFS).nth(1).fails(Errno.EIO)));
            assertThat(batches.copy(0).failures()).isEqualTo(Map.of(EntryFailure.Kind.ERROR, 5L));
            assertThat(told(batches).values()).hasSize(5).allMatch(List.of("failed ERROR syncfs 5 tries 1")::equals);
        }
    }

    @Test
    void attemptsAreReported() {
        copies.with(writer -> writer.file(path("a"), 10, 1));
        Batches batches = batches(1, archive().threads(1).build(), Fault.on(Call.READ).fails(Errno.ESTALE));
        batches.copy(0);
        assertThat(told(batches)).isEqualTo(Map.of("a", List.of("failed ERROR read 116 tries 4")));
    }

    @Test
    void aFullDestinationEndsTheBatchAndTheRestIsNotReported() {
        copies.with(writer -> IntStream.range(0, 500).forEach(i -> writer.file(path("f" + i), 100, i)));
        Batches batches = batches(1, archive().threads(2).build(), Fault.on(Call.WRITE).fails(Errno.ENOSPC));
        assertThat(batches.copy(0).isComplete()).isFalse();
        assertThat(batches.told.values()).allMatch(List.of("failed ERROR write 28 tries 1")::equals);
        // Each thread checks every 32 entries whether it must stop.
        assertThat(batches.told).hasSizeBetween(32, 32 + 2 * 32);
    }

    @Test
    void aSyncThatFailsThrows() throws Exception {
        copies.with(writer -> writer.file(path("a"), 10, 1));
        FaultInjectingCalls calls = FaultInjectingCalls.over(Linux.calls(),
                Fault.on(Call.SYNCFS).nth(2).fails(Errno.EIO));
        Batches batches = Batches.of(copies, archive().build(), 1, 1, NEVER, calls);
        try (BatchCopier copier = BatchCopier.of(calls, archive().build(), Batches.ID)) {
            copier.copy(batches.pair(batches.batch(0)), batches.outcomes(), batches.listener(), new Progress(),
                    new Cancellation());
            copier.sync();
            assertThatThrownBy(copier::sync).hasMessageContaining("syncfs");
        }
        assertThat(calls.openDescriptors()).isEmpty();
    }

    @Test
    void theUmaskOfTheTransferCounts() throws IOException {
        copies.with(writer -> writer.file(path("d/a"), 10, 1)
                .mode(path("d/a"), 0777)
                .special(path("d/fifo"), EntryKind.FIFO, 0)
                .mode(path("d/fifo"), 0666)
                .mode(path("d"), 0777));
        CopyOptions options = CopyOptions.builder().recursive(true).symlinks(Symlinks.NEVER).build();
        Batches batches = batches(1, options);
        for (int umask : new int[]{0077, 0002, 0}) {
            try (BatchCopier copier = BatchCopier.of(Linux.calls(), options, Batches.ID).withUmask(umask)) {
                copier.copy(batches.pair(batches.batch(0)), batches.outcomes(), EventListener.none(), new Progress(),
                        new Cancellation());
            }
            try (TransferFinisher finisher = TransferFinisher.of(Linux.calls(), options, Batches.ID).withUmask(umask)) {
                finisher.finishDirectories(batches.pair(Map.of()), batches.directories().iterator(), done -> {
                }, EventListener.none(), new Progress(), new Cancellation());
            }
            assertThat(mode("d/a")).isEqualTo(0777 & ~umask);
            assertThat(mode("d/fifo")).isEqualTo(0666 & ~umask);
            assertThat(mode("d")).isEqualTo(0777 & ~umask);
            TreeRemoval.remove(Linux.calls(), copies.target());
        }
    }

    @Test
    void aCancelledBatchReportsNoEntryThatItDidNotCopy() {
        copies.with(writer -> IntStream.range(0, 200).forEach(i -> writer.file(path("f" + i), 100, i)));
        Batches batches = batches(1, archive().build());
        Cancellation cancelled = new Cancellation();
        cancelled.cancel();
        try (BatchCopier copier = BatchCopier.of(Linux.calls(), archive().build(), Batches.ID)) {
            CopyResult result = copier.copy(batches.pair(batches.batch(0)), batches.outcomes(), batches.listener(),
                    new Progress(), cancelled);
            assertThat(result.isComplete()).isFalse();
        }
        assertThat(batches.told).isEmpty();
    }

    @Test
    void directoriesAndOtherEntriesAreNotMixedAndABatchHasEntriesAlone() {
        SelectedEntries alone = SelectedEntries.ofNonDirectories();
        assertThatThrownBy(() -> alone.addEntry(treePath("a"), EntryKind.DIRECTORY, 0))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> SelectedEntries.ofDirectories().addEntry(treePath("a"), EntryKind.FIFO, 0))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> BatchCopier.of(Linux.calls(), archive().dryRun(true).build(), Batches.ID))
                .isInstanceOf(IllegalArgumentException.class);
        try (BatchCopier copier = BatchCopier.of(Linux.calls(), archive().build(), Batches.ID)) {
            CopyPair whole = Copies.pair(copies.source(), copies.target());
            Batches log = new Batches(copies, archive().build(), Linux.calls());
            assertThatThrownBy(() -> copier.copy(List.of(whole), log.outcomes(), log.listener(), new Progress(),
                    new Cancellation())).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void aDirectoryThatCannotBeMadeIsReportedOnce() {
        copies.with(writer -> writer.file(path("d/a"), 10, 1).file(path("d/e/b"), 10, 1).file(path("ok"), 1, 1));
        copies.there(writer -> writer.file(path("d"), 3, 3));
        Batches batches = batches(1, archive().build());
        batches.copy(0);
        assertThat(told(batches)).isEqualTo(Map.of("ok", List.of("done")));
        assertThat(batches.toldOfOthers).isEqualTo(Map.of("d", List.of("ERROR replace by a directory 20")));
        assertThat(batches.failures).extracting(EntryFailure::errno).containsExactly(Errno.ENOTDIR);
    }
}
