// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.treehaul.core.copy.Copies.archive;
import static org.treehaul.core.copy.Copies.path;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.treehaul.core.copy.Copies;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.copy.outcome.CopyResult;
import org.treehaul.core.copy.target.TemporaryNames;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.Timestamp;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.Call;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.Fault;
import org.treehaul.core.fs.FaultInjectingCalls;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.LinuxConstants;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.PosixAcl;
import org.treehaul.core.testing.Privilege;
import org.treehaul.core.testing.TreeAssert;
import org.treehaul.core.testing.TreeAssert.Aspect;
import org.treehaul.core.testing.TreeListing;
import org.treehaul.core.testing.TreeWriter;
import org.treehaul.core.walk.options.Symlinks;

/** The directories of a transfer get their metadata after everything is copied, as in a copy at once. */
class TransferFinisherTest {

    private static final long NEVER = Long.MAX_VALUE;

    private final Copies copies = Copies.onTmpfs();

    @AfterEach
    void close() {
        copies.close();
    }

    private Batches batches(CopyOptions options, Fault... faults) {
        return Batches.of(copies, options, 3, 1, NEVER, FaultInjectingCalls.over(Linux.calls(), faults));
    }

    private static void makeTree(TreeWriter writer) {
        writer.file(path("a/b/c/file"), 10, 1)
                .mode(path("a/b/c"), 0555)
                .mode(path("a/b"), 02750)
                .mode(path("a"), 01777)
                .times(path("a/b"), new Timestamp(1_000_000_000, 123))
                .times(path("a"), new Timestamp(-5, 999_999_999))
                .attribute(path("a/b"), path("user.x"), path("y"))
                .directory(path("empty/of/directories/only"))
                .mode(path("empty/of"), Privilege.isRoot() ? 0111 : 0511)
                .times(path("empty/of"), new Timestamp(5, 5))
                .file(path("acl/inherits/file"), 5, 5)
                .attribute(path("acl"), PosixAcl.DEFAULT, PosixAcl.ofDirectory(1235, 4322))
                .times(path(""), new Timestamp(77, 77));
    }

    @Test
    void plainDirectoriesAreAsAPlainCopyMakesThem() {
        copies.with(TransferFinisherTest::makeTree);
        CopyOptions plain = CopyOptions.builder().recursive(true).symlinks(Symlinks.NEVER).threads(2).build();
        batches(plain).copyAll(new Random(1)).finish().allDone();
        Path inBatches = copies.directory().resolve("in-batches");
        assertThat(copies.target().toFile().renameTo(inBatches.toFile())).isTrue();
        copies.copy(plain).succeeds();
        TreeAssert.assertThat(TreeListing.of(Linux.calls(), inBatches))
                .ignoring(Aspect.TIMES, Aspect.DIRECTORY_TIMES)
                .isCopyOf(copies.targetListing());
    }

    @Test
    void anArchiveOverAnExistingTreeEqualsACopyByThreads() {
        copies.with(TransferFinisherTest::makeTree);
        Path other = copies.directory().directory("other");
        for (Path root : List.of(copies.directory().directory("T"), other)) {
            try (TreeWriter writer = TreeWriter.in(Linux.calls(), root)) {
                writer.file(path("a/old"), 5, 5)
                        .times(path("a/old"), new Timestamp(8, 8))
                        .mode(path("a"), 0500)
                        .attribute(path("a"), PosixAcl.DEFAULT, PosixAcl.ofDirectory(1, 2))
                        .file(path("mine/old"), 5, 5)
                        .times(path("mine/old"), new Timestamp(8, 8))
                        .mode(path("mine"), 0711)
                        .times(path("mine"), new Timestamp(9, 9));
            }
        }
        batches(archive().build()).copyAll(new Random(1)).finish().allDone();
        Copies.run(archive().build(), List.of(Copies.pair(copies.source(), other)), new Cancellation()).succeeds();
        TreeAssert.assertThat(copies.targetListing()).isCopyOf(TreeListing.of(Linux.calls(), other));
    }

