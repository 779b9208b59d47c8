// SPDX-License-Identifier: Apache-2.0
package org.treehaul.figures;

import static org.treehaul.figures.LafonFigures.NOT_PRINTED;
import static org.treehaul.figures.LafonFigures.text;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import org.treehaul.core.picture.Svg;
import org.treehaul.figures.Drawing.Beside;
import org.treehaul.figures.NpfsRuns.Throughput;
import org.treehaul.nodes.Application.Case;
import org.treehaul.nodes.CaseTimes;
import org.treehaul.nodes.FileTimes;
import org.treehaul.nodes.Nodes;

/** Figures 2, 3, 5 and 6 of Guardia and Sato, Integrating Task and Data Allocation Using a Parallel File System. */
final class NpfsFigures {

    private static final String TITLE = "Guardia and Sato, Integrating Task and Data Allocation Using a Parallel File System, Fig. ";
    private static final String FILE_COLUMNS = "client,file,servers,request_bytes,here_mb_per_second,paper";
    private static final String CASE_COLUMNS = "case,servers,request_kib,here_%s,paper";
    private static final String LOCAL = "local";
    private static final double MILLION = 1e6;
    private static final int KIB = 1 << 10;
    private static final int BLOCK = 64 << 10;
    private static final int LARGEST = 1 << 20;

    private static final List<Integer> KIBIBYTES = NpfsRuns.SIZES.stream().map(size -> size / KIB).toList();

    private NpfsFigures() {}

    static List<Figure> all() {
        return List.of(
                Figure.of("npfs-2", TITLE + "2: Performance of the NPFS for writing", FILE_COLUMNS,
                        Figure.Kind.MEASURED, results -> files(results, true)),
                Figure.of("npfs-3", TITLE + "3: Performance of the NPFS for reading", FILE_COLUMNS,
                        Figure.Kind.MEASURED, results -> files(results, false)),
                Figure.of("npfs-5", TITLE + "5: Performance of the hypothetical sort application",
                        text(CASE_COLUMNS, "seconds"), Figure.Kind.MEASURED, NpfsFigures::times),
                Figure.of("npfs-6", TITLE + "6: Speedup of the different parallel application tested",
                        text(CASE_COLUMNS, "speed_up"), Figure.Kind.MEASURED, NpfsFigures::speedUps));
    }

    private static Drawing files(Results results, boolean isWrite) throws IOException, InterruptedException {
        List<Throughput> all = NpfsRuns.files(results);
        List<List<String>> rows = new ArrayList<>();
        for (Throughput one : all) {
            for (FileTimes times : one.times()) {
                rows.add(List.of(client(one.isClientLimited()), one.curve().label(), text("%d", one.curve().servers()),
                        text("%d", times.job().request()), text("%.2f", times.median(isWrite) / MILLION), NOT_PRINTED));
            }
        }
        List<Svg> panels = new ArrayList<>();
        List<Beside> beside = new ArrayList<>();
        for (boolean isClientLimited : new boolean[]{true, false}) {
            List<Throughput> some = all.stream().filter(one -> one.isClientLimited() == isClientLimited).toList();
            if (!some.isEmpty()) {
                panels.add(panel(results, some, isClientLimited, isWrite));
                statements(beside, some, isClientLimited, isWrite);
            }
        }
        if (panels.isEmpty()) {
            return notMeasured(results, FILE_COLUMNS, List.of("limited", "npfs", "8"), NpfsRuns.fileSizes(results));
        }
        List<String> assumptions = assumptions(results);
        assumptions.add(text(
                "Scale %s: files of %d requests, at most %.1f MB, or of 4 requests; no seed matters. A time is that from opening a file until it is closed; its data are read from the servers again. One client, one thread.",
                results.scale(), Math.max(16, (int) (4000 * results.scale())),
                NpfsRuns.bytes(results, LARGEST) / MILLION));
        assumptions.add(
                "Local is the disk of the client, remote a GlusterFS with one brick on node1. The pictures leave out local, which is memory. The paper prints no numbers beside its curves.");
        return new Drawing(rows, panels, 0.9, beside, assumptions);
    }

    private static String client(boolean isLimited) {
        return isLimited ? "limited" : "not limited";
    }

    private static Svg panel(Results results, List<Throughput> some, boolean isClientLimited, boolean isWrite) {
        List<Throughput> drawn = some.stream().filter(one -> !one.curve().label().equals(LOCAL)).toList();
        return Panels.groups("Link of the client " + client(isClientLimited), "bytes of a request", "MB in a second",
                NpfsRuns.fileSizes(results)
                        .stream()
                        .map(size -> size < KIB ? text("%d", size) : text("%dK", size / KIB))
                        .toList(),
                drawn.stream().map(one -> one.curve().label() + " " + one.curve().servers()).toList(),
                drawn.stream()
                        .map(one -> one.times()
                                .stream()
                                .mapToDouble(times -> times.median(isWrite) / MILLION)
                                .toArray())
                        .toArray(double[][]::new));
    }

