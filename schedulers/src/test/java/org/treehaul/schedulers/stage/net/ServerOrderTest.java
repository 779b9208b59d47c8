// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage.net;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;

import io.netty.buffer.Unpooled;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.treehaul.schedulers.stage.SegmentKey;
import org.treehaul.schedulers.stage.net.ServerSettings.Order;
import org.treehaul.strategies.collective.order.CollectiveRequest;
import org.treehaul.strategies.collective.order.ShuffleHint;

/** The order in which a server carries out requests that wait. */
class ServerOrderTest {

    private static final long LARGE = -5;
    private static final long SMALL = 9;

    @TempDir
    Path place;

    private static SegmentKey key(int index) {
        return new SegmentKey(new UUID(1, 1), 1, index);
    }

    private static CollectiveRequest of(long application) {
        return new CollectiveRequest(application, 0, 0, ShuffleHint.NONE);
    }

    private static CollectiveRequest aggregator(long application, long shuffle, long delay, int rank) {
        return new CollectiveRequest(application, 1, 0, new ShuffleHint(shuffle, delay, rank));
    }

    /** A request of one connection, identified by the number of its segment. */
    private record Sent(int connection, int index, CollectiveRequest origin) {}

    /** Sends requests while the only thread is busy, and returns the order in which they are carried out. */
    private List<Integer> order(Order order, List<Sent> requests) throws IOException {
        HeldSegments held = new HeldSegments();
        try (Served served = Served.of(place, held::over, settings -> settings.withThreads(1).withOrder(order));
                RawClient busy = RawClient.member(served.port(), served.secret, UUID.randomUUID());
                RawClient first = RawClient.member(served.port(), served.secret, UUID.randomUUID());
                RawClient second = RawClient.member(served.port(), served.secret, UUID.randomUUID())) {
            busy.out.write(RawClient.bytes(Operation.SIZE, 1, key(0), 0));
            Awaitility.await().until(() -> held.held.getCount() == 0);
            int sent = 0;
            for (Sent request : requests) {
                RawClient by = request.connection == 1 ? first : second;
                by.out.write(RawClient.read(++sent, key(request.index), request.origin));
                int all = sent;
                Awaitility.await().until(() -> served.server.waiting() == all);
            }
            held.mayGo.countDown();
            Awaitility.await().until(() -> held.read.size() == requests.size());
            return List.copyOf(held.read);
        }
    }

    private static List<Sent> aSmallBehindALarge() {
        return IntStream.rangeClosed(1, 9)
                .mapToObj(i -> i < 8 ? new Sent(1, i, of(LARGE)) : new Sent(2, i, of(SMALL)))
                .toList();
    }

    @Test
    void requestsAreCarriedOutAsTheyArriveIfThatIsTheOrder() throws Exception {
        assertThat(order(Order.ARRIVAL, aSmallBehindALarge())).containsExactly(1, 2, 3, 4, 5, 6, 7, 8, 9);
    }

    @Test
    void aSmallTransferHasItsTurnAfterOneRequestOfALargeOne() throws Exception {
        assertThat(order(Order.APPLICATION, aSmallBehindALarge())).containsExactly(1, 8, 2, 9, 3, 4, 5, 6, 7);
        assertThat(order(Order.HIERARCHICAL, aSmallBehindALarge())).containsExactly(1, 8, 2, 9, 3, 4, 5, 6, 7);
    }

    @Test
    void connectionsOfOneTransferShareItsTurns() throws Exception {
        List<Sent> requests = List.of(new Sent(1, 1, of(LARGE)), new Sent(1, 2, of(LARGE)), new Sent(2, 3, of(LARGE)),
                new Sent(2, 4, of(SMALL)));
        assertThat(order(Order.APPLICATION, requests)).containsExactly(1, 4, 2, 3);
    }

    @Test
    void theSlowestAggregatorOfACollectiveReadComesFirstInTheHierarchicalOrder() throws Exception {
        long second = 1_000_000_000;
        List<Sent> requests = List.of(new Sent(1, 1, aggregator(1, second, 9 * second, 1)),
                new Sent(2, 2, aggregator(2, 10 * second, 0, 0)), new Sent(2, 3, aggregator(2, 10 * second, 0, 0)));
        assertThat(order(Order.APPLICATION, requests)).containsExactly(1, 2, 3);
        assertThat(order(Order.HIERARCHICAL, requests)).containsExactly(2, 3, 1);
    }

    @Test
    void aHintOfNegativeTimesCountsAsNone() throws Exception {
        byte[] damaged = RawClient.read(7, key(1), of(3));
        // The acceptable delay.
        damaged[Wire.SIZES_BYTES + Wire.ORIGIN_AT + 3 * Long.BYTES] = -1;
        assertThat(Request.origin(Unpooled.wrappedBuffer(damaged).skipBytes(Wire.SIZES_BYTES).slice()))
                .isEqualTo(of(3));
    }
}
