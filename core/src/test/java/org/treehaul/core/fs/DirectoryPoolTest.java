// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.fs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.treehaul.core.fs.LinuxConstants.AT_FDCWD;
import static org.treehaul.core.fs.LinuxConstants.O_DIRECTORY;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.TestDirectory;

class DirectoryPoolTest {

    private final TestDirectory tree = TestDirectory.make();
    private final FileAccess plain = FileAccess.open(Linux.calls());
    private FaultInjectingCalls calls = FaultInjectingCalls.over(Linux.calls());

    @BeforeEach
    void makeTree() {
        for (String name : List.of("a/b/c", "a/d", "e")) {
            try {
                Files.createDirectories(tree.resolve(name));
            } catch (IOException failure) {
                throw new UncheckedIOException(failure);
            }
        }
    }

    @AfterEach
    void removeTree() {
        plain.close();
        tree.close();
    }

    /** A pool over the tree. */
    private final class Pool implements AutoCloseable {
        final FileAccess access = FileAccess.open(calls);
        final DirectoryPool pool;
        final Directory root;

        Pool(int budget) throws SystemCallException {
            this(budget, tree.path());
        }

        Pool(int budget, Path rootPath) throws SystemCallException {
            pool = new DirectoryPool(calls, budget);
            byte[] path = rootPath.toString().getBytes(StandardCharsets.UTF_8);
            root = pool.root(access.open(AT_FDCWD, access.name(path), O_DIRECTORY, 0), ByteString.of("root"));
        }

        Directory at(String... names) {
            Directory directory = root;
            for (String name : names) {
                directory = directory.child(directory.path().child(name.getBytes(StandardCharsets.UTF_8)));
            }
            return directory;
        }

        int open() {
            return calls.openDescriptors().size();
        }

        @Override
        public void close() {
            pool.closeRoot(root);
            pool.close();
            access.close();
            assertThat(calls.openDescriptors()).as("left open").isEmpty();
        }
    }

    private static long inode(Path path) throws IOException {
        return (Long) Files.getAttribute(path, "unix:ino");
    }

    @Test
    void aDirectoryIsOpenedFromTheNearestOpenAncestor() throws IOException {
        try (Pool pool = new Pool(10)) {
            Directory a = pool.at("a");
            Directory b = a.child(TreePath.of("a/b".getBytes(StandardCharsets.UTF_8)));
            Directory c = b.child(TreePath.of("a/b/c".getBytes(StandardCharsets.UTF_8)));
            assertThat(pool.access.status(c.acquire(pool.access)).inode()).isEqualTo(inode(tree.resolve("a/b/c")));
            long opens = calls.count(Call.OPENAT);
            c.release();
            assertThat(c.acquire(pool.access)).isEqualTo(c.descriptor());
            assertThat(b.acquire(pool.access)).isEqualTo(b.descriptor());
            assertThat(calls.count(Call.OPENAT)).as("all are still open").isEqualTo(opens);
            c.release();
            b.release();
        }
    }

    @Test
    void theLeastRecentlyUsedIsClosedFirst() throws IOException {
        try (Pool pool = new Pool(3)) {
            Directory a = pool.at("a");
            Directory e = pool.at("e");
            a.acquire(pool.access);
            a.release();
            e.acquire(pool.access);
            e.release();
            a.acquire(pool.access);
            a.release();
            Directory d = pool.at("a").child(TreePath.of("a/d".getBytes(StandardCharsets.UTF_8)));
            d.acquire(pool.access);
            d.release();
            assertThat(pool.open()).isLessThanOrEqualTo(3);
            assertThat(a.acquire(pool.access)).isNotNegative();
            a.release();
        }
    }

    @Test
    void heldDirectoriesStayOpenBeyondTheBudget() throws IOException {
        try (Pool pool = new Pool(1)) {
            List<Directory> held = List.of(pool.at("a"), pool.at("a", "b"), pool.at("a", "d"), pool.at("e"));
            for (Directory directory : held) {
                directory.acquire(pool.access);
            }
            for (Directory directory : held) {
                assertThat(pool.access.status(directory.descriptor()).kind().label()).isEqualTo("directory");
            }
            held.forEach(Directory::release);
            assertThat(pool.open()).isEqualTo(1);
        }
    }