    @Test
    void finishedTwiceAllIsTheSame() {
        copies.with(TransferFinisherTest::makeTree);
        Batches batches = batches(archive().build()).copyAll(new Random(1)).finish();
        batches.finish().allDone();
        copies.isCopied().agreesWithRsync();
    }

    @Test
    void inADirectoryWithADefaultAclOnlyTheAclsOfTheSourceAreLeft() {
        copies.with(TransferFinisherTest::makeTree);
        try (TreeWriter writer = TreeWriter.in(Linux.calls(), copies.directory().path())) {
            writer.attribute(path(""), PosixAcl.DEFAULT, PosixAcl.ofDirectory(1235, 4322));
        }
        batches(archive().build()).copyAll(new Random(1)).finish().allDone();
        copies.isCopied();
    }

    @Test
    void anIncompleteDirectoryDoesNotGetItsTimes() throws IOException {
        copies.with(writer -> writer.file(path("d/file"), 1, 1)
                .times(path("d"), new Timestamp(77, 7))
                .mode(path("d"), 0751));
        Batches batches = batches(archive().build()).copyAll(new Random(1));
        List<FinalDirectory> incomplete = batches.directories()
                .stream()
                .map(d -> new FinalDirectory(d.root(), d.path(), d.modeBefore(), true))
                .toList();
        finish(batches, incomplete.iterator(), new Cancellation());
        assertThat(Files.getLastModifiedTime(copies.at("d")).toMillis()).isNotEqualTo(77_000);
        assertThat((int) Files.getAttribute(copies.at("d"), "unix:mode") & 07777).isEqualTo(0751);
    }

    private static CopyResult finish(Batches batches, Iterator<FinalDirectory> directories, Cancellation cancellation) {
        try (TransferFinisher finisher = batches.finisher()) {
            return finisher.finishDirectories(batches.pair(Map.of()), directories, done -> {
            }, batches.listener(), new Progress(), cancellation);
        }
    }

    @Test
    void deadTemporariesOfTheTransferAreRemovedAndNoOthers() {
        copies.with(writer -> writer.file(path("d/e/file"), 1, 1).directory(path("new")));
        Batches batches = batches(archive().build()).copyAll(new Random(1));
        TemporaryNames names = TemporaryNames.ofTransfer(Batches.ID);
        ByteString dead = ByteString.of(names.next());
        ByteString alive = ByteString.of(names.next());
        ByteString foreign = ByteString.of(TemporaryNames.ofTransfer("20260102-030405-efgh").next());
        ByteString token = path(".treehaul-" + Batches.ID);
        for (ByteString name : List.of(dead, alive, foreign, token)) {
            copies.there(writer -> writer.file(path("d/e/" + name), 1, 1));
        }
        try (FileAccess access = FileAccess.open(Linux.calls())) {
            int file = access.open(LinuxConstants.AT_FDCWD, access.name(bytes(copies.at("d/e/" + alive))),
                    LinuxConstants.O_RDWR, 0);
            assertThat(access.calls().ofdLock(file, LinuxConstants.F_RDLCK)).isZero();
            batches.finish();
            assertThat(copies.at("d/e").toFile().list()).containsExactlyInAnyOrder("file", alive.toString(),
                    foreign.toString(), token.toString());
            access.close(file);
        } catch (SystemCallException e) {
            throw new AssertionError(e);
        }
        batches.finish();
        assertThat(copies.at("d/e").toFile().list()).containsExactlyInAnyOrder("file", foreign.toString(),
                token.toString());
    }

    private static byte[] bytes(Path path) {
        return Copies.bytes(path).toBytes();
    }

