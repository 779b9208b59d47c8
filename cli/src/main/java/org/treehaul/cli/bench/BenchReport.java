// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.bench;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import org.treehaul.cli.common.Session;
import org.treehaul.cli.report.JsonLines;
import org.treehaul.cli.report.Text;
import org.treehaul.core.async.bench.IoParameters;
import org.treehaul.core.async.bench.IoWay;

/** Prints the runs of {@code treehaul bench io}: a line for each, as JSON or CSV, or a table of the ways. */
final class BenchReport {

    private static final double MEBIBYTE = 1 << 20;

    private final Session session;
    private final IoParameters parameters;
    private final boolean isCsv;
    private final Map<IoWay, List<Double>> throughputs = new EnumMap<>(IoWay.class);

    private BenchReport(Session session, IoParameters parameters, boolean isCsv) {
        this.session = session;
        this.parameters = parameters;
        this.isCsv = isCsv;
    }

    /** Prints the head. */
    static BenchReport begin(Session session, IoParameters parameters, boolean isCsv) {
        if (session.json().isEmpty()) {
            session.output()
                    .line(isCsv
                            ? "way,operation,clients,threads,files,blocks,block_bytes,depth,direct,run,bytes,seconds,"
                                    + "bytes_per_second"
                            : operation(parameters) + " " + Text.bytes(parameters.bytes()) + ": clients "
                                    + parameters.clients() + ", threads " + parameters.threads() + ", files "
                                    + parameters.files() + ", blocks " + parameters.blocks() + " of "
                                    + Text.bytes(parameters.blockBytes()));
            session.output().flush();
        }
        return new BenchReport(session, parameters, isCsv);
    }

    private static String operation(IoParameters parameters) {
        return parameters.writes() ? "write" : "read";
    }

    /** Adds a run. */
    void add(IoWay way, int run, long nanos) {
        double throughput = parameters.bytes() * 1e9 / Math.max(1, nanos);
        throughputs.computeIfAbsent(way, key -> new ArrayList<>()).add(throughput);
        if (session.json().isPresent()) {
            print(session.json().get(), way, run, nanos, throughput);
        } else if (isCsv) {
            session.output()
                    .line(String.format(Locale.ROOT, "%s,%s,%d,%d,%d,%d,%d,%d,%b,%d,%d,%.6f,%.0f", way.label(),
                            operation(parameters), parameters.clients(), parameters.threads(), parameters.files(),
                            parameters.blocks(), parameters.blockBytes(), parameters.depth(), parameters.isDirect(),
                            run, parameters.bytes(), nanos / 1e9, throughput));
            session.output().flush();
        }
    }

    private void print(JsonLines json, IoWay way, int run, long nanos, double throughput) {
        synchronized (json) {
            json.begin("measurement")
                    .text("way", way.label())
                    .text("operation", operation(parameters))
                    .number("clients", parameters.clients())
                    .number("threads", parameters.threads())
                    .number("files", parameters.files())
                    .number("blocks", parameters.blocks())
                    .number("block_bytes", parameters.blockBytes())
                    .number("depth", parameters.depth())
                    .flag("direct", parameters.isDirect())
                    .number("run", run)
                    .number("bytes", parameters.bytes())
                    .number("microseconds", nanos / 1000)
                    .number("bytes_per_second", Math.round(throughput))
                    .end();
            json.flush();
        }
    }

    /** Prints the table. */
    void end() {
        if (isCsv || session.json().isPresent()) {
            return;
        }
        session.output().line("way            MiB/s (median)     lowest    highest");
        throughputs.forEach((way, values) -> {
            double[] sorted = values.stream().mapToDouble(value -> value / MEBIBYTE).sorted().toArray();
            int middle = sorted.length / 2;
            double median = sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
            session.output()
                    .line(String.format(Locale.ROOT, "%-13s  %14.1f %10.1f %10.1f", way.label(), median,
                            Arrays.stream(sorted).min().orElse(0), Arrays.stream(sorted).max().orElse(0)));
        });
        session.output().flush();
    }
}
