// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.core.copy.CopyRefusedException;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.event.Progress;
import org.treehaul.core.sync.SyncOptions;
import org.treehaul.core.sync.SyncTrees;
import org.treehaul.core.testing.Campaign;
import org.treehaul.core.testing.Installed;
import org.treehaul.core.testing.TreeAssert;
import org.treehaul.core.testing.TreeAssert.Aspect;
import org.treehaul.core.transfer.directory.TransferResult;
import org.treehaul.core.transfer.request.CopyRequest;
import org.treehaul.core.walk.options.Patterns;

/** Syncs by jobs, done by hand; rsync is the oracle. */
class SyncTransferTest extends TransfersInMemory {

    private static final SyncOptions DELETING = SyncOptions.defaults().withDeletion(SyncOptions.Deletion.AFTER);

    private SyncSurvey survey(SyncOptions options) throws Exception {
        SyncRequest request = new SyncRequest(ByteString.of(source + "/"), bytes(target), options,
                CopyRequest.Batches.forWorkers(2), 2, ByteString.of("/"), 022);
        return SyncSurvey.of(request, state, NO_LISTENER, new Progress(), cancellation);
    }

    private BatchTransfer create(SyncOptions options) throws Exception {
        try (SyncSurvey survey = survey(options)) {
            return BatchTransfer.create(state, jar, survey, JOBS, "a test", scheduler::named);
        }
    }

    private static TransferResult result(BatchTransfer transfer) throws IOException {
        return transfer.status().result().orElseThrow();
    }

    private TransferResult sync(SyncOptions options) throws Exception {
        BatchTransfer transfer = create(options);
        work(transfer, submit(transfer));
        return result(transfer);
    }

    private void write(Path root, Map<String, String> files) throws IOException {
        for (Map.Entry<String, String> file : files.entrySet()) {
            Path path = root.resolve(file.getKey());
            Files.createDirectories(path.getParent());
            Files.writeString(path, file.getValue());
        }
    }

    private void assertEqualTrees() {
        TreeAssert.assertThat(SyncTrees.listing(target)).ignoring(Aspect.HOLES).isCopyOf(SyncTrees.listing(source));
    }

    // With the seeds 2 and 5, rsync 3.5.0 waits forever.
    @ParameterizedTest
    @ValueSource(ints = {1, 3, 4, 6})
    void aSyncByJobsLeavesTheTreeThatRsyncLeaves(int seed) throws Exception {
        compare(seed, SyncOptions.defaults());
        compare(seed + 100, SyncOptions.defaults().withCheck(SyncOptions.Check.CONTENT), "--checksum");
        compare(seed + 200, SyncOptions.defaults().withCheck(SyncOptions.Check.SIZE_ONLY), "--size-only");
        compare(seed + 300, SyncOptions.defaults().withCheck(SyncOptions.Check.NONE), "--ignore-times");
        compare(seed + 400, DELETING.withForced(true), "--delete");
        compare(seed + 500, DELETING.withForced(true).withDetectedRenames(true), "--delete");
    }

    @Test
    @Tag("campaign")
    void manySyncsByJobsLeaveTheTreesThatRsyncLeaves() throws Exception {
        long seed = Campaign.seed(1000);
        int cases = Campaign.cases(200);
        int ended = 0;
        for (int i = 0; i < cases; i++) {
            ended += compare(seed + i, SyncOptions.defaults()) ? 1 : 0;
            ended += compare(seed + i, DELETING.withForced(true).withDetectedRenames(i % 2 == 0), "--delete") ? 1 : 0;
        }
        System.out.println("rsync ended in " + ended + " of " + 2 * cases + " syncs; the others were left out");
        assertThat(ended).isGreaterThan(cases * 3 / 2);
    }

    // Returns whether rsync came to its end, so that the trees could be compared.
    private boolean compare(long seed, SyncOptions options, String... more) throws Exception {
        Installed.require("rsync");
        Path place = Files.createTempDirectory(directory, "case");
        source = Files.createDirectory(place.resolve("s"));
        target = Files.createDirectory(place.resolve("d"));
        Path theirs = Files.createDirectory(place.resolve("theirs"));
        SyncTrees.random(source, seed);
        SyncTrees.random(target, seed + 1_000_000);
        SyncTrees.random(theirs, seed + 1_000_000);
        TransferResult result = sync(options);
        List<String> output = new ArrayList<>();
        List<String> command = Stream
                .of(Stream.of("timeout", "60", "rsync", "-aHAXi", "--modify-window=-1"), Stream.of(more),
                        Stream.of(source + "/", theirs.toString()))
                .flatMap(part -> part)
                .toList();
        int code = SyncTrees.run(output, command.toArray(String[]::new));
        if (code != 0 && output.stream().anyMatch(line -> line.contains("get_acl: sys_acl_get_file"))) {
            // rsync 3.5.0 asks for the default ACL of a file that takes the place of a directory; a second run is right.
            code = SyncTrees.run(output, command.toArray(String[]::new));
        }
        if (code != 0 && code != 23) {
            return false;
        }
        String report = "seed " + seed + " " + String.join(" ", more) + "\n" + result + "\ntheirs " + output;
        assertThat(result.state()).as(report)
                .isEqualTo(code == 0 ? TransferResult.State.COMPLETE : TransferResult.State.PARTIAL);
        TreeAssert.assertThat(SyncTrees.listing(target))
                .as(report)
                .ignoring(Aspect.HOLES, code == 0 ? new Aspect[0] : new Aspect[]{Aspect.DIRECTORY_TIMES})
                .isCopyOf(SyncTrees.listing(theirs));
        return true;
    }

