// SPDX-License-Identifier: Apache-2.0
package org.treehaul.figures;

import static org.treehaul.figures.LafonFigures.text;

import java.util.ArrayList;
import java.util.List;

import org.treehaul.bench.ThesisSet;
import org.treehaul.figures.Drawing.Beside;

/** Tables 3.1 to 3.3 of Nuss: the sizes of the files of each set. */
final class NussSets {

    private static final String COLUMNS = "sizes,paper_files,here_files,here_bytes,here_files_copied";
    private static final long KIB = 1024;

    private NussSets() {}

    static List<Figure> all() {
        return List.of(of("3.1", "Many Small Files", ThesisSet.MANY), of("3.2", "Few Large Files", ThesisSet.FEW),
                of("3.3", "Partial Large Files", ThesisSet.PARTIAL));
    }

    private static Figure of(String number, String title, ThesisSet set) {
        return Figure.of("nuss-table-" + number,
                "Nuss, Table " + number + ": Distribution of File Sizes in the “" + title + "” Set", COLUMNS,
                Figure.Kind.COMPUTED, results -> draw(set, results));
    }

    private static Drawing draw(ThesisSet set, Results results) {
        ThesisSet.Generated generated = set.generated(results.settings().seed());
        int[] copied = set.counts(results.settings().number(set));
        List<List<String>> rows = new ArrayList<>();
        long files = 0;
        long printed = 0;
        long bytes = 0;
        for (int i = 0; i < set.bins().size(); i++) {
            ThesisSet.Bin bin = set.bins().get(i);
            boolean isAfterGap = i > 0 && set.bins().get(i - 1).high() == 540 * KIB;
            if (isAfterGap) {
                // The only empty range that the thesis prints.
                rows.add(List.of(
                        range(set.bins().get(i - 1).high(), set == ThesisSet.PARTIAL ? 29 * KIB * KIB : bin.low()), "0",
                        "0", "0", "0"));
            }
            rows.add(List.of(range(bin.low(), bin.high()), text("%d", bin.count()),
                    text("%d", generated.files().get(i)), text("%d", generated.bytes().get(i)), text("%d", copied[i])));
            printed += bin.count();
            files += generated.files().get(i);
            bytes += generated.bytes().get(i);
        }
        return new Drawing(rows, List.of(Panels.table(set.title(), List.of(COLUMNS.split(",", -1)), rows)), 1,
                List.of(new Beside(
                        text("%,d files in %,d directories, %.1f GB", printed, set.directories(), set.total() / 1e9),
                        text("%,d files in %,d directories, %.1f GB", files, generated.directories(), bytes / 1e9))),
                List.of(text(
                        "Generated, not measured: seed %d; each size is chosen within its range so that all have his total, and a file is in each directory with the same probability.",
                        results.settings().seed()),
                        text("The last column is what measurements at scale %s copy: %s.", results.scale(),
                                results.settings().copied(set)),
                        "KB, MB and GB of the ranges are powers of 1024; of totals, of 1000. His files held zeros, ours hold random data."));
    }

    private static String range(long low, long high) {
        return size(low) + " - " + size(high);
    }

    /** Returns a size as the thesis prints it. */
    private static String size(long bytes) {
        double value = bytes / (double) KIB;
        int power = 0;
        while (value >= KIB) {
            value /= KIB;
            power++;
        }
        return bytes == 0 ? "0" : text("%s", value).replaceFirst("\\.0$", "") + List.of("KB", "MB", "GB").get(power);
    }
}
