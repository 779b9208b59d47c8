// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies;

import java.util.Arrays;

import org.treehaul.core.plan.BatchAssignment;

/**
 * Divides a row of items into parts so that each part has its share of two measures, bytes and files, and consists of
 * few pieces of the row.
 *
 * <p>
 * Arrange the row in a circle. For any share there is an arc that has exactly this share of both measures: slide an arc
 * with the right share of the files once around. Where it begins with too few bytes, it must have too many somewhere
 * else, because on average over the whole way it has the right share; in between it has exactly the right share. (W.
 * Stromquist and D. R. Woodall, Sets on which several measures agree, 1985, for two measures.) So the circle is halved,
 * the arc and the rest of the circle are halved in turn, and so on. Because items are not cut, an arc is off by at most
 * one item in either measure; the parts into which the arc is divided later share this error, so that one of k parts is
 * off by no more than 1 + 1/2 + 1/3 + 1/5 + 1/9 + ... &lt; {@link #ERROR} of the largest item.
 *
 * <p>
 * Time is proportional to the number of items times the logarithm of the number of parts; memory is proportional to the
 * number of parts.
 */
final class CircleSplit {

    /**
     * The most by which a part may exceed, or fall short of, its share, in multiples of the largest item, for bytes and
     * for files.
     */
    static final double ERROR = 2.5;

    // The search ends when the relative error of a share is at most this: disks and networks vary by more.
    private static final double GOOD = 0.002;

    private final Weights weights;
    private final BatchAssignment out;
    private final double largestBytes;
    private final double largestFiles;
    private long mostFiles;
    private long mostBytes;

    private CircleSplit(Weights weights, Weights.Totals totals, BatchAssignment out) {
        this.weights = weights;
        this.out = out;
        this.largestBytes = totals.mostBytes();
        this.largestFiles = totals.mostFiles();
    }

    /**
     * Divides the items into parts; if there are fewer items than parts, some parts stay empty.
     *
     * @param totals the totals of the weights
     * @return the loads of the largest parts that could be smaller: a single item is not divided
     */
    static Shares.Largest split(Weights weights, Weights.Totals totals, int parts, BatchAssignment out) {
        CircleSplit circle = new CircleSplit(weights, totals, out);
        circle.split(new Pieces(new long[]{0, weights.count()}), new Load(totals.bytes(), totals.files()), 0, parts);
        return new Shares.Largest(circle.mostFiles, circle.mostBytes);
    }

    /** The bytes and files of some items. */
    private record Load(long bytes, long files) {

        Load without(Load part) {
            return new Load(bytes - part.bytes, files - part.files);
        }
    }

    /** Some neighbours on a circle: the positions of the first and after the last, which may be beyond the end. */
    private record Arc(long from, long to, Load load) {}

    /** Pieces of the row: pairs of the first index and the index after the last. */
    private static final class Pieces {
        private final long[] ends;

        Pieces(long... ends) {
            this.ends = ends;
        }

        /** Returns the pieces between two positions, counted over these pieces. */
        Pieces between(long from, long to) {
            long[] found = new long[ends.length];
            int used = 0;
            long before = 0;
            for (int i = 0; i < ends.length; i += 2) {
                long length = ends[i + 1] - ends[i];
                long first = Math.max(from - before, 0);
                long last = Math.min(to - before, length);
                if (first < last) {
                    found[used++] = ends[i] + first;
                    found[used++] = ends[i] + last;
                }
                before += length;
            }
            return new Pieces(Arrays.copyOf(found, used));
        }

        Pieces and(Pieces more) {
            long[] both = Arrays.copyOf(ends, ends.length + more.ends.length);
            System.arraycopy(more.ends, 0, both, ends.length, more.ends.length);
            return new Pieces(both);
        }

        long count() {
            long count = 0;
            for (int i = 0; i < ends.length; i += 2) {
                count += ends[i + 1] - ends[i];
            }
            return count;
        }
    }

