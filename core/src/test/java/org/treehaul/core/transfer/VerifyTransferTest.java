// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.treehaul.core.transfer.TransferTest.path;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.copy.options.Preserve;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.event.Event;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.plan.format.PlanHeader;
import org.treehaul.core.testing.Privilege;
import org.treehaul.core.testing.TreeWriter;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.directory.TransferException;
import org.treehaul.core.transfer.directory.TransferResult;
import org.treehaul.core.transfer.directory.WrongMountException;
import org.treehaul.core.transfer.operation.Operation;
import org.treehaul.core.transfer.work.WorkResult;
import org.treehaul.core.transfer.work.Worker;
import org.treehaul.core.walk.options.Symlinks;

/** A finished copy that a transfer of its own reads again. */
class VerifyTransferTest {

    private TransferFixture fixture = TransferFixture.onTmpfs();

    @BeforeEach
    void make() {
        fixture.close();
        fixture = TransferFixture.onTmpfs();
        fixture.with(TransferTest::tree);
    }

    @AfterEach
    void remove() {
        fixture.close();
    }

    private TransferDirectory copy(CopyOptions options) throws IOException {
        TransferDirectory copy = fixture.planned(6, options);
        fixture.run(copy, fixture.transfers().start(copy), 2);
        return copy;
    }

    private TransferDirectory copy() throws IOException {
        TransferDirectory copy = copy(TransferFixture.options());
        fixture.isCopied();
        return copy;
    }

    private TransferDirectory begin(TransferDirectory copy) throws IOException {
        return fixture.transfers().createVerify(copy, "verify " + copy.id(), TransferFixture.CALM);
    }

    private TransferResult verify(TransferDirectory copy) throws IOException {
        TransferDirectory verify = begin(copy);
        return run(verify, fixture.transfers().start(verify));
    }

    /** Runs the verification, and fails if anything in source or destination has changed. */
    private TransferResult run(TransferDirectory verify, int generation) throws IOException {
        fixture.failures().clear();
        Map<String, String> before = state();
        TransferResult result = fixture.run(verify, generation, 2);
        assertThat(state()).isEqualTo(before);
        return result;
    }

    // Every write changes the ctime of a file or of the directory that contains it.
    private Map<String, String> state() throws IOException {
        Map<String, String> state = new TreeMap<>();
        for (Path root : List.of(fixture.source(), fixture.directory().resolve("D"))) {
            try (Stream<Path> all = Files.walk(root)) {
                for (Path path : all.toList()) {
                    state.put(path.toString(),
                            Files.readAttributes(path, "unix:ctime,ino,nlink", LinkOption.NOFOLLOW_LINKS).toString());
                }
            }
        }
        return state;
    }

    private Path target(String path) {
        return fixture.target().resolve(path);
    }

    private Path source(String path) {
        return fixture.source().resolve(path);
    }

    private static void flip(Path file, long at) throws IOException {
        FileTime time = Files.getLastModifiedTime(file);
        try (RandomAccessFile data = new RandomAccessFile(file.toFile(), "rw")) {
            data.seek(at);
            int old = data.read();
            data.seek(at);
            data.write(old ^ 1);
        }
        Files.setLastModifiedTime(file, time);
    }

    /** Changes something in a directory of the destination without changing its times. */
    private void quietly(String directory, Change change) throws IOException {
        FileTime time = Files.getLastModifiedTime(target(directory));
        change.make();
        Files.setLastModifiedTime(target(directory), time);
    }

    private interface Change {
        void make() throws IOException;
    }

    private void assertDiffers(TransferResult result, EntryFailure.Kind kind, String... failures) {
        assertThat(fixture.failures()).hasSameSizeAs(failures);
        for (String failure : failures) {
            assertThat(fixture.failures()).anySatisfy(told -> assertThat(told).contains(failure));
        }
        assertThat(result.state()).isEqualTo(TransferResult.State.PARTIAL);
        assertThat(result.failures()).isEqualTo(Map.of(kind, (long) failures.length));
    }

    private void assertSame(TransferResult result) {
        assertThat(fixture.failures()).isEmpty();
        assertThat(result.state()).isEqualTo(TransferResult.State.COMPLETE);
        assertThat(result.done()).isEqualTo(result.entries()).isGreaterThan(70);
    }

