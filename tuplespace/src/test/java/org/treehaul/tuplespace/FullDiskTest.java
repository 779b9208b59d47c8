// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.treehaul.tuplespace.Shapes.Job;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.SpaceException.Reason;
import org.treehaul.tuplespace.tuple.Template;

/** A space on a full file system: nothing more can be written, but its tuples can always be taken. */
class FullDiskTest {
    private static final Template<Job> JOBS = Template.of(Job.class);
    private static final Duration NOW = Duration.ZERO;
    private static final SpaceOptions OPTIONS = SpaceOptions.defaults().index(Job.class, "number");
    private static final int MOST = 100_000;

    @TempDir
    Path directory;

    private boolean isMounted;
    private boolean isBound;

    @SuppressWarnings("NullAway") // set by JUnit
    FullDiskTest() {}

    /** The small file systems. */
    enum Disk {
        TMPFS,
        EXT4,
        FUSE
    }

    private Path behind() {
        return directory.resolve("disk");
    }

    private Path mount(Disk disk) throws Exception {
        Path place = Files.createDirectory(behind());
        if (disk == Disk.EXT4) {
            Path image = directory.resolve("image");
            try (RandomAccessFile file = new RandomAccessFile(image.toFile(), "rw")) {
                file.setLength(16 << 20);
            }
            assumeTrue(SmallDisk.run("mkfs.ext4", "-q", "-m", "0", image.toString()) == 0, "mkfs.ext4 is missing");
            assumeTrue(SmallDisk.run("mount", "-o", "loop", image.toString(), place.toString()) == 0,
                    "a file cannot be mounted here (not root, or no loop device?)");
        } else {
            assumeTrue(SmallDisk.run("mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", place.toString()) == 0,
                    "a tmpfs cannot be mounted here (not root?)");
        }
        isMounted = true;
        if (disk == Disk.FUSE) {
            Path mount = Files.createDirectory(directory.resolve("fuse"));
            assumeTrue(SmallDisk.run("bindfs", place.toString(), mount.toString()) == 0,
                    "bindfs is missing or cannot mount here");
            isBound = true;
            return mount;
        }
        return place;
    }

    @AfterEach
    void unmount() throws Exception {
        if (isBound) {
            SmallDisk.run("umount", "-l", directory.resolve("fuse").toString());
        }
        if (isMounted) {
            // Lazily, because bindfs may still hold it for a moment.
            assertThat(SmallDisk.run("umount", "-l", behind().toString())).isZero();
        }
    }

    private static Job job(int number) {
        return new Job(number, "x".repeat(5000), null);
    }

    private static void full(ThrowingCallable call) {
        assertThatExceptionOfType(SpaceException.class).isThrownBy(call)
                .satisfies(e -> assertThat(e.reason()).as(e.toString()).isEqualTo(Reason.FULL));
    }

    /** Writes until not even one more tuple fits, and returns the number after the last one. */
    private static int fill(TupleSpace space, int first) {
        int[] next = {first};
        for (int many : new int[]{40, 1}) {
            full(() -> {
                for (; next[0] < MOST; next[0] += many) {
                    space.writeAll(IntStream.range(next[0], next[0] + many).mapToObj(FullDiskTest::job).toList(),
                            Lease.FOREVER);
                }
            });
            assertThat(next[0]).isLessThan(MOST);
        }
        return next[0];
    }

    private static void takes(TupleSpace space, int from, int to) throws Exception {
        for (int i = from; i < to; i++) {
            assertThat(space.take(JOBS.equal("number", i), NOW).isFound()).as("take %s", i).isTrue();
        }
    }

    /** Takes and removes tuples in every way that frees room. */
    private static int emptyInEachWay(TupleSpace space, int first) throws Exception {
        takes(space, first, first + 20);
        assertThat(space.remove(JOBS.range("number", first + 20, first + 39))).isEqualTo(20);
        assertThat(space.takeAll(JOBS.range("number", first + 40, first + 59), 20)).hasSize(20);
        assertThat(space.<Long>atomically(tuples -> tuples.remove(JOBS.range("number", first + 60, first + 79))))
                .isEqualTo(20);
        try (Transaction transaction = space.begin(Duration.ofMinutes(1))) {
            assertThat(transaction.take(JOBS.equal("number", first + 80), NOW).isFound()).isTrue();
            transaction.commit();
        }
        try (Transaction transaction = space.begin(Duration.ofMinutes(1))) {
            assertThat(transaction.take(JOBS.equal("number", first + 81), NOW).isFound()).isTrue();
        }
        assertThat(space.handle(JOBS.equal("number", first + 81), NOW, Duration.ofMinutes(1), job -> {
        }).isFound()).isTrue();
        return first + 82;
    }

    @ParameterizedTest
    @EnumSource(names = {"TMPFS", "EXT4"})
    void tuplesOfAFullDiskCanBeTakenAndOthersWrittenAgain(Disk disk) throws Exception {
        fillAndTake(disk);
    }

    @Test
    @Tag("rig")
    void tuplesOfAFullDiskBehindFuseCanBeTakenAndOthersWrittenAgain() throws Exception {
        fillAndTake(Disk.FUSE);
    }