    @Test
    void aRetiredDirectoryIsClosedWithItsLastHold() throws IOException {
        try (Pool pool = new Pool(10)) {
            Directory a = pool.at("a");
            a.acquire(pool.access);
            a.acquire(pool.access);
            a.retire();
            a.release();
            assertThat(pool.open()).isEqualTo(2);
            a.release();
            assertThat(pool.open()).isEqualTo(1);
        }
    }

    // The close of a removed directory frees its blocks, which may take long.
    @Test
    void otherDirectoriesAreAvailableWhileOneIsClosed() throws IOException {
        AtomicReference<Directory> other = new AtomicReference<>();
        List<Boolean> ended = new ArrayList<>();
        calls = FaultInjectingCalls.over(Linux.calls(), Fault.on(Call.CLOSE).named("a").nth(1).runs(call -> {
            Thread user = Thread.ofPlatform().daemon().start(() -> Objects.requireNonNull(other.get()).retire());
            try {
                ended.add(user.join(Duration.ofSeconds(30)));
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }));
        try (Pool pool = new Pool(10)) {
            other.set(pool.at("e"));
            Directory a = pool.at("a");
            a.acquire(pool.access);
            a.release();
            a.retire();
            assertThat(ended).containsExactly(true);
        }
    }

    @Test
    void anotherDirectoryInItsPlaceIsStale() throws IOException {
        try (Pool pool = new Pool(10)) {
            Directory b = pool.at("a", "b");
            b.acquire(pool.access);
            b.release();
            assertThat(pool.pool.closeUnheld()).isTrue();
            Files.move(tree.resolve("a/b"), tree.resolve("moved"));
            Files.createDirectory(tree.resolve("a/b"));
            assertThatThrownBy(() -> b.acquire(pool.access)).isInstanceOfSatisfying(SystemCallException.class,
                    failure -> assertThat(failure.errno()).isEqualTo(Errno.ESTALE));
            Files.delete(tree.resolve("a/b"));
            assertThatThrownBy(() -> b.open(pool.access)).isInstanceOfSatisfying(SystemCallException.class,
                    failure -> assertThat(failure.errno()).isEqualTo(Errno.ENOENT));
            Files.move(tree.resolve("moved"), tree.resolve("a/b"));
            assertThat(b.acquire(pool.access)).isNotNegative();
            b.release();
        }
    }

    @Test
    void aDirectoryHeldWithoutItsStatusIsExaminedWhenThePoolClosesIt() throws IOException {
        try (Pool pool = new Pool(10)) {
            Directory b = pool.at("a", "b");
            assertThat(b.hold(pool.access)).isEqualTo(b.descriptor());
            b.release();
            assertThat(calls.count(Call.STATX)).isZero();
            assertThat(pool.pool.closeUnheld()).isTrue();
            Files.move(tree.resolve("a/b"), tree.resolve("moved"));
            Files.createDirectory(tree.resolve("a/b"));
            for (int i = 0; i < 2; i++) {
                assertThatThrownBy(() -> b.hold(pool.access)).isInstanceOfSatisfying(SystemCallException.class,
                        failure -> assertThat(failure.errno()).isEqualTo(Errno.ESTALE));
            }
            Files.delete(tree.resolve("a/b"));
            Files.move(tree.resolve("moved"), tree.resolve("a/b"));
            assertThat(b.open(pool.access).inode()).isEqualTo(inode(tree.resolve("a/b")));
            b.release();
        }
    }

    @Test
    void aDirectoryIsExaminedAtOnceIfDescriptorsAreScarce() throws IOException {
        try (Pool pool = new Pool(2)) {
            Directory a = pool.at("a");
            a.hold(pool.access);
            assertThat(calls.count(Call.STATX)).isZero();
            Directory e = pool.at("e");
            e.hold(pool.access);
            assertThat(calls.count(Call.STATX)).isEqualTo(1);
            e.release();
            assertThat(calls.count(Call.STATX)).as("closed without another call").isEqualTo(1);
            Files.move(tree.resolve("e"), tree.resolve("moved"));
            Files.createDirectory(tree.resolve("e"));
            assertThatThrownBy(() -> e.hold(pool.access)).isInstanceOfSatisfying(SystemCallException.class,
                    failure -> assertThat(failure.errno()).isEqualTo(Errno.ESTALE));
            a.release();
        }
    }

    @Test
    void anExaminationThatFailsIsRepeatedWhenTheDirectoryIsClosed() throws IOException {
        calls = FaultInjectingCalls.over(Linux.calls(), Fault.on(Call.STATX).nth(1).fails(Errno.EIO));
        try (Pool pool = new Pool(2)) {
            Directory a = pool.at("a");
            a.hold(pool.access);
            Directory e = pool.at("e");
            assertThat(e.hold(pool.access)).isNotNegative();
            e.release();
            assertThat(calls.count(Call.STATX)).isEqualTo(2);
            assertThat(e.hold(pool.access)).isNotNegative();
            e.release();
            a.release();
        }
    }

    @Test
    void aDirectoryThatCouldNotBeExaminedIsNotOpenedAgain() throws IOException {
        calls = FaultInjectingCalls.over(Linux.calls(), Fault.on(Call.STATX).nth(1).fails(Errno.EIO));
        try (Pool pool = new Pool(10)) {
            Directory a = pool.at("a");
            a.hold(pool.access);
            a.release();
            pool.pool.closeUnheld();
            Directory e = pool.at("e");
            e.hold(pool.access);
            e.retire();
            e.release();
            for (Directory lost : List.of(a, e)) {
                assertThatThrownBy(() -> lost.hold(pool.access)).isInstanceOfSatisfying(SystemCallException.class,
                        failure -> assertThat(failure.errno()).isEqualTo(Errno.ESTALE));
            }
        }
    }

    @Test
    void aDirectoryIsOpenedAgainInPlaceOfAStaleDescriptor() throws IOException {
        try (Pool pool = new Pool(10)) {
            Directory b = pool.at("a", "b");
            b.hold(pool.access);
            int before = pool.open();
            assertThat(b.renew(pool.access)).isTrue();
            assertThat(pool.access.status(b.descriptor()).inode()).isEqualTo(inode(tree.resolve("a/b")));
            assertThat(pool.open()).isEqualTo(before);
            b.hold(pool.access);
            assertThat(b.renew(pool.access)).as("another thread uses the descriptor").isFalse();
            b.release();
            Files.move(tree.resolve("a/b"), tree.resolve("moved"));
            Files.createDirectory(tree.resolve("a/b"));
            assertThatThrownBy(() -> b.renew(pool.access)).isInstanceOfSatisfying(SystemCallException.class,
                    failure -> assertThat(failure.errno()).isEqualTo(Errno.ESTALE));
            assertThat(pool.access.status(b.descriptor()).inode()).isEqualTo(inode(tree.resolve("moved")));
            b.release();
            pool.root.acquire(pool.access);
            assertThat(pool.root.renew(pool.access)).isFalse();
            pool.root.release();
        }
    }

    @Test
    void aLinkInThePlaceOfADirectoryIsNotFollowed() throws IOException {
        try (Pool pool = new Pool(10)) {
            Files.createSymbolicLink(tree.resolve("link"), Path.of("a"));
            assertThatThrownBy(() -> pool.at("link").acquire(pool.access)).isInstanceOfSatisfying(
                    SystemCallException.class, failure -> assertThat(failure.errno()).isIn(Errno.ELOOP, Errno.ENOTDIR));
            Directory followed = pool.root.followedChild(TreePath.of("link".getBytes(StandardCharsets.UTF_8)));
            FileStatus status = followed.open(pool.access);
            assertThat(status.inode()).isEqualTo(inode(tree.resolve("a")));
            followed.release();
        }
    }

    @Test
    void lackOfDescriptorsClosesUnusedDirectoriesAndTriesAgain() throws IOException {
        calls = FaultInjectingCalls.over(Linux.calls(), Fault.on(Call.OPENAT).named("e").nth(1).fails(Errno.EMFILE),
                Fault.on(Call.OPENAT).named("e").from(3).fails(Errno.ENFILE));
        try (Pool pool = new Pool(10)) {
            Directory a = pool.at("a");
            a.acquire(pool.access);
            a.release();
            Directory e = pool.at("e");
            e.acquire(pool.access);
            assertThat(pool.open()).as("the root and e").isEqualTo(2);
            e.release();
            pool.pool.closeUnheld();
            assertThatThrownBy(() -> e.acquire(pool.access)).isInstanceOfSatisfying(SystemCallException.class,
                    failure -> assertThat(failure.errno()).isEqualTo(Errno.ENFILE));
        }
    }

    @Test
    void anOpenThatFailsOnTheWayLeavesNothingHeld() throws IOException {
        calls = FaultInjectingCalls.over(Linux.calls(), Fault.on(Call.STATX).nth(3).fails(Errno.EIO));
        try (Pool pool = new Pool(1)) {
            Directory c = pool.at("a", "b", "c");
            assertThatThrownBy(() -> c.acquire(pool.access)).isInstanceOf(SystemCallException.class);
            assertThat(pool.open()).isEqualTo(1);
            assertThat(c.acquire(pool.access)).isNotNegative();
            c.release();
        }
    }

    @Test
    void depthOfTenThousandWorksWithABudgetOfFour() throws IOException {
        int depth = 10_000;
        try (TestDirectory fast = TestDirectory.onTmpfs(); Pool pool = new Pool(4, fast.path())) {
            fast.directory("e");
            List<Directory> chain = new ArrayList<>();
            Directory directory = pool.at("e");
            for (int i = 0; i < depth; i++) {
                int parent = directory.acquire(pool.access);
                FileAccess.check("mkdir", plain.calls().mkdirat(parent, plain.name(new byte[]{'d'}), 0755));
                directory.release();
                chain.add(directory);
                directory = directory.child(directory.path().child(new byte[]{'d'}));
                assertThat(pool.open()).isLessThanOrEqualTo(5);
            }
            assertThat(directory.acquire(pool.access)).isNotNegative();
            directory.release();
            for (int i : new int[]{0, depth / 2, depth - 1}) {
                pool.pool.closeUnheld();
                assertThat(chain.get(i).open(pool.access).kind().label()).isEqualTo("directory");
                chain.get(i).release();
            }
        }
    }

    @Test
    void threadsShareDirectoriesWithoutLosingOrLeakingAny() throws Exception {
        List<String> failures = Collections.synchronizedList(new ArrayList<>());
        try (Pool pool = new Pool(2)) {
            List<Directory> directories = List.of(pool.at("a"), pool.at("a", "b"), pool.at("a", "b", "c"),
                    pool.at("a", "d"), pool.at("e"));
            List<Long> inodes = List.of(inode(tree.resolve("a")), inode(tree.resolve("a/b")),
                    inode(tree.resolve("a/b/c")), inode(tree.resolve("a/d")), inode(tree.resolve("e")));
            try (ExecutorService threads = Executors.newFixedThreadPool(6)) {
                List<Future<?>> running = new ArrayList<>();
                for (int t = 0; t < 6; t++) {
                    Random random = new Random(t);
                    running.add(threads.submit(() -> {
                        try (FileAccess access = FileAccess.open(calls)) {
                            for (int i = 0; i < 3_000; i++) {
                                int which = random.nextInt(directories.size());
                                Directory directory = directories.get(which);
                                boolean isExamined = random.nextBoolean();
                                int descriptor = isExamined ? directory.acquire(access) : directory.hold(access);
                                long inode = access.status(descriptor).inode();
                                if (inode != inodes.get(which)) {
                                    failures.add(directory + " has inode " + inode);
                                }
                                directory.release();
                            }
                        }
                        return null;
                    }));
                }
                for (Future<?> each : running) {
                    each.get();
                }
            }
            assertThat(pool.open()).isLessThanOrEqualTo(2);
        }
        assertThat(failures).isEmpty();
    }

    @Test
    void theBudgetLeavesRoomForFiles() {
        assertThat(DirectoryPool.budgetFor(1024)).isBetween(100, 400);
        assertThat(DirectoryPool.budgetFor(0)).isEqualTo(4);
        assertThat(DirectoryPool.budgetFor(Long.MAX_VALUE)).isEqualTo(1024);
        assertThatThrownBy(() -> new DirectoryPool(calls, 0)).isInstanceOf(IllegalArgumentException.class);
    }
}
