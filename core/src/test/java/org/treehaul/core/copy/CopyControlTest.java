// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.treehaul.core.copy.Copies.archive;
import static org.treehaul.core.copy.Copies.path;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.copy.options.CopyOptionsBuilder;
import org.treehaul.core.copy.options.CopyPair;
import org.treehaul.core.copy.options.Preserve;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.Call;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.Fault;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.HostileTree;
import org.treehaul.core.testing.ListedEntry;
import org.treehaul.core.testing.Names;
import org.treehaul.core.testing.Privilege;
import org.treehaul.core.testing.TreeAssert;
import org.treehaul.core.testing.TreeAssert.Aspect;
import org.treehaul.core.testing.TreeWriter;
import org.treehaul.core.walk.options.Root;
import org.treehaul.core.walk.options.SelectedPaths;

/** The control of a copy: selections, depth, cancellation, giving up, dry runs, syncs. */
class CopyControlTest {

    private static final Set<Call> WRITING = EnumSet.of(Call.WRITE, Call.PWRITE, Call.FTRUNCATE, Call.FALLOCATE,
            Call.LINKAT, Call.SYMLINKAT, Call.MKDIRAT, Call.MKNODAT, Call.RENAMEAT2, Call.UNLINKAT, Call.FCHMOD,
            Call.FCHMODAT, Call.FCHOWNAT, Call.UTIMENSAT, Call.FUTIMENS, Call.FSETXATTR, Call.SETXATTR,
            Call.FREMOVEXATTR, Call.REMOVEXATTR, Call.FICLONE, Call.COPY_FILE_RANGE, Call.OFD_LOCK);

    private Copies copies;

    @BeforeEach
    void make() {
        copies = Copies.onTmpfs();
    }

    @AfterEach
    void remove() {
        copies.close();
    }

    private static void someTree(TreeWriter writer) {
        writer.file(path("f"), 10, 1)
                .file(path("d/f"), 300_000, 1)
                .hardLink(path("f"), path("d/link"))
                .symlink(path("d/e/symlink"), path("x"))
                .file(path("d/e/large"), 2_500_000, 1);
    }

    @Test
    void aDryRunReportsEverythingAndWritesNothing() {
        copies.with(CopyControlTest::someTree);
        CopyOptions options = archive().dryRun(true).reportDone(true).build();
        Copies.Ran ran = copies.copy(options).succeeds();
        assertThat(ran.done()).hasSize(8);
        assertThat(ran.calls().counts().keySet()).doesNotContainAnyElementsOf(WRITING);
        assertThat(Files.exists(copies.target())).isFalse();
        copies.copy(archive().build()).succeeds();
        ran = copies.copy(options).succeeds();
        assertThat(ran.done()).filteredOn(done -> done.startsWith("replace")).hasSize(4);
        assertThat(ran.done()).filteredOn(done -> done.startsWith("link")).hasSize(1);
        assertThat(ran.calls().counts().keySet()).doesNotContainAnyElementsOf(WRITING);
        copies.isCopied();
    }

    @Test
    void aListenerThatEndsTheCopyLeavesNothingInProgress() {
        copies.with(CopyControlTest::someTree);
        Progress progress = new Progress();
        TreeCopier copier = TreeCopier.of(Linux.calls(), archive().reportDone(true).build());
        assertThatThrownBy(() -> copier.copy(List.of(CopyPair.of(copies.source(), copies.target())), event -> {
            throw new IllegalStateException("a fault of the program");
        }, progress, new Cancellation())).hasMessage("a fault of the program");
        assertThat(progress.busy()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"REPLACE,true", "UPDATE,true", "SKIP,true", "REPLACE,false", "UPDATE,false", "SKIP,false"})
    void aDryRunCountsWhatTheCopyThenCounts(CopyOptions.Existing existing, boolean preservesLinks) {
        copies.with(writer -> writer.file(path("a"), 1000, 1)
                .hardLink(path("a"), path("b"))
                .hardLink(path("a"), path("d/c"))
                .file(path("alone"), 10, 1)
                .file(path("outside"), 10, 2)
                .sparse(path("sparse"), 10L << 20, 0, 5L << 20));
        CopyOptionsBuilder options = CopyOptions.archive().threads(2).existing(existing);
        if (!preservesLinks) {
            options.preserve(Set.of(Preserve.MODE, Preserve.TIMESTAMPS));
        }
        for (String round : List.of("into nothing", "repeated", "with a name less")) {
            Copies.Ran dry = copies.copy(options.dryRun(true).build()).succeeds();
            Copies.Ran ran = copies.copy(options.dryRun(false).build()).succeeds();
            assertThat(dry.result().counts()).as(round).isEqualTo(ran.result().counts());
            copies.there(writer -> writer.remove(path("d/c")));
        }
    }