    @Test
    void workersCopyOnlyWhatDiffersAndFinishingDoesTheRest() throws Exception {
        write(source, Map.of("d/same", "same", "d/changed", "longer", "d/new", "new", "kind", "file", "mode", "m"));
        Files.createLink(source.resolve("d/name"), source.resolve("d/new"));
        assertThat(sync(SyncOptions.defaults()).entries()).isEqualTo(6);
        assertEqualTrees();
        Object inode = Files.getAttribute(target.resolve("d/same"), "unix:ino");

        write(target, Map.of("d/changed", "old", "gone/x", "x"));
        Files.delete(target.resolve("d/name"));
        Files.delete(target.resolve("kind"));
        write(target, Map.of("kind/file", "in the way"));
        Files.setPosixFilePermissions(target.resolve("mode"), PosixFilePermissions.fromString("rw-------"));
        TransferResult result = sync(DELETING);
        assertThat(result.state()).isEqualTo(TransferResult.State.COMPLETE);
        assertThat(result.entries()).as("the changed file").isEqualTo(1);
        assertThat(result.removed()).isEqualTo(3);
        assertEqualTrees();
        assertThat(Files.getAttribute(target.resolve("d/same"), "unix:ino")).isEqualTo(inode);
    }

    private static Object inode(Path file) throws IOException {
        return Files.getAttribute(file, "unix:ino");
    }

    @Test
    void renamedFilesAreRenamedBeforeJobsCopyTheRest() throws Exception {
        write(source, Map.of("d/same", "same", "d/moved", "moved", "d/renamed", "renamed", "way", "in the way"));
        sync(SyncOptions.defaults());
        List<Object> inodes = List.of(inode(target.resolve("d/moved")), inode(target.resolve("d/renamed")),
                inode(target.resolve("way")));
        Files.createDirectories(source.resolve("new/below"));
        Files.move(source.resolve("d/moved"), source.resolve("new/below/moved"));
        Files.move(source.resolve("d/renamed"), source.resolve("d/other"));
        Files.move(source.resolve("way"), source.resolve("new/way"));
        Files.createDirectory(source.resolve("way"));
        Files.move(source.resolve("new/way"), source.resolve("way/file"));
        write(source, Map.of("new/below/fresh", "fresh", "new/fresh", "fresh"));

        try (SyncSurvey survey = survey(DELETING.withDetectedRenames(true))) {
            assertThat(survey.renamed()).isEqualTo(2);
            assertThat(survey.toCopy()).as("new/below/fresh, new/fresh").isEqualTo(2);
            assertThat(List.of(inode(target.resolve("new/below/moved")), inode(target.resolve("d/other"))))
                    .isEqualTo(inodes.subList(0, 2));
            assertThat(target.resolve("way")).isRegularFile();
            BatchTransfer transfer = BatchTransfer.create(state, jar, survey, JOBS, "a test", scheduler::named);
            work(transfer, submit(transfer));
            assertThat(result(transfer).state()).isEqualTo(TransferResult.State.COMPLETE);
            assertThat(result(transfer).removed()).isZero();
        }
        assertEqualTrees();
    }

    @Test
    void aSyncThatIsRefusedRenamesNothing() throws Exception {
        write(source, Map.of("old", "data"));
        sync(SyncOptions.defaults());
        for (int i = 0; i < 1_200; i++) {
            Files.writeString(target.resolve("extra" + i), "extra");
        }
        Files.move(source.resolve("old"), source.resolve("new"));
        assertThatThrownBy(() -> survey(DELETING.withDetectedRenames(true))).isInstanceOf(CopyRefusedException.class);
        assertThat(target.resolve("old")).exists();
        assertThat(target.resolve("new")).doesNotExist();
    }

    @Test
    void theSecondComparisonDecidesByTheTreesAsTheyAreThen() throws Exception {
        write(source, Map.of("a", "a", "b", "b"));
        write(target, Map.of("extra", "extra", "returns", "1"));
        BatchTransfer transfer = create(DELETING);
        int generation = submit(transfer);
        write(source, Map.of("returns", "22", "later", "later"));
        Files.delete(source.resolve("b"));
        work(transfer, generation);
        assertThat(result(transfer).failures()).containsOnlyKeys(EntryFailure.Kind.VANISHED);
        assertEqualTrees();
    }

