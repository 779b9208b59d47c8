// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.files.index;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.TreePath;

/** The queue between the threads of a walk and the one that stores. */
@Timeout(300)
class ListingQueueTest {

    private static final long MOST = 1000;

    private static Listing listing(int walk, int number, long weight) {
        return new Listing(new Place(walk, TreePath.root()), ByteString.of("/" + number), List.of(), Map.of(),
                Listing.Extent.WHOLE, weight, null);
    }

    private static Thread start(Runnable work) {
        return Thread.ofPlatform().start(work);
    }

    private static void awaitWaiting(Thread thread) {
        while (thread.getState() != Thread.State.WAITING) {
            Thread.onSpinWait();
        }
    }

    @Test
    void eachListingArrivesOnceInTheOrderOfItsThreadAndTheBytesAreBounded() throws InterruptedException {
        int walks = 4;
        int each = 2000;
        Listing.Queue queue = new Listing.Queue(MOST);
        AtomicLong inside = new AtomicLong();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < walks; i++) {
            int walk = i;
            threads.add(start(() -> {
                Random random = new Random(walk);
                for (int n = 0; n < each; n++) {
                    long weight = 1L + random.nextInt(random.nextInt(50) == 0 ? 3000 : 200);
                    queue.put(listing(walk, n, weight));
                    inside.addAndGet(Math.min(MOST, weight));
                }
            }));
        }
        Thread end = start(() -> {
            threads.forEach(ListingQueueTest::join);
            queue.end();
        });
        Map<Integer, List<String>> arrived = new HashMap<>();
        List<Listing> batch = new ArrayList<>();
        boolean isMore = true;
        while (isMore) {
            isMore = queue.take(batch);
            // A thread counts a listing after it has put it, so that those counted are never more than those inside.
            assertThat(inside.get()).isLessThanOrEqualTo(MOST);
            for (Listing listing : batch) {
                arrived.computeIfAbsent(listing.place().root(), walk -> new ArrayList<>())
                        .add(listing.directory().toString());
                inside.addAndGet(-Math.min(MOST, listing.weight()));
            }
            queue.stored(batch);
            batch.clear();
        }
        end.join();
        assertThat(arrived).hasSize(walks);
        arrived.values().forEach(names -> {
            assertThat(names).hasSize(each);
            for (int n = 0; n < each; n++) {
                assertThat(names.get(n)).isEqualTo("/" + n);
            }
        });
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void smallListingsAreTakenTogether() throws InterruptedException {
        Listing.Queue queue = new Listing.Queue(MOST);
        List<Integer> sizes = new ArrayList<>();
        Thread store = start(() -> {
            List<Listing> batch = new ArrayList<>();
            boolean isMore = true;
            while (isMore) {
                try {
                    isMore = queue.take(batch);
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
                sizes.add(batch.size());
                queue.stored(batch);
                batch.clear();
            }
        });
        for (int n = 0; n < 12; n++) {
            awaitWaiting(store);
            queue.put(listing(0, n, 50));
        }
        awaitWaiting(store);
        queue.end();
        store.join();
        // A quarter of the bytes wakes the thread that stores.
        assertThat(sizes.subList(0, sizes.size() - 1)).allMatch(size -> size >= 5);
        assertThat(sizes.stream().mapToInt(Integer::intValue).sum()).isEqualTo(12);
    }

    @Test
    void aThreadThatNeedsRoomWakesTheOneThatStores() throws InterruptedException {
        Listing.Queue queue = new Listing.Queue(MOST);
        queue.put(listing(0, 0, 100));
        Thread walk = start(() -> queue.put(listing(0, 1, 5 * MOST)));
        List<Listing> batch = new ArrayList<>();
        assertThat(queue.take(batch)).isTrue();
        assertThat(batch).extracting(Listing::weight).containsExactly(100L);
        awaitWaiting(walk);
        queue.stored(batch);
        walk.join();
        batch.clear();
        assertThat(queue.take(batch)).isTrue();
        assertThat(batch).extracting(Listing::weight).containsExactly(5 * MOST);
        queue.end();
        batch.clear();
        assertThat(queue.take(batch)).isFalse();
        assertThat(batch).isEmpty();
    }

    @Test
    void noThreadWaitsForRoomOnceTheStoreHasStopped() throws InterruptedException {
        Listing.Queue queue = new Listing.Queue(MOST);
        queue.put(listing(0, 0, MOST));
        Thread walk = start(() -> queue.put(listing(0, 1, MOST)));
        awaitWaiting(walk);
        queue.stop();
        walk.join();
        queue.put(listing(0, 2, MOST));
        queue.end();
        List<Listing> batch = new ArrayList<>();
        assertThat(queue.take(batch)).isFalse();
        assertThat(batch).isEmpty();
    }
}