    @Test
    void manyDirectoriesAreDoneInSlices() {
        copies.with(writer -> IntStream.range(0, 5000).forEach(i -> {
            String name = "d" + i % 3 + "/e" + i % 70 + "/" + i;
            writer.directory(path(name)).mode(path(name), 0700 + i % 64).times(path(name), new Timestamp(i, i));
        }));
        FaultInjectingCalls calls = FaultInjectingCalls.over(Linux.calls());
        Batches batches = Batches.of(copies, archive().threads(4).build(), 1, 1, NEVER, calls);
        batches.copyAll(new Random(1)).finish().allDone();
        TreeAssert.assertThat(copies.targetListing()).isCopyOf(copies.sourceListing());
        assertThat(calls.openDescriptors()).isEmpty();
    }

    @Test
    void cancellationStopsBetweenDirectories() {
        copies.with(writer -> IntStream.range(0, 50).forEach(i -> writer.directory(path("d/" + i))));
        Batches batches = batches(archive().threads(1).build()).copyAll(new Random(1));
        Cancellation cancellation = new Cancellation();
        List<FinalDirectory> given = new ArrayList<>();
        Iterator<FinalDirectory> all = batches.directories().iterator();
        Iterator<FinalDirectory> cancelling = new Iterator<>() {
            @Override
            public boolean hasNext() {
                return all.hasNext();
            }

            @Override
            public FinalDirectory next() {
                given.add(all.next());
                cancellation.cancel();
                return given.getLast();
            }
        };
        assertThat(finish(batches, cancelling, cancellation).isComplete()).isFalse();
        assertThat(copies.at("d")).doesNotExist();
    }

    @Test
    void aMissingSourceIsReportedAndAnExistingDirectoryGetsItsModeBack() throws IOException {
        copies.with(writer -> writer.file(path("d/file"), 1, 1));
        copies.there(writer -> writer.directory(path("d")).mode(path("d"), 0711));
        Batches batches = batches(archive().build()).copyAll(new Random(1));
        copies.with(writer -> writer.remove(path("d/file")));
        Files.delete(copies.source().resolve("d"));
        Files.setPosixFilePermissions(copies.at("d"), PosixFilePermissions.fromString("rwx------"));
        CopyResult result = batches.finishDirectories();
        assertThat(result.isComplete()).isTrue();
        assertThat(batches.failures).singleElement()
                .satisfies(failure -> assertThat(failure.toString()).contains("vanished"));
        assertThat((int) Files.getAttribute(copies.at("d"), "unix:mode") & 07777).isEqualTo(0711);
    }

    @Test
    void aFailureIsReportedForItsDirectoryAndTheOthersAreFinished() {
        copies.with(writer -> writer.directory(path("a/b")).directory(path("c")).times(path("c"), new Timestamp(5, 5)));
        Batches batches = batches(archive().threads(1).build(), Fault.on(Call.FUTIMENS).nth(1).fails(Errno.EIO));
        batches.finish();
        assertThat(batches.failures).singleElement()
                .satisfies(failure -> assertThat(failure.operation()).isEqualTo("utimensat"));
        // Finishes once more.
        batches(archive().build()).finish();
        copies.isCopied();
    }

    @Test
    void linksInTheWayAreNotFollowed() throws IOException {
        copies.with(writer -> writer.file(path("d/file"), 1, 1)
                .mode(path("d"), 0700)
                .directory(path("elsewhere"))
                .mode(path("elsewhere"), 0755));
        Batches batches = batches(archive().build()).copyAll(new Random(1));
        Files.delete(copies.at("d/file"));
        Files.delete(copies.at("d"));
        Files.createSymbolicLink(copies.at("d"), Path.of("elsewhere"));
        batches.finish();
        assertThat(batches.failures).singleElement()
                .satisfies(failure -> assertThat(failure.path().toString()).isEqualTo("d"));
        assertThat((int) Files.getAttribute(copies.at("elsewhere"), "unix:mode") & 07777).isEqualTo(0755);
    }
}
