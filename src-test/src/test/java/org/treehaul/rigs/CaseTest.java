// SPDX-License-Identifier: Apache-2.0
package org.treehaul.rigs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.treehaul.rigs.Transfers.name;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.treehaul.core.copy.Copies;
import org.treehaul.core.copy.CopyLayout;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.copy.options.CopyPair;
import org.treehaul.core.copy.options.Preserve;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.Event;
import org.treehaul.core.event.EventListener;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.plan.Planner;
import org.treehaul.core.plan.format.BatchLimits;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.core.testing.TreeListing;
import org.treehaul.core.transfer.CopyPlans;
import org.treehaul.core.transfer.TransferRunner;
import org.treehaul.core.transfer.directory.Generations;
import org.treehaul.core.transfer.directory.Timing;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.directory.TransferResult;
import org.treehaul.core.transfer.operation.Operation;
import org.treehaul.core.walk.options.Root;
import org.treehaul.e2e.Cli;
import org.treehaul.packaged.Run;
import org.treehaul.strategies.Strategies;

/** A destination that treats names as equal if they differ only in case. */
@Tag("rig")
class CaseTest {

    private static final CopyOptions RECURSIVE = CopyOptions.builder().recursive(true).threads(2).build();
    private static final String COLLISION = " replace the copy of a name that differs only in case " + Errno.EEXIST;

    @AutoClose
    private TestDirectory directory;
    @AutoClose
    private Mount mount;
    private Path source;
    private Path target;

    @BeforeEach
    void makeMount() throws Exception {
        mount = Mount.exfat();
        directory = TestDirectory.onTmpfs();
        source = directory.directory("S");
        target = mount.resolve("T");
    }

    private static List<String> names(Path directory) throws Exception {
        try (Stream<Path> all = Files.list(directory)) {
            return all.map(path -> String.valueOf(path.getFileName())).sorted().toList();
        }
    }

    // Compares the bytes of the names: in the C locale Java cannot make a path of every name.
    private void assertOneOf(Copies.Ran ran, String one, String other) {
        TreeListing copy = TreeListing.of(Linux.calls(), target);
        String kept = copy.find(one).isPresent() ? one : other;
        String reported = kept.equals(one) ? other : one;
        assertThat(copy.find(kept)).isPresent();
        assertThat(copy.find(reported)).isEmpty();
        assertThat(ran.failed()).contains("ERROR " + reported + COLLISION);
        assertThat(ran.failed()).doesNotContain("ERROR " + kept + COLLISION);
    }

    enum Size {
        SMALL(1000),
        LARGE(700_000),
        CHUNKED(2_500_000);

        private final int bytes;

        Size(int bytes) {
            this.bytes = bytes;
        }
    }

    @ParameterizedTest
    @EnumSource
    void oneOfTwoNamesThatDifferInCaseIsCopiedAndTheOtherIsReported(Size size) throws Exception {
        Transfers.tree(source,
                writer -> writer.file(name("Name"), size.bytes, 1)
                        .file(name("name"), size.bytes + 7, 2)
                        .file(name("other"), size.bytes, 3)
                        .file(name("\u00c4rger"), 10, 4)
                        .file(name("\u00e4rger"), 20, 5));
        CopyOptions options = RECURSIVE.toBuilder().chunkBytes(1 << 20).build();

        Copies.Ran ran = Transfers.copy(options, source, target);

        assertThat(ran.failures()).hasSize(2);
        assertOneOf(ran, "Name", "name");
        assertOneOf(ran, "\u00c4rger", "\u00e4rger");
        assertThat(Transfers.assertWhole(source, target)).as("these and the other").isEqualTo(3);
        Transfers.assertNoTemporaries(target);
    }