    @ParameterizedTest
    @CsvSource({"1,false,PWRITE", "1,true,PWRITE", "8,false,PWRITE", "8,true,PWRITE", "1,false,COPY_FILE_RANGE",
            "8,true,COPY_FILE_RANGE"})
    void aCancellationInALargeFileLeavesNothingOfIt(int threads, boolean isNamed, Call call) throws IOException {
        Copies roomy = Copies.onTmpfs(100 << 20);
        copies.close();
        copies = roomy;
        copies.with(writer -> {
            for (int i = 0; i < 10; i++) {
                writer.file(path("large" + i), 4L * HostileTree.CHUNK_BYTES, i);
            }
        }).there(writer -> writer.file(path("large3"), 10, 3));
        Cancellation cancellation = new Cancellation();
        boolean isStriped = call == Call.PWRITE;
        Fault cancels = Fault.on(call).nth(isStriped ? 37 : 6).runs(made -> cancellation.cancel());
        Fault named = Copies.noUnnamedFiles(isNamed);
        CopyOptions options = archive().threads(threads).chunkBytes(HostileTree.CHUNK_BYTES).build();
        Copies.Ran ran = isStriped
                ? copies.copyStriped(options, cancellation, cancels, named)
                : copies.copy(options, cancellation, cancels, named);
        assertThat(ran.result().isComplete()).isFalse();
        assertThat(ran.failures()).isEmpty();
        copies.hasNoTemporaries();
        SortedMap<ByteString, ListedEntry> whole = copies.sourceListing().byPath();
        copies.targetListing().byPath().forEach((path, entry) -> {
            boolean isOld = path.equals(path("large3")) && entry.status().size() == 10;
            assertThat(isOld || entry.content().equals(Objects.requireNonNull(whole.get(path)).content())).isTrue();
        });
        copies.copy(options).succeeds();
        copies.isCopied();
    }

    @Test
    void aPlainCopyThatIsStoppedAndMadeAgainHasTheModesOfOneThatWasNot() throws IOException {
        copies.with(writer -> writer.file(path("d/e/f"), 10, 1)
                .mode(path("d"), 0751)
                .mode(path("d/e"), 0775)
                .file(path("d/s/f"), 10, 2)
                .mode(path("d/s"), 01777)
                .file(path("d/s/t/f"), 10, 3));
        CopyOptions options = CopyOptions.builder().recursive(true).threads(1).build();
        Path undisturbed = copies.directory().resolve("U");
        Copies.run(options, List.of(Copies.pair(copies.source(), undisturbed)), new Cancellation()).succeeds();
        for (int write = 1; write <= 3; write++) {
            Cancellation cancellation = new Cancellation();
            Copies.Ran ran = copies.copy(options, cancellation,
                    Fault.on(Call.WRITE).nth(write).runs(made -> cancellation.cancel()));
            assertThat(ran.result().isComplete()).isFalse();
            copies.copy(options).succeeds();
            for (String directory : List.of("", "d", "d/e", "d/s", "d/s/t")) {
                assertThat(Files.getAttribute(copies.at(directory), "unix:mode")).as(directory)
                        .isEqualTo(Files.getAttribute(undisturbed.resolve(directory), "unix:mode"));
            }
            copies.remove();
        }
    }

