// SPDX-License-Identifier: Apache-2.0
package org.treehaul.figures;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

import org.treehaul.core.async.AsyncFiles;
import org.treehaul.core.async.AsyncSettings;
import org.treehaul.core.async.bench.IoBenchmark;
import org.treehaul.core.async.bench.IoParameters;
import org.treehaul.core.async.bench.IoWay;
import org.treehaul.core.async.bench.StoredBenchmarkFiles;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.programs.Median;
import org.treehaul.schedulers.stage.Stage;
import org.treehaul.schedulers.stage.StripeLayout;
import org.treehaul.schedulers.stage.async.AsyncStage;

/** Measurements of Yang's benchmark of files over servers of {@link IoStage}. */
final class IoRuns {

    private static final double MEBIBYTE = 1 << 20;
    private static final int STRIPE = 64 << 10; // that of OrangeFS
    private static final int DEPTH = 16;

    private IoRuns() {}

    /** The interfaces that are compared. */
    enum Interface {
        /** One operation after another: the direct interface of OrangeFS. */
        DIRECT("direct"),
        /** Asynchronous files over a single server, in place of NFS. */
        LOCAL_FILE("local_file"),
        /** Asynchronous files by threads that wait for all servers. */
        ORANGEFS_FILE("orangefs_file"),
        /** Asynchronous files by requests to all servers. */
        PXFS_FILE("pxfs_file");

        private final String label;

        Interface(String label) {
            this.label = label;
        }

        String label() {
            return label;
        }

        IoWay way() {
            return switch (this) {
                case DIRECT -> IoWay.STAGE_SYNC;
                case LOCAL_FILE, ORANGEFS_FILE -> IoWay.STAGE_THREADS;
                case PXFS_FILE -> IoWay.STAGE_SERVERS;
            };
        }
    }

    /**
     * A case of the paper.
     *
     * @param label files, blocks and size of a block, as in the paper
     */
    record Case(String label, int files, int blocks, int blockBytes) {

        /**
         * Returns the case with fewer files and blocks, and smaller ones where a file is one large block; with so many
         * at least that several are in progress.
         */
        Case scaled(double scale) {
            boolean isLarge = blockBytes > 1 << 20;
            int fewest = blockBytes == 1 << 20 ? 4 : blocks < 100 ? 5 : 20;
            return new Case(label, part(files, files < 100 ? 2 : 10, scale),
                    blocks == 1 ? 1 : part(blocks, fewest, scale),
                    isLarge ? (int) Math.max(2 << 20, blockBytes * scale) : blockBytes);
        }

        private static int part(int number, int fewest, double scale) {
            return (int) Math.max(fewest, Math.round(number * scale));
        }
    }

    /** A measurement. */
    record Run(Case files, boolean writes, int servers, int clients, int threads, List<Interface> interfaces) {
        String key() {
            return "io " + files.label + (writes ? " write " : " read ") + servers + " " + clients + " " + threads + " "
                    + interfaces;
        }
    }

    /** Returns the median throughput of each interface in MiB in a second; measures it the first time. */
    static Map<Interface, Double> of(Results results, Run run) throws IOException, InterruptedException {
        return results.once(run.key(), () -> measured(results, run));
    }

    private static Map<Interface, Double> measured(Results results, Run run) throws IOException {
        results.settings().log().accept(run.key());
        Case files = run.files.scaled(results.scale());
        IoParameters parameters = new IoParameters(run.clients, run.threads, run.writes, files.files, files.blocks,
                files.blockBytes, Math.min(DEPTH, Math.max(2, (32 << 20) / files.blockBytes)), false, false, false);
        Map<Interface, List<Double>> all = new EnumMap<>(Interface.class);
        try (IoStage servers = IoStage.start(results.settings().on(), run.servers)) {
            for (int round = 0; round < results.settings().rounds(); round++) {
                for (Interface each : run.interfaces) {
                    long nanos = time(servers, run, each, parameters);
                    all.computeIfAbsent(each, key -> new ArrayList<>())
                            .add(parameters.bytes() / MEBIBYTE / (nanos / 1e9));
                }
            }
        }
        Map<Interface, Double> medians = new EnumMap<>(Interface.class);
        all.forEach((each, values) -> medians.put(each, Median.of(values)));
        return medians;
    }

    private static long time(IoStage servers, Run run, Interface each, IoParameters parameters) throws IOException {
        StripeLayout layout = each == Interface.LOCAL_FILE
                ? new StripeLayout(List.of("s1"), 1, STRIPE)
                : new StripeLayout(IntStream.rangeClosed(1, run.servers).mapToObj(i -> "s" + i).toList(), run.servers,
                        STRIPE);
        // Opened before the clock starts, as a program opens its mount once.
        Deque<Stage> clients = new ArrayDeque<>();
        for (int i = 0; i < run.clients; i++) {
            clients.add(servers.client());
        }
        AsyncSettings own = AsyncSettings.defaults().withThreads(1);
        servers.setSlow(false);
        try (AsyncFiles maker = AsyncStage.byThreads(servers.client(), layout, own);
                StoredBenchmarkFiles files = new StoredBenchmarkFiles(maker, ByteString.of(each.label()), parameters)) {
            IoBenchmark benchmark = IoBenchmark.of(Linux.calls(), files, parameters, () -> false, (way, settings) -> {
                Stage stage = clients.remove();
                return way == IoWay.STAGE_SERVERS
                        ? AsyncStage.byServers(stage, layout, settings)
                        : AsyncStage.byThreads(stage, layout, settings);
            });
            benchmark.prepare();
            servers.setSlow(true);
            long nanos = benchmark.run(each.way());
            servers.setSlow(false);
            return nanos;
        } finally {
            servers.setSlow(false);
        }
    }
}
