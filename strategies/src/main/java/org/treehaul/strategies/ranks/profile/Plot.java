// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies.ranks.profile;

import org.treehaul.core.annotation.Internal;
import org.treehaul.core.picture.Svg;

/** A picture with two axes for columns. Used by one thread. */
@Internal
public final class Plot {

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
    private final double bottom;
    private final double top;
    private final boolean isLogarithmic;

    /**
     * Makes an empty plot.
     *
     * @param most the largest value that the axis must include
     */
    public Plot(String title, String across, String up, int columns, double most) {
        this(title, columns, 0, upTo(most), false);
        double step = step(most / STEPS);
        for (double value = 0; value < top + step / 2; value += step) {
            level(value);
        }
        axes(across, up);
    }

    private Plot(String title, int columns, double bottom, double top, boolean isLogarithmic) {
        this.svg = new Svg(WIDTH, HEIGHT, title);
        this.columns = columns;
        this.bottom = bottom;
        this.top = top;
        this.isLogarithmic = isLogarithmic;
    }

    /**
     * Makes an empty plot with a logarithmic axis; a bar from 0 begins at its lower edge.
     *
     * @param least the least value above 0
     * @param most the largest value
     */
    public static Plot logarithmic(String title, String across, String up, int columns, double least, double most) {
        double lowest = Math.floor(Math.log10(Math.max(least, Double.MIN_NORMAL)));
        double highest = Math.max(lowest + 1, Math.ceil(Math.log10(Math.max(most, Double.MIN_NORMAL))));
        Plot plot = new Plot(title, columns, lowest, highest, true);
        for (double power = lowest; power < highest + 0.5; power++) {
            plot.level(Math.pow(10, power));
        }
        plot.axes(across, up);
        return plot;
    }

    private static double upTo(double most) {
        double step = step(most / STEPS);
        return Math.max(step, step * Math.ceil(most / step - 1e-9));
    }

    private void axes(String across, String up) {
        svg.line(LEFT, BOTTOM, RIGHT, BOTTOM, Svg.INK);
        svg.upwards(20, (TOP + BOTTOM) / 2.0, up);
        svg.text((LEFT + RIGHT) / 2.0, BOTTOM + 38, Svg.Anchor.middle, across);
    }

    private void level(double value) {
        svg.line(LEFT, y(value), RIGHT, y(value), Svg.FAINT);
        svg.text(LEFT - 6, y(value) + 4, Svg.Anchor.end, Svg.brief(value));
    }

    /** Returns the picture. */
    public Svg svg() {
        return svg;
    }

    /** Returns the least round step that is not below a value: 1, 2 or 5 times a power of ten. */
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

    /**
     * Draws a part of a column.
     *
     * @param tip the text that a browser shows as a tooltip
     */
    public void bar(int column, double from, double to, String colour, String tip) {
        double width = columnWidth();
        double gap = Math.min(4, width / 5);
        svg.rectangle(LEFT + column * width + gap / 2, y(to), width - gap, y(from) - y(to), colour, tip);
    }

    /** Writes a label below a column; if there are many columns, only below some. */
    public void label(int column, String text) {
        int every = (columns + MOST_LABELS - 1) / MOST_LABELS;
        if (column % every == 0) {
            svg.text(LEFT + (column + 0.5) * columnWidth(), BOTTOM + 16, Svg.Anchor.middle, text);
        }
    }

    /** Writes a label below the middle of adjacent columns. */
    public void middle(int first, int last, String text) {
        svg.text(LEFT + (first + last + 1) / 2.0 * columnWidth(), BOTTOM + 16, Svg.Anchor.middle, text);
    }

    /** Writes a label below the left edge of a column, or of the one that would follow the last. */
    void edge(int column, String text) {
        int every = (columns + MOST_LABELS - 1) / MOST_LABELS;
        if (column % every == 0) {
            svg.text(LEFT + column * columnWidth(), BOTTOM + 16, Svg.Anchor.middle, text);
        }
    }

    /** Draws a horizontal line at a value. */
    void level(double value, String text) {
        svg.line(LEFT, y(value), RIGHT, y(value), "#b03030");
        svg.text(RIGHT, y(value) - 4, Svg.Anchor.end, "#b03030", text);
    }

    /** Writes the meaning of a colour, at a position in the line above the plot. */
    public void legend(double x, String colour, String text) {
        svg.rectangle(LEFT + x, 46, 11, 11, colour, "");
        svg.text(LEFT + x + 16, 56, Svg.Anchor.start, text);
    }

    /** Writes the line above the plot. */
    public void note(String text) {
        svg.text(16, 46, Svg.Anchor.start, text);
    }

    private double columnWidth() {
        return (double) (RIGHT - LEFT) / columns;
    }

    private double y(double value) {
        double at = !isLogarithmic ? value : value > 0 ? Math.log10(value) : bottom;
        return BOTTOM - (at - bottom) / (top - bottom) * (BOTTOM - TOP);
    }
}
