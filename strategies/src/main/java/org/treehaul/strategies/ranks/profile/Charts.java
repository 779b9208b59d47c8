// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies.ranks.profile;

import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;

import org.treehaul.core.picture.Svg;
import org.treehaul.strategies.ranks.RankReport;
import org.treehaul.strategies.ranks.RankTimes;

/** Draws column charts of the work of each rank. */
final class Charts {

    private static final int MOST_COLUMNS = 128;
    private static final int CLASSES = 16;
    private static final double NANOS = 1e9;

    /** A part of a column of times, from the bottom up. */
    private enum Part {
        STAT("stat", "#2166ac"),
        READDIR("readdir", "#67a9cf"),
        DATA("data", "#1b7837"),
        OTHER("other calls", "#a6dba0"),
        CALLBACK("callback", "#762a83"),
        WALK("walk", "#c2a5cf"),
        COMMUNICATION("communication", "#d6604d"),
        WAIT("waiting", "#e0e0e0");

        private final String text;
        private final String colour;

        Part(String text, String colour) {
            this.text = text;
            this.colour = colour;
        }

        double seconds(RankReport rank) {
            RankTimes times = rank.times().orElseThrow();
            return switch (this) {
                case STAT -> times.stat();
                case READDIR -> times.readdir();
                case DATA -> times.data();
                case OTHER -> times.otherCalls();
                case CALLBACK -> times.callback();
                case WALK -> times.walk();
                case COMMUNICATION -> rank.communication().toNanos();
                case WAIT -> times.waiting();
            } / NANOS;
        }
    }

    private Charts() {}

    /** Draws each rank's share of the entries. */
    static String shares(List<RankReport> ranks) {
        double[] shares = percent(ranks);
        int each = each(ranks.size());
        int columns = columns(ranks.size());
        double[] means = IntStream.range(0, columns).mapToDouble(c -> mean(shares, c, each)).toArray();
        double mean = 100.0 / ranks.size();
        Plot plot = new Plot("Share of the work", across(each), "% of the entries", columns,
                Math.max(mean, IntStream.range(0, columns).mapToDouble(c -> means[c]).max().orElse(0)));
        for (int column = 0; column < columns; column++) {
            String rank = String.valueOf(column * each);
            plot.bar(column, 0, means[column], "#67a9cf", String.format(Locale.ROOT, "%s: %.2f %%, %,d entries", rank,
                    means[column], ranks.get(column * each).entries()));
            plot.label(column, rank);
        }
        plot.level(mean, "equal: " + Svg.brief(mean) + " %");
        return plot.svg().finish();
    }

    /** Draws how many ranks had a share of which size (LaFon et al., Fig. 6). */
    static Svg histogram(String title, List<RankReport> ranks) {
        double[] shares = percent(ranks);
        double most = IntStream.range(0, shares.length).mapToDouble(i -> shares[i]).max().orElse(0);
        double step = Plot.step(most / CLASSES);
        int classes = (int) (most / step) + 1;
        int[] counts = new int[classes];
        for (double share : shares) {
            counts[(int) (share / step)]++;
        }
        int largest = IntStream.of(counts).max().orElse(0);
        Plot plot = new Plot(title, "% of the entries", "ranks", classes, largest);
        for (int i = 0; i < classes; i++) {
            if (counts[i] > 0) {
                plot.bar(i, 0, counts[i], "#67a9cf", String.format(Locale.ROOT, "%s to %s %%: %d ranks",
                        Svg.brief(i * step), Svg.brief((i + 1) * step), counts[i]));
            }
            plot.edge(i, Svg.brief(i * step));
        }
        plot.edge(classes, Svg.brief(classes * step));
        double least = IntStream.range(0, shares.length).mapToDouble(i -> shares[i]).min().orElse(0);
        plot.note(String.format(Locale.ROOT, "from %s %% to %s %%; all equal would be %s %%", Svg.brief(least),
                Svg.brief(most), Svg.brief(100.0 / ranks.size())));
        return plot.svg();
    }

    /** Draws how each rank spent its time (LaFon et al., Fig. 3b). */
    static String times(List<RankReport> ranks) {
        int each = each(ranks.size());
        int columns = columns(ranks.size());
        List<double[]> parts = Arrays.stream(Part.values())
                .map(part -> ranks.stream().mapToDouble(part::seconds).toArray())
                .map(all -> IntStream.range(0, columns).mapToDouble(c -> mean(all, c, each)).toArray())
                .toList();
        double most = IntStream.range(0, columns)
                .mapToDouble(c -> parts.stream().mapToDouble(part -> part[c]).sum())
                .max()
                .orElse(0);
        Plot plot = new Plot("Use of time", across(each), "seconds of all threads of a rank", columns, most);
        double x = 0;
        for (Part part : Part.values()) {
            plot.legend(x, part.colour, part.text);
            x += 34 + 6.3 * part.text.length();
        }
        for (int column = 0; column < columns; column++) {
            double at = 0;
            Iterator<double[]> seconds = parts.iterator();
            for (Part part : Part.values()) {
                double more = seconds.next()[column];
                if (more > 0) {
                    plot.bar(column, at, at + more, part.colour,
                            String.format(Locale.ROOT, "%d, %s: %.6f s", column * each, part.text, more));
                }
                at += more;
            }
            plot.label(column, String.valueOf(column * each));
        }
        return plot.svg().finish();
    }

    private static double[] percent(List<RankReport> ranks) {
        long all = Math.max(1, ranks.stream().mapToLong(RankReport::entries).sum());
        return ranks.stream().mapToDouble(rank -> 100.0 * rank.entries() / all).toArray();
    }

    private static double mean(double[] values, int column, int each) {
        return IntStream.range(column * each, Math.min(values.length, (column + 1) * each))
                .mapToDouble(i -> values[i])
                .average()
                .orElse(0);
    }

    private static int each(int ranks) {
        return (ranks + MOST_COLUMNS - 1) / MOST_COLUMNS;
    }

    private static int columns(int ranks) {
        return (ranks + each(ranks) - 1) / each(ranks);
    }

    private static String across(int each) {
        return each == 1 ? "rank" : "rank; each column is the mean of " + each;
    }
}
