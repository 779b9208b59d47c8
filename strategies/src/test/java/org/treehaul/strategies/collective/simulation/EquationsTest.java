// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies.collective.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.treehaul.strategies.collective.order.RequestOrder;
import org.treehaul.strategies.collective.order.Windows;

/**
 * The equations of the paper's section 5: m applications, each with a request at each of n servers, which takes t; the
 * shuffle of the aggregator of application i at server j takes s[i][j]. All sums are of whole nanoseconds, so equal
 * means equal.
 */
class EquationsTest {

    private static final RequestOrder HIO = RequestOrder.hierarchical(RequestOrder.THRESHOLD);
    private static final long T = 1000;

    /** Returns the sum of the times of all applications; arrives[j] is the order of arrival at server j. */
    private static long sum(RequestOrder order, long t, long[][] s, List<int[]> arrives) {
        List<SimulatedApplication> applications = new ArrayList<>();
        for (int i = 0; i < s.length; i++) {
            List<AggregatorLoad> loads = new ArrayList<>();
            for (int j = 0; j < s[i].length; j++) {
                loads.add(new AggregatorLoad(j, arrives.isEmpty() ? 0 : arrives.get(j)[i], t, s[i][j]));
            }
            applications.add(new SimulatedApplication(0, List.of(SimulatedAccess.read(loads))));
        }
        return new CollectiveSimulation(s[0].length, Windows.flexible(100), order, applications).run()
                .stream()
                .mapToLong(List::getFirst)
                .sum();
    }

    private static long sum(RequestOrder order, long[][] s) {
        return sum(order, T, s, List.of());
    }

    private static long[][] equal(int m, int n, long s) {
        long[][] all = new long[m][n];
        for (long[] one : all) {
            Arrays.fill(one, s);
        }
        return all;
    }

    private static long[][] random(int m, int n, long most, long seed) {
        Random random = new Random(seed);
        long[][] all = new long[m][n];
        for (long[] one : all) {
            Arrays.setAll(one, j -> random.nextLong(most + 1));
        }
        return all;
    }

    private static long slowest(long[][] s) {
        return IntStream.range(0, s.length).mapToLong(i -> Arrays.stream(s[i]).max().orElseThrow()).sum();
    }

    private static List<int[]> permutations(int m) {
        if (m == 0) {
            return List.of(new int[0]);
        }
        List<int[]> all = new ArrayList<>();
        for (int[] shorter : permutations(m - 1)) {
            for (int at = 0; at < m; at++) {
                int[] one = new int[m];
                for (int i = 0; i < m - 1; i++) {
                    one[i] = shorter[i] >= at ? shorter[i] + 1 : shorter[i];
                }
                one[m - 1] = at;
                all.add(one);
            }
        }
        return all;
    }

    private static long power(long base, int exponent) {
        return IntStream.range(0, exponent).mapToLong(i -> base).reduce(1, (a, b) -> a * b);
    }

    /** Returns the sum over all orders of arrival at all servers, and counts them. */
    private static long[] overAllArrivals(RequestOrder order, long[][] s) {
        int m = s.length;
        int n = s[0].length;
        List<int[]> orders = permutations(m);
        long all = power(orders.size(), n);
        long sum = 0;
        for (long number = 0; number < all; number++) {
            List<int[]> arrives = new ArrayList<>();
            long left = number;
            for (int j = 0; j < n; j++) {
                arrives.add(orders.get((int) (left % orders.size())));
                left /= orders.size();
            }
            sum += sum(order, T, s, arrives);
        }
        return new long[]{sum, all};
    }

    @ParameterizedTest
    @CsvSource({"1,1", "2,1", "2,2", "2,5", "3,2", "3,3", "4,2"})
    void inTheOrderOfArrivalTheMeanOverAllArrivalsIsThatOfEquation4(int m, int n) {
        long s = 700;
        long[] found = overAllArrivals(RequestOrder.arrival(), equal(m, n, s));
        long powers = IntStream.range(1, m).mapToLong(x -> power(x, n)).sum();
        // Equation 4 by m^n, summed over applications and orders: mt + s - t / m^n * (1^n + ... + (m-1)^n).
        assertThat(found[0] * power(m, n)).isEqualTo(m * found[1] * ((m * T + s) * power(m, n) - T * powers));
    }

    @Property(tries = 20)
    void otherwiseEquation4IsABound(@ForAll @IntRange(max = 100_000) int seed) {
        long[][] s = random(3, 2, 3 * T, seed);
        long[] found = overAllArrivals(RequestOrder.arrival(), s);
        assertThat(found[0] * 9).isLessThanOrEqualTo(found[1] * (3 * (3 * T * 9 - T * 5) + 9 * slowest(s)));
    }

