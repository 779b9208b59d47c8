// SPDX-License-Identifier: Apache-2.0
package org.treehaul.spaces;

import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;

import com.sun.management.OperatingSystemMXBean;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.spaces.Items.Item;
import org.treehaul.tuplespace.Lease;
import org.treehaul.tuplespace.TupleSpace;
import org.treehaul.tuplespace.TupleSpaces;
import org.treehaul.tuplespace.store.BulkLoad;

/** Runs in a process of its own for each rival and round, and prints a line with a number for each thing measured. */
final class SpaceTimes {
    private static final int GROUP = 500;
    /** The time between two readings of a clock that takes a system call. */
    private static final long LOOK_NANOS = 2_000_000;
    private static final int THREADS = 16;

    private final int tuples;
    private final Duration most;
    private final boolean isPrinted;
    /** The processor time if nothing waits for a disk, so that other processes on the machine have little influence. */
    private final LongSupplier clock;

    /** The repeated operation; it returns false when no tuple is left for it. */
    private interface Deed {
        boolean run(int turn) throws Exception;
    }

    private SpaceTimes(int tuples, Duration most, boolean isPrinted, LongSupplier clock) {
        this.tuples = tuples;
        this.most = most;
        this.isPrinted = isPrinted;
        this.clock = clock;
    }

    /** Arguments: a rival or "file", the number of tuples, the milliseconds for each measurement. */
    public static void main(String[] args) throws Exception {
        int tuples = Integer.parseInt(args[1]);
        Duration most = Duration.ofMillis(Long.parseLong(args[2]));
        // The first turn is for the compiler.
        boolean isFile = args[0].equals("file");
        LongSupplier clock = isFile
                ? System::nanoTime
                : ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class)::getProcessCpuTime;
        for (SpaceTimes times : List.of(new SpaceTimes(tuples / 5, most.dividedBy(4), false, clock),
                new SpaceTimes(tuples, most, true, clock))) {
            if (isFile) {
                times.file();
            } else {
                times.memory(args[0]);
            }
        }
        System.exit(0);
    }

    private void memory(String name) throws Exception {
        try (Rival rival = Rival.open(name)) {
            int written = rate("write", tuples, turn -> {
                rival.write(turn);
                return true;
            });
            Random random = new Random(1);
            rate("read by number", Integer.MAX_VALUE, turn -> rival.read(random.nextInt(written)));
            rate("read by owner and kind", Integer.MAX_VALUE, turn -> {
                int like = random.nextInt(written);
                return rival.readAny(Items.ownerOf(like), Items.kindOf(like));
            });
            long begin = clock.getAsLong();
            int scans = rate("", Integer.MAX_VALUE, turn -> !rival.scan(-1));
            print("ms to look at a million", (clock.getAsLong() - begin) / 1e6 / scans / written * 1e6);
            rate("take by state", Integer.MAX_VALUE, turn -> rival.takeAny(Items.NEW));
            // The remaining tuples, each once, in random order.
            int[] odd = IntStream.range(0, written / 2).map(i -> 2 * i + 1).toArray();
            for (int i = odd.length - 1; i > 0; i--) {
                int other = random.nextInt(i + 1);
                int swapped = odd[i];
                odd[i] = odd[other];
                odd[other] = swapped;
            }
            rate("take by number", odd.length, turn -> rival.take(odd[turn]));
        }
    }

    private void file() throws Exception {
        try (TestDirectory directory = TestDirectory.make()) {
            // The data of a small commit: no durable store can exceed this rate.
            try (FileChannel log = FileChannel.open(directory.path().resolve("log"), StandardOpenOption.CREATE_NEW,
                    StandardOpenOption.WRITE)) {
                rate("append of 4 KiB and its sync, without any store", Integer.MAX_VALUE, turn -> {
                    log.write(ByteBuffer.allocate(4096));
                    log.force(false);
                    return true;
                });
            }
            try (TupleSpace space = TupleSpaces.open(directory.path().resolve("space"), TreehaulRival.OPTIONS)) {
                int alone = rate("durable write", tuples, turn -> {
                    space.write(Item.of(turn));
                    return true;
                });
                AtomicInteger next = new AtomicInteger(alone);
                threads("durable write, 16 threads", () -> {
                    space.write(Item.of(next.getAndIncrement()));
                    return true;
                });
                List<Item> group = IntStream.range(0, GROUP).mapToObj(Item::of).toList();
                rate("durable write of 500 in one call, tuples", Integer.MAX_VALUE, GROUP, turn -> {
                    space.writeAll(group, Lease.FOREVER);
                    return true;
                });
                rate("durable take", Integer.MAX_VALUE,
                        turn -> space.take(TreehaulRival.ITEMS.equal("state", "old"), Duration.ZERO).isFound());
                threads("durable take, 16 threads",
                        () -> space.take(TreehaulRival.ITEMS.equal("state", Items.NEW), Duration.ZERO).isFound());
                rate("durable take of 500 in one call, tuples", Integer.MAX_VALUE, GROUP,
                        turn -> space.takeAll(TreehaulRival.ITEMS, GROUP).size() == GROUP);
            }
            long begin = System.nanoTime();
            try (BulkLoad load = TupleSpaces.bulkLoad(directory.path().resolve("load"), TreehaulRival.OPTIONS)) {
                for (int i = 0; i < tuples * 5; i++) {
                    load.add(Item.of(i));
                }
                load.finish();
            }
            print("bulk load, synced", tuples * 5 / ((System.nanoTime() - begin) / 1e9));
        }
    }

    private int rate(String what, int atMost, Deed deed) throws Exception {
        return rate(what, atMost, 1, deed);
    }

    /** Does it until the time is over, and returns how often. */
    private int rate(String what, int atMost, int each, Deed deed) throws Exception {
        long begin = clock.getAsLong();
        long passed = 0;
        long looked = System.nanoTime();
        int turns = 0;
        while (turns < atMost && passed < most.toNanos() && deed.run(turns)) {
            turns++;
            if (System.nanoTime() - looked > LOOK_NANOS) {
                passed = clock.getAsLong() - begin;
                looked = System.nanoTime();
            }
        }
        if (!what.isEmpty()) {
            print(what, turns * (double) each / ((clock.getAsLong() - begin) / 1e9));
        }
        return turns;
    }

    private interface Shared {
        boolean run() throws Exception;
    }

    private void threads(String what, Shared deed) throws InterruptedException {
        AtomicInteger turns = new AtomicInteger();
        long begin = System.nanoTime();
        long end = begin + most.toNanos();
        List<Thread> threads = IntStream.range(0, THREADS).mapToObj(i -> Thread.ofPlatform().start(() -> {
            try {
                while (System.nanoTime() < end && deed.run()) {
                    turns.incrementAndGet();
                }
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        })).toList();
        for (Thread thread : threads) {
            thread.join();
        }
        print(what, turns.get() / ((System.nanoTime() - begin) / 1e9));
    }

    private void print(String what, double value) {
        if (isPrinted) {
            System.out.println(String.format(Locale.ROOT, "%.2f %s", value, what));
        }
    }
}