    private static void statements(List<Beside> beside, List<Throughput> some, boolean isClientLimited,
            boolean isWrite) {
        String prefix = "client " + client(isClientLimited) + ": ";
        List<Throughput> plain = some.stream().filter(one -> one.curve().label().equals("npfs")).toList();
        Throughput one = plain.getFirst();
        Throughput last = plain.getLast();
        int most = last.curve().servers();
        beside.add(new Beside("the throughput grows with the servers",
                prefix + text("%d servers %.2f times %d with requests of 64 KB, %.2f with 1 MB", most,
                        ratio(last, one, BLOCK, isWrite), one.curve().servers(), ratio(last, one, LARGEST, isWrite))));
        beside.add(new Beside("with more than 4 servers it drops for requests above 64 KB",
                prefix + text("%d servers: 1 MB %.2f times 64 KB", most,
                        at(last, LARGEST, isWrite) / at(last, BLOCK, isWrite))));
        some.stream()
                .filter(other -> other.curve().label().equals("remote"))
                .forEach(
                        remote -> beside.add(new Beside("NPFS beside NFS: curves without numbers",
                                prefix + text("%d servers %.2f times the remote file system at 64 KB, %.2f at 1 MB",
                                        most, ratio(last, remote, BLOCK, isWrite),
                                        ratio(last, remote, LARGEST, isWrite)))));
        some.stream()
                .filter(other -> other.curve().label().equals(LOCAL))
                .forEach(local -> beside.add(new Beside(
                        isWrite ? "NPFS exceeds a local disk" : "a local disk is faster, because it reads ahead",
                        prefix + text("%d servers %.3f times the local disk, in memory, at 1 MB", most,
                                ratio(last, local, LARGEST, isWrite)))));
    }

    private static double at(Throughput one, int request, boolean isWrite) {
        return one.times()
                .stream()
                .filter(times -> times.job().request() == request)
                .findFirst()
                .orElseThrow()
                .median(isWrite);
    }

    private static double ratio(Throughput one, Throughput other, int request, boolean isWrite) {
        return at(one, request, isWrite) / at(other, request, isWrite);
    }

    private static Drawing times(Results results) throws IOException, InterruptedException {
        List<CaseTimes> all = NpfsRuns.cases(results);
        if (all.isEmpty()) {
            return notMeasured(results, text(CASE_COLUMNS, "seconds"), List.of("D", "8"), KIBIBYTES);
        }
        List<Beside> beside = new ArrayList<>();
        for (CaseTimes times : all) {
            int n = all.indexOf(times) + 1;
            beside.add(new Beside(text("B%d takes less time than A%d", n, n), ratios(times, Case.B, Case.A)));
            beside.add(new Beside(n == 1
                    ? "C1 takes less than B1 for most sizes; B1 is faster below 256 KB, as its file fits in memory"
                    : "C2 takes less than B2", ratios(times, Case.C, Case.B)));
            beside.add(new Beside(text("D%d is the best", n), ratios(times, Case.D, Case.C)));
            beside.add(new Beside("the time to start the processes: not printed",
                    text("%d servers: %.2f s, not part of the times", times.servers(), times.spawn())));
        }
        if (all.size() > 1) {
            beside.add(across(all, Case.A, "A2 is worse than A1, above all for requests larger than 64 KB"));
            beside.add(across(all, Case.C, "C2 is equivalent to C1"));
            beside.add(across(all, Case.D, "D2 is the best of all"));
        }
        return cases(results, all, "Elapsed time", "seconds", beside, CaseTimes::of);
    }

    private static String ratios(CaseTimes times, Case one, Case other) {
        return text("%d servers: %s takes %.2f times %s at 64 KB, %.2f at 256 KB, %.2f at 1 MB", times.servers(), one,
                times.of(one, BLOCK) / times.of(other, BLOCK), other,
                times.of(one, 4 * BLOCK) / times.of(other, 4 * BLOCK),
                times.of(one, LARGEST) / times.of(other, LARGEST)).replace("NaN", "not measured");
    }

