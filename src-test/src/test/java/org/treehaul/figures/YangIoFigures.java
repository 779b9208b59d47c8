// SPDX-License-Identifier: Apache-2.0
package org.treehaul.figures;

import static org.treehaul.figures.LafonFigures.NOT_PRINTED;
import static org.treehaul.figures.LafonFigures.text;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Stream;

import org.treehaul.core.picture.Svg;
import org.treehaul.figures.Drawing.Beside;
import org.treehaul.figures.IoRuns.Case;
import org.treehaul.figures.IoRuns.Interface;
import org.treehaul.figures.IoRuns.Run;

/** Figures 3.14 to 3.54 of Yang, A Persistent Storage Model for Extreme Computing: the throughput of files. */
final class YangIoFigures {

    private static final String COLUMNS = "servers,clients,threads,interface,here_mib_per_second,here_ratio,paper_ratio";
    private static final String TITLE = "Yang, A Persistent Storage Model for Extreme Computing, Figure 3.";
    private static final String UNIT = "MiB in a second";

    /** Numbers of servers; the paper has 2, 4, 8 and 16, or 4, 8 and 16. */
    private static final List<Integer> SERVERS = List.of(1, 2, 4);
    private static final int MOST_SERVERS = 4;
    private static final int MOST_THREADS = 4;

    private static final int KIB = 1 << 10;
    private static final int MIB = 1 << 20;

    // In the order of the figures, each for writing and for reading.
    private static final List<Case> SYNCHRONOUS = List.of(new Case("5f-100x64KB", 5, 100, 64 * KIB),
            new Case("5f-100x1MB", 5, 100, MIB), new Case("5f-1x100MB", 5, 1, 100 * MIB),
            new Case("100f-1x64KB", 100, 1, 64 * KIB));
    private static final List<Case> CLASSES = List.of(new Case("50f-100x64KB", 50, 100, 64 * KIB),
            new Case("50f-10x64KB", 50, 10, 64 * KIB), new Case("5f-1x100MB", 5, 1, 100 * MIB),
            new Case("5f-100x1MB", 5, 100, MIB));

    // In the text, for 24 clients of one thread and 16 servers: writing and reading.
    private static final Map<String, List<String>> SPEED_UPS = Map.of("5f-100x64KB", List.of("10", "20"), "5f-100x1MB",
            List.of("4", "3"), "5f-1x100MB", List.of("1.5", "2"), "100f-1x64KB", List.of("2", "2"));

    private static final List<Interface> THREE = List.of(Interface.LOCAL_FILE, Interface.ORANGEFS_FILE,
            Interface.PXFS_FILE);
    private static final List<Interface> REMOTE_AND_PXFS = List.of(Interface.LOCAL_FILE, Interface.PXFS_FILE);
    private static final List<Interface> SYNC_AND_PXFS = List.of(Interface.DIRECT, Interface.PXFS_FILE);

    private static final int FIRST_SYNCHRONOUS = 14;
    private static final int REMOTE = 22;
    private static final int FIRST_OF_CLASSES = 23;
    private static final int FIRST_OF_THREADS = 31;

    private YangIoFigures() {}

    /** A bar of a picture, and a row of its table. */
    private record Bar(int servers, int clients, int threads, Interface by, double throughput, double ratio,
            String paper) {
        List<String> row() {
            return List.of(text("%d", servers), text("%d", clients), text("%d", threads), by.label(),
                    text("%.1f", throughput), text("%.2f", ratio), paper);
        }
    }

