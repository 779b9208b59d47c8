// SPDX-License-Identifier: Apache-2.0
package org.treehaul.figures;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

import com.sun.management.OperatingSystemMXBean;
import org.treehaul.core.entry.ByteString;
import org.treehaul.figures.LiuModel.Order;
import org.treehaul.schedulers.stage.ParallelFile;
import org.treehaul.schedulers.stage.Stage;
import org.treehaul.schedulers.stage.StripeLayout;
import org.treehaul.schedulers.stage.collective.CollectiveParallelFile;
import org.treehaul.schedulers.stage.net.ServerSettings;
import org.treehaul.strategies.collective.CollectiveFile;
import org.treehaul.strategies.collective.CollectiveRanks;
import org.treehaul.strategies.collective.CollectiveSettings;
import org.treehaul.strategies.collective.FileView;
import org.treehaul.strategies.collective.order.CollectiveRequest;
import org.treehaul.strategies.collective.simulation.AggregatorLoad;
import org.treehaul.strategies.collective.simulation.CollectiveSimulation;
import org.treehaul.strategies.collective.simulation.SimulatedAccess;
import org.treehaul.strategies.collective.simulation.SimulatedApplication;
import org.treehaul.strategies.ranks.communicator.Communicator;
import org.treehaul.strategies.ranks.communicator.Received;
import org.treehaul.strategies.ranks.communicator.Traffic;
import org.treehaul.strategies.ranks.communicator.Transport;

/** Collective accesses of concurrent applications at servers of {@link IoStage}, which serve one request at a time. */
final class LiuRuns {

    /** The bytes that a rank sends to others in a second. */
    static final long LINK_RATE = 12_500_000;

    private static final int UNIT = 64 << 10;
    private static final int REQUEST = 512 << 10; // the largest of the protocol
    private static final int QUARTERS = 5;
    private static final double NANOS = 1e9;
    static final List<Order> ORDERS = List.of(Order.NIO, Order.SIO, Order.HIO);

    private LiuRuns() {}

    /**
     * A measurement.
     *
     * @param bytes the mean bytes of an aggregator in the paper
     * @param isVaried whether applications have different sizes, by a normal distribution
     */
    record Run(int applications, int servers, int aggregators, long bytes, boolean isVaried, boolean isWrite) {
        String key() {
            return "collective " + this;
        }
    }

    /**
     * Its result.
     *
     * @param seconds the mean time of an access in each order
     * @param simulated the same by the simulation of these accesses
     * @param processor the share of all processors that this process used, in percent
     */
    record Outcome(Map<Order, Double> seconds, Map<Order, Double> simulated, double processor) {

        static double below(Map<Order, Double> times, Order than) {
            return 100 * (1 - times.getOrDefault(Order.HIO, Double.NaN) / times.getOrDefault(than, Double.NaN));
        }
    }