    private void fillAndTake(Disk disk) throws Exception {
        Path home = mount(disk).resolve("space");
        int end;
        int first;
        try (TupleSpace space = TupleSpaces.open(home, OPTIONS)) {
            end = fill(space, 0);
            assertThat(end).isGreaterThan(400);
            first = emptyInEachWay(space, 0);
            assertThat(space.count(JOBS)).isEqualTo(end - first);
            space.write(job(end));
            // Repeatedly, to show that the rounds use nothing up.
            for (int round = 0; round < 5; round++) {
                end = fill(space, end + 1);
                takes(space, first, first + 30);
                first += 30;
                space.write(job(end));
            }
            end = fill(space, end + 1);
        }
        for (int reopened = 0; reopened < 3; reopened++) {
            try (TupleSpace space = TupleSpaces.open(home, OPTIONS)) {
                full(() -> space.writeAll(IntStream.range(0, 3000).mapToObj(FullDiskTest::job).toList(),
                        Lease.FOREVER));
                assertThat(space.take(JOBS.equal("number", first), NOW).isFound()).isTrue();
                first++;
            }
        }
        try (TupleSpace space = TupleSpaces.open(home, OPTIONS)) {
            assertThat(space.count(JOBS)).isEqualTo(end - first);
            assertThat(space.remove(JOBS)).isEqualTo(end - first);
            assertThat(fill(space, 0)).isGreaterThan(400);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"TMPFS", "EXT4"})
    void aDiskThatOthersFilledKeepsNoTupleFromBeingTaken(Disk disk) throws Exception {
        fillByOthersAndTake(disk);
    }

    @Test
    @Tag("rig")
    void aDiskBehindFuseThatOthersFilledKeepsNoTupleFromBeingTaken() throws Exception {
        fillByOthersAndTake(Disk.FUSE);
    }

    private void fillByOthersAndTake(Disk disk) throws Exception {
        Path mount = mount(disk);
        Path home = mount.resolve("space");
        int first = 0;
        try (TupleSpace space = TupleSpaces.open(home, OPTIONS)) {
            space.writeAll(IntStream.range(0, 300).mapToObj(FullDiskTest::job).toList(), Lease.FOREVER);
            SmallDisk.fill(mount);
            full(() -> space.writeAll(IntStream.range(0, 3000).mapToObj(FullDiskTest::job).toList(), Lease.FOREVER));
            first = emptyInEachWay(space, first);
        }
        SmallDisk.fill(mount);
        try (TupleSpace space = TupleSpaces.open(home, OPTIONS)) {
            first = emptyInEachWay(space, first);
            takes(space, first, 300);
            assertThat(space.count(JOBS)).isZero();
        }
    }

    @Test
    void aReaderOfAnOlderMomentKeepsNoTupleFromBeingTaken() throws Exception {
        Path home = mount(Disk.TMPFS).resolve("space");
        try (TupleSpace space = TupleSpaces.open(home, OPTIONS)) {
            int end = fill(space, 0);
            try (Stream<Job> moment = space.contents(JOBS)) {
                int first = emptyInEachWay(space, 0);
                takes(space, first, first + 20);
                assertThat(moment).hasSize(end);
            }
            assertThat(space.remove(JOBS)).isEqualTo(end - 102);
            assertThat(fill(space, 0)).isGreaterThan(400);
        }
    }

    @Test
    void aRemovalOfTuplesFromAllPagesOfAFullDiskWorks() throws Exception {
        Path home = mount(Disk.TMPFS).resolve("space");
        try (TupleSpace space = TupleSpaces.open(home, OPTIONS)) {
            int next = 0;
            try {
                while (true) {
                    int from = next;
                    space.writeAll(IntStream.range(from, from + 100)
                            .mapToObj(i -> new Job(i, i % 2 == 0 ? "a" : "b", "o"))
                            .toList(), Lease.FOREVER);
                    next += 100;
                }
            } catch (SpaceException e) {
                assertThat(e.reason()).isEqualTo(Reason.FULL);
            }
            assertThat(space.remove(JOBS.equal("state", "a"))).isEqualTo(next / 2);
            assertThat(space.count(JOBS)).isEqualTo(next / 2);
            space.write(new Job(0, "c", null));
        }
    }

    @Test
    void aProcessThatDiedOnAFullDiskLocksNothing() throws Exception {
        Path mount = mount(Disk.TMPFS);
        Path home = mount.resolve("space");
        Process child = Child.start("fill", mount, 0);
        assertThat(child.inputReader().readLine()).isEqualTo("ready");
        SmallDisk.fill(mount);
        child.destroyForcibly().waitFor();
        SmallDisk.fill(mount);
        try (TupleSpace space = TupleSpaces.open(home, SpaceOptions.defaults())) {
            assertThat(space.takeAll(JOBS, 2)).hasSize(2);
            assertThat(space.take(JOBS, NOW).isFound()).isTrue();
            assertThat(space.remove(JOBS)).isPositive();
        }
    }
}
