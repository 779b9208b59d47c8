// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.remove;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.treehaul.core.remove.Removals.remove;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.Call;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.Fault;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.InterceptedCalls;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.remove.Removals.Ran;
import org.treehaul.core.testing.HostileTree;
import org.treehaul.core.testing.Privilege;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.core.testing.TreeWriter;

class TreeRemoverTest {

    private static final RemoveOptions TREES = RemoveOptions.ofTrees().withThreads(3);
    private static final RemoveOptions FORCED = new RemoveOptions(true, true, false, false, false, 3);
    private static final RemoveOptions REPORTED = new RemoveOptions(true, false, false, false, true, 3);

    private final TestDirectory directory = TestDirectory.make();

    @AfterEach
    void delete() {
        directory.close();
    }

    private void make(Consumer<TreeWriter> making) {
        try (TreeWriter writer = TreeWriter.in(Linux.calls(), directory.path())) {
            making.accept(writer);
        }
    }

    private static ByteString path(String text) {
        return ByteString.of(text);
    }

    private boolean exists(String name) {
        return Files.exists(directory.resolve(name), LinkOption.NOFOLLOW_LINKS);
    }

    private Ran removing(RemoveOptions options, String... names) {
        return remove(directory.path(), options, List.of(names));
    }

    @Test
    void everyNameThatAFileSystemCanHoldIsRemoved() {
        HostileTree.make(Linux.calls(), directory.directory("t"));
        Ran ran = removing(TREES, "t");
        assertThat(ran.failures()).isEmpty();
        assertThat(ran.result().isComplete()).isTrue();
        assertThat(exists("t")).isFalse();
    }

    @Test
    void aPathWithNulRemovesNothing() {
        make(w -> w.file(path("t/f"), 1, 1));
        for (String name : List.of("t\0", "t\0x", "t/f\0")) {
            assertThat(removing(FORCED, name).failures())
                    .containsExactly("ERROR " + name.replace("\0", "\\x00") + ": open: Invalid argument (EINVAL)");
        }
        assertThat(exists("t/f")).isTrue();
    }

    @Test
    void aDirectoryIsRemovedAfterItsContentAndAllIsCounted() {
        make(w -> w.directory(path("t/d/e"))
                .file(path("t/d/f"), 1, 1)
                .file(path("t/g"), 1, 1)
                .symlink(path("t/l"), path("d")));
        Ran ran = removing(REPORTED, "t");
        assertThat(ran.removed()).containsExactlyInAnyOrder("t", "t/d", "t/d/e", "t/d/f", "t/g", "t/l");
        assertThat(ran.removed().getLast()).isEqualTo("t");
        assertThat(ran.removed().indexOf("t/d")).isGreaterThan(ran.removed().indexOf("t/d/e"))
                .isGreaterThan(ran.removed().indexOf("t/d/f"));
        assertThat(ran.result().counts().entries()).isEqualTo(6);
        assertThat(ran.result().counts().directories()).isEqualTo(3);
        assertThat(ran.result().counts().files()).isEqualTo(2);
    }

    @Test
    void anOperandInsideAnotherIsRemovedInTheOrderOfTheCommand() {
        for (int i = 0; i < 10; i++) {
            make(w -> {
                for (int number = 0; number < 30; number++) {
                    w.file(path("t/d/f" + number), 1, 1);
                }
            });
            assertThat(removing(TREES, "t/d", "t").failures()).isEmpty();
            assertThat(exists("t")).isFalse();
        }
        make(w -> w.directory(path("t/d")));
        assertThat(removing(TREES, "t", "t/d").failures()).singleElement()
                .asString()
                .startsWith("ERROR t/d: stat: No such file or directory");
    }

    @Test
    void aDryRunReportsTheSameAndRemovesNothing() {
        make(w -> w.directory(path("t/d")).file(path("t/d/f"), 1, 1));
        Ran ran = removing(new RemoveOptions(true, false, false, true, true, 3), "t");
        assertThat(ran.removed()).containsExactlyInAnyOrder("t", "t/d", "t/d/f");
        assertThat(exists("t/d/f")).isTrue();
    }

