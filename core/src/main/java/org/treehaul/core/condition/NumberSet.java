// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.condition;

import java.util.ArrayList;
import java.util.List;

import org.treehaul.core.annotation.Internal;

/**
 * The numbers that a query accepts in one field. All comparisons, lists and negations of numbers reduce to such a set,
 * and so does the conjunction of several conditions on one field.
 *
 * @param ranges ranges in ascending order that do not touch
 * @param hasMissing whether an entry without a value in the field is accepted
 */
@Internal
public record NumberSet(List<Range> ranges, boolean hasMissing) {

    /**
     * A range of numbers, both ends included.
     *
     * @param low the least number
     * @param high the greatest number, not below the least
     */
    public record Range(long low, long high) {

        public Range {
            if (low > high) {
                throw new IllegalArgumentException("a range from " + low + " down to " + high);
            }
        }

        // The JVM would make 14 classes at the start of a run for equals and hashCode that it generates.
        @Override
        public boolean equals(Object object) {
            return object instanceof Range other && low == other.low && high == other.high;
        }

        @Override
        public int hashCode() {
            return Long.hashCode(low) * 31 + Long.hashCode(high);
        }
    }

    public NumberSet {
        ranges = List.copyOf(ranges);
    }

    /** Returns the union of these ranges, which may be in any order and may overlap. */
    public static NumberSet of(List<Range> ranges, boolean hasMissing) {
        List<Range> sorted = new ArrayList<>(ranges);
        // No Comparator.comparingLong, for which the JVM makes 15 classes at the start of a run.
        sorted.sort((a, b) -> Long.compare(a.low, b.low));
        List<Range> merged = new ArrayList<>();
        for (Range range : sorted) {
            Range last = merged.isEmpty() ? null : merged.getLast();
            if (last == null || last.high != Long.MAX_VALUE && range.low > last.high + 1) {
                merged.add(range);
            } else {
                merged.set(merged.size() - 1, new Range(last.low, Math.max(last.high, range.high)));
            }
        }
        return new NumberSet(merged, hasMissing);
    }

    /** Returns the set of a single range. */
    public static NumberSet of(Range range) {
        return new NumberSet(List.of(range), false);
    }

    /** Returns the union. */
    public NumberSet unite(NumberSet other) {
        List<Range> all = new ArrayList<>(ranges);
        all.addAll(other.ranges);
        return of(all, hasMissing || other.hasMissing);
    }

    /** Returns the intersection. */
    public NumberSet intersect(NumberSet other) {
        List<Range> both = new ArrayList<>();
        int mine = 0;
        int its = 0;
        while (mine < ranges.size() && its < other.ranges.size()) {
            Range a = ranges.get(mine);
            Range b = other.ranges.get(its);
            if (Math.max(a.low, b.low) <= Math.min(a.high, b.high)) {
                both.add(new Range(Math.max(a.low, b.low), Math.min(a.high, b.high)));
            }
            if (a.high < b.high) {
                mine++;
            } else {
                its++;
            }
        }
        return new NumberSet(both, hasMissing && other.hasMissing);
    }

    /** Returns the complement within the domain; it contains the missing value if this set does not. */
    public NumberSet complement(Range domain) {
        List<Range> rest = new ArrayList<>();
        long from = domain.low;
        for (Range range : ranges) {
            if (range.low > from) {
                rest.add(new Range(from, range.low - 1));
            }
            if (range.high >= domain.high) {
                return new NumberSet(rest, !hasMissing);
            }
            from = range.high + 1;
        }
        rest.add(new Range(from, domain.high));
        return new NumberSet(rest, !hasMissing);
    }

    /** Returns whether a number is in the set. */
    public boolean contains(long number) {
        // No iterator for each entry.
        for (int i = 0; i < ranges.size(); i++) {
            Range range = ranges.get(i);
            if (number <= range.high) {
                return number >= range.low;
            }
        }
        return false;
    }

    /** Returns whether the set accepts nothing. */
    public boolean isEmpty() {
        return ranges.isEmpty() && !hasMissing;
    }

    // As in Range.
    @Override
    public boolean equals(Object object) {
        return object instanceof NumberSet other && hasMissing == other.hasMissing && ranges.equals(other.ranges);
    }

    @Override
    public int hashCode() {
        return ranges.hashCode() * 2 + (hasMissing ? 1 : 0);
    }
}
