// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies.collective.order;

import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Hierarchical I/O scheduling, Algorithm 1 of the paper. The first order is that of the relative acceptable delays if
 * the shuffle costs of the window are more than a part of its service times, else that by application. Then requests
 * with an acceptable delay let others pass.
 *
 * <p>
 * The printed algorithm differs from the text that describes it. This is how each difference is resolved:
 * <ul>
 * <li>It exchanges places j and k for each k behind j while j stays. After the first exchange, place j has another
 * request, which would move behind all places in between at the price of one. The text compares a request with its
 * successor: here a request moves back one place after another, and each request that it lets pass costs it the service
 * time of that one. It lets no request of its own application with the same rank pass: those stay in the order of
 * arrival, which is that of the data for an aggregator.
 * <li>It takes the places from the first to the last, so that the request that arrives at place j gets no turn, and
 * {@code j++} in the inner loop skips a further one. Here the turns go from the last place to the first: each request
 * gets one, and the acceptable delay that it gains when it passes others (the text adds it) comes after its turn.
 * <li>The lines after the exchange name the requests by their new places, the text by their old ones. They agree.
 * <li>{@code m - 2} and {@code m - 1} are inclusive, and {@code m} is the number of requests in the window.
 * <li>The relative acceptable delay is a rank within the application, because acceptable delays of different
 * applications cannot be compared directly (4.4). Requests of equal rank are sorted by application, so that all servers
 * agree.
 * </ul>
 *
 * <p>
 * Equation 7 says that this is never worse than the order by application. As printed, it can be: if the shuffle costs
 * of each application differ by little, the servers serve the applications in different orders for little. Therefore
 * this class guarantees, unless asked for the printed algorithm, that no request ends later than in the order by
 * application by more than its acceptable delay. In the order by rank, a request that waits for others before it has
 * that much less acceptable delay. If that order breaks the guarantee, the window begins with the order by application,
 * where letting others pass within the acceptable delay cannot break it.
 */
final class Hierarchical implements RequestOrder {

    private static final Comparator<CollectiveRequest> BY_APPLICATION = Comparator
            .comparingLong(CollectiveRequest::application);
    private static final Comparator<CollectiveRequest> BY_RANK = Comparator
            .comparingInt((CollectiveRequest request) -> request.hint().rank())
            .thenComparing(BY_APPLICATION);

    private final double threshold;
    private final boolean isGuarded;

    Hierarchical(double threshold, boolean isGuarded) {
        if (!(threshold >= 0)) {
            throw new IllegalArgumentException("threshold " + threshold);
        }
        this.threshold = threshold;
        this.isGuarded = isGuarded;
    }

    @Override
    public int[] order(List<CollectiveRequest> requests) {
        int[] byApplication = ByApplication.sorted(requests, BY_APPLICATION);
        double shuffle = requests.stream().mapToDouble(request -> request.hint().shuffleNanos()).sum();
        double service = requests.stream().mapToDouble(CollectiveRequest::serviceNanos).sum();
        if (shuffle > threshold * service) {
            long[] latest = ends(requests, byApplication);
            // A client may send any delay.
            Arrays.setAll(latest, i -> latest[i] + Math.min(requests.get(i).hint().delayNanos(), Long.MAX_VALUE / 2));
            int[] byRank = ByApplication.sorted(requests, BY_RANK);
            letPass(requests, byRank, isGuarded);
            long[] ends = ends(requests, byRank);
            if (!isGuarded || IntStream.range(0, ends.length).allMatch(i -> ends[i] <= latest[i])) {
                return byRank;
            }
        }
        letPass(requests, byApplication, false);
        return byApplication;
    }

    /** Returns the time at which each request ends in an order, from the beginning of the window. */
    private static long[] ends(List<CollectiveRequest> requests, int[] order) {
        long[] ends = new long[order.length];
        long time = 0;
        for (int request : order) {
            time += requests.get(request).serviceNanos();
            ends[request] = time;
        }
        return ends;
    }

    private static void letPass(List<CollectiveRequest> requests, int[] order, boolean isWaitCounted) {
        long[] ends = ends(requests, order);
        for (int place = order.length - 2; place >= 0; place--) {
            int moved = order[place];
            CollectiveRequest request = requests.get(moved);
            long delay = request.hint().delayNanos() - (isWaitCounted ? ends[moved] - request.serviceNanos() : 0);
            int at = place;
            while (at + 1 < order.length && delay > requests.get(order[at + 1]).serviceNanos()
                    && !isOneAggregator(request, requests.get(order[at + 1]))) {
                delay -= requests.get(order[at + 1]).serviceNanos();
                order[at] = order[at + 1];
                at++;
            }
            order[at] = moved;
        }
    }

    private static boolean isOneAggregator(CollectiveRequest one, CollectiveRequest other) {
        return one.application() == other.application() && one.hint().rank() == other.hint().rank();
    }
}