    @Test
    void copiedFilesAreTheSame() throws IOException {
        TransferDirectory copy = copy();
        TransferDirectory verify = begin(copy);
        // By now it has everything that it needs from the copy.
        fixture.transfers().forget(copy);
        assertSame(run(verify, fixture.transfers().start(verify)));
        TransferStatus status = fixture.transfers().status(verify);
        assertThat(status.operation()).isEqualTo(new Operation.Verify());
        assertThat(status.state()).isEqualTo(TransferStatus.State.COMPLETE);
        assertThat(status.percent()).isEqualTo(100);
    }

    @Test
    void aWrongByteIsFoundUntilItIsRepaired() throws IOException {
        TransferDirectory copy = copy();
        flip(target("d1/small1"), 50);
        TransferDirectory verify = begin(copy);
        TransferResult result = run(verify, fixture.transfers().start(verify));
        assertDiffers(result, EntryFailure.Kind.CORRUPT, "T/d1/small1: reads back differently: content from byte 50");
        List<String> listed = new ArrayList<>();
        fixture.transfers().failures(verify, failure -> listed.add(failure.failure().toString()));
        assertThat(listed).isEqualTo(fixture.failures());

        flip(target("d1/small1"), 50);
        long before = attempts(verify);
        assertSame(run(verify, fixture.transfers().resume(verify)));
        assertThat(attempts(verify)).as("only its batch is done again").isEqualTo(before + 1);
    }

    private static long attempts(TransferDirectory transfer) throws IOException {
        try (Stream<Path> attempts = Files.list(transfer.attempts())) {
            return attempts.count();
        }
    }

    @Test
    void aWrongByteInALaterChunkIsFoundWhereItIs() throws IOException {
        TransferDirectory copy = copy();
        long at = 2L * TransferFixture.CHUNK_BYTES + 7;
        flip(target("e0/large0"), at);
        assertDiffers(verify(copy), EntryFailure.Kind.CORRUPT,
                "T/e0/large0: reads back differently: content from byte " + at);
    }

    @Test
    void missingEntriesAreReported() throws IOException {
        TransferDirectory copy = copy();
        quietly("d1", () -> Files.delete(target("d1/small1")));
        quietly("", () -> {
            Files.delete(target("empty/inner"));
            Files.delete(target("empty"));
        });
        quietly("e1", () -> Files.delete(target("e1/other")));
        assertDiffers(verify(copy), EntryFailure.Kind.CORRUPT, "T/d1/small1: reads back differently: missing",
                "T/empty: reads back differently: missing", "T/empty/inner: reads back differently: missing",
                "T/e1/other: reads back differently: missing");
    }