    @Test
    void linksAreRemovedAndNotFollowed() {
        make(w -> w.file(path("kept/f"), 1, 1)
                .symlink(path("link"), path("kept"))
                .symlink(path("t/link"), path("../kept"))
                .symlink(path("slash"), path("kept")));
        Ran ran = removing(TREES, "link", "t", "slash/");
        assertThat(ran.failures()).containsExactly("ERROR slash: unlink: " + Errno.describe(Errno.ENOTDIR));
        assertThat(exists("kept/f")).isTrue();
        assertThat(exists("link")).isFalse();
        assertThat(exists("t")).isFalse();
        assertThat(exists("slash")).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"t/.", "t/..", "t/./", "t/..//", "t/d/..", "../../../../../../../../../../../../..//"})
    void dotsAreRefusedAndTheRestIsRemoved(String refused) {
        make(w -> w.directory(path("t/d")).file(path("f"), 1, 1));
        Ran ran = removing(TREES, refused, "f");
        assertThat(ran.failures()).singleElement().asString().endsWith("refused to remove '.' or '..'");
        assertThat(exists("t/d")).isTrue();
        assertThat(exists("f")).isFalse();
    }

    // If one of these is not refused, the injected faults keep it from removing anything.
    @ParameterizedTest
    @ValueSource(strings = {"", "/", "//"})
    void theTopOfAllDirectoriesIsRefused(String more) {
        Ran ran = remove(Path.of(""), TREES, List.of(more), Fault.on(Call.UNLINKAT).fails(Errno.EPERM),
                Fault.on(Call.GETDENTS64).fails(Errno.EPERM));
        assertThat(ran.failures()).singleElement().asString().endsWith("refused to remove '/'");
    }

    @Test
    void aSecondNameOfTheTopOfAllDirectoriesIsRefused() {
        make(w -> w.file(path("t/f"), 1, 1));
        MemorySegment other = Arena.ofAuto().allocateFrom(directory.resolve("t").toString());
        // As if the directory were a second mount of the top.
        FileSystemCalls calls = new InterceptedCalls(Linux.calls()) {
            @Override
            public int statx(int from, MemorySegment name, int flags, int mask, MemorySegment result) {
                boolean isTop = name.byteSize() > 1 && name.get(ValueLayout.JAVA_BYTE, 0) == '/'
                        && name.get(ValueLayout.JAVA_BYTE, 1) == 0;
                return super.statx(from, isTop ? other : name, flags, mask, result);
            }

            @Override
            protected long around(Call call, int descriptor, MemorySegment name, LongSupplier made) {
                return made.getAsLong();
            }
        };
        List<String> failures = Collections.synchronizedList(new ArrayList<>());
        TreeRemover.of(calls, TREES)
                .remove(List.of(path(directory.resolve("t").toString())), event -> failures.add(event.toString()),
                        new Progress(), new Cancellation());
        assertThat(failures).singleElement().asString().contains("refused to remove '/'");
        assertThat(exists("t/f")).isTrue();
    }

    @Test
    void aKeptDirectoryAndThoseAboveItAreRefused() throws IOException {
        make(w -> w.file(path("t/users/me/f"), 1, 1).file(path("t/users/other/f"), 1, 1));
        Files.createSymbolicLink(directory.resolve("home"), directory.resolve("t/users/me"));
        RemoveOptions options = TREES
                .withKept(List.of(path(directory.resolve("home").toString()), path("/nothing/here")));
        String reason = ": refused to remove the home directory, or a directory that contains it; --allow=home permits it";
        assertThat(removing(options, "t", "t/users/other/../me/", "t/users/other", "home").failures())
                .containsExactly("ERROR t/users/other/../me" + reason, "ERROR t" + reason);
        assertThat(exists("t/users/me/f")).isTrue();
        assertThat(exists("t/users/other")).isFalse();
        // The link is not the directory.
        assertThat(exists("home")).isFalse();
        assertThat(removing(TREES, "t").failures()).isEmpty();
    }

    @Test
    void keptDirectoriesAreRefusedForJobsAsWell() {
        make(w -> w.file(path("t/me/f"), 1, 1).directory(path("u")));
        RemoveOptions options = TREES.withKept(List.of(path(directory.resolve("t/me").toString())));
        List<String> failures = new ArrayList<>();
        assertThat(TreeRemover.of(Linux.calls(), options)
                .roots(List.of(path(directory.resolve("t").toString()), path(directory.resolve("u").toString())),
                        event -> failures.add(event.toString()), new Progress()))
                .singleElement()
                .satisfies(root -> assertThat(root.path().toString()).endsWith("/u"));
        assertThat(failures).singleElement().asString().contains("--allow=home");
    }

    // The file system of /proc is mounted everywhere, and nothing in it can be removed.
    @Test
    void mountPointsAndDirectoriesOfTheSystemAreRefusedUnlessTheyArePermitted() {
        assertThat(remove(Path.of(""), TREES.withMountPoints(true), List.of("proc", "dev/../proc/")).failures())
                .containsExactlyInAnyOrder(
                        "ERROR /proc: refused to remove a directory of the system; --allow=system permits it",
                        "ERROR /dev/../proc: refused to remove a directory of the system; --allow=system permits it");
        RemoveOptions system = TREES.withSystemDirectories(true);
        assertThat(remove(Path.of(""), system, List.of("proc", "proc/")).failures()).containsExactly(
                "ERROR /proc: refused to remove a mount point; unmount it, or use --allow=mount",
                "ERROR /proc: refused to remove a mount point; unmount it, or use --allow=mount");
        Ran ran = remove(Path.of(""), system.withMountPoints(true), List.of("proc"),
                Fault.on(Call.GETDENTS64).fails(Errno.EPERM));
        assertThat(ran.failures()).containsExactly("ERROR /proc: getdents64: " + Errno.describe(Errno.EPERM));
    }

    // Without /bin and /lib64 no program starts any more.
    @Test
    void linksInTheTopDirectoryThatAreNamedLikeDirectoriesOfTheSystemAreRefusedToo() {
        Path bin = Path.of("/bin");
        assumeTrue(Files.isSymbolicLink(bin), "/bin is a link into /usr");
        RemoveOptions dry = new RemoveOptions(true, false, false, true, true, 1);
        String refused = "refused to remove a directory of the system; --allow=system permits it";
        Fault none = Fault.on(Call.UNLINKAT).fails(Errno.EPERM);
        assertThat(remove(Path.of(""), dry, List.of("bin", "dev/../bin"), none).failures())
                .containsExactlyInAnyOrder("ERROR /bin: " + refused, "ERROR /dev/../bin: " + refused);
        assertThat(remove(Path.of(""), dry.withSystemDirectories(true), List.of("bin"), none).removed())
                .containsExactly("/bin");
        make(w -> w.symlink(path("bin"), path("usr/bin")));
        assertThat(removing(dry, "bin").removed()).containsExactly("bin");
        List<String> planned = new ArrayList<>();
        TreeRemover.of(Linux.calls(), dry)
                .roots(List.of(path("/bin")), event -> planned.add(event.toString()), new Progress());
        assertThat(planned).singleElement().asString().contains(refused);
    }

    @Test
    void entriesThatTheUserDoesNotAllowStayWithTheDirectoriesAboveThem() {
        make(w -> w.file(path("t/a/f"), 1, 1)
                .file(path("t/a/g"), 1, 1)
                .file(path("t/b/f"), 1, 1)
                .file(path("t/c/f"), 1, 1));
        List<String> asked = Collections.synchronizedList(new ArrayList<>());
        String base = directory.path() + "/";
        List<String> failures = Collections.synchronizedList(new ArrayList<>());
        RemoveResult result = TreeRemover.of(Linux.calls(), TREES).withQuestion((step, path) -> {
            String below = path.toString().replace(base, "");
            asked.add(step + " " + below);
            return !below.equals("t/a/f") && !(below.equals("t/b") && step == RemovalQuestion.Step.ENTER)
                    && !(below.equals("t/c") && step == RemovalQuestion.Step.REMOVE_DIRECTORY);
        })
                .remove(List.of(path(base + "t")), event -> failures.add(event.toString()), new Progress(),
                        new Cancellation());
        assertThat(failures).isEmpty();
        assertThat(result.isComplete()).isTrue();
        assertThat(result.counts().entries()).isEqualTo(2);
        assertThat(asked).containsExactlyInAnyOrder("ENTER t", "ENTER t/a", "REMOVE_ENTRY t/a/f", "REMOVE_ENTRY t/a/g",
                "ENTER t/b", "ENTER t/c", "REMOVE_ENTRY t/c/f", "REMOVE_DIRECTORY t/c");
        assertThat(exists("t/a/f")).isTrue();
        assertThat(exists("t/a/g")).isFalse();
        assertThat(exists("t/b/f")).isTrue();
        assertThat(exists("t/c/f")).isFalse();
        assertThat(exists("t/c")).isTrue();
    }

    @Test
    void theRateOfAllThreadsTogetherIsLimited() {
        make(w -> {
            for (int i = 0; i < 60; i++) {
                w.file(path("t/d" + i % 5 + "/f" + i), 1, 1);
            }
        });
        long begin = System.nanoTime();
        assertThat(removing(TREES.withRate(200), "t").failures()).isEmpty();
        // 66 entries; the first 0.1 s of work may be done at once.
        assertThat(System.nanoTime() - begin).isGreaterThan(200_000_000);
        assertThat(exists("t")).isFalse();
    }

    @Test
    void withoutRecursionADirectoryStays() {
        make(w -> w.directory(path("d")).file(path("f"), 1, 1));
        Ran ran = removing(new RemoveOptions(false, false, false, false, false, 3), "d", "f");
        assertThat(ran.failures()).containsExactly("ERROR d: unlink: " + Errno.describe(Errno.EISDIR));
        assertThat(exists("d")).isTrue();
        assertThat(exists("f")).isFalse();
    }

    @Test
    void missingPathsAreFailuresUnlessTheyMayBeMissing() {
        make(w -> w.file(path("f"), 1, 1));
        assertThat(removing(TREES, "none", "f/below").failures()).containsExactly(
                "ERROR f/below: stat: " + Errno.describe(Errno.ENOTDIR),
                "ERROR none: stat: " + Errno.describe(Errno.ENOENT));
        assertThat(removing(FORCED, "none", "f/below").failures()).isEmpty();
        assertThat(removing(TREES, "f/").failures()).containsExactly("ERROR f: stat: " + Errno.describe(Errno.ENOTDIR));
        assertThat(removing(FORCED, "f/").failures()).isEmpty();
        assertThat(exists("f")).isTrue();
    }

    @Test
    void anEntryThatFailsIsReportedOnceAndStaysWithTheDirectoriesAboveIt() {
        make(w -> w.file(path("t/a/b/bad"), 1, 1)
                .file(path("t/a/b/good"), 1, 1)
                .file(path("t/a/c/d/e"), 1, 1)
                .file(path("t/f"), 1, 1));
        Ran ran = remove(directory.path(), TREES, List.of("t"),
                Fault.on(Call.UNLINKAT).named("bad").fails(Errno.EPERM));
        assertThat(ran.failures()).containsExactly("ERROR t/a/b/bad: unlink: " + Errno.describe(Errno.EPERM));
        assertThat(exists("t/a/b/bad")).isTrue();
        assertThat(exists("t/a/b/good")).isFalse();
        assertThat(exists("t/a/c")).isFalse();
        assertThat(exists("t/f")).isFalse();
    }

    @Test
    void aListingThatBreaksOffKeepsItsDirectory() {
        make(w -> {
            for (int i = 0; i < 20; i++) {
                w.file(path("t/d/f" + i), 1, 1);
            }
        });
        Ran ran = remove(directory.path(), TREES, List.of("t"),
                Fault.on(Call.GETDENTS64).named("d").endsListing(5, Errno.EIO));
        assertThat(ran.failures()).containsExactly("ERROR t/d: getdents64: " + Errno.describe(Errno.EIO));
        assertThat(directory.resolve("t/d")).isDirectoryContaining(path -> true);
    }

    @Test
    void aDirectoryThatCannotBeOpenedIsReportedOnce() {
        make(w -> w.file(path("t/a/shut/f"), 1, 1).file(path("t/g"), 1, 1));
        Ran ran = remove(directory.path(), TREES, List.of("t"),
                Fault.on(Call.OPENAT).named("shut").fails(Errno.EACCES));
        assertThat(ran.failures()).containsExactly("ERROR t/a/shut: open: " + Errno.describe(Errno.EACCES));
        assertThat(exists("t/a/shut/f")).isTrue();
        assertThat(exists("t/g")).isFalse();
    }

    @Test
    void entriesRemovedByOthersHaveVanished() {
        make(w -> w.file(path("t/f"), 1, 1).file(path("t/g"), 1, 1));
        Fault first = Fault.on(Call.UNLINKAT).named("f").times(1).runs(call -> Files.delete(directory.resolve("t/f")));
        assertThat(remove(directory.path(), TREES, List.of("t"), first).failures())
                .containsExactly("VANISHED t/f: vanished: unlink: " + Errno.describe(Errno.ENOENT));
        assertThat(exists("t")).isFalse();
    }

    // Two removals of one tree at the same time do this. With -f, no message would say that the tree is still there.
    @ParameterizedTest
    @ValueSource(strings = {"OPENAT", "GETDENTS64"})
    void directoriesRemovedByOthersDoNotKeepThoseAboveThem(Call call) {
        for (RemoveOptions options : List.of(FORCED, TREES)) {
            make(w -> w.file(path("t/a/d/f"), 1, 1).file(path("t/a/g"), 1, 1));
            Fault gone = Fault.on(call).named("d").times(1).runs(made -> {
                Files.delete(directory.resolve("t/a/d/f"));
                Files.delete(directory.resolve("t/a/d"));
            });
            Ran ran = remove(directory.path(), options, List.of("t"), gone);
            assertThat(exists("t")).isFalse();
            if (options.ignoreMissing()) {
                assertThat(ran.failures()).isEmpty();
            } else {
                assertThat(ran.failures()).singleElement().asString().startsWith("VANISHED t/a/d: vanished: ");
            }
        }
    }

    // Another user replaces the directory after it was listed, before it is opened.
    @Test
    void aDirectorySwappedForALinkLeadsNowhere() {
        make(w -> w.file(path("kept/f"), 1, 1).file(path("t/victim/f"), 1, 1));
        Fault swap = Fault.on(Call.OPENAT).named("victim").times(1).runs(call -> {
            Files.move(directory.resolve("t/victim"), directory.resolve("moved"));
            Files.createSymbolicLink(directory.resolve("t/victim"), directory.resolve("kept"));
        });
        Ran ran = remove(directory.path(), TREES, List.of("t"), swap);
        assertThat(ran.failures()).singleElement().asString().startsWith("ERROR t/victim: open: ");
        assertThat(exists("kept/f")).isTrue();
        assertThat(exists("moved/f")).isTrue();
    }

    // The directory is moved away and a link put in its place while its content is being removed.
    @Test
    void namesAreRemovedOnlyInTheDirectoryThatListedThem() {
        make(w -> w.file(path("kept/f"), 1, 1).file(path("t/victim/f"), 1, 1));
        Fault swap = Fault.on(Call.UNLINKAT).named("f").times(1).runs(call -> {
            Files.move(directory.resolve("t/victim"), directory.resolve("moved"));
            Files.createSymbolicLink(directory.resolve("t/victim"), directory.resolve("kept"));
        });
        Ran ran = remove(directory.path(), TREES, List.of("t"), swap);
        assertThat(ran.failures()).singleElement().asString().startsWith("ERROR t/victim: rmdir: ");
        assertThat(exists("kept/f")).isTrue();
        assertThat(exists("moved/f")).isFalse();
        assertThat(exists("moved")).isTrue();
    }

    @Test
    void anotherDirectoryUnderTheNameOfAnOperandStays() {
        make(w -> w.file(path("t/f"), 1, 1));
        Fault swap = Fault.on(Call.UNLINKAT).named("f").times(1).runs(call -> {
            Files.move(directory.resolve("t"), directory.resolve("moved"));
            Files.createDirectory(directory.resolve("t"));
        });
        Ran ran = remove(directory.path(), TREES, List.of("t"), swap);
        assertThat(ran.failures()).containsExactly("ERROR t: rmdir: " + Errno.describe(Errno.ESTALE));
        assertThat(exists("t")).isTrue();
        assertThat(exists("moved")).isTrue();
    }

    @Test
    void namesMadeDuringTheRemovalKeepTheirDirectory() {
        make(w -> w.file(path("t/d/f"), 1, 1));
        Fault made = Fault.on(Call.UNLINKAT).named("d").times(1).runs(call -> {
            Files.createFile(directory.resolve("t/d/new"));
        });
        Ran ran = remove(directory.path(), TREES, List.of("t"), made);
        assertThat(ran.failures()).containsExactly("ERROR t/d: rmdir: " + Errno.describe(Errno.ENOTEMPTY));
        assertThat(exists("t/d/new")).isTrue();
    }

    // Users other than root need the mode of a directory, to know whether they can list it.
    @Test
    void theStatusOfADirectoryBelowAnOperandIsNotReadOnceMoreWhenItIsOpened() {
        make(w -> w.file(path("t/d/f"), 1, 1));
        AtomicInteger read = new AtomicInteger();
        Fault counted = Fault.on(Call.STATX).named("d").runs(call -> read.incrementAndGet());
        assertThat(remove(directory.path(), TREES, List.of("t"), counted).failures()).isEmpty();
        assertThat(read).hasValue(Privilege.isRoot() ? 0 : 1);
    }

    @Test
    void aRemovalThatASignalInterruptsIsRepeated() {
        make(w -> w.file(path("t/d/f"), 1, 1));
        Ran ran = remove(directory.path(), TREES, List.of("t"),
                Fault.on(Call.UNLINKAT).named("f").times(3).fails(Errno.EINTR),
                Fault.on(Call.UNLINKAT).named("d").times(1).fails(Errno.EINTR));
        assertThat(ran.failures()).isEmpty();
        assertThat(ran.result().counts().entries()).isEqualTo(3);
        assertThat(exists("t")).isFalse();
    }

    @Test
    void afterACancellationNothingElseIsRemovedAndTheRestIsCounted() throws IOException {
        make(w -> {
            for (int i = 0; i < 200; i++) {
                w.file(path("t/d" + i + "/f"), 1, 1);
            }
        });
        Cancellation cancellation = new Cancellation();
        Fault cancel = Fault.on(Call.UNLINKAT).nth(20).runs(call -> cancellation.cancel());
        Ran ran = remove(directory.path(), TREES, List.of("t"), cancellation, cancel);
        assertThat(ran.result().isComplete()).isFalse();
        assertThat(ran.failures()).isEmpty();
        assertThat(ran.result().counts().entries()).isLessThan(200);
        try (Stream<Path> left = Files.walk(directory.resolve("t"))) {
            assertThat(ran.result().counts().entries()).isEqualTo(401 - left.count());
        }
        assertThat(removing(TREES, "t").failures()).isEmpty();
        assertThat(exists("t")).isFalse();
    }
}
