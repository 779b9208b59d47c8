// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.move;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.core.copy.options.Backup;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.copy.options.CopyPair;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.Event;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.Call;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.Fault;
import org.treehaul.core.fs.FaultInjectingCalls;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.HostileTree;
import org.treehaul.core.testing.Privilege;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.core.testing.TreeAssert;
import org.treehaul.core.testing.TreeListing;
import org.treehaul.core.testing.TreeRemoval;
import org.treehaul.core.testing.TreeWriter;

class TreeMoverTest {

    private static final CopyOptions OPTIONS = CopyOptions.archive().threads(2).build();

    private final TestDirectory directory = TestDirectory.make();
    private final Path source = directory.resolve(MoveProcess.SOURCE);
    private final Path target = directory.resolve("target");
    private final List<String> failures = Collections.synchronizedList(new ArrayList<>());
    private final List<String> notices = Collections.synchronizedList(new ArrayList<>());

    @AfterEach
    void delete() {
        directory.close();
    }

    private MoveResult move(FileSystemCalls calls, CopyOptions options) {
        failures.clear();
        return TreeMover.of(calls, options).move(List.of(CopyPair.of(source, target)), event -> {
            if (event instanceof Event.Failed failed) {
                failures.add(failed.failure().toString().replace(directory.path() + "/", ""));
            }
            if (event instanceof Event.Notice notice) {
                notices.add(notice.text());
            }
        }, new Progress(), new Cancellation());
    }

    private MoveResult moveApart(Fault... faults) {
        return move(MoveProcess.apart(faults), OPTIONS);
    }

