// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.page;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.treehaul.cli.report.Text;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.picture.Svg;
import org.treehaul.core.transfer.AttemptRecord;

/** Draws the attempts at the batches of a transfer over time. */
final class TimePictures {

    /** More lanes than these are left out: a reader could not compare them. */
    static final int MOST_LANES = 200;

    private static final int MOST_BARS = 5_000;
    private static final int WIDTH = 960;
    private static final int LEFT = 70;
    private static final int GANTT_LEFT = 250;
    private static final int RIGHT = WIDTH - 20;
    private static final int TOP = 50;
    private static final int PLOT = 180;
    private static final int LANE = 18;
    private static final int COLUMNS = 120;
    private static final int SHORTEST_MILLIS = 1000;
    private static final int LONGEST_NAME = 38;
    private static final String FAINT = "#dddddd";
    private static final String RATE = "#2166ac";

    private final List<AttemptRecord> attempts;
    private final boolean movesData;
    private final Instant from;
    private final Instant to;
    private final double millis;

    /**
     * Draws these attempts, at least one.
     *
     * @param movesData whether rates are those of data, in place of entries
     */
    TimePictures(List<AttemptRecord> attempts, boolean movesData) {
        this.attempts = attempts;
        this.movesData = movesData;
        from = attempts.stream().map(AttemptRecord::started).min(Comparator.naturalOrder()).orElseThrow();
        to = attempts.stream().map(AttemptRecord::ended).max(Comparator.naturalOrder()).orElseThrow();
        millis = Math.max(1, Duration.between(from, to).toMillis());
    }

    /** Returns whether there is a rate to draw: in a shorter time, the columns would show the error of the clock. */
    boolean hasRates() {
        return millis >= SHORTEST_MILLIS && attempts.stream().anyMatch(attempt -> amount(attempt) > 0);
    }

    /**
     * Returns the sum of the rates of all batches that were worked on, in bytes or entries per second for each column.
     */
    double[] rates() {
        double[] rates = new double[COLUMNS];
        for (AttemptRecord attempt : attempts) {
            double first = position(attempt.started()) * COLUMNS;
            double last = Math.max(first + 1e-9, position(attempt.ended()) * COLUMNS);
            // An attempt shorter than a column counts in it as a whole.
            for (int column = (int) first; column < COLUMNS && column < last; column++) {
                double share = (Math.min(last, column + 1) - Math.max(first, column)) / (last - first);
                rates[column] += amount(attempt) * share / (millis / 1000 / COLUMNS);
            }
        }
        return rates;
    }

    private long amount(AttemptRecord attempt) {
        return movesData ? attempt.bytes() : attempt.entries();
    }

    private String perSecond(double rate) {
        return movesData ? Text.bytes(Math.round(rate)) + "/s" : Text.count(Math.round(rate)) + " entries/s";
    }

    private double position(Instant time) {
        return Math.min(1 - 1e-9, Duration.between(from, time).toMillis() / millis);
    }

    /** Draws the rate over time. */
    Svg rate() {
        Svg svg = new Svg(WIDTH, TOP + PLOT + 30, "Rate over time");
        double[] rates = rates();
        double most = 1;
        for (double rate : rates) {
            most = Math.max(most, rate);
        }
        double width = (double) (RIGHT - LEFT) / COLUMNS;
        for (int i = 0; i <= 2; i++) {
            double y = TOP + PLOT - PLOT * i / 2.0;
            svg.line(LEFT, y, RIGHT, y, FAINT, 1);
            svg.text(LEFT - 6, y + 4, Svg.Anchor.end, perSecond(most * i / 2));
        }
        for (int column = 0; column < COLUMNS; column++) {
            double height = PLOT * rates[column] / most;
            if (height > 0) {
                svg.rectangle(LEFT + column * width, TOP + PLOT - height, width, height, RATE,
                        offset(column * millis / COLUMNS) + ": " + perSecond(rates[column]));
            }
        }
        axis(svg, LEFT, TOP + PLOT);
        return svg;
    }

    /** Returns the attempts of each worker, those first that began first. */
    Map<String, List<AttemptRecord>> lanes() {
        Map<String, List<AttemptRecord>> lanes = new LinkedHashMap<>();
        attempts.forEach(attempt -> lanes.computeIfAbsent(attempt.worker(), w -> new ArrayList<>()).add(attempt));
        return lanes;
    }

    /** Draws a lane for each worker, and a bar for each batch that it worked on. */
    Svg gantt() {
        Map<String, List<AttemptRecord>> lanes = lanes();
        int shown = Math.min(MOST_LANES, lanes.size());
        int bottom = TOP + shown * LANE;
        Svg svg = new Svg(WIDTH, bottom + 30, "Batches of each worker");
        double width = RIGHT - GANTT_LEFT;
        int lane = 0;
        int bars = 0;
        for (Map.Entry<String, List<AttemptRecord>> worker : lanes.entrySet()) {
            if (lane == shown) {
                break;
            }
            double y = TOP + lane * LANE;
            String name = ByteString.printable(worker.getKey());
            svg.text(GANTT_LEFT - 6, y + 13, Svg.Anchor.end,
                    name.length() <= LONGEST_NAME ? name : name.substring(0, LONGEST_NAME) + "...");
            svg.line(GANTT_LEFT, y + LANE, RIGHT, y + LANE, FAINT, 1);
            for (AttemptRecord attempt : worker.getValue()) {
                if (bars++ < MOST_BARS) {
                    double x = position(attempt.started());
                    svg.rectangle(GANTT_LEFT + x * width, y + 2, Math.max(1, (position(attempt.ended()) - x) * width),
                            LANE - 4, colour(attempt), tip(attempt));
                }
            }
            lane++;
        }
        axis(svg, GANTT_LEFT, bottom);
        return svg;
    }

    private void axis(Svg svg, int left, int bottom) {
        svg.line(left, bottom, RIGHT, bottom, Svg.INK, 1);
        svg.text(left, bottom + 18, Svg.Anchor.start, Text.dateTime(from));
        svg.text((left + RIGHT) / 2.0, bottom + 18, Svg.Anchor.middle, "+" + offset(millis / 2));
        svg.text(RIGHT, bottom + 18, Svg.Anchor.end, Text.dateTime(to));
    }

    private static String offset(double millis) {
        return millis < 60_000 ? Text.tenths(millis / 1000) + " s" : Text.duration(Math.round(millis / 1000));
    }

    private static String colour(AttemptRecord attempt) {
        return switch (attempt.state()) {
            case COMPLETE -> attempt.failed() > 0 ? "#e08214" : "#67a9cf";
            case STOPPED -> "#999999";
            case OPEN -> "#c2a5cf";
            case GAVE_UP -> "#b03030";
        };
    }

    private String tip(AttemptRecord attempt) {
        return "batch " + attempt.batch() + (attempt.number() == 1 ? "" : ", attempt " + attempt.number()) + ": "
                + word(attempt) + ", " + offset((double) attempt.duration().toMillis()) + ", "
                + Text.count(attempt.entries(), "entry", "entries")
                + (movesData ? ", " + Text.bytes(attempt.bytes()) : "");
    }

    /** Returns how an attempt ended. */
    static String word(AttemptRecord attempt) {
        return switch (attempt.state()) {
            case COMPLETE -> attempt.failed() > 0 ? "failures" : "done";
            case STOPPED -> "stopped";
            case OPEN -> "no end recorded";
            case GAVE_UP -> "gave up";
        };
    }
}