    private static Beside across(List<CaseTimes> all, Case one, String paper) {
        CaseTimes few = all.getFirst();
        CaseTimes many = all.getLast();
        return new Beside(paper, text("%s2 takes %.2f times %s1 at 64 KB, %.2f at 1 MB", one,
                many.of(one, BLOCK) / few.of(one, BLOCK), one, many.of(one, LARGEST) / few.of(one, LARGEST)));
    }

    private static Drawing speedUps(Results results) throws IOException, InterruptedException {
        List<CaseTimes> all = NpfsRuns.cases(results);
        if (all.isEmpty()) {
            return notMeasured(results, text(CASE_COLUMNS, "speed_up"), List.of("D", "8"), KIBIBYTES);
        }
        List<Beside> beside = new ArrayList<>();
        for (Case one : List.of(Case.B, Case.C, Case.D)) {
            beside.add(new Beside(switch (one) {
                case B -> "B1, B2: reduced by the centralized accesses";
                case C -> "C1, C2: better; more servers do not improve it significantly, as the network is shared";
                default -> "D1, D2: the spawn primitive enables scalability";
            }, String
                    .join("; ",
                            all.stream()
                                    .map(times -> text("%d servers: %.2f at 64 KB, %.2f at 1 MB", times.servers(),
                                            times.speedUp(one, BLOCK), times.speedUp(one, LARGEST)))
                                    .toList())
                    .replace("NaN", "not measured")));
        }
        return cases(results, all, "Speed-up over case A", "times", beside, CaseTimes::speedUp);
    }

    /** A value of a case by the bytes of its requests. */
    private interface Value {
        double of(CaseTimes times, Case one, int request);
    }

    private static Drawing cases(Results results, List<CaseTimes> all, String title, String unit, List<Beside> beside,
            Value value) throws IOException, InterruptedException {
        List<List<String>> rows = new ArrayList<>();
        List<String> series = new ArrayList<>();
        List<double[]> values = new ArrayList<>();
        for (CaseTimes times : all) {
            for (Case one : Case.values()) {
                double[] found = NpfsRuns.SIZES.stream().mapToDouble(size -> value.of(times, one, size)).toArray();
                series.add(one + "" + (all.indexOf(times) + 1));
                values.add(found);
                for (int i = 0; i < found.length; i++) {
                    rows.add(List.of(one.toString(), text("%d", times.servers()), KIBIBYTES.get(i).toString(),
                            Double.isNaN(found[i]) ? NussPct.NOT_MEASURED : text("%.3f", found[i]), NOT_PRINTED));
                }
            }
        }
        Svg panel = Panels.groups(title, "KiB of a request", unit, KIBIBYTES.stream().map(String::valueOf).toList(),
                series, values.toArray(double[][]::new));
        List<String> assumptions = assumptions(results);
        assumptions.add(text(
                "Scale %s: %d requests in all processes together, 1000 in the paper; each reads a block, waits %d ms in place of work, and writes it back. No seed matters.",
                results.scale(), NpfsRuns.requests(results), NpfsRuns.WORK));
        assumptions.add(
                "A: one process on a host without a server. B, C, D: a process on each host of a server, by TaskGroup, which waits until all have started. B: a file on a GlusterFS with one brick, on a host of its own. C: one region of the file for each process. D: its segment. "
                        + String.join(", ",
                                all.stream()
                                        .map(times -> text("%d: %d servers", all.indexOf(times) + 1, times.servers()))
                                        .toList())
                        + ".");
        return new Drawing(rows, List.of(panel), 1, beside, assumptions);
    }

    private static List<String> assumptions(Results results) throws IOException, InterruptedException {
        List<String> all = new ArrayList<>();
        all.add("Measured on one machine, not on a cluster: " + String.join("; ",
                results.machine().entrySet().stream().map(fact -> fact.getKey() + " " + fact.getValue()).toList())
                + ".");
        all.add(text(
                "Hosts are network namespaces whose links send and receive 100 Mbit/s each (tbf, %s), at a switch without limit; all share the processors. Disks are directories of the file system above. Stripes of 64 KiB. %s.",
                NpfsRuns.RATE, results.rounds()));
        return all;
    }

    private static Drawing notMeasured(Results results, String columns, List<String> first, List<Integer> sizes)
            throws IOException, InterruptedException {
        List<List<String>> rows = sizes.stream()
                .map(size -> Stream
                        .concat(first.stream(), Stream.of(size.toString(), NussPct.NOT_MEASURED, NOT_PRINTED))
                        .toList())
                .toList();
        return new Drawing(rows, List.of(Panels.table("Not measured", List.of(columns.split(",")), rows)), 1,
                List.of(new Beside("curves without numbers", Nodes.obstacle().orElse(NussPct.NOT_MEASURED))),
                assumptions(results));
    }
}
