// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.tuplespace.Shapes.Job;
import org.treehaul.tuplespace.partition.Partitions;
import org.treehaul.tuplespace.partition.Placement;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.SpaceException.Reason;
import org.treehaul.tuplespace.store.SpaceUri;

/** Partitions on disks of which one is full. */
@Tag("rig")
class PartitionFullDiskTest {
    private static final Duration NOW = Duration.ZERO;
    private static final int SMALL = 8;
    private static final int LARGE = 64;

    @TempDir
    Path directory;

    private final List<SmallDisk> disks = new ArrayList<>();
    private SpaceUri uri;

    @SuppressWarnings("NullAway") // set by JUnit and the tests
    PartitionFullDiskTest() {}

    /** Lists a store on each of two disks of some MiB. */
    private void mount(int first, int second, String... settings) throws Exception {
        disks.add(new SmallDisk(directory.resolve("disk0"), first));
        disks.add(new SmallDisk(directory.resolve("disk1"), second));
        Path file = directory.resolve("list");
        List<String> lines = new ArrayList<>(List.of(settings));
        lines.addAll(List.of("disk0/space", "disk1/space"));
        Files.write(file, lines);
        uri = SpaceUri.parse("partitions:" + file);
    }

    @AfterEach
    void unmount() throws Exception {
        for (SmallDisk disk : disks) {
            disk.close();
        }
    }

    private TupleSpace open() {
        return TupleSpaces.open(uri, SpaceOptions.defaults());
    }

    private static Job job(int number) {
        return new Job(number, "x".repeat(5000), null);
    }

    private static List<Job> jobs(int from, int to) {
        return IntStream.range(from, to).mapToObj(PartitionFullDiskTest::job).toList();
    }

    /** Asserts that the disk of a partition is full, and that the error says so. */
    private void full(int partition, ThrowingCallable call) {
        SpaceException failure = catchThrowableOfType(SpaceException.class, call);
        assertThat(failure).isNotNull();
        assertThat(failure.reason()).as("%s", failure).isEqualTo(Reason.FULL);
        assertThat(failure).hasMessageContaining("the store of partition " + partition + ", sqlite:"
                + disks.get(partition).path() + "/space, is full: make room on its disk");
    }

    /** Returns so many numbers from one on whose jobs belong to a partition. */
    private static List<Integer> numbers(int partition, int from, int count) {
        return IntStream.iterate(from, number -> number + 1)
                .filter(number -> Placement.of(new Job(number, null, null), "number", 2) == partition)
                .limit(count)
                .boxed()
                .toList();
    }

    /** Writes jobs, and adds the numbers of those that are written. */
    private static void write(TupleSpace space, Iterator<Integer> numbers, Set<Integer> written) {
        while (numbers.hasNext()) {
            int number = numbers.next();
            space.write(job(number));
            written.add(number);
        }
    }

    private static Set<Integer> there(TupleSpace space) {
        try (Stream<Job> all = space.contents(SpaceFixture.JOBS)) {
            Set<Integer> numbers = new TreeSet<>();
            all.forEach(job -> assertThat(numbers.add(job.number())).as("%s once", job.number()).isTrue());
            return numbers;
        }
    }

