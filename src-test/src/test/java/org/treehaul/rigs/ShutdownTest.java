// SPDX-License-Identifier: Apache-2.0
package org.treehaul.rigs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.treehaul.rigs.Transfers.name;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.core.copy.Copies;
import org.treehaul.core.copy.TreeCopier;
import org.treehaul.core.copy.outcome.CopyResult;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.Event;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.Call;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.Fault;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.programs.Programs;

/** A disk that fails completely in the middle of a copy: after a shutdown an xfs fails every call with EIO. */
@Tag("rig")
class ShutdownTest {

    private static final int FILES = 60;

    @AutoClose
    private TestDirectory directory;
    @AutoClose
    private Mount mount;

    @BeforeEach
    void makeDisk() {
        Programs.require("xfs_io", "xfsprogs");
        mount = Mount.xfs();
        directory = TestDirectory.onTmpfs();
    }

    private static Path tree(Path root) throws Exception {
        return Transfers.tree(root, writer -> {
            for (int i = 0; i < FILES; i++) {
                writer.file(name("d" + i % 3 + "/f" + i), 5000L * (i % 4), i);
            }
            writer.file(name("large"), 3_000_000, 7);
        });
    }

    private void shutDown() {
        Programs.run("xfs_io", "-x", "-c", "shutdown", mount.path());
    }

    private Fault shutdownAt(Call call, int nth) {
        return Fault.on(call).nth(nth).runs(i -> shutDown());
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 20, 45})
    void aSourceThatFailsLeavesWholeFilesAndAnErrorForEachOther(int nth) throws Exception {
        Path source = tree(mount.resolve("S"));
        mount.renew();
        Path target = directory.resolve("T");

        Copies.Ran ran = Transfers.copy(Copies.archive().build(), source, target, shutdownAt(Call.READ, nth));

        mount.renew();
        assertThat(ran.failures()).isNotEmpty();
        assertThat(Transfers.failuresBut(ran, Errno.EIO)).isEmpty();
        // No failed entry remains, and no remaining entry is among the failures.
        long whole = Transfers.assertWhole(source, target);
        assertThat(whole).isEqualTo(ran.result().counts().files()).isLessThanOrEqualTo(FILES);
        Transfers.assertNoTemporaries(target);
        Transfers.copy(source, target).succeeds();
        Transfers.assertCopied(source, target);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 20, 45})
    void aDestinationThatFailsIsReportedAndTheRepeatedCopyIsWhole(int nth) throws Exception {
        Path source = tree(directory.resolve("S"));
        Path target = mount.resolve("T");

        Copies.Ran ran = Transfers.copy(Copies.archive().build(), source, target, shutdownAt(Call.WRITE, nth));

        assertThat(ran.failures()).isNotEmpty();
        assertThat(Transfers.failuresBut(ran, Errno.EIO)).isEmpty();
        assertThat(ran.result().counts().files()).isLessThanOrEqualTo(FILES);
        mount.renew();
        Transfers.copy(source, target).succeeds();
        Transfers.assertCopied(source, target);
    }

    // A file's name is on disk with its directory's. One thread, because there is one log: a sync by another would
    // write all of it.
    @ParameterizedTest
    @ValueSource(ints = {1, 300_000})
    void aSyncedDirectoryReportedAsDoneIsWholeAfterTheDiskFailed(int size) throws Exception {
        Path source = Transfers.tree(directory.resolve("S"), writer -> {
            for (int i = 0; i < 6; i++) {
                writer.file(name("d" + i + "/f"), size, i);
            }
        });
        Path target = mount.resolve("T");
        List<Path> told = new ArrayList<>();

        CopyResult result = TreeCopier
                .of(Linux.calls(), Copies.archive().threads(1).fsync(true).reportDone(true).build())
                .copy(List.of(Copies.pair(source, target)), event -> {
                    if (told.size() < 3 && event instanceof Event.Done done && done.action().equals("directory")) {
                        told.add(Path.of(done.destination().toString()));
                        if (told.size() == 3) {
                            shutDown();
                        }
                    }
                }, new Progress(), new Cancellation());

        assertThat(result.isSuccess()).isFalse();
        mount.renew();
        assertThat(told).hasSize(3);
        for (Path copy : told) {
            Transfers.assertCopied(source.resolve(target.relativize(copy)), copy);
        }
    }

    @Test
    void replacedFilesAreOldOrNewAfterTheDiskFailed() throws Exception {
        Path source = tree(directory.resolve("S"));
        Path target = mount.resolve("T");
        Path old = Transfers.tree(directory.resolve("old"), writer -> {
            for (int i = 0; i < FILES; i++) {
                writer.file(name("d" + i % 3 + "/f" + i), 3000, 1000 + i);
            }
        });
        Transfers.copy(Copies.archive().fsync(true).build(), old, target).succeeds();

        Copies.Ran ran = Transfers.copy(Copies.archive().build(), source, target, shutdownAt(Call.FSYNC, 30));

        assertThat(ran.failures()).isNotEmpty();
        mount.renew();
        for (int i = 0; i < FILES; i++) {
            String file = "d" + i % 3 + "/f" + i;
            byte[] found = Files.readAllBytes(target.resolve(file));
            assertThat(found).as(file)
                    .isIn(Files.readAllBytes(source.resolve(file)), Files.readAllBytes(old.resolve(file)));
        }
        Transfers.copy(source, target).succeeds();
        Transfers.assertCopied(source, target);
    }
}