    @Test
    void jobsDistinguishLargeFilesAndCopyFurtherNames() throws Exception {
        Transfers.tree(source,
                writer -> writer.file(name("d/Name"), Size.CHUNKED.bytes, 1)
                        .file(name("d/name"), Size.CHUNKED.bytes + 7, 2)
                        .file(name("d/small"), 10, 3)
                        .file(name("d/SMALL"), Size.CHUNKED.bytes, 4)
                        .file(name("large"), Size.CHUNKED.bytes, 5)
                        .hardLink(name("large"), name("further"))
                        .hardLink(name("large"), name("third")));
        CopyOptions options = RECURSIVE.toBuilder().preserve(Set.of(Preserve.LINKS)).build();
        TransferDirectory transfer = org.treehaul.core.transfer.Transfers.in(directory.resolve("state"))
                .create(new Operation.Copy(), "", Timing.defaults());
        CopyPair pair = new CopyPair(Root.of(ByteString.of(source.toString())), ByteString.of(target.toString()));
        Planner.of(Linux.calls(),
                CopyPlans.request(transfer.id().text(), new CopyLayout(List.of(pair), List.of(), List.of()), options,
                        1 << 20, Strategies.sizeBalanced(), BatchLimits.batches(3), 1))
                .plan(transfer.plan(), EventListener.none(), new Progress(), new Cancellation());
        List<String> failures = Collections.synchronizedList(new ArrayList<>());
        TransferResult result = TransferRunner.of(Linux.calls(), transfer)
                .run(transfer.generations().raise(Generations.Reason.START), event -> {
                    if (event instanceof Event.Failed failed) {
                        failures.add(String.valueOf(failed.failure().path()));
                    }
                }, new Progress(), new Cancellation());
        assertThat(result.state()).isEqualTo(TransferResult.State.PARTIAL);
        assertThat(failures).hasSize(2)
                .anySatisfy(path -> assertThat(path).isEqualToIgnoringCase("d/name"))
                .contains("d/SMALL");
        assertThat(Transfers.assertWhole(source, target)).as("these, and large with its names").isEqualTo(5);
        Transfers.assertNoTemporaries(target);
    }

    @Test
    void theRepeatedCopyReportsBothAndReplacesNeither() throws Exception {
        Transfers.tree(source,
                writer -> writer.file(name("Name"), 1000, 1).file(name("name"), 2000, 2).file(name("other"), 1000, 3));
        assertThat(Transfers.copy(RECURSIVE, source, target).failures()).hasSize(1);
        String kept = names(target).getFirst();
        Files.write(source.resolve("other"), new byte[5]);

        Copies.Ran again = Transfers.copy(RECURSIVE, source, target);

        assertThat(again.failed()).containsExactly("ERROR Name" + COLLISION, "ERROR name" + COLLISION);
        assertThat(target.resolve(kept)).hasSameBinaryContentAs(source.resolve(kept));
        assertThat(target.resolve("other")).hasSize(5);
    }

    @Test
    void twoDirectoriesAreNotMerged() throws Exception {
        Transfers.tree(source,
                writer -> writer.file(name("Dir/file"), 1000, 1)
                        .file(name("dir/file"), 1000, 2)
                        .file(name("dir/FILE"), 1000, 3));

        Copies.Ran ran = Transfers.copy(RECURSIVE, source, target);

        List<String> stands = names(target);
        assertThat(stands).hasSize(1);
        assertThat(ran.failed()).contains("ERROR " + (stands.contains("dir") ? "Dir" : "dir") + COLLISION);
        List<String> inside = names(target.resolve(stands.getFirst()));
        assertThat(inside).hasSize(1);
        Path kept = Path.of(stands.getFirst(), inside.getFirst());
        assertThat(target.resolve(kept)).hasSameBinaryContentAs(source.resolve(kept));
    }

    @Test
    void rootsCollideToo() throws Exception {
        Files.createDirectory(target);
        Transfers.tree(source, writer -> writer.file(name("a/x"), 1000, 1).file(name("b/X"), 1000, 2));

        Copies.Ran ran = Copies.run(CopyOptions.builder().threads(2).build(),
                List.of(Copies.pair(source.resolve("a/x"), target.resolve("x")),
                        Copies.pair(source.resolve("b/X"), target.resolve("X"))),
                new Cancellation());

        assertThat(ran.failed()).containsExactly("ERROR ." + COLLISION);
        String stands = names(target).getFirst();
        assertThat(target.resolve(stands)).hasSameBinaryContentAs(source.resolve(stands.equals("x") ? "a/x" : "b/X"));
    }

