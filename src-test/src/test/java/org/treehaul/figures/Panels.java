// SPDX-License-Identifier: Apache-2.0
package org.treehaul.figures;

import static org.treehaul.figures.LafonFigures.text;

import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

import org.treehaul.core.picture.Svg;
import org.treehaul.strategies.ranks.profile.Plot;

/** Panels of figures: tables, and columns in groups. */
final class Panels {

    private static final List<String> COLOURS = List.of("#2166ac", "#67a9cf", "#ef8a62", "#b2182b", "#1b7837",
            "#762a83", "#bf812d", "#555555");
    private static final double LETTER = 6.3;
    private static final int GAP = 18;
    private static final int MARGIN = 16;
    private static final int TOP = 54;
    private static final int LINE = 17;
    private static final int LEGEND = 84;
    /** Fewer columns would be too wide. */
    private static final int FEWEST_COLUMNS = 14;

    private Panels() {}

    /** Draws a table, whose heads have spaces in place of underscores. */
    static Svg table(String title, List<String> columns, List<List<String>> rows) {
        double[] left = new double[columns.size() + 1];
        left[0] = MARGIN;
        for (int i = 0; i < columns.size(); i++) {
            int column = i;
            int longest = IntStream
                    .concat(IntStream.of(columns.get(i).length()),
                            rows.stream().mapToInt(row -> row.get(column).length()))
                    .max()
                    .orElse(0);
            left[i + 1] = left[i] + longest * LETTER + GAP;
        }
        int width = (int) Math.max(left[columns.size()] + MARGIN, title.length() * 9 + 2 * MARGIN);
        Svg svg = new Svg(width, TOP + rows.size() * LINE + MARGIN, title);
        for (int i = 0; i < columns.size(); i++) {
            svg.text(left[i], TOP - 4, Svg.Anchor.start, columns.get(i).replace('_', ' '));
        }
        svg.line(MARGIN, TOP, width - MARGIN, TOP, Svg.INK, 1);
        for (int line = 0; line < rows.size(); line++) {
            double y = TOP + line * LINE;
            if (line % 2 == 1) {
                svg.rectangle(MARGIN, y, width - 2.0 * MARGIN, LINE, "#f3f6fa", "");
            }
            for (int i = 0; i < columns.size(); i++) {
                svg.text(left[i], y + LINE - 5, Svg.Anchor.start, rows.get(line).get(i));
            }
        }
        return svg;
    }

    /**
     * Draws a group of columns for each label, with one column for each series.
     *
     * @param values for each series the value at each label; NaN where there is none
     */
    static Svg groups(String title, String across, String up, List<String> labels, List<String> series,
            double[][] values) {
        double most = Arrays.stream(values)
                .flatMapToDouble(Arrays::stream)
                .filter(value -> !Double.isNaN(value))
                .max()
                .orElse(1);
        int each = series.size() + 1;
        Plot plot = new Plot(title, across, up, Math.max(FEWEST_COLUMNS, labels.size() * each), most);
        for (int one = 0; one < series.size(); one++) {
            plot.legend(one * LEGEND, COLOURS.get(one % COLOURS.size()), series.get(one));
            for (int at = 0; at < labels.size(); at++) {
                double value = values[one][at];
                if (!Double.isNaN(value)) {
                    plot.bar(at * each + one, 0, value, COLOURS.get(one % COLOURS.size()),
                            text("%s, %s %s: %.3f", series.get(one), across, labels.get(at), value));
                }
            }
        }
        for (int at = 0; at < labels.size(); at++) {
            plot.middle(at * each, at * each + series.size() - 1, labels.get(at));
        }
        return plot.svg();
    }
}