    static List<Figure> all() {
        List<Figure> all = new ArrayList<>();
        for (int i = 0; i < 2 * SYNCHRONOUS.size(); i++) {
            Case files = SYNCHRONOUS.get(i / 2);
            boolean writes = i % 2 == 0;
            all.add(figure(FIRST_SYNCHRONOUS + i,
                    text("I/O performance of file test case %s between PXFS and direct interface on HPX and OrangeFS",
                            name(files, writes)),
                    results -> synchronous(results, files, writes)));
        }
        all.add(figure(REMOTE,
                "I/O performance of all four file test cases between HPX+PXFS module on OrangeFS and HPX on NFS",
                YangIoFigures::remote));
        for (int i = 0; i < 2 * CLASSES.size(); i++) {
            Case files = CLASSES.get(i / 2);
            boolean writes = i % 2 == 0;
            all.add(figure(FIRST_OF_CLASSES + i, text(
                    "I/O performance of file test case %s-1p of HPX local-file, orangefs-file and pxfs-file asynchronous interfaces",
                    name(files, writes)), results -> classes(results, files, writes)));
        }
        for (int i = 0; i < 2 * CLASSES.size() * THREE.size(); i++) {
            Interface by = THREE.get(i / (2 * CLASSES.size()));
            Case files = CLASSES.get(i / 2 % CLASSES.size());
            boolean writes = i % 2 == 0;
            all.add(figure(FIRST_OF_THREADS + i, text(
                    "HPX %s asynchronous I/O performance of test case %s with different number of threads on client nodes",
                    by.label().replace('_', '-'), name(files, writes)),
                    results -> threads(results, files, writes, by)));
        }
        return all;
    }

    /** Returns the measurements of all figures. */
    static List<Run> runs() {
        List<Run> all = new ArrayList<>();
        for (boolean writes : new boolean[]{true, false}) {
            for (Case files : SYNCHRONOUS) {
                for (int servers : SERVERS) {
                    for (int clients : List.of(servers, more(servers))) {
                        all.add(new Run(files, writes, servers, clients, 1, SYNC_AND_PXFS));
                        all.add(new Run(files, writes, servers, clients, MOST_THREADS, List.of(Interface.PXFS_FILE)));
                    }
                }
                all.add(new Run(files, writes, MOST_SERVERS, more(MOST_SERVERS), 1, REMOTE_AND_PXFS));
            }
            for (Case files : CLASSES) {
                for (int servers : SERVERS) {
                    for (int threads = 1; threads <= MOST_THREADS; threads++) {
                        all.add(new Run(files, writes, servers, 2 * servers, threads, THREE));
                    }
                }
            }
        }
        return all;
    }

    private static Figure figure(int number, String caption, Figure.Maker maker) {
        return Figure.of("yang-3." + number, TITLE + number + ": " + caption, COLUMNS, Figure.Kind.MEASURED, maker);
    }

    private static String name(Case files, boolean writes) {
        return (writes ? "w-" : "r-") + files.label();
    }

    private static int more(int servers) {
        return Math.max(servers + 1, servers * 3 / 2);
    }

    // One thread of each client, then several; as many clients as servers, then 1.5 times as many.
    private static Drawing synchronous(Results results, Case files, boolean writes)
            throws IOException, InterruptedException {
        List<Bar> bars = new ArrayList<>();
        String paper = SPEED_UPS.getOrDefault(files.label(), List.of()).get(writes ? 0 : 1);
        for (int servers : SERVERS) {
            for (int clients : List.of(servers, more(servers))) {
                Map<Interface, Double> one = IoRuns.of(results,
                        new Run(files, writes, servers, clients, 1, SYNC_AND_PXFS));
                Map<Interface, Double> several = IoRuns.of(results,
                        new Run(files, writes, servers, clients, MOST_THREADS, List.of(Interface.PXFS_FILE)));
                double direct = value(one, Interface.DIRECT);
                boolean isLast = clients > MOST_SERVERS;
                bars.add(new Bar(servers, clients, 1, Interface.DIRECT, direct, 1, isLast ? "1" : NOT_PRINTED));
                bars.add(bar(servers, clients, 1, one, direct, isLast ? paper : NOT_PRINTED));
                bars.add(bar(servers, clients, MOST_THREADS, several, direct, NOT_PRINTED));
            }
        }
        Bar last = bars.get(bars.size() - 2);
        List<Beside> beside = List.of(
                new Beside(
                        text("24 clients of one thread, 16 servers: PXFS is %s times as fast as the direct interface",
                                paper),
                        text("%d clients, %d servers: %.2f times", last.clients(), last.servers(), last.ratio())),
                new Beside("the throughput grows with the servers, at the same ratio",
                        "clients as servers, one thread: " + growth(bars, 1)));
        return drawing(results, files, bars, beside);
    }