    /** A drawn application: times in nanoseconds, and the quarters of its bytes that each aggregator sends away. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Drawn(int bytes, long start, long[] travel, int[] quarters) {
        long away(int aggregator) {
            return (long) bytes / 4 * quarters[aggregator];
        }
    }

    static Outcome of(Results results, Run run) throws IOException, InterruptedException {
        return results.once(run.key(), () -> measured(results, run));
    }

    private static Outcome measured(Results results, Run run) throws IOException {
        results.settings().log().accept(run.key());
        Map<Order, Double> seconds = new EnumMap<>(Order.class);
        Map<Order, Double> simulated = new EnumMap<>(Order.class);
        int rounds = results.settings().rounds();
        // Compiles what a program that has run for a while has compiled.
        once(results, run, draw(run, results.scale(), new Random(0)), Order.HIO);
        OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        long used = -system.getProcessCpuTime();
        long took = -System.nanoTime();
        for (int round = 1; round <= rounds; round++) {
            List<Drawn> drawn = draw(run, results.scale(), new Random(round));
            for (Order order : ORDERS) {
                seconds.merge(order, once(results, run, drawn, order) / rounds, Double::sum);
                simulated.merge(order, simulated(run, drawn, order) / rounds, Double::sum);
            }
        }
        used += system.getProcessCpuTime();
        took += System.nanoTime();
        return new Outcome(seconds, simulated, 100.0 * used / took / Runtime.getRuntime().availableProcessors());
    }

    private static long service(long bytes) {
        return Math.ceilDiv(bytes, REQUEST) * IoStage.DELAY_MILLIS * 1_000_000L + bytes * 1_000_000_000L / IoStage.RATE;
    }

    private static List<Drawn> draw(Run run, double scale, Random random) {
        List<Drawn> all = new ArrayList<>();
        for (int i = 0; i < run.applications; i++) {
            double size = run.bytes * scale * (run.isVaried ? Math.clamp(1 + random.nextGaussian() / 3, 0.1, 2) : 1);
            int bytes = (int) Math.max(1, Math.round(size / UNIT)) * UNIT;
            long time = service(bytes);
            all.add(new Drawn(bytes, (long) (random.nextDouble() * time),
                    IntStream.range(0, run.aggregators).mapToLong(a -> (long) (random.nextDouble() * time)).toArray(),
                    IntStream.range(0, run.aggregators).map(a -> random.nextInt(QUARTERS)).toArray()));
        }
        return all;
    }

    private static double simulated(Run run, List<Drawn> drawn, Order order) {
        List<SimulatedApplication> all = drawn.stream()
                .map(one -> new SimulatedApplication(one.start,
                        List.of(new SimulatedAccess(run.isWrite,
                                IntStream.range(0, run.aggregators)
                                        .mapToObj(a -> new AggregatorLoad(a % run.servers, one.travel[a],
                                                service(one.bytes), one.away(a) * 1_000_000_000L / LINK_RATE))
                                        .toList()))))
                .toList();
        return new CollectiveSimulation(run.servers, order.windows(), order.order(), all).run()
                .stream()
                .mapToLong(List::getFirst)
                .average()
                .orElseThrow() / NANOS;
    }

    /** Measures all applications at the same time; returns the mean seconds of an access. */
    private static double once(Results results, Run run, List<Drawn> drawn, Order order) throws IOException {
        try (IoStage servers = IoStage.start(results.settings().on(), run.servers,
                settings -> settings.withThreads(1).withOrder(switch (order) {
                    case NIO -> ServerSettings.Order.ARRIVAL;
                    case SIO -> ServerSettings.Order.APPLICATION;
                    case HIO, PRINTED -> ServerSettings.Order.HIERARCHICAL;
                }))) {
            CountDownLatch ready = new CountDownLatch(run.applications * run.aggregators * 2);
            AtomicLong sum = new AtomicLong();
            // All ranks fill the same memory, whose bytes are not used: 240 ranks with memory of their own take 600 MB.
            ByteBuffer memory = ByteBuffer.allocate(drawn.stream().mapToInt(Drawn::bytes).max().orElseThrow());
            try (ExecutorService threads = Executors.newThreadPerTaskExecutor(Thread.ofPlatform().factory())) {
                List<Future<?>> all = new ArrayList<>();
                for (int i = 0; i < run.applications; i++) {
                    Drawn one = drawn.get(i);
                    ByteString path = ByteString.of(run.isVaried || run.isWrite ? "data" + i : "data");
                    if (!run.isWrite && (i == 0 || run.isVaried)) {
                        make(servers.client(), path, layout(run, one), one.bytes * run.aggregators);
                    }
                    Stage stage = servers.client();
                    ParallelFile file = run.isWrite
                            ? stage.create(path, layout(run, one), 0600)
                            : stage.open(path, false);
                    all.add(threads.submit(() -> {
                        try {
                            application(run, one, file, memory, ready, sum);
                        } finally {
                            // After a failure, the other applications must not wait for this one.
                            while (ready.getCount() > 0) {
                                ready.countDown();
                            }
                        }
                    }));
                }
                servers.setSlow(true);
                for (Future<?> each : all) {
                    each.get();
                }
            } catch (ExecutionException | InterruptedException e) {
                throw new IOException(e);
            }
            servers.setSlow(false);
            return sum.get() / NANOS / run.applications;
        }
    }