    @Test
    void everythingBelowAMissingDirectoryIsMissing() throws IOException {
        fixture.with(writer -> writer.file(path("alone/a"), 10, 1).file(path("alone/b/c"), 10, 1));
        TransferDirectory copy = copy();
        quietly("", () -> Files.move(target("alone"), fixture.directory().resolve("away")));
        assertDiffers(verify(copy), EntryFailure.Kind.CORRUPT, "T/alone: ", "T/alone/a: ", "T/alone/b: ",
                "T/alone/b/c: ");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void everythingBelowAMissingDestinationIsMissing(boolean isFileThere) throws IOException {
        TransferDirectory copy = copy();
        Files.move(fixture.target(), fixture.directory().resolve("away"));
        if (isFileThere) {
            Files.createFile(fixture.target());
        }
        TransferResult result = verify(copy);
        assertThat(result.state()).isEqualTo(TransferResult.State.PARTIAL);
        assertThat(result.done()).isZero();
        String ofRoot = "/T: reads back differently: " + (isFileThere ? "kind" : "missing");
        for (String failure : List.of(ofRoot, "/T/empty: reads back differently: missing",
                "/T/empty/inner: reads back differently: missing")) {
            assertThat(fixture.failures()).anySatisfy(told -> assertThat(told).contains(failure));
        }
    }

    @Test
    void furtherFilesInTheDestinationAreIgnored() throws IOException {
        TransferDirectory copy = copy();
        Files.writeString(target("d1/extra"), "extra");
        // Clocks of files tick coarsely.
        Files.setLastModifiedTime(target("d1"), FileTime.from(Instant.now().plusSeconds(1)));
        assertSame(verify(copy));
    }

    @Test
    void wrongMetadataAreReported() throws IOException {
        Privilege.requireRoot("files of other owners");
        fixture.with(writer -> writer.attribute(path("d4/small4"), path("user.word"), path("right")));
        TransferDirectory copy = copy();
        Files.setPosixFilePermissions(target("d1/small1"), PosixFilePermissions.fromString("rw-rw-rw-"));
        Files.setLastModifiedTime(target("d2/small2"), FileTime.fromMillis(1_000));
        Files.setPosixFilePermissions(target("empty"), PosixFilePermissions.fromString("rwx------"));
        Files.setLastModifiedTime(target("e0"), FileTime.fromMillis(1_000));
        try (TreeWriter writer = TreeWriter.in(Linux.calls(), fixture.target())) {
            writer.owner(path("d3/small3"), 1, 2);
            writer.attribute(path("d4/small4"), path("user.word"), path("wrong"));
        }
        assertDiffers(verify(copy), EntryFailure.Kind.CORRUPT,
                "T/d1/small1: reads back differently: mode 0644 (source) | 0666 (copy)",
                "T/d2/small2: reads back differently: mtime ",
                "T/d3/small3: reads back differently: owner 0 (source) | 1 (copy); group 0 (source) | 2 (copy)",
                "T/d4/small4: reads back differently: xattr user.word=\"right\" (source) | user.word=\"wrong\" (copy)",
                "T/empty: reads back differently: mode ", "T/e0: reads back differently: mtime ");
    }

    @Test
    void attributesThatWereNotPreservedAreNotCompared() throws IOException {
        TransferDirectory copy = copy(
                CopyOptions.builder().recursive(true).symlinks(Symlinks.NEVER).threads(2).build());
        Files.setPosixFilePermissions(target("d1/small1"), PosixFilePermissions.fromString("rw-rw-rw-"));
        assertSame(verify(copy));
        flip(target("d1/small1"), 3);
        assertDiffers(verify(copy), EntryFailure.Kind.CORRUPT, "content from byte 3");
    }

    @Test
    void namesThatAreNoLinksAnyMoreAreReported() throws IOException {
        TransferDirectory copy = copy();
        for (String name : List.of("e0/link0", "e1/other")) {
            Path file = target(name);
            quietly(String.valueOf(Objects.requireNonNull(file.getParent()).getFileName()), () -> {
                Files.copy(file, fixture.directory().resolve("again"), StandardCopyOption.COPY_ATTRIBUTES);
                Files.move(fixture.directory().resolve("again"), file, StandardCopyOption.REPLACE_EXISTING);
            });
        }
        // Both names of each file.
        assertDiffers(verify(copy), EntryFailure.Kind.CORRUPT, "T/e0/link0: reads back differently: links",
                "T/d0/medium0: reads back differently: links", "T/e1/other: reads back differently: links",
                "T/e0/large1: reads back differently: links");
    }

    @Test
    void aLinkInTheWayOfADirectoryIsNotFollowed() throws IOException {
        fixture.with(writer -> writer.file(path("alone/a"), 10, 1));
        TransferDirectory copy = copy();
        quietly("", () -> {
            Files.move(target("alone"), fixture.directory().resolve("away"));
            Files.createSymbolicLink(target("alone"), fixture.directory().resolve("away"));
        });
        TransferResult result = verify(copy);
        assertThat(result.failed()).isEqualTo(2);
        assertThat(fixture.failures())
                .anySatisfy(told -> assertThat(told).contains("T/alone: reads back differently: kind"));
    }

    @Test
    void aSourceThatChangedSinceIsReportedAsChanged() throws IOException {
        TransferDirectory copy = copy();
        Files.writeString(source("d1/small1"), "longer than it was, and not the same as it was when it was copied");
        Files.setLastModifiedTime(source("d2/small2"), FileTime.from(Instant.now().plusSeconds(5)));
        assertDiffers(verify(copy), EntryFailure.Kind.CHANGED, "S/d1/small1: changed concurrently: size",
                "S/d2/small2: changed concurrently: mtime");
    }

    @Test
    void aLargeSourceThatChangedSinceIsReportedAsChangedInEachChunk() throws IOException {
        TransferDirectory copy = copy();
        flip(source("e0/large0"), TransferFixture.CHUNK_BYTES + 7L);
        Files.setLastModifiedTime(source("e0/large0"), FileTime.from(Instant.now().plusSeconds(5)));
        assertDiffers(verify(copy), EntryFailure.Kind.CHANGED, "S/e0/large0: changed concurrently: mtime",
                "S/e0/large0: changed concurrently: content from byte " + (TransferFixture.CHUNK_BYTES + 7));
    }

    @Test
    void aSourceThatIsGoneHasVanished() throws IOException {
        TransferDirectory copy = copy();
        FileTime time = Files.getLastModifiedTime(source("d1"));
        Files.delete(source("d1/small1"));
        Files.setLastModifiedTime(source("d1"), time);
        assertDiffers(verify(copy), EntryFailure.Kind.VANISHED, "S/d1/small1: vanished");
    }

    @Test
    void filesChangedBeforeTheCopyAreComparedAsCopied() throws IOException {
        TransferDirectory copy = fixture.planned(6);
        Files.writeString(source("d1/small1"), "as it is now");
        fixture.run(copy, fixture.transfers().start(copy), 2);
        assertSame(verify(copy));
        flip(target("d1/small1"), 3);
        assertDiffers(verify(copy), EntryFailure.Kind.CORRUPT, "content from byte 3");
    }

    @Test
    void filesThatTheCopyMissedAreReportedAsMissing() throws IOException {
        TransferDirectory copy = fixture.planned(6);
        Files.move(source("d1/small1"), fixture.directory().resolve("away"));
        assertThat(fixture.run(copy, fixture.transfers().start(copy), 2).state())
                .isEqualTo(TransferResult.State.PARTIAL);
        FileTime time = Files.getLastModifiedTime(source("d1"));
        Files.move(fixture.directory().resolve("away"), source("d1/small1"));
        Files.setLastModifiedTime(source("d1"), time);
        assertDiffers(verify(copy), EntryFailure.Kind.CORRUPT, "T/d1/small1: reads back differently: missing");
    }

    @Test
    void filesThatTheCopySkippedAreNotCompared() throws IOException {
        Files.createDirectories(target("d1"));
        Files.writeString(target("d1/small1"), "mine");
        TransferDirectory copy = copy(
                TransferFixture.options().toBuilder().existing(CopyOptions.Existing.SKIP).build());
        TransferResult result = verify(copy);
        assertSame(result);
        assertThat(result.skipped()).isEqualTo(1);
        flip(target("d2/small2"), 1);
        assertDiffers(verify(copy), EntryFailure.Kind.CORRUPT, "content from byte 1");
    }

    @ParameterizedTest
    @ValueSource(strings = {"e0/large1", "e1/other"})
    void namesOfALargeFileThatTheCopySkippedAreNotCompared(String kept) throws IOException {
        Files.createDirectories(target(kept).getParent());
        Files.writeString(target(kept), "mine");
        TransferDirectory copy = copy(
                TransferFixture.options().toBuilder().existing(CopyOptions.Existing.SKIP).build());
        assertSame(verify(copy));
        assertThat(target(kept)).hasContent("mine");
        // The other name was copied as a file of its own.
        String copied = kept.equals("e1/other") ? "e0/large1" : "e1/other";
        flip(target(copied), 2L * TransferFixture.CHUNK_BYTES + 7);
        assertDiffers(verify(copy), EntryFailure.Kind.CORRUPT, "T/" + copied + ": reads back differently: content");
        Files.delete(target(copied));
        assertThat(verify(copy).failures()).containsKey(EntryFailure.Kind.CORRUPT);
    }

    @Test
    void aNameOfALargeFileThatMayHaveBeenKeptIsNotComparedWhereTimesAreNot() throws IOException {
        Files.createDirectories(target("e1"));
        Files.write(target("e1/other"), new byte[(int) Files.size(source("e0/large1"))]);
        // Both may have been written within one tick of the clock of the kernel.
        Files.setLastModifiedTime(target("e1/other"), FileTime.from(Instant.EPOCH));
        assertSame(verify(copy(TransferFixture.options()
                .toBuilder()
                .preserve(EnumSet.of(Preserve.LINKS))
                .existing(CopyOptions.Existing.SKIP)
                .build())));
    }

    @Test
    void aLinkThatTheCopyKeptInThePlaceOfANameOfALargeFileIsNotCompared() throws IOException {
        Files.createDirectories(target("e1"));
        Files.createSymbolicLink(target("e1/other"), Path.of("mine"));
        assertSame(verify(copy(TransferFixture.options().toBuilder().existing(CopyOptions.Existing.SKIP).build())));
        assertThat(target("e1/other")).isSymbolicLink();
    }

    @Test
    void onlyAFinishedCopyIsVerified() throws IOException {
        TransferDirectory copy = fixture.planned(6);
        assertThatThrownBy(() -> begin(copy)).isInstanceOf(TransferException.class)
                .hasMessageContaining("is not finished but planning");
        fixture.run(copy, fixture.transfers().start(copy), 2);
        TransferDirectory verify = begin(copy);
        assertThatThrownBy(() -> begin(verify)).isInstanceOf(TransferException.class)
                .hasMessageContaining("verify the copy, " + copy.id());
        assertThat(fixture.transfers().list()).hasSize(2);
    }

    @Test
    void anotherDirectoryInThePlaceOfTheDestinationIsAWrongMount() throws IOException {
        TransferDirectory copy = copy();
        Files.move(fixture.directory().resolve("D"), fixture.directory().resolve("away"));
        Files.createDirectory(fixture.directory().resolve("D"));
        TransferDirectory verify = begin(copy);
        assertThatThrownBy(() -> fixture.work(verify, fixture.transfers().start(verify)))
                .isInstanceOf(WrongMountException.class)
                .hasMessageContaining("is not the directory of the copy");
    }

    @Test
    void aStoppedVerificationContinuesWhereItStopped() throws IOException {
        TransferDirectory copy = copy();
        // Found halfway through, and then it is asked to stop.
        flip(target("d1/small22"), 5);
        TransferDirectory verify = begin(copy);
        Cancellation stop = new Cancellation();
        WorkResult work = Worker.of(Linux.calls(), verify, fixture.transfers().start(verify)).work(event -> {
            if (event instanceof Event.Failed) {
                stop.cancel();
            }
        }, new Progress(), stop);
        assertThat(work.ending()).isEqualTo(WorkResult.Ending.STOPPED);
        TransferResult result = fixture.finish(verify, verify.generations().newest());
        assertThat(result.state()).isEqualTo(TransferResult.State.INCOMPLETE);
        long before = attempts(verify);
        assertDiffers(run(verify, fixture.transfers().resume(verify)), EntryFailure.Kind.CORRUPT,
                "content from byte 5");
        // Completed batches without differences are not repeated.
        assertThat(attempts(verify) - before).isLessThanOrEqualTo(6 - work.batches() + 1);
    }

    @Test
    void oneThatIsKilledIsResumed() throws Exception {
        TransferDirectory copy = copy();
        flip(target("d1/small1"), 50);
        flip(target("e0/large0"), TransferFixture.CHUNK_BYTES + 1L);
        for (int i = 0; i < 3; i++) {
            TransferDirectory verify = begin(copy);
            int generation = fixture.transfers().start(verify);
            Map<String, String> before = state();
            try (TransferProcess worker = TransferProcess.worker(verify, generation, 0)) {
                Thread.sleep(i * 60L);
                worker.kill();
            }
            assertThat(state()).isEqualTo(before);
            run(verify, fixture.transfers().resume(verify));
            List<String> listed = new ArrayList<>();
            fixture.transfers().failures(verify, failure -> listed.add(failure.failure().toString()));
            assertThat(listed).hasSize(2)
                    .anySatisfy(told -> assertThat(told).contains("small1: reads back differently: content"))
                    .anySatisfy(told -> assertThat(told).contains("large0: reads back differently: content"));
            assertThat(fixture.transfers().status(verify).state()).isEqualTo(TransferStatus.State.PARTIAL);
        }
    }

    @Test
    void aDirectoryThatHeldATokenHasTheTimesOfItsSource() throws IOException {
        Files.createDirectory(fixture.target());
        TransferDirectory copy = fixture.create();
        PlanHeader h = fixture.header(copy, TransferFixture.options());
        SmallPlan.of(fixture.source(), 3)
                .write(copy.plan(),
                        new PlanHeader(h.id(), h.created(), h.umask(), h.uid(), h.host(), h.strategy(), h.limits(),
                                h.jobs(), h.chunkBytes(), h.hasLinkGroups(), h.roots(), h.token(),
                                List.of(ByteString.of(fixture.target().toString())), h.settings()));
        Files.writeString(fixture.target().resolve(h.token()), "");
        fixture.run(copy, fixture.transfers().start(copy), 1);
        fixture.isCopied();
        assertSame(verify(copy));
    }
}
