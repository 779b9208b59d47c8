// SPDX-License-Identifier: Apache-2.0
package org.treehaul.figures;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

import org.treehaul.core.entry.ByteString;
import org.treehaul.programs.Median;
import org.treehaul.schedulers.stage.ParallelFile;
import org.treehaul.schedulers.stage.Stage;
import org.treehaul.schedulers.stage.StripeLayout;
import org.treehaul.schedulers.stage.net.ServerSettings.Order;

/** A transfer of small files beside transfers of large ones, to the same servers of {@link IoStage}. */
final class TransferRuns {

    static final int FILES = 5;
    static final int SMALL = 64 << 10;
    static final int LARGE = 4 << 20;
    private static final int THREADS = 2;
    private static final int SERVERS = 2;
    private static final int SERVER_THREADS = 4;
    private static final double MB = 1e6;

    private TransferRuns() {}

    /**
     * The result for one order; of several rounds, the medians.
     *
     * @param seconds the time of the small transfer
     * @param rate of all large ones together during that time, in MB in a second
     */
    record Outcome(double seconds, double rate) {}

    static String key(int large, Order order) {
        return "transfers " + large + " " + order;
    }

    static Outcome of(Results results, int large, Order order) throws IOException, InterruptedException {
        return results.once(key(large, order), () -> measured(results, large, order));
    }

    private static Outcome measured(Results results, int large, Order order) throws IOException {
        results.settings().log().accept(key(large, order));
        List<Outcome> all = new ArrayList<>();
        // Compiles what a program that has run for a while has compiled.
        once(results, 0, order);
        for (int round = 0; round < results.settings().rounds(); round++) {
            all.add(once(results, large, order));
        }
        Outcome median = new Outcome(Median.of(all, Outcome::seconds), Median.of(all, Outcome::rate));
        results.settings().log().accept(key(large, order) + " " + median);
        return median;
    }

    private static Outcome once(Results results, int large, Order order) throws IOException {
        try (IoStage servers = IoStage.start(results.settings().on(), SERVERS,
                settings -> settings.withThreads(SERVER_THREADS).withOrder(order))) {
            AtomicBoolean isEnd = new AtomicBoolean();
            AtomicLong written = new AtomicLong();
            CountDownLatch begun = new CountDownLatch(large * THREADS);
            servers.setSlow(true);
            try (ExecutorService threads = Executors.newThreadPerTaskExecutor(Thread.ofPlatform().factory())) {
                List<Future<?>> others = new ArrayList<>();
                for (int i = 0; i < large; i++) {
                    Stage stage = servers.client();
                    for (int thread = 0; thread < THREADS; thread++) {
                        ByteString path = ByteString.of("large" + i + "-" + thread);
                        others.add(threads.submit(() -> {
                            write(stage, path, isEnd, written, begun);
                            return null;
                        }));
                    }
                }
                Stage small = servers.client();
                try {
                    begun.await();
                    long bytes = -written.get();
                    long nanos = -System.nanoTime();
                    for (int i = 0; i < FILES; i++) {
                        try (ParallelFile file = small.create(ByteString.of("small" + i), layout(i % SERVERS), 0600)) {
                            file.write(ByteBuffer.allocateDirect(SMALL), 0);
                        }
                    }
                    nanos += System.nanoTime();
                    bytes += written.get();
                    return new Outcome(nanos / 1e9, bytes / MB / (nanos / 1e9));
                } finally {
                    isEnd.set(true);
                    for (Future<?> other : others) {
                        other.get();
                    }
                }
            } catch (ExecutionException | InterruptedException e) {
                throw new IOException(e);
            } finally {
                servers.setSlow(false);
            }
        }
    }

    private static StripeLayout layout(int server) {
        return new StripeLayout(List.of("s" + (server + 1)), 1, 1 << 20);
    }

    // One file, again and again from its beginning, so that it needs no more room.
    private static void write(Stage stage, ByteString path, AtomicBoolean isEnd, AtomicLong written,
            CountDownLatch begun) throws IOException {
        ByteBuffer data = ByteBuffer.allocateDirect(LARGE);
        try (ParallelFile file = stage.create(path, new StripeLayout(List.of("s1", "s2"), SERVERS, 1 << 20), 0600)) {
            while (!isEnd.get()) {
                file.write(data.clear(), 0);
                written.addAndGet(LARGE);
                begun.countDown();
            }
        }
    }
}