    @Test
    void aCancellationEndsAWaitForBandwidth() {
        copies.with(writer -> writer.file(path("f"), 100_000, 1).file(path("g"), 100_000, 1));
        Cancellation cancellation = new Cancellation();
        // The second file would wait for a day.
        Copies.Ran ran = copies.copy(archive().threads(1).bandwidth(1).build(), cancellation,
                Fault.on(Call.READ).nth(1).runs(call -> cancellation.cancel()));
        assertThat(ran.result().isComplete()).isFalse();
    }

    @ParameterizedTest
    @CsvSource({"WRITE,28", "OPENAT,30", "OPENAT,122"})
    void afterManyFailuresOfTheDestinationInARowItGivesUp(Call call, int errno) {
        copies.with(writer -> {
            for (int i = 0; i < 500; i++) {
                writer.file(path("d/f" + i), 10, i);
            }
        });
        Copies.Ran ran = copies.copy(archive().threads(2).build(), Fault.on(call).from(20).fails(errno));
        assertThat(ran.result().isComplete()).isFalse();
        assertThat(ran.failures()).hasSizeLessThan(150);
        assertThat(ran.notices()).singleElement().asString().startsWith("giving up").contains(Errno.symbol(errno));
        copies.copy(archive().build()).succeeds();
        copies.isCopied();
    }

    @Test
    void finishedDirectoriesDoNotHideAFullDestination() {
        copies.with(writer -> {
            for (int i = 0; i < 200; i++) {
                writer.file(path("d" + i + "/f"), 10, i);
            }
        });
        Copies.Ran ran = copies.copy(archive().threads(1).build(), Fault.on(Call.WRITE).fails(Errno.ENOSPC));
        assertThat(ran.result().isComplete()).isFalse();
        assertThat(ran.failures()).hasSizeLessThan(40);
    }

    @Test
    void failuresBetweenSuccessesDoNotMakeItGiveUp() {
        copies.with(writer -> {
            for (int i = 0; i < 100; i++) {
                writer.file(path("good" + i), 10, i).file(path("bad" + i), 10, i);
            }
        });
        Fault[] faults = new Fault[100];
        for (int i = 0; i < 100; i++) {
            faults[i] = Fault.on(Call.WRITE).named("bad" + i).fails(Errno.ENOSPC);
        }
        Copies.Ran ran = copies.copy(archive().threads(1).build(), faults);
        assertThat(ran.result().isComplete()).isTrue();
        assertThat(ran.failures()).hasSize(100);
    }

    @Test
    void syncsEveryFileAndEveryDirectoryAndTheOneAbove() {
        copies.with(CopyControlTest::someTree);
        Copies.Ran ran = copies.copy(archive().fsync(true).build()).succeeds();
        // 3 files; T, T/d, T/d/e; the directory that contains T
        assertThat(ran.calls().count(Call.FSYNC)).isEqualTo(3 + 3 + 1);
        assertThat(copies.copy(archive().fsync(true).build(), Fault.on(Call.FSYNC).nth(7).fails(Errno.EIO)).failed())
                .singleElement()
                .asString()
                .contains("fsync 5");
    }

    @Test
    void aFilterLeavesOutWithAllThatIsBelow() {
        copies.with(CopyControlTest::someTree);
        copies.copy(archive().filter((path, isDirectory) -> path.toString().equals("d/e")).build()).succeeds();
        assertThat(Files.exists(copies.at("d/e"))).isFalse();
        assertThat(Files.exists(copies.at("d/f"))).isTrue();
    }

    @Test
    void aSelectionCopiesTheListedEntriesAndTheDirectoriesAboveThem() throws IOException {
        copies.with(CopyControlTest::someTree).with(writer -> writer.mode(path("d"), 0710));
        SelectedPaths selection = SelectedPaths.following();
        selection.add(TreePath.of(path("d/e").toBytes()));
        selection.add(TreePath.of(path("missing").toBytes()));
        Root root = Root.of(Copies.bytes(copies.source()), selection);
        Copies.Ran ran = Copies.run(archive().build(), List.of(new CopyPair(root, Copies.bytes(copies.target()))),
                new Cancellation());
        assertThat(ran.failed()).containsExactly("ERROR missing stat 2");
        assertThat(copies.at("d").toFile().list()).containsExactly("e");
        assertThat((int) Files.getAttribute(copies.at("d"), "unix:mode") & 07777).isEqualTo(0710);
        assertThat(Files.size(copies.at("d/e/large"))).isEqualTo(2_500_000);
    }