    @Test
    void removalsWaitUntilEverythingIsCopied() throws Exception {
        write(source, Map.of("a", "a", "d/b", "b"));
        write(target, Map.of("d/x", "x", "extra", "extra"));
        BatchTransfer transfer = create(DELETING);
        int generation = submit(transfer);
        Files.delete(target.resolve("d/x"));
        Files.delete(target.resolve("d"));
        // Nothing can be made below it.
        Files.writeString(target.resolve("d"), "a file");
        work(transfer, generation);
        TransferResult failed = result(transfer);
        assertThat(failed.state()).isEqualTo(TransferResult.State.PARTIAL);
        assertThat(failed.problem()).contains("nothing was removed");
        assertThat(target.resolve("extra")).exists();

        Files.delete(target.resolve("d"));
        work(transfer, transfer.resume().orElseThrow());
        assertThat(result(transfer).state()).isEqualTo(TransferResult.State.COMPLETE);
        assertEqualTrees();
    }

    @Test
    void theLimitOfRemovalsHolds() throws Exception {
        write(source, Map.of("a", "a"));
        write(target, Map.of("x", "x", "y", "y", "z", "z"));
        BatchTransfer transfer = create(DELETING.withMostRemovals(2));
        work(transfer, submit(transfer));
        assertThat(result(transfer).state()).isEqualTo(TransferResult.State.PARTIAL);
        assertThat(result(transfer).problem()).isEqualTo("1 entry stays because of --max-delete 2");
        assertThat(result(transfer).removed()).isEqualTo(2);
        work(transfer, transfer.resume().orElseThrow());
        assertThat(result(transfer).state()).isEqualTo(TransferResult.State.COMPLETE);
        assertEqualTrees();
    }

    @Test
    void aDubiousRemovalIsRefusedBeforeTheCopyAndAgainAfterIt() throws Exception {
        for (int i = 0; i < 1000; i++) {
            Files.createDirectories(target.resolve("d"));
            Files.createFile(target.resolve("d/" + i));
        }
        assertThatThrownBy(() -> survey(DELETING)).isInstanceOf(CopyRefusedException.class)
                .hasMessageContaining("is empty");
        write(source, Map.of("a", "a"));
        assertThatThrownBy(() -> survey(DELETING)).isInstanceOf(CopyRefusedException.class)
                .hasMessageContaining("more than half");

        for (int i = 0; i < 1000; i++) {
            Files.createDirectories(source.resolve("d"));
            Files.createFile(source.resolve("d/" + i));
        }
        BatchTransfer transfer = create(DELETING);
        int generation = submit(transfer);
        Files.move(source.resolve("d"), directory.resolve("elsewhere"));
        work(transfer, generation);
        assertThat(result(transfer).state()).isEqualTo(TransferResult.State.INCOMPLETE);
        assertThat(result(transfer).problem()).contains("everything was copied", "more than half");
        assertThat(target.resolve("d/7")).exists();

        Files.move(directory.resolve("elsewhere"), source.resolve("d"));
        work(transfer, transfer.resume().orElseThrow());
        assertThat(result(transfer).state()).isEqualTo(TransferResult.State.COMPLETE);
        assertEqualTrees();
    }

    @Test
    void backupsAreMadeBeforeAFileIsReplaced() throws Exception {
        write(source, Map.of("changed", "longer", "new", "new"));
        write(target, Map.of("changed", "old", "gone", "gone"));
        BatchTransfer transfer = create(DELETING.withBackup(ByteString.of("../backup")));
        int generation = submit(transfer);
        assertThat(transfer.status().total(batch -> batch.entries())).as("only what is new").isEqualTo(1);
        work(transfer, generation);
        assertThat(result(transfer).state()).isEqualTo(TransferResult.State.COMPLETE);
        assertEqualTrees();
        assertThat(directory.resolve("backup/changed")).hasContent("old");
        assertThat(directory.resolve("backup/gone")).hasContent("gone");
    }

    @Test
    void backupsAreInDirectoriesWithTheOldModes() throws Exception {
        write(source, Map.of("d/changed", "longer", "d/new", "new"));
        write(target, Map.of("d/changed", "old"));
        Files.setPosixFilePermissions(target.resolve("d"), PosixFilePermissions.fromString("rwx------"));
        assertThat(sync(DELETING.withBackup(ByteString.of("../backup"))).state())
                .isEqualTo(TransferResult.State.COMPLETE);
        assertEqualTrees();
        assertThat(directory.resolve("backup/d/changed")).hasContent("old");
        assertThat(Files.getPosixFilePermissions(directory.resolve("backup/d")))
                .isEqualTo(PosixFilePermissions.fromString("rwx------"));
    }

    @Test
    void excludedEntriesAreNeitherCopiedNorRemoved() throws Exception {
        write(source, Map.of("a", "a", "b.keep", "source"));
        write(target, Map.of("c.keep", "target", "gone", "gone"));
        CopyOptions copy = CopyOptions.archive()
                .filter(Patterns.builder().exclude(ByteString.of("*.keep")).build())
                .build();
        assertThat(sync(DELETING.withCopy(copy)).state()).isEqualTo(TransferResult.State.COMPLETE);
        try (Stream<Path> all = Files.list(target)) {
            assertThat(all.map(path -> path.getFileName().toString())).containsExactlyInAnyOrder("a", "c.keep");
        }
    }
}