    private void write(String path, String text) {
        try {
            Path file = directory.resolve(path);
            Files.createDirectories(file.getParent());
            Files.writeString(file, text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private String read(String path) throws IOException {
        return Files.readString(directory.resolve(path));
    }

    private boolean exists(String path) {
        return Files.exists(directory.resolve(path), LinkOption.NOFOLLOW_LINKS);
    }

    @Test
    void withinAFileSystemASourceIsRenamed() throws IOException {
        write("source/d/f", "1");
        Object key = Files.getAttribute(source.resolve("d/f"), "unix:ino");
        assertThat(move(Linux.calls(), OPTIONS).renamed()).isEqualTo(1);
        assertThat(failures).isEmpty();
        assertThat(Files.getAttribute(target.resolve("d/f"), "unix:ino")).isEqualTo(key);
        assertThat(source).doesNotExist();
    }

    // The kernel does nothing then, and reports no error.
    @Test
    void aSourceThatIsItsOwnTargetIsAFailure() throws IOException {
        Files.createSymbolicLink(source, Path.of("nowhere"));
        Files.createLink(target, source);
        assertThat(move(Linux.calls(), OPTIONS).renamed()).isZero();
        assertThat(failures)
                .containsExactly("source: rename to 'target', which is the same file: " + Errno.describe(Errno.EINVAL));
        assertThat(exists("source")).isTrue();
        CopyOptions backedUp = OPTIONS.toBuilder()
                .backup(new Backup(Backup.Control.SIMPLE, ByteString.of("~")))
                .build();
        assertThat(move(Linux.calls(), backedUp).renamed()).isEqualTo(1);
        assertThat(exists("source")).isFalse();
        assertThat(exists("target")).isTrue();
    }

    @Test
    void aFileSystemThatCannotRefuseToReplaceRenamesToANewName() throws IOException {
        CopyOptions keeping = OPTIONS.toBuilder().existing(CopyOptions.Existing.SKIP).build();
        write("source", "1");
        FaultInjectingCalls calls = FaultInjectingCalls.over(Linux.calls(),
                Fault.on(Call.RENAMEAT2).times(1).fails(Errno.EINVAL));
        assertThat(move(calls, keeping).renamed()).isEqualTo(1);
        assertThat(failures).isEmpty();
        assertThat(read("target")).isEqualTo("1");
        assertThat(calls.count(Call.RENAMEAT2)).isEqualTo(2);
    }

    // As FAT and exFAT answer, also to root.
    @Test
    void ownersAndSetIdBitsThatAFileSystemCannotHoldAreLostWithANotice() throws IOException {
        Privilege.requireRoot("it gives files away");
        Files.createDirectories(source);
        try (TreeWriter writer = TreeWriter.in(Linux.calls(), source)) {
            writer.file(ByteString.of("f"), 10, 1)
                    .owner(ByteString.of("f"), 1234, 1234)
                    .owner(ByteString.of(""), 1234, 1234)
                    .mode(ByteString.of(""), 02750);
        }
        MoveResult result = moveApart(Fault.on(Call.FCHOWNAT).fails(Errno.EPERM),
                Fault.on(Call.FCHMOD).named("target").times(1).fails(Errno.EPERM));
        assertThat(failures).isEmpty();
        assertThat(result.removed()).isEqualTo(2);
        assertThat(source).doesNotExist();
        assertThat(notices).containsExactlyInAnyOrder(
                "owners are not preserved everywhere: " + Errno.describe(Errno.EPERM),
                "set-id and sticky bits are not preserved everywhere: " + Errno.describe(Errno.EPERM));
        assertThat((int) Files.getAttribute(target, "unix:mode") & 07777).isEqualTo(0750);
    }

    @Test
    void trustedAttributesAreMovedToAnotherFileSystem() throws IOException {
        Privilege.requireRoot("others do not see them");
        Files.createDirectories(source);
        ByteString name = ByteString.of("trusted.test");
        try (TreeWriter writer = TreeWriter.in(Linux.calls(), source)) {
            writer.file(ByteString.of("f"), 10, 1)
                    .symlink(ByteString.of("l"), ByteString.of("f"))
                    .attribute(ByteString.of("f"), name, ByteString.of("1"))
                    .attribute(ByteString.of("l"), name, ByteString.of("2"))
                    .attribute(ByteString.of(""), name, ByteString.of("3"));
        }
        TreeListing wanted = TreeListing.of(Linux.calls(), source);
        moveApart();
        assertThat(failures).isEmpty();
        assertThat(source).doesNotExist();
        for (String path : new String[]{"", "f", "l"}) {
            assertThat(TreeListing.of(Linux.calls(), target).find(path).orElseThrow().attributes())
                    .isEqualTo(wanted.find(path).orElseThrow().attributes())
                    .containsKey(name);
        }
    }

    @Test
    void everythingThatAFileSystemCanHoldIsMovedToAnother() {
        HostileTree.make(Linux.calls(), directory.directory("source"));
        TreeListing wanted = TreeListing.of(Linux.calls(), source);
        MoveResult result = moveApart();
        assertThat(failures).isEmpty();
        assertThat(result.isComplete()).isTrue();
        assertThat(result.removed()).isEqualTo(wanted.byPath().size());
        TreeAssert.assertThat(TreeListing.of(Linux.calls(), target)).isCopyOf(wanted);
        assertThat(source).doesNotExist();
        assertThat(directory.path()).isDirectoryNotContaining("glob:**.treehaul*");
    }

    @Test
    void aNameGoesOnlyWhenItsCopyIsComplete() {
        for (int i = 0; i < 20; i++) {
            write("source/d" + i % 3 + "/f" + i, "text " + i);
        }
        List<String> wrong = Collections.synchronizedList(new ArrayList<>());
        moveApart(Fault.on(Call.UNLINKAT).runs(call -> {
            String name = call.names().getFirst().toString();
            if (name.startsWith("f")) {
                int i = Integer.parseInt(name.substring(1));
                try {
                    if (!read("target/d" + i % 3 + "/" + name).equals("text " + i)) {
                        wrong.add(name);
                    }
                } catch (IOException e) {
                    wrong.add(e.toString());
                }
            }
        }));
        assertThat(failures).isEmpty();
        assertThat(wrong).isEmpty();
        assertThat(source).doesNotExist();
    }

    // The last call before the removal is a sync.
    @Test
    void aFileThatChangesAfterItWasCopiedStays() throws IOException {
        write("source/d/changes", "old");
        write("source/d/f", "1");
        moveApart(Fault.on(Call.SYNCFS).runs(call -> append("source/d/changes")));
        assertThat(failures).containsExactly("source/d/changes: changed concurrently: changed after it was copied; it "
                + "stays at the source, repeat the move");
        assertThat(read("source/d/changes")).startsWith("old+");
        assertThat(exists("source/d/f")).isFalse();
        assertThat(read("target/d/f")).isEqualTo("1");
        String now = read("source/d/changes");
        moveApart();
        assertThat(failures).isEmpty();
        assertThat(read("target/d/changes")).isEqualTo(now);
        assertThat(source).doesNotExist();
    }

    private void append(String path) throws IOException {
        Files.writeString(directory.resolve(path), "+", StandardOpenOption.APPEND);
    }

    @Test
    void anotherFileUnderTheNameStaysAlthoughItLooksEqual() throws IOException {
        write("source/d/f", "1");
        var time = Files.getLastModifiedTime(source.resolve("d/f"));
        moveApart(Fault.on(Call.SYNCFS).times(1).runs(call -> {
            Files.move(source.resolve("d/f"), directory.resolve("aside"));
            write("source/d/f", "2");
            Files.setLastModifiedTime(source.resolve("d/f"), time);
        }));
        assertThat(failures).hasSize(1);
        assertThat(read("source/d/f")).isEqualTo("2");
        assertThat(read("aside")).isEqualTo("1");
    }

    @Test
    void anEntryThatAppearsAtTheSourceDuringTheMoveStays() throws IOException {
        write("source/d/f", "1");
        moveApart(Fault.on(Call.SYNCFS).runs(call -> write("source/d/new/n", "n")));
        assertThat(failures).containsExactly("source/d: rmdir: " + Errno.describe(Errno.ENOTEMPTY));
        assertThat(read("source/d/new/n")).isEqualTo("n");
        assertThat(read("target/d/f")).isEqualTo("1");
        assertThat(exists("source/d/f")).isFalse();
    }

    @Test
    void aFileThatCannotBeCopiedStaysAndTheRestIsMoved() throws IOException {
        write("source/d/bad", "1");
        write("source/d/good", "2");
        write("source/e/f", "3");
        MoveResult result = moveApart(Fault.on(Call.OPENAT).named("bad").fails(Errno.EACCES));
        assertThat(failures).singleElement().asString().startsWith("source/d/bad: open: ");
        assertThat(result.isComplete()).isTrue();
        assertThat(read("source/d/bad")).isEqualTo("1");
        assertThat(exists("source/d/good")).isFalse();
        assertThat(exists("source/e")).isFalse();
        assertThat(read("target/d/good")).isEqualTo("2");
        moveApart();
        assertThat(failures).isEmpty();
        assertThat(source).doesNotExist();
        assertThat(read("target/d/bad")).isEqualTo("1");
    }

    @Test
    void ifTheCopiesMayNotBeOnDiskNothingIsRemoved() throws IOException {
        write("source/d/f", "1");
        MoveResult result = moveApart(Fault.on(Call.SYNCFS).fails(Errno.EIO));
        assertThat(failures).isNotEmpty();
        assertThat(result.isComplete()).isFalse();
        assertThat(result.removed()).isZero();
        assertThat(read("source/d/f")).isEqualTo("1");
    }

    @Test
    void allNamesOfAFileGoOrNone() throws IOException {
        write("source/a/f", "1");
        Files.createDirectories(source.resolve("b"));
        Files.createLink(source.resolve("b/g"), source.resolve("a/f"));
        Files.createLink(source.resolve("b/h"), source.resolve("a/f"));
        write("source/b/other", "2");
        moveApart(Fault.on(Call.LINKAT).named("h").fails(Errno.EIO), Fault.on(Call.OPENAT).named("h").fails(Errno.EIO));
        assertThat(failures).isNotEmpty();
        assertThat(exists("source/b/other")).isFalse();
        for (String name : List.of("source/a/f", "source/b/g", "source/b/h")) {
            assertThat(read(name)).isEqualTo("1");
        }
        moveApart();
        assertThat(failures).isEmpty();
        assertThat(source).doesNotExist();
        assertThat(Files.getAttribute(target.resolve("a/f"), "unix:nlink")).isEqualTo(3);
    }

    private void writeGroups(String... roots) throws IOException {
        for (int i = 0; i < 3; i++) {
            write(roots[0] + "/d" + i + "/f", "text " + i);
            for (String root : roots) {
                Files.createDirectories(directory.resolve(root + "/links"));
                Files.createLink(directory.resolve(root + "/links/a" + i),
                        directory.resolve(roots[0] + "/d" + i + "/f"));
                Files.createLink(directory.resolve(root + "/links/b" + i),
                        directory.resolve(roots[0] + "/d" + i + "/f"));
            }
        }
        Files.createLink(directory.resolve("outside"), directory.resolve(roots[0] + "/d0/f"));
    }

    private static Fault endsAtRemoval(int number) {
        return Fault.on(Call.UNLINKAT).nth(number).runs(call -> {
            throw new IllegalStateException("ended");
        });
    }

    private boolean isEnded(Runnable move) {
        try {
            move.run();
            return false;
        } catch (IllegalStateException e) {
            assertThat(e).hasMessage("ended");
            return true;
        }
    }

    @Test
    void aMoveThatEndsBetweenTwoNamesOfAFileDoesNotDivideIt() throws IOException {
        boolean isEnded = true;
        for (int number = 1; isEnded; number++) {
            writeGroups("source");
            TreeListing wanted = TreeListing.of(Linux.calls(), source);
            int removal = number;
            isEnded = isEnded(
                    () -> move(MoveProcess.apart(endsAtRemoval(removal)), OPTIONS.toBuilder().threads(1).build()));
            if (exists("source")) {
                moveApart();
                assertThat(directory.path()).isDirectoryNotContaining("glob:**.treehaul*");
            }
            assertThat(failures).as("ended at removal " + number).isEmpty();
            assertThat(source).doesNotExist();
            TreeAssert.assertThat(TreeListing.of(Linux.calls(), target))
                    .ignoring(TreeAssert.Aspect.DIRECTORY_TIMES)
                    .isCopyOf(wanted);
            TreeRemoval.remove(Linux.calls(), target);
            Files.delete(directory.resolve("outside"));
        }
    }

    @Test
    void namesInSeveralSourcesAreNotDividedEither() throws IOException {
        boolean isEnded = true;
        for (int number = 1; isEnded; number++) {
            Path into = directory.directory("into");
            Path file = directory.resolve("one");
            write("one", "text");
            Files.createLink(directory.resolve("two"), file);
            writeGroups("source", "other");
            Files.createLink(directory.resolve("source/d0/three"), file);
            int removal = number;
            isEnded = isEnded(() -> moveInto(into, endsAtRemoval(removal)));
            moveInto(into);
            assertThat(failures).as("ended at removal " + number).isEmpty();
            assertThat(Files.getAttribute(into.resolve("to-one"), "unix:nlink")).as("ended at removal " + number)
                    .isEqualTo(3);
            for (int i = 0; i < 3; i++) {
                assertThat(Files.getAttribute(into.resolve("to-other/links/b" + i), "unix:nlink")).isEqualTo(5);
            }
            assertThat(directory.path()).isDirectoryNotContaining("glob:**source");
            TreeRemoval.remove(Linux.calls(), into);
            Files.delete(directory.resolve("outside"));
        }
    }

    private void moveInto(Path into, Fault... faults) {
        List<Fault> all = new ArrayList<>(List.of(faults));
        List<CopyPair> pairs = new ArrayList<>();
        for (String name : List.of("one", "two", "source", "other")) {
            if (exists(name)) {
                all.add(Fault.on(Call.RENAMEAT2).named(name).fails(Errno.EXDEV));
                pairs.add(CopyPair.of(directory.resolve(name), into.resolve("to-" + name)));
            }
        }
        failures.clear();
        TreeMover
                .of(FaultInjectingCalls.over(Linux.calls(), all.toArray(Fault[]::new)),
                        OPTIONS.toBuilder().threads(1).build())
                .move(pairs, event -> {
                    if (event instanceof Event.Failed failed) {
                        failures.add(failed.failure().toString());
                    }
                }, new Progress(), new Cancellation());
    }

    @ParameterizedTest
    @CsvSource({"true,true", "true,false", "false,true", "false,false"})
    void aBackupIsTheOldEntryWhateverEndsTheMove(boolean isApart, boolean isDirectory) throws IOException {
        for (Call call : List.of(Call.RENAMEAT2, Call.LINKAT, Call.UNLINKAT, Call.OPENAT, Call.WRITE, Call.STATX)) {
            boolean isEnded = true;
            for (int number = 1; isEnded; number++) {
                write(isDirectory ? "source/f" : "source", "new");
                write(isDirectory ? "target/g" : "target", "old");
                write("target~", "older");
                if (isDirectory) {
                    Files.delete(directory.resolve("target~"));
                }
                Fault end = Fault.on(call).nth(number).runs(c -> {
                    throw new IllegalStateException("ended");
                });
                FileSystemCalls calls = isApart ? MoveProcess.apart(end) : FaultInjectingCalls.over(Linux.calls(), end);
                CopyOptions backup = OPTIONS.toBuilder().threads(1).backup(Backup.of(Backup.Control.SIMPLE)).build();
                isEnded = isEnded(() -> move(calls, backup));
                String moment = call + " " + number;
                assertThat(failures).as(moment).isEmpty();
                assertThat(exists("target") || exists("target~")).as(moment).isTrue();
                if (exists("source")) {
                    move(isApart ? MoveProcess.apart() : Linux.calls(), backup);
                    assertThat(failures).as(moment).isEmpty();
                    assertThat(directory.path()).as(moment).isDirectoryNotContaining("glob:**.treehaul-mv*");
                }
                assertThat(read(isDirectory ? "target/f" : "target")).as(moment).isEqualTo("new");
                assertThat(read(isDirectory ? "target~/g" : "target~")).as(moment).isEqualTo("old");
                assertThat(exists("source")).isFalse();
                try (Stream<Path> all = Files.list(directory.path())) {
                    // Also the mark of a move that ended when only that was left.
                    for (Path left : all.toList()) {
                        remove(left.getFileName().toString());
                    }
                }
            }
        }
    }

    private void remove(String name) throws IOException {
        Path path = directory.resolve(name);
        if (Files.isDirectory(path)) {
            TreeRemoval.remove(Linux.calls(), path);
        } else {
            Files.delete(path);
        }
    }

    @Test
    void aTargetThatCannotBeCreatedIsNamed() throws IOException {
        write("source/f", "new");
        move(MoveProcess.apart(Fault.on(Call.OPENAT).nth(1).fails(Errno.EACCES)), OPTIONS);
        assertThat(failures).containsExactly("source: create 'target': " + Errno.describe(Errno.EACCES));
        assertThat(read("source/f")).isEqualTo("new");
    }

    @Test
    void anEntryThatWasBackedUpHasItsNameAgainIfItCannotBeReplaced() throws IOException {
        CopyOptions backup = OPTIONS.toBuilder().backup(Backup.of(Backup.Control.NUMBERED)).build();
        for (String old : List.of("target", "target/f")) {
            write("source", "new");
            write(old, "old");
            move(FaultInjectingCalls.over(Linux.calls(), Fault.on(Call.RENAMEAT2).named("source").fails(Errno.EIO)),
                    backup);
            assertThat(failures).containsExactly("source: rename to 'target': " + Errno.describe(Errno.EIO));
            assertThat(read(old)).isEqualTo("old");
            assertThat(read("source")).isEqualTo("new");
            assertThat(exists("target.~1~")).isFalse();
            remove("target");
            remove("source");
        }
    }

    // With a mark alone, a later move would replace what is there by then without a backup.
    @ParameterizedTest
    @ValueSource(strings = {"target", "target/f"})
    void anEntryThatWasBackedUpHasItsNameAgainIfItsReplacementCannotBeCopied(String old) throws IOException {
        CopyOptions backup = OPTIONS.toBuilder().threads(1).backup(Backup.of(Backup.Control.NUMBERED)).build();
        int failed = 0;
        for (Call call : List.of(Call.OPENAT, Call.WRITE, Call.LINKAT, Call.RENAMEAT2, Call.FSYNC)) {
            for (int number = 1; number <= 12; number++) {
                write("source", "new");
                write(old, "old");
                move(MoveProcess.apart(Fault.on(call).nth(number).fails(Errno.EIO)), backup);
                if (exists("source") && Files.isRegularFile(target) && !read("target").equals("new")
                        || Files.isDirectory(target)) {
                    failed++;
                    assertThat(read(old)).isEqualTo("old");
                    try (Stream<Path> all = Files.list(directory.path())) {
                        assertThat(all).as(call + " " + number).containsExactlyInAnyOrder(source, target);
                    }
                }
                try (Stream<Path> all = Files.list(directory.path())) {
                    for (Path left : all.toList()) {
                        remove(left.getFileName().toString());
                    }
                }
            }
        }
        assertThat(failed).isGreaterThan(3);
    }

    // Otherwise another user of the target directory could have entries of the source removed.
    @Test
    void aRecordThatAnotherUserCouldHaveWrittenIsNotTrusted() throws IOException {
        writeGroups("source");
        assertThat(isEnded(() -> move(MoveProcess.apart(Fault.on(Call.UNLINKAT).named("b0").runs(call -> {
            throw new IllegalStateException("ended");
        })), OPTIONS.toBuilder().threads(1).build()))).isTrue();
        try (Stream<Path> all = Files.list(directory.path())) {
            Path record = all.filter(path -> path.toString().endsWith("-links")).findFirst().orElseThrow();
            assertThat(Files.getPosixFilePermissions(record)).hasToString("[OWNER_READ, OWNER_WRITE]");
            Files.setAttribute(record, "unix:mode", 0644);
        }
        AtomicInteger opened = new AtomicInteger();
        moveApart(Fault.on(Call.OPENAT).named("b0").runs(call -> opened.incrementAndGet()));
        assertThat(failures).isEmpty();
        assertThat(opened).as("the remaining name is copied").hasPositiveValue();
        assertThat(source).doesNotExist();
    }

    @Test
    void severalThreadsRemove() {
        for (int i = 0; i < 200; i++) {
            write("source/d" + i % 50 + "/f" + i, "");
        }
        Set<String> ofFiles = ConcurrentHashMap.newKeySet();
        Set<String> ofDirectories = ConcurrentHashMap.newKeySet();
        moveApart(Fault.on(Call.UNLINKAT).runs(call -> {
            String name = call.names().getFirst().toString();
            if (name.matches("[df]\\d+")) {
                (name.startsWith("f") ? ofFiles : ofDirectories).add(Thread.currentThread().getName());
            }
        }));
        assertThat(failures).isEmpty();
        assertThat(ofFiles).hasSize(2);
        assertThat(ofDirectories).hasSize(2);
        assertThat(source).doesNotExist();
    }

    @Test
    void namesOutsideTheSourceStay() throws IOException {
        write("source/a/f", "1");
        Files.createLink(source.resolve("g"), source.resolve("a/f"));
        Files.createLink(directory.resolve("outside"), source.resolve("a/f"));
        moveApart();
        assertThat(failures).isEmpty();
        assertThat(source).doesNotExist();
        assertThat(read("outside")).isEqualTo("1");
        assertThat(Files.getAttribute(target.resolve("g"), "unix:nlink")).isEqualTo(2);
    }

    @Test
    void existingFilesThatAreKeptKeepTheirSources() throws IOException {
        write("source/d/f", "new");
        write("source/d/g", "new");
        write("target/d/f", "another");
        CopyOptions keeping = OPTIONS.toBuilder().existing(CopyOptions.Existing.SKIP).build();
        move(MoveProcess.apart(), keeping);
        assertThat(exists("source/d/g")).isTrue();
        assertThat(exists("target/d/g")).isFalse();
        Files.delete(target.resolve("d/f"));
        Files.delete(target.resolve("d"));
        Files.delete(target);
        moveApart(Fault.on(Call.OPENAT).named("f").fails(Errno.EACCES));
        write("target/d/f", "another");
        write("source/d/h", "new");
        move(MoveProcess.apart(), keeping);
        assertThat(failures).isEmpty();
        assertThat(read("target/d/f")).isEqualTo("another");
        assertThat(read("source/d/f")).isEqualTo("new");
        assertThat(exists("source/d/h")).isFalse();
        assertThat(read("target/d/h")).isEqualTo("new");
    }

    // As by a rename. Data written into a FIFO or through a link would be lost with the source.
    @Test
    void aMovedFileTakesTheNameOfALinkOrAFifo() throws Exception {
        write("target/kept", "old");
        for (String name : List.of("file", "shared", "link", "dangling", "fifo")) {
            write("source/" + name, "new");
        }
        write("target/file", "old");
        Files.createLink(target.resolve("shared"), target.resolve("kept"));
        Files.createSymbolicLink(target.resolve("link"), target.resolve("kept"));
        Files.createSymbolicLink(target.resolve("dangling"), directory.resolve("nothing"));
        try (TreeWriter writer = TreeWriter.in(Linux.calls(), target)) {
            writer.special(ByteString.of("fifo"), EntryKind.FIFO, 0);
        }
        moveApart();
        assertThat(failures).isEmpty();
        assertThat(source).doesNotExist();
        assertThat(read("target/kept")).isEqualTo("old");
        for (String name : List.of("file", "shared", "link", "dangling", "fifo")) {
            assertThat(target.resolve(name)).isRegularFile().hasContent("new");
            assertThat(Files.isSymbolicLink(target.resolve(name))).isFalse();
        }
    }

    @Test
    void anExistingFileStaysIfItsReplacementFails() throws IOException {
        write("source/f", "new");
        write("target/f", "old");
        moveApart(Fault.on(Call.WRITE).fails(Errno.EIO));
        assertThat(failures).isNotEmpty();
        assertThat(read("source/f")).isEqualTo("new");
        assertThat(read("target/f")).isEqualTo("old");
    }

    // Another user puts a link in place of a directory between copy and removal.
    @Test
    void theRemovalFollowsNoLink() throws IOException {
        write("source/d/f", "1");
        write("kept/f", "2");
        moveApart(Fault.on(Call.SYNCFS).times(1).runs(call -> {
            Files.move(source.resolve("d"), directory.resolve("aside"));
            Files.createSymbolicLink(source.resolve("d"), directory.resolve("kept"));
        }));
        assertThat(failures).isNotEmpty();
        assertThat(read("kept/f")).isEqualTo("2");
        assertThat(read("aside/f")).isEqualTo("1");
    }

    @Test
    void anUnfinishedTargetIsRecognizedUntilTheMoveIsComplete() {
        write("source/d/bad", "1");
        TreeMover mover = TreeMover.of(Linux.calls(), OPTIONS);
        ByteString from = ByteString.of(source);
        ByteString to = ByteString.of(target);
        assertThat(mover.isUnfinished(from, to)).isFalse();
        moveApart(Fault.on(Call.OPENAT).named("bad").fails(Errno.EACCES));
        assertThat(mover.isUnfinished(from, to)).isTrue();
        assertThat(mover.isUnfinished(from, ByteString.of(directory.resolve("other")))).isFalse();
        moveApart();
        assertThat(mover.isUnfinished(from, to)).isFalse();
        assertThat(source).doesNotExist();
    }

    @Test
    void afterACancellationNothingIsRemoved() {
        write("source/d/f", "1");
        Cancellation cancellation = new Cancellation();
        MoveResult result = TreeMover
                .of(MoveProcess.apart(Fault.on(Call.SYNCFS).runs(call -> cancellation.cancel())), OPTIONS)
                .move(List.of(CopyPair.of(source, target)), event -> {
                }, new Progress(), cancellation);
        assertThat(result.isComplete()).isFalse();
        assertThat(exists("source/d/f")).isTrue();
    }

    @Test
    void anInterruptEndsTheMoveEarlyWithAResult() {
        for (int i = 0; i < 600; i++) {
            write("source/d" + i / 30 + "/f" + i, "1");
        }
        Thread caller = Thread.currentThread();
        Progress progress = new Progress();
        MoveResult result;
        try {
            result = TreeMover.of(MoveProcess.apart(), OPTIONS.toBuilder().reportDone(true).build())
                    .move(List.of(CopyPair.of(source, target)), event -> {
                        // Some copies are on the list of those whose sources are removed later.
                        if (progress.snapshot().verifiedBytes() > 0) {
                            caller.interrupt();
                        }
                    }, progress, new Cancellation());
        } finally {
            assertThat(Thread.interrupted()).isTrue();
        }
        assertThat(result.isComplete()).isEqualTo(!exists("source"));
        assertThat(exists("source/d0/f0") || exists("target/d0/f0")).isTrue();
    }
}