    private static Bar bar(int servers, int clients, int threads, Map<Interface, Double> found, double base,
            String paper) {
        double value = value(found, Interface.PXFS_FILE);
        return new Bar(servers, clients, threads, Interface.PXFS_FILE, value, value / base, paper);
    }

    private static double value(Map<Interface, Double> found, Interface by) {
        return found.getOrDefault(by, Double.NaN);
    }

    private static String growth(List<Bar> bars, int threads) {
        List<Bar> some = bars.stream()
                .filter(bar -> bar.by() == Interface.PXFS_FILE && bar.threads() == threads
                        && bar.clients() == bar.servers())
                .toList();
        return some.stream()
                .skip(1)
                .map(bar -> text("%d servers %.2f times one", bar.servers(),
                        bar.throughput() / some.getFirst().throughput()))
                .reduce((a, b) -> a + "; " + b)
                .orElse("");
    }

    private static Drawing remote(Results results) throws IOException, InterruptedException {
        List<Bar> bars = new ArrayList<>();
        List<String> labels = new ArrayList<>();
        List<double[]> values = new ArrayList<>();
        List<Beside> beside = new ArrayList<>();
        for (Case files : SYNCHRONOUS) {
            for (boolean writes : new boolean[]{true, false}) {
                Map<Interface, Double> found = IoRuns.of(results,
                        new Run(files, writes, MOST_SERVERS, more(MOST_SERVERS), 1, REMOTE_AND_PXFS));
                double remote = value(found, Interface.LOCAL_FILE);
                bars.add(new Bar(1, more(MOST_SERVERS), 1, Interface.LOCAL_FILE, remote, 1, "1"));
                bars.add(bar(MOST_SERVERS, more(MOST_SERVERS), 1, found, remote, "5 to 10"));
                labels.add(name(files, writes));
                values.add(new double[]{remote, value(found, Interface.PXFS_FILE)});
                beside.add(new Beside("24 clients: PXFS is 5 to 10 times as fast as NFS",
                        text("%s, %d servers in place of one: %.2f times", name(files, writes), MOST_SERVERS,
                                bars.getLast().ratio())));
            }
        }
        double[][] series = new double[2][values.size()];
        for (int i = 0; i < values.size(); i++) {
            series[0][i] = values.get(i)[0];
            series[1][i] = values.get(i)[1];
        }
        Svg panel = Panels.groups("Throughput", "test case", UNIT, labels,
                List.of("one server, in place of NFS", "pxfs_file"), series);
        return new Drawing(bars.stream().map(Bar::row).toList(), List.of(panel), 1, beside,
                assumptions(results, SYNCHRONOUS));
    }

    private static Drawing classes(Results results, Case files, boolean writes)
            throws IOException, InterruptedException {
        List<Bar> bars = new ArrayList<>();
        for (int servers : SERVERS) {
            Map<Interface, Double> found = IoRuns.of(results, new Run(files, writes, servers, 2 * servers, 1, THREE));
            for (Interface by : THREE) {
                bars.add(new Bar(servers, 2 * servers, 1, by, value(found, by),
                        value(found, by) / value(found, Interface.LOCAL_FILE), NOT_PRINTED));
            }
        }
        Bar orange = bars.get(bars.size() - 2);
        Bar pxfs = bars.getLast();
        List<Beside> beside = List.of(
                new Beside("pxfs_file is faster than orangefs_file in all cases: asynchrony is better near the data",
                        text("%d servers: %.2f times", pxfs.servers(), pxfs.throughput() / orange.throughput())),
                new Beside("orangefs_file and pxfs_file grow a little with the servers; local_file, on NFS, does not",
                        text("%d servers and clients of one: local_file %.2f, orangefs_file %.2f, pxfs_file %.2f times",
                                pxfs.servers(), grown(bars, Interface.LOCAL_FILE), grown(bars, Interface.ORANGEFS_FILE),
                                grown(bars, Interface.PXFS_FILE))));
        return drawing(results, files, bars, beside);
    }

