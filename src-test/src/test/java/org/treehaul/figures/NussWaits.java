// SPDX-License-Identifier: Apache-2.0
package org.treehaul.figures;

import static org.treehaul.figures.LafonFigures.text;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.DoubleSummaryStatistics;
import java.util.List;
import java.util.Map;

import org.treehaul.bench.ThesisCopies;
import org.treehaul.bench.ThesisSet;
import org.treehaul.figures.Drawing.Beside;

/** Tables 3.4 and 3.5 of Nuss: the waits and the work of the consumers of pct. */
final class NussWaits {

    private static final String COLUMNS = "consumer,paper_fission_min,paper_fission_max,paper_fission_mean,"
            + "paper_icestorm_min,paper_icestorm_max,paper_icestorm_mean,here_min,here_max,here_mean";

    private static final String MANY = """
            wait for work s|54.8|66.1|58.1|91.6|96.4|92.6
            the same without traversal s|0.8|12.1|4.2|0.3|5.2|1.3
            wait at barrier s|0.0|5.7|2.4|0.1|10.1|4.6
            files copied|1351|2027|1700|1098|1527|1277
            MB copied|1151|2188|1526|608|1264|1143""";
    private static final String FEW = """
            wait for work s|3.8|117.2|77.3|26.8|102.3|78.5
            the same without traversal s|2.1|115.5|75.6|17.4|92.9|69.1
            wait at barrier s|0.0|72.6|47.0|0.0|14.1|11.5
            files copied|3|70|36|4|70|34
            MB copied|30035|35419|32827|31493|36054|32770""";

    private NussWaits() {}

    static List<Figure> all() {
        return List.of(Figure.of("nuss-table-3.4",
                "Nuss, Table 3.4: Example Timings for pct Copying “Many Small Files” Set", COLUMNS,
                Figure.Kind.MEASURED,
                results -> draw(ThesisSet.MANY, MANY,
                        "wait for work: 7 % of 814 s (Fission, 120 processes), 14 % of 653 s (Icestorm, 160); below 1 % after the traversal",
                        results)),
                Figure.of("nuss-table-3.5", "Nuss, Table 3.5: Example Timings for pct Copying “Few Large Files” Set",
                        COLUMNS, Figure.Kind.MEASURED,
                        results -> draw(ThesisSet.FEW, FEW,
                                "wait for work: 3.5 % of 2175 s (Fission, 32 processes), 3.3 % of 2354 s (Icestorm, 32)",
                                results)));
    }

    private static Drawing draw(ThesisSet set, String paper, String statement, Results results)
            throws IOException, InterruptedException {
        int ranks = Math.max(2, results.processes());
        List<Map<String, String>> consumers = results.profile(set, ranks)
                .stream()
                .filter(rank -> !"0".equals(rank.get("rank")))
                .toList();
        DoubleSummaryStatistics waits = consumers.stream()
                .mapToDouble(rank -> ThesisCopies.seconds(rank.getOrDefault("waiting_ns", "0")))
                .summaryStatistics();
        DoubleSummaryStatistics entries = consumers.stream()
                .mapToDouble(rank -> Double.parseDouble(rank.getOrDefault("entries", "0")))
                .summaryStatistics();
        double lasted = consumers.stream()
                .mapToDouble(rank -> ThesisCopies.seconds(rank.getOrDefault("lasted_ns", "0")))
                .max()
                .orElse(Double.NaN);
        List<List<String>> rows = new ArrayList<>();
        for (String line : paper.split("\n", -1)) {
            List<String> row = new ArrayList<>(List.of(line.split("\\|", -1)));
            row.addAll(switch (row.getFirst()) {
                case "wait for work s" -> cells("%.3f", waits);
                default -> List.of(NussPct.NOT_MEASURED, NussPct.NOT_MEASURED, NussPct.NOT_MEASURED);
            });
            rows.add(row);
        }
        List<String> work = new ArrayList<>(List.of("entries and pieces of 4 KiB"));
        work.addAll(Collections.nCopies(6, LafonFigures.NOT_PRINTED));
        work.addAll(cells("%.0f", entries));
        rows.add(work);
        return new Drawing(rows, List.of(Panels.table("Consumers", List.of(COLUMNS.split(",", -1)), rows)), 1,
                List.of(new Beside(statement,
                        text("%.1f %% of %.3f s, %d ranks", 100 * waits.getAverage() / lasted, lasted, ranks))),
                results.assumptions(set, text(
                        "One copy: treehaul cp -a --distribution pct --ranks %d --threads 1 --profile DIR, all in one process; rank 0 is the producer.",
                        ranks),
                        "A rank's wait includes the start, while rank 0 lists the first directories, and the end. Here ranks list directories too, so there is no traversal before the copy.",
                        "A rank counts entries, and 4 KiB of data as one entry; it does not count files, bytes and the wait for the last rank apart."));
    }

    private static List<String> cells(String format, DoubleSummaryStatistics of) {
        return List.of(text(format, of.getMin()), text(format, of.getMax()), text(format, of.getAverage()));
    }
}