    /** A position in pieces that wraps around at the end. */
    private static final class Cursor {
        private final long[] ends;
        private int piece;
        private long at;

        Cursor(Pieces pieces) {
            this.ends = pieces.ends;
            this.at = ends[0];
        }

        long next() {
            long here = at++;
            if (at == ends[piece + 1]) {
                piece = piece + 2 == ends.length ? 0 : piece + 2;
                at = ends[piece];
            }
            return here;
        }
    }

    private void split(Pieces pieces, Load load, int firstPart, int parts) {
        long count = pieces.count();
        if (count == 0) {
            return;
        }
        if (parts == 1) {
            mostFiles = count == 1 ? mostFiles : Math.max(mostFiles, load.files());
            mostBytes = count == 1 ? mostBytes : Math.max(mostBytes, load.bytes());
            for (int i = 0; i < pieces.ends.length; i += 2) {
                out.setAll(pieces.ends[i], pieces.ends[i + 1], firstPart);
            }
            return;
        }
        int half = parts / 2;
        Arc arc = arc(pieces, count, load, half, parts);
        long from = arc.from();
        long to = arc.to();
        Pieces inside = to <= count
                ? pieces.between(from, to)
                : pieces.between(from, count).and(pieces.between(0, to - count));
        Pieces outside = to <= count
                ? pieces.between(0, from).and(pieces.between(to, count))
                : pieces.between(to - count, from);
        split(inside, arc.load(), firstPart, half);
        split(outside, load.without(arc.load()), firstPart + half, parts - half);
    }

    // Returns the best arc for half of the parts of these pieces, which have this load.
    private Arc arc(Pieces pieces, long count, Load load, int half, int parts) {
        double share = half / (double) parts;
        double wantedBytes = load.bytes() * share;
        double wantedFiles = load.files() * share;
        double goodBytes = Math.min(largestBytes, Math.max(1, wantedBytes * GOOD));
        double goodFiles = Math.min(largestFiles, Math.max(1, wantedFiles * GOOD));
        Cursor tail = new Cursor(pieces);
        Cursor head = new Cursor(pieces);
        long from = 0;
        long to = 0;
        long bytes = 0;
        long files = 0;
        double best = Double.MAX_VALUE;
        long bestFrom = 0;
        long bestTo = 0;
        long bestBytes = 0;
        long bestFiles = 0;
        while (from < count) {
            double offBytes = Math.abs(bytes - wantedBytes);
            double offFiles = Math.abs(files - wantedFiles);
            double cost = cost(offBytes, offFiles, wantedBytes, wantedFiles);
            if (cost < best && sharesItems(to - from, count, half, parts)) {
                best = cost;
                bestFrom = from;
                bestTo = to;
                bestBytes = bytes;
                bestFiles = files;
                if (offBytes <= goodBytes && offFiles <= goodFiles) {
                    break;
                }
            }
            if (files < wantedFiles) {
                long index = head.next();
                to++;
                bytes += weights.bytes(index);
                files += weights.files(index);
            } else {
                long index = tail.next();
                from++;
                bytes -= weights.bytes(index);
                files -= weights.files(index);
            }
        }
        return new Arc(bestFrom, bestTo, new Load(bestBytes, bestFiles));
    }

    // Returns whether no part has to stay empty while another gets several items. Some arc always passes: arcs are tried with
    // every number of items from none up to the share or more, because each item has files.
    private static boolean sharesItems(long inside, long count, int half, int parts) {
        long outside = count - inside;
        return count >= parts ? inside >= half && outside >= parts - half : inside <= half && outside <= parts - half;
    }

    // Relative to the share, but an error within one item takes precedence, because that is the guarantee.
    private double cost(double offBytes, double offFiles, double wantedBytes, double wantedFiles) {
        double errorInItems = Math.max(offBytes / largestBytes, offFiles / largestFiles);
        return errorInItems <= 1
                ? offBytes / Math.max(1, wantedBytes) + offFiles / Math.max(1, wantedFiles)
                : 1e6 + errorInItems;
    }
}
