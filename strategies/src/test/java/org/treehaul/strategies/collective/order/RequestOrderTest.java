// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies.collective.order;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class RequestOrderTest {

    private static final RequestOrder HIO = RequestOrder.hierarchical(RequestOrder.THRESHOLD);
    private static final RequestOrder PRINTED = RequestOrder.hierarchicalAsPrinted(RequestOrder.THRESHOLD);

    static List<RequestOrder> all() {
        return List.of(RequestOrder.arrival(), RequestOrder.byApplication(), HIO, PRINTED);
    }

    private static CollectiveRequest request(long application, long service, long shuffle, long delay, int rank) {
        return new CollectiveRequest(application, 0, service, new ShuffleHint(shuffle, delay, rank));
    }

    @Provide
    static Arbitrary<List<CollectiveRequest>> windows() {
        Arbitrary<Long> times = Arbitraries.longs().between(0, 100);
        return Combinators
                .combine(Arbitraries.longs().between(0, 9), times, times, times, Arbitraries.integers().between(0, 4))
                .as(RequestOrderTest::request)
                .list()
                .ofMaxSize(12);
    }

    @Property(tries = 300)
    void everyOrderHasEachRequestOnce(@ForAll("windows") List<CollectiveRequest> requests) {
        for (RequestOrder order : all()) {
            int[] places = order.order(requests);
            assertThat(Arrays.stream(places).sorted().toArray())
                    .isEqualTo(IntStream.range(0, requests.size()).toArray());
        }
    }

    /** The guarantee that the printed algorithm lacks. */
    @Property(tries = 500)
    void noRequestEndsLaterThanByApplicationByMoreThanItsAcceptableDelay(
            @ForAll("windows") List<CollectiveRequest> requests) {
        long[] limit = ends(requests, RequestOrder.byApplication());
        long[] ends = ends(requests, HIO);
        for (int i = 0; i < ends.length; i++) {
            assertThat(ends[i]).isLessThanOrEqualTo(limit[i] + requests.get(i).hint().delayNanos());
        }
    }

    @Property(tries = 300)
    void withoutShuffleTheHierarchicalOrderIsThatByApplication(@ForAll("windows") List<CollectiveRequest> requests) {
        List<CollectiveRequest> writes = requests.stream()
                .map(one -> new CollectiveRequest(one.application(), 0, one.serviceNanos(), ShuffleHint.NONE))
                .toList();
        int[] expected = RequestOrder.byApplication().order(writes);
        assertThat(HIO.order(writes)).isEqualTo(expected);
        assertThat(PRINTED.order(writes)).isEqualTo(expected);
    }

    private static long[] ends(List<CollectiveRequest> requests, RequestOrder order) {
        long[] ends = new long[requests.size()];
        long time = 0;
        for (int request : order.order(requests)) {
            time += requests.get(request).serviceNanos();
            ends[request] = time;
        }
        return ends;
    }

    @Test
    void theSlowestAggregatorOfEachApplicationComesFirst() {
        List<CollectiveRequest> requests = List.of(request(1, 10, 20, 100, 1), request(2, 10, 120, 0, 0),
                request(3, 10, 60, 60, 1));
        for (RequestOrder order : List.of(HIO, PRINTED)) {
            assertThat(order.order(requests)[0]).isEqualTo(1);
        }
    }

    @Test
    void aShareOfTheShuffleUpToTheThresholdLeavesTheOrderByApplication() {
        // 20 of 100; the acceptable delay is shorter than any service.
        List<CollectiveRequest> few = List.of(request(1, 50, 5, 10, 1), request(2, 50, 15, 0, 0));
        List<CollectiveRequest> more = List.of(request(1, 50, 6, 10, 1), request(2, 50, 15, 0, 0));
        assertThat(PRINTED.order(few)).containsExactly(0, 1);
        assertThat(PRINTED.order(more)).containsExactly(1, 0);
    }

    @Test
    void aRequestMovesBackBySoManyPlacesAsItsAcceptableDelayAllows() {
        List<CollectiveRequest> requests = List.of(request(1, 10, 0, 25, 1), request(2, 10, 0, 0, 0),
                request(3, 10, 0, 0, 0), request(4, 10, 0, 0, 0));
        assertThat(HIO.order(requests)).containsExactly(1, 2, 0, 3);
    }

    @ParameterizedTest
    @MethodSource("all")
    void anEmptyWindowHasAnOrder(RequestOrder order) {
        assertThat(order.order(List.of())).isEmpty();
    }

    @Test
    void theHintsOfAReadAreTheDistancesToItsSlowestAggregator() {
        assertThat(ShuffleHint.ofRead(30, 70, 30, 0)).containsExactly(new ShuffleHint(30, 40, 1),
                new ShuffleHint(70, 0, 0), new ShuffleHint(30, 40, 1), new ShuffleHint(0, 70, 2));
        assertThat(ShuffleHint.ofRead()).isEmpty();
    }

    @Test
    void theShuffleTakesTheTimeOfTheLongestMessageOnItsRealWay() {
        ShuffleModel model = new ShuffleModel(1e-6, 1e9, 1e8);
        int[] hosts = {0, 0, 1, 1};
        assertThat(model.nanos(0, hosts, new long[]{900, 500, 0, 0})).isEqualTo(1500);
        assertThat(model.nanos(0, hosts, new long[]{900, 500, 40, 60})).isEqualTo(1600);
        assertThat(model.nanos(2, hosts, new long[]{0, 0, 900, 60})).isEqualTo(1060);
        assertThat(model.nanos(2, hosts, new long[]{0, 0, 900, 0})).isZero();
        assertThatThrownBy(() -> model.nanos(0, hosts, new long[1])).hasMessageContaining("4 hosts for 1 ranks");
    }

    /** Returns a request of the application and the access in a name such as a1, or a1' for a further aggregator. */
    private static CollectiveRequest access(String name) {
        return new CollectiveRequest(name.charAt(0), Integer.parseInt(name.replaceAll("[^0-9]", "")), 10,
                ShuffleHint.NONE);
    }

    private static List<String> taken(Windows windows, RequestOrder order, Stream<String> arrivals) {
        RequestQueue<String> queue = new RequestQueue<>(windows, order, 100);
        arrivals.forEach(name -> queue.add(access(name), 0, name));
        List<String> taken = new ArrayList<>();
        while (queue.size() > 0) {
            taken.add(queue.next().orElseThrow());
        }
        return taken;
    }

    @Test
    void aFlexibleWindowHasOneAccessOfAnApplication() {
        assertThat(taken(Windows.flexible(10), RequestOrder.byApplication(), Stream.of("b1", "b2", "b3", "a1", "b4")))
                .containsExactly("a1", "b1", "b2", "b3", "b4");
        assertThat(taken(Windows.flexible(2), RequestOrder.byApplication(), Stream.of("c1", "b1", "a1", "c2", "b2")))
                .containsExactly("b1", "c1", "a1", "c2", "b2");
        assertThat(taken(Windows.flexible(10), RequestOrder.byApplication(), Stream.of("b1", "a1", "b1'", "b2", "a1'")))
                .containsExactly("a1", "a1'", "b1", "b1'", "b2");
        assertThat(taken(Windows.flexible(2), RequestOrder.byApplication(), Stream.of("b1", "b1'", "b1''", "b2", "a1")))
                .containsExactly("b1", "b1'", "a1", "b1''", "b2");
        assertThat(taken(Windows.none(), RequestOrder.arrival(), Stream.of("b1", "a1", "b2"))).containsExactly("b1",
                "a1", "b2");
    }

    @Test
    void aSmallTransferDoesNotWaitBehindALargeOne() {
        List<String> taken = taken(Windows.flexible(10), RequestOrder.byApplication(),
                Stream.concat(IntStream.range(0, 50).mapToObj(i -> "a" + i), Stream.of("b0")));
        assertThat(taken.indexOf("b0")).isEqualTo(1);
        assertThat(taken).filteredOn(name -> name.startsWith("a"))
                .containsExactlyElementsOf(IntStream.range(0, 50).mapToObj(i -> "a" + i).toList());
    }

    @Test
    void requestsOfOneIntervalShareAWindow() {
        RequestQueue<String> queue = new RequestQueue<>(Windows.ofTime(1000), RequestOrder.byApplication(), 100);
        queue.add(request(2, 1, 0, 0, 0), 0, "b");
        queue.add(request(2, 1, 0, 0, 0), 10, "b again");
        queue.add(request(1, 1, 0, 0, 0), 999, "a");
        queue.add(request(0, 1, 0, 0, 0), 1000, "next");
        assertThat(Stream.generate(queue::next).limit(5).map(next -> next.orElse("none"))).containsExactly("a", "b",
                "b again", "next", "none");
    }

    @Test
    void aRequestEntersTheWindowThatIsServedUpToItsWidth() {
        RequestQueue<String> queue = new RequestQueue<>(Windows.flexible(4), RequestOrder.byApplication(), 4);
        queue.add(request(2, 1, 0, 0, 0), 0, "b");
        queue.add(request(3, 1, 0, 0, 0), 0, "c");
        assertThat(queue.next()).contains("b");
        assertThat(queue.add(request(1, 1, 0, 0, 0), 0, "a")).isTrue();
        assertThat(queue.add(new CollectiveRequest(2, 1, 1, ShuffleHint.NONE), 0, "b again")).isTrue();
        assertThat(queue.add(request(4, 1, 0, 0, 0), 0, "d")).isTrue();
        assertThat(queue.add(request(5, 1, 0, 0, 0), 0, "too much")).isFalse();
        assertThat(queue.next()).contains("a");
        assertThat(queue.add(request(0, 1, 0, 0, 0), 0, "first of the next")).isTrue();
        assertThat(Stream.generate(queue::next).limit(5).map(next -> next.orElse("none"))).containsExactly("c", "d",
                "first of the next", "b again", "none");
    }

    /** Others come while requests of the window are served, so that it is sorted several times. */
    @ParameterizedTest
    @MethodSource("all")
    void requestsOfOneAggregatorStayInTheOrderOfArrival(RequestOrder order) {
        RequestQueue<String> queue = new RequestQueue<>(Windows.flexible(100), order, 100);
        List<String> taken = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            queue.add(request(1, 10, 40, 25, 1), 0, "a" + i);
            queue.add(request(2, 10, 60, 0, 0), 0, "b" + i);
            queue.add(request(3, 10, 5, 95, 2), 0, "c" + i);
            queue.next().ifPresent(taken::add);
        }
        while (queue.size() > 0) {
            queue.next().ifPresent(taken::add);
        }
        for (String name : List.of("a", "b", "c")) {
            assertThat(taken).filteredOn(one -> one.startsWith(name))
                    .containsExactlyElementsOf(IntStream.range(0, 8).mapToObj(i -> name + i).toList());
        }
    }

    @Test
    void aRequestIsOvertakenByLaterOnesWithinItsAcceptableDelayOnly() {
        RequestQueue<String> queue = new RequestQueue<>(Windows.flexible(10), HIO, 10);
        queue.add(request(1, 10, 0, 25, 1), 0, "a");
        queue.add(request(2, 10, 0, 0, 0), 0, "b");
        assertThat(queue.next()).contains("b");
        queue.add(request(3, 10, 0, 0, 0), 0, "c");
        assertThat(queue.next()).contains("c");
        queue.add(request(4, 10, 0, 0, 0), 0, "d");
        assertThat(queue.next()).contains("a");
    }

    @Test
    void aRequestThatTookLongerThanPredictedDelaysOthersForSoLong() {
        RequestQueue<String> queue = new RequestQueue<>(Windows.flexible(10), HIO, 10);
        queue.add(request(1, 10, 0, 35, 1), 0, "a");
        queue.add(request(2, 10, 0, 0, 0), 0, "b");
        queue.add(request(3, 10, 0, 0, 0), 0, "c");
        queue.add(request(4, 10, 0, 0, 0), 0, "d");
        assertThat(queue.next()).contains("b");
        queue.took(10);
        assertThat(queue.next()).contains("c");
        queue.took(24);
        assertThat(queue.next()).contains("a");
        queue.took(100);
        assertThat(queue.next()).contains("d");
        queue.took(100);
        assertThat(queue.next()).isEmpty();
    }

    @Test
    void theLargestDelayOfOneRequestDoesNotChangeTheOrderOfOthers() {
        for (long delay : new long[]{1000, Long.MAX_VALUE}) {
            assertThat(HIO
                    .order(List.of(request(1, 10, 10, 10, 1), request(2, 10, 10, 0, 0), request(3, 10, 0, delay, 2))))
                    .containsExactly(1, 0, 2);
        }
    }
}
