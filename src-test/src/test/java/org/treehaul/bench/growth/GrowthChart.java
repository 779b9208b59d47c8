// SPDX-License-Identifier: Apache-2.0
package org.treehaul.bench.growth;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.function.Function;
import java.util.stream.Stream;

import org.treehaul.core.picture.Svg;

/** A picture with a line for each series and two logarithmic axes, on which equal factors have equal lengths. */
final class GrowthChart {

    private static final int WIDTH = 760;
    private static final int LEFT = 70;
    private static final int TOP = 48;
    private static final int RIGHT = 620;
    private static final int BOTTOM = 420;
    private static final int HEIGHT = 470;
    private static final int POINT = 5;
    private static final int LINE = 18;
    private static final List<String> COLOURS = List.of("#2166ac", "#b2182b", "#1b7837", "#762a83", "#bf812d",
            "#67a9cf", "#ef8a62", "#555555", "#de77ae", "#35978f", "#8c510a", "#7fbc41");

    private final Svg svg;
    private final double left;
    private final double right;
    private final double bottom;
    private final double top;

    private GrowthChart(String title, Collection<? extends NavigableMap<Double, Double>> series) {
        this.svg = new Svg(WIDTH, HEIGHT, title);
        this.left = power(series, NavigableMap::keySet, Math::floor, true);
        this.right = Math.max(left + 1, power(series, NavigableMap::keySet, Math::ceil, false));
        this.bottom = power(series, NavigableMap::values, Math::floor, true);
        this.top = Math.max(bottom + 1, power(series, NavigableMap::values, Math::ceil, false));
    }

    // Returns the power of ten of the least or the largest value.
    private static double power(Collection<? extends NavigableMap<Double, Double>> series,
            Function<NavigableMap<Double, Double>, Collection<Double>> values, Function<Double, Double> rounding,
            boolean isLeast) {
        Stream<Double> all = series.stream().flatMap(points -> values.apply(points).stream());
        double found = (isLeast ? all.min(Double::compare) : all.max(Double::compare)).orElse(1.0);
        return rounding.apply(Math.log10(Math.max(found, Double.MIN_NORMAL)));
    }

    /**
     * Draws lines.
     *
     * @param across the label of the horizontal axis
     * @param up the label of the vertical axis
     * @param series the points of each line by its name; all numbers are above 0
     */
    static Svg draw(String title, String across, String up,
            Map<String, ? extends NavigableMap<Double, Double>> series) {
        GrowthChart chart = new GrowthChart(title, series.values());
        chart.axes(across, up);
        int number = 0;
        for (Map.Entry<String, ? extends NavigableMap<Double, Double>> one : series.entrySet()) {
            String colour = COLOURS.get(number % COLOURS.size());
            chart.line(one.getKey(), one.getValue(), colour);
            double y = TOP + number * LINE;
            chart.svg.line(RIGHT + 16, y, RIGHT + 40, y, colour, 2);
            chart.svg.text(RIGHT + 46, y + 4, Svg.Anchor.start, one.getKey());
            number++;
        }
        return chart.svg;
    }

    private double x(double value) {
        return LEFT + (Math.log10(value) - left) / (right - left) * (RIGHT - LEFT);
    }

    private double y(double value) {
        return BOTTOM - (Math.log10(value) - bottom) / (top - bottom) * (BOTTOM - TOP);
    }

    private void axes(String across, String up) {
        for (double power = bottom; power <= top; power++) {
            double y = y(Math.pow(10, power));
            svg.line(LEFT, y, RIGHT, y, Svg.FAINT);
            svg.text(LEFT - 6, y + 4, Svg.Anchor.end, Svg.brief(Math.pow(10, power)));
        }
        for (double power = left; power <= right; power++) {
            double x = x(Math.pow(10, power));
            svg.line(x, TOP, x, BOTTOM, Svg.FAINT);
            svg.text(x, BOTTOM + 16, Svg.Anchor.middle, Svg.brief(Math.pow(10, power)));
        }
        svg.line(LEFT, BOTTOM, RIGHT, BOTTOM, Svg.INK);
        svg.line(LEFT, TOP, LEFT, BOTTOM, Svg.INK);
        svg.upwards(20, (TOP + BOTTOM) / 2.0, up);
        svg.text((LEFT + RIGHT) / 2.0, BOTTOM + 36, Svg.Anchor.middle, across);
    }

    private void line(String name, NavigableMap<Double, Double> points, String colour) {
        Map.Entry<Double, Double> before = null;
        for (Map.Entry<Double, Double> point : points.entrySet()) {
            if (before != null) {
                svg.line(x(before.getKey()), y(before.getValue()), x(point.getKey()), y(point.getValue()), colour, 2);
            }
            svg.rectangle(x(point.getKey()) - POINT / 2.0, y(point.getValue()) - POINT / 2.0, POINT, POINT, colour,
                    "%s, %s: %s".formatted(name, Svg.brief(point.getKey()), Svg.brief(point.getValue())));
            before = point;
        }
    }
}
