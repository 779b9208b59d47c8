// SPDX-License-Identifier: Apache-2.0
package org.treehaul.figures;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.treehaul.nodes.CaseTimes;
import org.treehaul.nodes.FileJob;
import org.treehaul.nodes.FileTimes;
import org.treehaul.nodes.Nodes;

/**
 * The measurements of the figures of Guardia and Sato, on hosts of this machine; nothing where it cannot have hosts.
 */
final class NpfsRuns {

    /** The limit of each link, in each direction. */
    static final String RATE = "100mbit";
    /** Milliseconds of work for each request, which the paper does not print. */
    static final int WORK = 10;
    /** Bytes of the requests of the application. */
    static final List<Integer> SIZES = kibibytes(64, 128, 256, 512, 1024);

    private static final List<Integer> FILE_SIZES = Stream
            .concat(Stream.of(512), kibibytes(1, 4, 16, 64, 128, 256, 512, 1024).stream())
            .toList();
    private static final String REMOTE = "remote";
    private static final int REQUESTS = 1000;
    private static final int FILE_REQUESTS = 4000;
    private static final int FILE_BYTES = 64 << 20;
    // Numbers of processes that the smallest scale can start.
    private static final double SMALLEST = 0.01;

    private NpfsRuns() {}

    /** The kinds of files, as the paper's curves. */
    record Curve(String label, int servers) {}

    /**
     * The throughput of each request size.
     *
     * @param isClientLimited whether the link of the client has the limit of the others
     */
    record Throughput(boolean isClientLimited, Curve curve, List<FileTimes> times) {}

    private static List<Integer> kibibytes(int... sizes) {
        return IntStream.of(sizes).mapToObj(size -> size << 10).toList();
    }

    private static List<Integer> servers(Results results, Integer... all) {
        return results.scale() < SMALLEST ? List.of(2) : List.of(all);
    }

    /** Returns the bytes of each request whose throughput is measured. */
    static List<Integer> fileSizes(Results results) {
        return results.scale() < SMALLEST ? List.of(512, 64 << 10, 1 << 20) : FILE_SIZES;
    }

    /** Returns the requests of all processes of the application together. */
    static int requests(Results results) {
        return (int) Math.max(2, Math.round(REQUESTS * results.scale() / Byte.SIZE)) * Byte.SIZE;
    }

    /** Returns the bytes of a file that is written and read by requests of a size. */
    static long bytes(Results results, int request) {
        double most = Math.max(4.0 * request, FILE_BYTES * results.scale());
        long requests = (long) Math.min(Math.max(16, FILE_REQUESTS * results.scale()), most / request);
        return requests * request;
    }

    /** Returns the throughput of files, measured the first time. */
    static List<Throughput> files(Results results) throws IOException, InterruptedException {
        return results.once("npfs files", () -> Nodes.obstacle().isPresent() ? List.of() : measuredFiles(results));
    }

    private static List<Throughput> measuredFiles(Results results) throws IOException {
        List<Integer> servers = servers(results, 1, 2, 4, 8);
        List<Throughput> all = new ArrayList<>();
        try (Nodes nodes = up(results, servers.getLast())) {
            Map<Curve, String> curves = new LinkedHashMap<>();
            servers.forEach(number -> curves.put(new Curve("npfs", number), FileJob.STAGE));
            curves.put(new Curve("npfs buffered", servers.getLast()), FileJob.BUFFERED);
            if (Nodes.hasGluster()) {
                nodes.gluster();
                nodes.volume(REMOTE, 1, 1);
                curves.put(new Curve(REMOTE, 1), nodes.attach(nodes.client(), REMOTE).toString());
            }
            curves.put(new Curve("local", 0), nodes.disk().toString());
            nodes.serve(results.settings().treehaul());
            for (boolean isClientLimited : new boolean[]{true, false}) {
                nodes.limit("none", 1, nodes.client());
                results.settings().log().accept("npfs files, client " + (isClientLimited ? "limited" : "not limited"));
                List<FileJob> jobs = new ArrayList<>();
                curves.forEach((curve, target) -> fileSizes(results).forEach(
                        size -> jobs.add(new FileJob(target, curve.servers, false, size, bytes(results, size)))));
                List<FileTimes> times = nodes.files(jobs, results.settings().rounds(), false,
                        () -> nodes.limit(RATE, 1, isClientLimited ? nodes.client() : nodes.client() - 1));
                int each = fileSizes(results).size();
                List<Curve> names = List.copyOf(curves.keySet());
                for (int i = 0; i < names.size(); i++) {
                    all.add(new Throughput(isClientLimited, names.get(i), times.subList(i * each, (i + 1) * each)));
                }
            }
        }
        return all;
    }

    /** Returns the times of the application by numbers of servers, measured the first time. */
    static List<CaseTimes> cases(Results results) throws IOException, InterruptedException {
        return results.once("npfs cases", () -> Nodes.obstacle().isPresent() ? List.of() : measuredCases(results));
    }

    private static List<CaseTimes> measuredCases(Results results) throws IOException {
        List<Integer> servers = servers(results, 4, 8);
        List<CaseTimes> all = new ArrayList<>();
        try (Nodes nodes = up(results, servers.getLast())) {
            Optional<Path> remote = Optional.empty();
            if (Nodes.hasGluster()) {
                nodes.gluster();
                nodes.volume(REMOTE, nodes.client(), nodes.client());
                for (int node = 1; node <= nodes.client(); node++) {
                    remote = Optional.of(nodes.attach(node, REMOTE));
                }
            }
            nodes.serve(results.settings().treehaul());
            for (int number : servers) {
                results.settings().log().accept("npfs cases, " + number + " servers");
                all.add(nodes.application(number, requests(results), SIZES, WORK, results.settings().rounds(), RATE,
                        remote));
            }
        }
        return all;
    }

    private static Nodes up(Results results, int servers) throws IOException {
        return Nodes.up(results.settings().root(), results.settings().on(), servers);
    }
}