    private static double grown(List<Bar> bars, Interface by) {
        List<Bar> some = bars.stream().filter(bar -> bar.by() == by).toList();
        return some.getLast().throughput() / some.getFirst().throughput();
    }

    private static Drawing threads(Results results, Case files, boolean writes, Interface by)
            throws IOException, InterruptedException {
        List<Bar> bars = new ArrayList<>();
        for (int servers : SERVERS) {
            double one = Double.NaN;
            for (int threads = 1; threads <= MOST_THREADS; threads++) {
                Map<Interface, Double> found = IoRuns.of(results,
                        new Run(files, writes, servers, 2 * servers, threads, THREE));
                one = threads == 1 ? value(found, by) : one;
                bars.add(new Bar(servers, 2 * servers, threads, by, value(found, by), value(found, by) / one,
                        NOT_PRINTED));
            }
        }
        Bar last = bars.getLast();
        List<Beside> beside = List.of(new Beside(
                by == Interface.LOCAL_FILE
                        ? "blocks of 64 KB: little variation; 1 MB and 100 MB: more threads make it much slower"
                        : "little variation with the threads; reading becomes a little faster with more",
                text("%d clients, %d servers: 4 threads are %.2f times as fast as one", last.clients(), last.servers(),
                        last.ratio())));
        return drawing(results, files, bars, beside);
    }

    private static Drawing drawing(Results results, Case files, List<Bar> bars, List<Beside> beside)
            throws IOException, InterruptedException {
        List<String> labels = Stream.of(bars)
                .flatMap(List::stream)
                .map(bar -> bar.servers() + "/" + bar.clients())
                .distinct()
                .toList();
        List<String> series = bars.stream().map(YangIoFigures::series).distinct().toList();
        double[][] values = new double[series.size()][labels.size()];
        for (Bar bar : bars) {
            values[series.indexOf(series(bar))][labels.indexOf(bar.servers() + "/" + bar.clients())] = bar.throughput();
        }
        Svg panel = Panels.groups("Throughput", "servers/clients", UNIT, labels, series, values);
        return new Drawing(bars.stream().map(Bar::row).toList(), List.of(panel), 1, beside,
                assumptions(results, List.of(files)));
    }

    private static String series(Bar bar) {
        return bar.by().label() + (bar.threads() == 1 ? ", 1 thread" : text(", %d threads", bar.threads()));
    }

    private static List<String> assumptions(Results results, List<Case> cases)
            throws IOException, InterruptedException {
        List<String> all = new ArrayList<>();
        all.add("Measured on one machine, not on a cluster: " + String.join("; ",
                results.machine().entrySet().stream().map(fact -> fact.getKey() + " " + fact.getValue()).toList())
                + ".");
        all.add(text(
                "Added, because the machine has none: each read and write takes %d ms at its server, and each server moves %d MB in a second. Clients and servers are threads of one process, over loopback.",
                IoStage.DELAY_MILLIS, IoStage.RATE / 1_000_000));
        for (Case one : cases) {
            Case scaled = one.scaled(results.scale());
            all.add(text(
                    "Scale %s of %s: %d files of %d blocks of %d KiB for each thread of a client; no seed matters.",
                    results.scale(), one.label(), scaled.files(), scaled.blocks(), scaled.blockBytes() / KIB));
        }
        all.add("Servers: " + String.join(", ", new TreeSet<>(SERVERS).stream().map(String::valueOf).toList())
                + "; stripes of 64 KiB over all of them. local_file is asynchronous files over one of the servers, in place of NFS. At most 16 blocks of a thread, or 32 MiB, are in progress. "
                + results.rounds() + ".");
        return all;
    }
}
