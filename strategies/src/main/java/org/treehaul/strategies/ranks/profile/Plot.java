// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies.ranks.profile;

/** A picture with two axes that columns are drawn into. */
final class Plot {

    private static final int WIDTH = 760;
    private static final int LEFT = 70;
    private static final int TOP = 76;
    private static final int RIGHT = WIDTH - 24;
    private static final int BOTTOM = 330;
    private static final int HEIGHT = 380;
    private static final int MOST_LABELS = 20;
    private static final int STEPS = 5;

    private final Svg svg;
    private final int columns;
    private final double top;

    /**
     * Makes an empty one.
     *
     * @param most what must find room above zero
     */
    Plot(String title, String across, String up, int columns, double most) {
        this.svg = new Svg(WIDTH, HEIGHT, title);
        this.columns = columns;
        double step = step(most / STEPS);
        this.top = Math.max(step, step * Math.ceil(most / step - 1e-9));
        for (double value = 0; value < top + step / 2; value += step) {
            svg.line(LEFT, y(value), RIGHT, y(value), Svg.FAINT);
            svg.text(LEFT - 6, y(value) + 4, Svg.Anchor.end, Svg.brief(value));
        }
        svg.line(LEFT, BOTTOM, RIGHT, BOTTOM, Svg.INK);
        svg.upwards(20, (TOP + BOTTOM) / 2.0, up);
        svg.text((LEFT + RIGHT) / 2.0, BOTTOM + 38, Svg.Anchor.middle, across);
    }

    Svg svg() {
        return svg;
    }

    /** Returns a step that people count in: 1, 2 or 5 times a power of ten, not below. */
    static double step(double least) {
        if (least <= 0) {
            return 1;
        }
        double power = Math.pow(10, Math.floor(Math.log10(least)));
        for (double digit : new double[]{1, 2, 5}) {
            if (digit * power >= least * (1 - 1e-9)) {
                return digit * power;
            }
        }
        return 10 * power;
    }

    /** Draws a part of a column. */
    void bar(int column, double from, double to, String colour, String tip) {
        double width = columnWidth();
        double gap = Math.min(4, width / 5);
        svg.rectangle(LEFT + column * width + gap / 2, y(to), width - gap, y(from) - y(to), colour, tip);
    }

    /** Writes below a column; only below some where there are many. */
    void label(int column, String text) {
        int every = (columns + MOST_LABELS - 1) / MOST_LABELS;
        if (column % every == 0) {
            svg.text(LEFT + (column + 0.5) * columnWidth(), BOTTOM + 16, Svg.Anchor.middle, text);
        }
    }

    /** Writes below the left edge of a column, or of the one that would follow the last. */
    void edge(int column, String text) {
        int every = (columns + MOST_LABELS - 1) / MOST_LABELS;
        if (column % every == 0) {
            svg.text(LEFT + column * columnWidth(), BOTTOM + 16, Svg.Anchor.middle, text);
        }
    }

    /** Draws a level across. */
    void level(double value, String text) {
        svg.line(LEFT, y(value), RIGHT, y(value), "#b03030");
        svg.text(RIGHT, y(value) - 4, Svg.Anchor.end, "#b03030", text);
    }

    /** Writes what a colour means, at a place of the line above the plot. */
    void legend(double x, String colour, String text) {
        svg.rectangle(LEFT + x, 46, 11, 11, colour, "");
        svg.text(LEFT + x + 16, 56, Svg.Anchor.start, text);
    }

    /** Writes the line above the plot. */
    void note(String text) {
        svg.text(16, 46, Svg.Anchor.start, text);
    }

    private double columnWidth() {
        return (double) (RIGHT - LEFT) / columns;
    }

    private double y(double value) {
        return BOTTOM - value / top * (BOTTOM - TOP);
    }
}
