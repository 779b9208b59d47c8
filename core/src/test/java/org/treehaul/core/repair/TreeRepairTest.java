// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.repair;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.core.compare.CompareOptions;
import org.treehaul.core.compare.Difference;
import org.treehaul.core.compare.DifferenceKind;
import org.treehaul.core.compare.DifferenceListener;
import org.treehaul.core.compare.TreeComparer;
import org.treehaul.core.copy.TreeCopier;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.copy.options.CopyPair;
import org.treehaul.core.copy.outcome.CopyResult;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.EventListener;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.Call;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.Fault;
import org.treehaul.core.fs.FaultInjectingCalls;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.RandomTree;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.core.testing.TreeWriter;
import org.treehaul.core.walk.options.Patterns;
import org.treehaul.core.walk.options.Root;

class TreeRepairTest {

    private static final CompareOptions CONTENT = CompareOptions.defaults().withContent(true).withThreads(3);

    private final TestDirectory place = TestDirectory.onTmpfs();
    private final Path a = place.directory("a");
    private final Path b = place.path().resolve("b");
    private final List<String> failures = Collections.synchronizedList(new ArrayList<>());
    private final EventListener listener = event -> failures.add(event.toString());

    @BeforeEach
    void fill() throws IOException {
        Files.createDirectories(a.resolve("d/e"));
        Files.writeString(a.resolve("d/f"), "right");
        Files.writeString(a.resolve("d/g"), "right");
        Files.writeString(a.resolve("d/e/h"), "right");
        Files.createDirectory(a.resolve("other"));
        for (int i = 0; i < 20; i++) {
            Files.writeString(a.resolve("other/" + i), "right");
        }
        copy(CopyOptions.archive().build());
    }

    @AfterEach
    void remove() {
        place.close();
    }

    private static ByteString bytes(Path path) {
        return ByteString.of(path.toString());
    }

    private void copy(CopyOptions options) {
        CopyResult result = TreeCopier.of(Linux.calls(), options)
                .copy(List.of(new CopyPair(Root.of(bytes(a)), bytes(b))), listener, new Progress(), new Cancellation());
        assertThat(result.isSuccess()).as("%s", failures).isTrue();
    }

    private DifferingEntries differing(CompareOptions options) {
        DifferingEntries found = new DifferingEntries();
        compare(options, found);
        return found;
    }

    private void compare(CompareOptions options, DifferenceListener found) {
        TreeComparer.of(Linux.calls(), options)
                .compare(Root.of(bytes(a)), bytes(b), found, listener, new Progress(), new Cancellation());
    }

    private List<String> differences(CompareOptions options) {
        List<String> found = Collections.synchronizedList(new ArrayList<>());
        compare(options, difference -> found.add(difference.toString()));
        return found.stream().sorted().toList();
    }

    @Test
    void furtherAttributesOfDirectoriesGo() {
        try (TreeWriter writer = TreeWriter.in(Linux.calls(), b)) {
            for (String path : new String[]{"", "d", "d/e"}) {
                writer.attribute(ByteString.of(path), ByteString.of("user.extra"), ByteString.of("1"));
            }
        }
        try (TreeWriter writer = TreeWriter.in(Linux.calls(), a)) {
            writer.attribute(ByteString.of("d"), ByteString.of("user.own"), ByteString.of("2"));
        }
        assertThat(differences(CONTENT)).hasSize(3);
        assertThat(repair(CONTENT).isSuccess()).as("%s", failures).isTrue();
        assertThat(differences(CONTENT)).isEmpty();
    }

    /** Repairs B, checks that the repair sees the same rest as a whole comparison, and returns the copy's result. */
    private CopyResult repair(CompareOptions options) {
        DifferingEntries found = differing(options);
        TreeRepair repair = TreeRepair.of(Linux.calls(), bytes(a), bytes(b), options, found);
        List<Difference> rest = Collections.synchronizedList(new ArrayList<>());
        CopyResult result = repair.run(rest::add, listener, new Progress(), new Cancellation()).copied();
        List<Difference> all = Collections.synchronizedList(new ArrayList<>());
        compare(options, all::add);
        all.removeIf(difference -> difference.kind() == DifferenceKind.ONLY_IN_B);
        rest.removeIf(difference -> difference.kind() == DifferenceKind.ONLY_IN_B);
        assertThat(rest).containsExactlyInAnyOrderElementsOf(all);
        return result;
    }