    private static StripeLayout layout(Run run, Drawn one) {
        return new StripeLayout(IntStream.rangeClosed(1, run.servers).mapToObj(i -> "s" + i).toList(), run.servers,
                one.bytes);
    }

    private static void make(Stage stage, ByteString path, StripeLayout layout, int bytes) throws IOException {
        try (ParallelFile file = stage.create(path, layout, 0600)) {
            file.write(ByteBuffer.allocateDirect(bytes), 0);
        }
    }

    // Rank a of the first half is an aggregator; the rank with the same place in the second half wants a part of its
    // bytes, from their beginning.
    private static void application(Run run, Drawn one, ParallelFile file, ByteBuffer shared, CountDownLatch ready,
            AtomicLong sum) {
        int aggregators = run.aggregators;
        CollectiveSettings settings = new CollectiveSettings(aggregators, one.bytes, one.bytes);
        Transport.threads().run(IntStream.range(0, 2 * aggregators).boxed().toList(), communicator -> {
            int rank = communicator.rank();
            int aggregator = rank % aggregators;
            long away = one.away(aggregator);
            long from = (long) aggregator * one.bytes;
            FileView view = rank < aggregators ? view(from + away, one.bytes - away) : view(from, away);
            ByteBuffer memory = shared.duplicate();
            CollectiveFile delayed = new Delayed(new CollectiveParallelFile(file), one.travel[aggregator]);
            try (CollectiveRanks ranks = new CollectiveRanks(new Limited(communicator), settings)) {
                // Measures the messages.
                ranks.read(delayed, FileView.none(), ByteBuffer.allocate(0));
                ready.countDown();
                ready.await();
                IoStage.waitUntil(System.nanoTime() + one.start);
                long begun = System.nanoTime();
                if (run.isWrite) {
                    ranks.write(delayed, view, memory);
                } else {
                    ranks.read(delayed, view, memory);
                }
                if (rank == 0) {
                    sum.addAndGet(System.nanoTime() - begun);
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
    }

    private static FileView view(long offset, long length) {
        return length == 0 ? FileView.none() : FileView.contiguous(offset, length);
    }

    /** A file whose requests take some time to reach their server. */
    private record Delayed(CollectiveFile file, long nanos) implements CollectiveFile {

        @Override
        public boolean isOrdered() {
            return file.isOrdered();
        }

        private void travel() {
            IoStage.waitUntil(System.nanoTime() + nanos);
        }

        @Override
        public void read(ByteBuffer into, long offset) throws IOException {
            travel();
            file.read(into, offset);
        }

        @Override
        public void write(ByteBuffer from, long offset) throws IOException {
            travel();
            file.write(from, offset);
        }

        @Override
        public void read(ByteBuffer into, long offset, CollectiveRequest origin) throws IOException {
            travel();
            file.read(into, offset, origin);
        }

        @Override
        public void write(ByteBuffer from, long offset, CollectiveRequest origin) throws IOException {
            travel();
            file.write(from, offset, origin);
        }
    }

    /** A communicator whose rank sends over a link of a limited rate. */
    private static final class Limited implements Communicator {
        private final Communicator over;
        private long free = System.nanoTime();

        Limited(Communicator over) {
            this.over = over;
        }

        @Override
        public void send(int to, byte[] message) {
            free = Math.max(free, System.nanoTime()) + message.length * 1_000_000_000L / LINK_RATE;
            IoStage.waitUntil(free);
            over.send(to, message);
        }

        @Override
        public int rank() {
            return over.rank();
        }

        @Override
        public int size() {
            return over.size();
        }

        @Override
        public int hostOf(int rank) {
            return over.hostOf(rank);
        }

        @Override
        public Optional<Received> poll(Duration longest) {
            return over.poll(longest);
        }

        @Override
        public void wake() {
            over.wake();
        }

        @Override
        public Traffic traffic() {
            return over.traffic();
        }

        @Override
        public void close() {
            over.close();
        }
    }
}