    @Test
    void oneNameInAnotherCaseIsReplacedAsEver() throws Exception {
        Files.createDirectory(target);
        Files.write(target.resolve("NAME"), new byte[3]);
        Transfers.tree(source, writer -> writer.file(name("name"), 1000, 1));

        Transfers.copy(RECURSIVE, source, target).succeeds();

        assertThat(names(target)).hasSize(1);
        assertThat(target.resolve("name")).hasSameBinaryContentAs(source.resolve("name"));
    }

    @Test
    void aRepeatedCopyWithoutCollisionsIsWhole() throws Exception {
        Transfers.tree(source, writer -> writer.file(name("Name"), 1000, 1).file(name("D/name"), 2000, 2));
        Transfers.copy(RECURSIVE, source, target).succeeds();
        Files.write(source.resolve("D/name"), new byte[7]);

        Transfers.copy(RECURSIVE, source, target).succeeds();

        assertThat(target.resolve("D/name")).hasSize(7);
    }

    @Test
    void namesInBothCasesAreTwoOnACaseSensitiveDestination() throws Exception {
        Transfers.tree(source,
                writer -> writer.file(name("Name"), 1000, 1)
                        .hardLink(name("Name"), name("NAME"))
                        .file(name("name"), 2000, 2)
                        .directory(name("Dir"))
                        .directory(name("dir")));
        Path apart = directory.resolve("T");
        for (int i = 0; i < 2; i++) {
            Transfers.copy(source, apart).succeeds();
            Transfers.assertCopied(source, apart);
        }
    }

    @Test
    void theProgramNamesTheEntryAndReturns23() throws Exception {
        Transfers.tree(source, writer -> writer.file(name("Name"), 1000, 1).file(name("name"), 2000, 2));

        Run result = new Cli(directory.path()).run("cp", "-r", "S", target.toString()).expect(23);

        String reported = names(target).equals(List.of("name")) ? "Name" : "name";
        assertThat(result.err()).contains("treehaul: cp: " + target.resolve(reported)
                + ": replace the copy of a name that differs only in case: File exists (EEXIST)\n");
        assertThat(Map.of("Name", 1000L, "name", 2000L)).containsEntry(names(target).getFirst(),
                Files.size(target.resolve(reported)));
    }

    @Test
    void aMoveWithinTheFileSystemReplacesNothingThatItHasMoved() throws Exception {
        Path here = Files.createDirectories(mount.resolve("w"));
        for (String path : List.of("a/Name", "b/name", "b/other")) {
            Files.createDirectories(here.resolve(path).getParent());
            Files.writeString(here.resolve(path), path);
        }
        Files.createDirectory(here.resolve("into"));
        Files.writeString(here.resolve("into/OTHER"), "old");

        Run result = new Cli(here).run("mv", "a/Name", "b/name", "b/other", "into").expect(23);

        assertThat(result.err()).contains("treehaul: mv: b/name: "
                + "replace what was moved to a name that differs only in case: File exists (EEXIST)\n");
        assertThat(here.resolve("into/name")).hasContent("a/Name");
        assertThat(here.resolve("b/name")).hasContent("b/name");
        assertThat(here.resolve("into/other")).as("one that was there before is replaced as ever")
                .hasContent("b/other");
    }

    @Test
    void aCopyToAnotherFileSystemReplacesNothingThatTheSameMoveRenamed() throws Exception {
        Path here = Files.createDirectories(mount.resolve("w"));
        Files.createDirectory(here.resolve("into"));
        Files.createDirectory(here.resolve("b"));
        Files.writeString(here.resolve("b/name"), "renamed");
        Files.writeString(source.resolve("Name"), "copied");

        Run result = new Cli(here).run("mv", source.resolve("Name").toString(), "b/name", "into").expect(23);

        assertThat(result.err()).contains("/Name: replace what was moved to a name that differs only in case");
        assertThat(here.resolve("into/name")).hasContent("renamed");
        assertThat(source.resolve("Name")).hasContent("copied");
        assertThat(names(here.resolve("into"))).containsExactly("name");
    }
}
