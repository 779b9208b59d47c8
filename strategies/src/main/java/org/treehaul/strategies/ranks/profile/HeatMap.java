// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies.ranks.profile;

import java.util.Locale;

import org.treehaul.core.picture.Svg;

/** Draws the traffic from each rank to each other: a square of colours on a logarithmic scale, as in the paper. */
final class HeatMap {

    // More cells are indistinguishable in a picture of this size; in larger groups each cell combines several ranks.
    private static final int MOST_CELLS = 128;
    private static final int SIDE = 512;
    private static final int LEFT = 70;
    private static final int TOP = 70;
    private static final int SCALE = LEFT + SIDE + 24;
    private static final int SCALE_PARTS = 64;
    private static final int MOST_NUMBERS = 12;
    private static final String NOTHING = "#f4f4f4";

    // From little to much, in even steps of lightness, so that it remains readable in grey and for the colour-blind.
    private static final int[][] COLOURS = {{222, 235, 247}, {107, 174, 214}, {33, 102, 172}, {8, 29, 88}};

    private HeatMap() {}

    /**
     * Draws a heat map.
     *
     * @param sent the values by sender, then receiver
     */
    static Svg draw(String title, String what, long[][] sent) {
        int each = (sent.length + MOST_CELLS - 1) / MOST_CELLS;
        int cells = (sent.length + each - 1) / each;
        long[][] sums = new long[cells][cells];
        for (int from = 0; from < sent.length; from++) {
            for (int to = 0; to < sent.length; to++) {
                sums[from / each][to / each] += sent[from][to];
            }
        }
        long least = Long.MAX_VALUE;
        long most = 0;
        for (long[] row : sums) {
            for (long sum : row) {
                least = sum > 0 ? Math.min(least, sum) : least;
                most = Math.max(most, sum);
            }
        }
        Svg svg = new Svg(SCALE + 100, TOP + SIDE + 60, title);
        svg.text(16, 46, Svg.Anchor.start,
                what + " from each rank to each other" + (each == 1 ? "" : ", " + each + " ranks in a row and column"));
        double side = (double) SIDE / cells;
        for (int from = 0; from < cells; from++) {
            for (int to = 0; to < cells; to++) {
                cell(svg, from, to, each, side, sums[from][to], level(sums[from][to], least, most));
            }
        }
        labels(svg, cells, each, side);
        scale(svg, least, most);
        return svg;
    }

    private static void cell(Svg svg, int from, int to, int each, double side, long sum, double level) {
        double x = LEFT + to * side;
        double y = TOP + from * side;
        String tip = String.format(Locale.ROOT, "%d to %d: %,d", from * each, to * each, sum);
        svg.rectangle(x, y, side - side / 40, side - side / 40, sum == 0 ? NOTHING : colour(level),
                sum == 0 ? "" : tip);
        if (sum > 0 && SIDE / side <= MOST_NUMBERS) {
            svg.text(x + side / 2, y + side / 2 + 4, Svg.Anchor.middle, level > 0.4 ? "#ffffff" : Svg.INK,
                    Svg.brief((double) sum));
        }
    }

    private static void labels(Svg svg, int cells, int each, double side) {
        int every = (int) Plot.step(cells / 16.0);
        for (int cell = 0; cell < cells; cell += Math.max(1, every)) {
            String rank = String.valueOf(cell * each);
            svg.text(LEFT + (cell + 0.5) * side, TOP + SIDE + 16, Svg.Anchor.middle, rank);
            svg.text(LEFT - 6, TOP + (cell + 0.5) * side + 4, Svg.Anchor.end, rank);
        }
        svg.text(LEFT + SIDE / 2.0, TOP + SIDE + 38, Svg.Anchor.middle, "receiver (rank)");
        svg.upwards(20, TOP + SIDE / 2.0, "sender (rank)");
    }

    private static void scale(Svg svg, long least, long most) {
        if (most == 0) {
            svg.text(SCALE, TOP + 12, Svg.Anchor.start, "none");
            return;
        }
        double part = (double) SIDE / SCALE_PARTS;
        for (int i = 0; i < SCALE_PARTS; i++) {
            // The parts overlap a little, because seams would be visible.
            svg.rectangle(SCALE, TOP + SIDE - (i + 1) * part, 16, part + 0.5,
                    colour(most == least ? 1 : (i + 0.5) / SCALE_PARTS), "");
        }
        svg.text(SCALE + 22, TOP + 10, Svg.Anchor.start, Svg.brief((double) most));
        if (most > least) {
            svg.text(SCALE + 22, TOP + SIDE / 2.0 + 4, Svg.Anchor.start, Svg.brief(Math.sqrt((double) most * least)));
            svg.text(SCALE + 22, TOP + SIDE, Svg.Anchor.start, Svg.brief((double) least));
        }
    }

    private static double level(long sum, long least, long most) {
        return sum == 0 || most == least ? 1 : Math.log((double) sum / least) / Math.log((double) most / least);
    }

    private static String colour(double level) {
        double at = Math.clamp(level, 0, 1) * (COLOURS.length - 1);
        int below = Math.min((int) at, COLOURS.length - 2);
        double part = at - below;
        int[] rgb = new int[3];
        for (int i = 0; i < 3; i++) {
            rgb[i] = (int) Math.round(COLOURS[below][i] * (1 - part) + COLOURS[below + 1][i] * part);
        }
        return String.format(Locale.ROOT, "#%02x%02x%02x", rgb[0], rgb[1], rgb[2]);
    }
}