    /** Takes all jobs by threads of several spaces. */
    private static Set<Integer> takeAll(TupleSpace... spaces) throws InterruptedException {
        Set<Integer> taken = ConcurrentHashMap.newKeySet();
        List<Throwable> failures = new CopyOnWriteArrayList<>();
        List<Thread> threads = Stream.of(spaces).flatMap(space -> Stream.of(space, space)).map(space -> {
            Thread thread = Thread.ofPlatform().unstarted(() -> {
                try {
                    for (Result<Job> job = space.take(SpaceFixture.JOBS, NOW); job
                            .isFound(); job = space.take(SpaceFixture.JOBS, NOW)) {
                        assertThat(taken.add(job.orElseThrow().number())).as("%s once", job).isTrue();
                    }
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            });
            thread.setUncaughtExceptionHandler((failed, e) -> failures.add(e));
            return thread;
        }).toList();
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(failures).isEmpty();
        return taken;
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void aPartitionOnAFullDiskIsNamedAndTheOtherIsWritten(int full) throws Exception {
        mount(SMALL, SMALL);
        int other = 1 - full;
        Set<Integer> expected = new TreeSet<>();
        try (TupleSpace space = open(); TupleSpace elsewhere = open()) {
            Iterator<Integer> many = numbers(full, 0, 10_000).iterator();
            full(full, () -> write(space, many, expected));
            assertThat(expected).hasSizeGreaterThan(400);
            disks.get(full).fill();
            full(full, () -> write(elsewhere, many, expected));
            write(elsewhere, numbers(other, 0, 60).iterator(), expected);
            List<Job> both = Stream.concat(numbers(other, 20_000, 20).stream(), numbers(full, 20_000, 900).stream())
                    .map(PartitionFullDiskTest::job)
                    .toList();
            full(full, () -> space.writeAll(both, Lease.FOREVER));
            assertThat(there(elsewhere)).isEqualTo(expected);
            // Removals and takes over several partitions also work while one disk is full.
            for (int first = 0; first < 60; first += 20) {
                disks.get(full).fill();
                assertThat(space.remove(SpaceFixture.JOBS.range("number", first, first + 9))).isEqualTo(10);
                try (Transaction transaction = elsewhere.begin(Duration.ofMinutes(1))) {
                    for (int number = first + 10; number < first + 20; number++) {
                        assertThat(transaction.take(SpaceFixture.numbered(number), NOW).isFound()).isTrue();
                    }
                    transaction.commit();
                }
            }
            expected.removeIf(number -> number < 60);
            assertThat(there(space)).isEqualTo(expected);
        }
        disks.get(full).fill();
        try (TupleSpace space = open(); TupleSpace elsewhere = open()) {
            assertThat(there(elsewhere)).isEqualTo(expected);
            assertThat(takeAll(space, elsewhere)).isEqualTo(expected);
            disks.get(full).empty();
            space.writeAll(jobs(0, 100), Lease.FOREVER);
            assertThat(there(elsewhere)).hasSize(100);
        }
        assertThat(TupleSpaces.check(uri).problems()).isEmpty();
    }

    private void fillUnless(boolean hasRoom) throws IOException {
        if (!hasRoom) {
            disks.getLast().fill();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aSplitToAFullDiskChangesNothingAndIsMadeWhenThereIsRoom(boolean hasRoomForAPart) throws Exception {
        mount(LARGE, SMALL, "first=1");
        Set<Integer> expected = new TreeSet<>();
        try (TupleSpace space = open()) {
            space.writeAll(jobs(0, 2000), Lease.FOREVER);
            fillUnless(hasRoomForAPart);
            for (int attempt = 0; attempt < 2; attempt++) {
                full(1, () -> Partitions.split(uri, 0));
                assertThat(catchThrowableOfType(SpaceException.class, () -> Partitions.split(uri, 0)))
                        .hasMessageStartingWith("partition 0 was not split, and is as before; split it again");
            }
            assertThat(Partitions.status(uri)).extracting(Partitions.Status::isActive).containsExactly(true, false);
            space.writeAll(jobs(2000, 2100), Lease.FOREVER);
            for (int number = 0; number < 50; number++) {
                assertThat(space.take(SpaceFixture.numbered(number), NOW).isFound()).isTrue();
            }
            IntStream.range(50, 2100).forEach(expected::add);
            assertThat(there(space)).isEqualTo(expected);
            assertThat(TupleSpaces.check(uri).problems()).isEmpty();
            disks.getLast().resize(LARGE);
            assertThat(Partitions.split(uri, 0)).isEqualTo(1);
            assertThat(there(space)).isEqualTo(expected);
            assertThat(TupleSpaces.check(uri).problems()).isEmpty();
            try (TupleSpace elsewhere = open()) {
                assertThat(takeAll(space, elsewhere)).isEqualTo(expected);
            }
        }
    }

    @Test
    void aPartitionOverItsLimitGrowsOnWhileTheNextDiskIsFullAndSplitsLater() throws Exception {
        mount(LARGE, SMALL, "first=1", "limit=100");
        try (TupleSpace space = open()) {
            disks.getLast().fill();
            for (int number = 0; number < 400; number++) {
                space.write(job(number));
            }
            assertThat(Partitions.status(uri)).extracting(Partitions.Status::isActive).containsExactly(true, false);
            disks.getLast().resize(LARGE);
            int next = 400;
            while (!Partitions.status(uri).getLast().isActive()) {
                space.writeAll(jobs(next, next + 20), Lease.FOREVER);
                next += 20;
                assertThat(next).isLessThan(4000);
            }
            assertThat(there(space)).hasSize(next);
        }
        assertThat(TupleSpaces.check(uri).problems()).isEmpty();
    }
}