    private static long inode(Path path) throws IOException {
        return (Long) Files.getAttribute(path, "unix:ino", LinkOption.NOFOLLOW_LINKS);
    }

    @Test
    void exactlyTheDifferingEntriesAreCopied() throws IOException {
        FileTime time = Files.getLastModifiedTime(b.resolve("d/f"));
        Files.writeString(b.resolve("d/f"), "wrong");
        Files.setLastModifiedTime(b.resolve("d/f"), time);
        Files.delete(b.resolve("d/e/h"));
        long kept = inode(b.resolve("d/g"));
        CopyResult result = repair(CONTENT);
        assertThat(result.isSuccess()).as("%s", failures).isTrue();
        assertThat(result.counts().files()).isEqualTo(2);
        assertThat(inode(b.resolve("d/g"))).isEqualTo(kept);
        assertThat(differences(CONTENT)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aLinkInPlaceOfAFileIsReplacedUnlessItIsFollowed(boolean isFollowed) throws IOException {
        Path file = a.resolve("d/f");
        Path led = Files.writeString(place.path().resolve("led"), "other");
        Path link = Files.createSymbolicLink(place.path().resolve("link"), led);
        CompareOptions options = CONTENT.withFollowRoots(isFollowed);
        DifferingEntries found = new DifferingEntries();
        TreeComparer.of(Linux.calls(), options)
                .compare(Root.of(bytes(file)), bytes(link), found, listener, new Progress(), new Cancellation());
        List<Difference> rest = new ArrayList<>();
        assertThat(TreeRepair.of(Linux.calls(), bytes(file), bytes(link), options, found)
                .run(rest::add, listener, new Progress(), new Cancellation())
                .copied()
                .isSuccess()).as("%s", failures).isTrue();
        assertThat(rest).isEmpty();
        assertThat(led).hasContent(isFollowed ? "right" : "other");
        assertThat(Files.isSymbolicLink(link)).isEqualTo(isFollowed);
        assertThat(link).hasContent("right");
    }

    @Test
    void aDirectoryThatDiffersInItselfAloneIsRepairedWithoutItsContent() throws IOException {
        Files.setPosixFilePermissions(b.resolve("other"), PosixFilePermissions.fromString("rwx------"));
        Files.setLastModifiedTime(b, FileTime.fromMillis(1000));
        long kept = inode(b.resolve("other/7"));
        CopyResult result = repair(CONTENT);
        assertThat(result.isSuccess()).isTrue();
        assertThat(result.counts().files()).isZero();
        assertThat(inode(b.resolve("other/7"))).isEqualTo(kept);
        assertThat(differences(CONTENT)).isEmpty();
    }

    @Test
    void theRootAloneIsRepaired() throws IOException {
        Files.setLastModifiedTime(b, FileTime.fromMillis(1000));
        assertThat(repair(CONTENT).counts().files()).isZero();
        assertThat(differences(CONTENT)).isEmpty();
    }

    @Test
    void aMissingTreeIsCopiedWhole() throws IOException {
        Path gone = place.path().resolve("gone");
        Files.move(b, gone);
        DifferingEntries all = new DifferingEntries();
        Files.createDirectory(b);
        compare(CONTENT, all);
        assertThat(all.paths()).hasSize(2);
        assertThat(repair(CONTENT).counts().files()).isEqualTo(23);
        assertThat(differences(CONTENT)).isEmpty();
    }

    @Test
    void entriesOfTheSecondTreeAloneStay() throws IOException {
        Files.writeString(b.resolve("new"), "only here");
        Files.writeString(b.resolve("other/new"), "only here");
        DifferingEntries found = differing(CONTENT);
        assertThat(found.onlyInSecond()).isEqualTo(2);
        repair(CONTENT);
        assertThat(differences(CONTENT)).containsExactly("new: only in B (regular)", "other/new: only in B (regular)");
    }

    @Test
    void aDirectoryDoesNotTakeThePlaceOfAFile() throws IOException {
        Files.delete(b.resolve("d/e/h"));
        Files.delete(b.resolve("d/e"));
        Files.writeString(b.resolve("d/e"), "a file");
        assertThat(repair(CONTENT).failures()).isNotEmpty();
        assertThat(b.resolve("d/e")).hasContent("a file");
    }

    @Test
    void attributesThatWereNotComparedStay() throws IOException {
        Files.writeString(b.resolve("d/f"), "wrong!");
        Files.setLastModifiedTime(b.resolve("d/e"), FileTime.fromMillis(1000));
        CompareOptions options = CONTENT.ignoring(DifferenceKind.parse("times"));
        assertThat(repair(options).isSuccess()).isTrue();
        assertThat(differences(options)).isEmpty();
        assertThat(Files.getLastModifiedTime(b.resolve("d/f")))
                .isNotEqualTo(Files.getLastModifiedTime(a.resolve("d/f")));
        assertThat(Files.getLastModifiedTime(b.resolve("d/e"))).isEqualTo(FileTime.fromMillis(1000));
    }

    @Test
    void excludedEntriesOfMissingDirectoriesStayOut() throws IOException {
        Files.writeString(a.resolve("d/e/core.1"), "excluded");
        Files.delete(b.resolve("d/e/h"));
        Files.delete(b.resolve("d/e"));
        CompareOptions options = CONTENT.withFilter(Patterns.builder().exclude(ByteString.of("core.*")).build());
        assertThat(repair(options).isSuccess()).isTrue();
        assertThat(b.resolve("d/e/h")).exists();
        assertThat(b.resolve("d/e/core.1")).doesNotExist();
    }

    @Test
    void hardLinksAreJoinedAndParted() throws IOException {
        Files.createLink(a.resolve("x"), a.resolve("d/f"));
        Files.createLink(a.resolve("y"), a.resolve("d/f"));
        Files.delete(b.resolve("d/g"));
        Files.createLink(b.resolve("d/g"), b.resolve("d/e/h"));
        assertThat(repair(CONTENT).isSuccess()).isTrue();
        assertThat(differences(CONTENT)).isEmpty();
        assertThat(inode(b.resolve("x"))).isEqualTo(inode(b.resolve("d/f")));
        assertThat(inode(b.resolve("d/g"))).isNotEqualTo(inode(b.resolve("d/e/h")));
    }

    @Test
    void anErrorOfAnyOpenIsReportedOrPasses() throws IOException {
        Files.createLink(a.resolve("x"), a.resolve("d/f"));
        DifferingEntries found = differing(CONTENT);
        for (int n = 1; n <= 60; n++) {
            Files.deleteIfExists(b.resolve("x"));
            FileSystemCalls calls = FaultInjectingCalls.over(Linux.calls(),
                    Fault.on(Call.OPENAT).nth(n).fails(Errno.EIO));
            TreeRepair.Result result = TreeRepair.of(calls, bytes(a), bytes(b), CONTENT, found)
                    .run(difference -> failures.add(difference.toString()), listener, new Progress(),
                            new Cancellation());
            assertThat(result.copied().isComplete()).isTrue();
            if (failures.isEmpty()) {
                assertThat(differences(CONTENT)).isEmpty();
            }
            failures.clear();
        }
    }

    @Test
    void pathsLeaveOutDirectoriesOnTheWay() throws IOException {
        Files.delete(b.resolve("d/f"));
        Files.writeString(b.resolve("other/new"), "only here");
        assertThat(differing(CONTENT).paths()).extracting(Object::toString).containsExactly("d/f", "other");
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void aDamagedCopyOfAnyTreeBecomesEqual(long seed) throws IOException {
        RandomTree.make(Linux.calls(), Files.createDirectory(a.resolve("random")), seed, 200);
        copy(CopyOptions.archive().build());
        Random random = new Random(seed);
        List<Path> entries;
        try (Stream<Path> walk = Files.walk(b)) {
            entries = walk.filter(path -> !path.equals(b)).sorted().toList();
        }
        for (Path entry : entries) {
            if (!Files.exists(entry, LinkOption.NOFOLLOW_LINKS) || random.nextInt(5) > 0) {
                continue;
            }
            boolean isDirectory = Files.isDirectory(entry, LinkOption.NOFOLLOW_LINKS);
            if (Files.isSymbolicLink(entry) || !isDirectory && random.nextBoolean()) {
                Files.delete(entry);
            } else if (isDirectory || !Files.isRegularFile(entry)) {
                Files.setPosixFilePermissions(entry, PosixFilePermissions.fromString("rwx-w----"));
            } else {
                Files.writeString(entry, "damaged " + random.nextInt());
            }
        }
        assertThat(repair(CONTENT).isSuccess()).as("%s", failures).isTrue();
        assertThat(differences(CONTENT)).isEmpty();
    }
}