    @Test
    void oneFileSystemMakesTheMountPointAndStaysOut() throws Exception {
        Privilege.requireRoot("mounts a tmpfs");
        copies.with(writer -> writer.directory(path("mounted")).file(path("f"), 10, 1));
        Path mounted = copies.source().resolve("mounted");
        int rc = new ProcessBuilder("mount", "-t", "tmpfs", "none", mounted.toString()).start().waitFor();
        Assumptions.assumeTrue(rc == 0, "cannot mount a tmpfs here");
        try {
            Files.writeString(mounted.resolve("inside"), "x");
            copies.copy(archive().oneFileSystem(true).build()).succeeds();
            assertThat(copies.at("mounted").toFile().list()).isEmpty();
            copies.copy(archive().build()).succeeds();
            assertThat(copies.at("mounted").toFile().list()).containsExactly("inside");
        } finally {
            new ProcessBuilder("umount", mounted.toString()).start().waitFor();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4})
    void aTreeOfThousandsOfLevelsIsCopied(int threads) {
        copies.with(writer -> writer.file(path("d/".repeat(3200) + "bottom"), 100, 1)
                .file(path("d/".repeat(1600) + "middle"), 100, 1)
                .hardLink(path("d/".repeat(1600) + "middle"), path("d/".repeat(3100) + "link")));
        copies.copy(archive().threads(threads).build()).succeeds();
        TreeAssert.assertThat(copies.targetListing()).ignoring(Aspect.ROOT).isCopyOf(copies.sourceListing());
    }

    @Test
    void sourcesAndTargetsMayHavePathsLongerThanAnyCallTakes() {
        ByteString deep = path(("x".repeat(200) + "/").repeat(25) + "end");
        copies.with(writer -> {
            someTreeIn(writer, deep);
            writer.file(Names.join(deep, "single"), 10, 1).symlink(Names.join(deep, "link"), path("single"));
        }).there(writer -> writer.file(Names.join(deep, "not-the-source"), 1, 1));
        ByteString from = Names.join(Copies.bytes(copies.source()), deep);
        ByteString to = Names.join(Copies.bytes(copies.target()), deep);
        List<CopyPair> pairs = List.of("d", "single", "link")
                .stream()
                .map(name -> new CopyPair(Root.of(Names.join(from, name)), Names.join(to, name)))
                .toList();
        for (int i = 0; i < 2; i++) {
            Copies.run(archive().fsync(true).build(), pairs, new Cancellation()).succeeds();
        }
        assertThat(copies.targetListing().find(Names.join(deep, "not-the-source").toString())).isPresent();
        copies.with(writer -> writer.file(Names.join(deep, "not-the-source"), 1, 1));
        TreeAssert.assertThat(copies.targetListing())
                .ignoring(Aspect.ROOT, Aspect.DIRECTORY_TIMES, Aspect.TIMES)
                .isCopyOf(copies.sourceListing());
    }

    private static void someTreeIn(TreeWriter writer, ByteString directory) {
        writer.file(Names.join(directory, "d/f"), 10, 1)
                .file(Names.join(directory, "d/e/g"), 300_000, 1)
                .hardLink(Names.join(directory, "d/f"), Names.join(directory, "d/e/link"));
    }

    @Test
    void aTargetWithManySlashesIsTheSameTarget() {
        copies.with(CopyControlTest::someTree);
        CopyPair pair = new CopyPair(Root.of(Copies.bytes(copies.source())), path(copies.target() + "/".repeat(5000)));
        Copies.run(archive().build(), List.of(pair), new Cancellation()).succeeds();
        copies.isCopied();
    }
}