    @Property(tries = 100)
    void withEqualShuffleCostsEquations5And7AreTheTimesOfBothOrders(@ForAll @IntRange(min = 1, max = 12) int m,
            @ForAll @IntRange(min = 1, max = 8) int n, @ForAll @IntRange(max = 5000) int s) {
        long expected = (m + 1) * m / 2 * T + (long) m * s;
        assertThat(sum(RequestOrder.byApplication(), equal(m, n, s))).isEqualTo(expected);
        assertThat(sum(HIO, equal(m, n, s))).isEqualTo(expected);
    }

    @Property(tries = 300)
    void otherwiseEquations5And7AreBounds(@ForAll @IntRange(min = 1, max = 12) int m,
            @ForAll @IntRange(min = 1, max = 8) int n, @ForAll @IntRange(max = 100_000) int seed) {
        long[][] s = random(m, n, seed % 7 * T, seed);
        long bound = (m + 1) * m / 2 * T + slowest(s);
        assertThat(sum(RequestOrder.byApplication(), s)).isLessThanOrEqualTo(bound);
        assertThat(sum(HIO, s)).isLessThanOrEqualTo(bound);
    }

    @Test
    void equation7IsNoBoundOfTheAlgorithmAsPrinted() {
        // Both conditions of the best case fail: the slowest aggregators are at server 0, and differ by little.
        long[][] s = {{1000, 990, 980}, {1000, 980, 990}};
        long bound = 3 * T + 2000;
        assertThat(sum(RequestOrder.hierarchicalAsPrinted(RequestOrder.THRESHOLD), s)).isEqualTo(bound + 980);
        assertThat(sum(HIO, s)).isLessThanOrEqualTo(bound);
    }

    @ParameterizedTest
    @CsvSource({"1,1", "2,2", "3,3", "3,5", "6,6", "6,9", "10,10"})
    void inTheBestCaseEachApplicationTakesTheTimeOfEquation6(int m, int n) {
        for (RequestOrder order : List.of(HIO, RequestOrder.hierarchicalAsPrinted(RequestOrder.THRESHOLD))) {
            assertThat(sum(order, best(m, n, (m - 1) * T + 1))).isEqualTo(m * T + slowest(best(m, n, (m - 1) * T + 1)));
        }
    }

    // The slowest aggregator of application i is at server i, and slower than its others by this.
    private static long[][] best(int m, int n, long slower) {
        long[][] s = random(m, n, 300, m + n);
        for (int i = 0; i < m; i++) {
            s[i][i] = 300 + slower;
        }
        return s;
    }

    @Test
    void aSmallerDifferenceIsNotTheBestCase() {
        long[][] s = equal(4, 4, 0);
        for (int i = 0; i < 4; i++) {
            s[i][i] = 3 * T - 1;
        }
        assertThat(sum(HIO, s)).isGreaterThan(4 * T + slowest(s));
    }

    @ParameterizedTest
    @CsvSource({"2,2", "3,2", "3,3"})
    void theReductionsAreThoseOfEquations8And9(int m, int n) {
        long[] arrival = overAllArrivals(RequestOrder.arrival(), equal(m, n, 0));
        long byApplication = sum(RequestOrder.byApplication(), equal(m, n, 0));
        long powers = IntStream.range(1, m).mapToLong(x -> power(x, n)).sum();
        // Equation 8 by 2 m^n, summed over applications and orders.
        assertThat(2 * power(m, n) * (arrival[0] - arrival[1] * byApplication))
                .isEqualTo(m * arrival[1] * ((m - 1) * T * power(m, n) - 2 * T * powers));

        long[][] best = best(m, m, (m - 1) * T + 1);
        long hierarchical = sum(HIO, best);
        // Equation 9: by application each would take (m+1)/2 t + max(s) on average if the slowest decided.
        assertThat((m + 1) * m / 2 * T + slowest(best) - hierarchical).isEqualTo((m - 1) * m / 2 * T);
    }

    @Property(tries = 100)
    void aCollectiveWriteTakesTheSameTimeInBothOrders(@ForAll @IntRange(min = 1, max = 8) int m,
            @ForAll @IntRange(min = 1, max = 5) int n, @ForAll @IntRange(max = 100_000) int seed) {
        List<SimulatedApplication> applications = new ArrayList<>();
        long[][] s = random(m, n, 3 * T, seed);
        for (long[] one : s) {
            SimulatedAccess write = new SimulatedAccess(true,
                    IntStream.range(0, n).mapToObj(j -> new AggregatorLoad(j, 0, T, one[j])).toList());
            applications.add(new SimulatedApplication(0, List.of(write, write, write)));
        }
        assertThat(new CollectiveSimulation(n, Windows.flexible(10), HIO, applications).run()).isEqualTo(
                new CollectiveSimulation(n, Windows.flexible(10), RequestOrder.byApplication(), applications).run());
    }
}
