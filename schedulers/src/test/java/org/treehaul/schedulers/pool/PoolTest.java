// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.pool;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.treehaul.tuplespace.Lease;
import org.treehaul.tuplespace.Transaction;
import org.treehaul.tuplespace.store.Owned;
import org.treehaul.tuplespace.store.SpaceUri;
import org.treehaul.tuplespace.tuple.Template;

/** Floods of tuples that a member of a shared space writes. */
class PoolTest {

    private static final Duration LEASE = Duration.ofSeconds(30);
    // A space in memory records no users, so that its tuples are those of a stranger.
    private static final Trust OTHERS = new Trust(Set.of("workers"));

    private final Pool pool = Pool.open(new SpaceUri(SpaceUri.MEMORY, "pool" + System.nanoTime()));

    @AfterEach
    void close() {
        pool.close();
    }

    @Test
    void onlyTheFirstTuplesOfEachUserAreKept() {
        Stream<Owned<Integer>> flood = IntStream.range(0, 10 * PerRole.MOST)
                .mapToObj(i -> new Owned<>(-i, Optional.of("bob")));
        Stream<Owned<Integer>> others = Stream.of(new Owned<>(1, Optional.of("alice")),
                new Owned<>(2, Optional.empty()), new Owned<>(3, Optional.empty()));
        PerRole<Integer> all = new PerRole<>(Comparator.naturalOrder());
        Stream.concat(flood, others).forEach(all::add);
        List<Owned<Integer>> kept = all.kept();
        assertThat(kept).filteredOn(owned -> owned.owner().equals(Optional.of("bob")))
                .hasSize(PerRole.MOST)
                .allMatch(owned -> owned.tuple() <= -9 * PerRole.MOST);
        assertThat(kept).filteredOn(owned -> !owned.owner().equals(Optional.of("bob")))
                .extracting(Owned::tuple)
                .containsExactlyInAnyOrder(1, 2, 3);
    }

    @Test
    void aPoolIsNamedInAHomeThatTheLocaleCannotExpress() throws Exception {
        // No locale has a name with a NUL.
        String name = PoolProvider.name(new SpaceUri(SpaceUri.MEMORY, "homeless"));
        assertThat(new PoolProvider().named(name, Map.of("HOME", "/home/\0")).name()).isEqualTo(name);
    }

    private void writeSlots(int count, int number) {
        try (Transaction transaction = pool.begin(LEASE)) {
            transaction.writeAll(IntStream.range(0, count).mapToObj(i -> new Slot("/data", number)).toList(),
                    Lease.FOREVER);
            transaction.commit();
        }
    }

    private long slots() {
        try (Transaction transaction = pool.begin(LEASE)) {
            return transaction.count(Template.of(Slot.class));
        }
    }

    @Test
    void aFewForgedSlotsAreTakenAndManyAreRemoved() {
        writeSlots(3, 0);
        try (Transaction transaction = pool.begin(LEASE)) {
            assertThat(Pool.takeSlot(transaction, "/data", 1, OTHERS))
                    .isEqualTo(new Pool.SlotTake(Optional.empty(), false));
            transaction.commit();
        }
        assertThat(slots()).as("those that were not believed").isZero();
        writeSlots(12_000, 0);
        try (Transaction transaction = pool.begin(LEASE)) {
            assertThat(Pool.takeSlot(transaction, "/data", 1, OTHERS))
                    .isEqualTo(new Pool.SlotTake(Optional.empty(), true));
        }
        assertThat(slots()).isEqualTo(12_000);
        pool.removeForgedSlots("/data", 1, OTHERS);
        assertThat(slots()).isEqualTo(2_000);
        pool.removeForgedSlots("/data", 1, Trust.EVERYBODY);
        assertThat(slots()).as("those that are believed").isEqualTo(2_000);
    }

    @Test
    void slotsAboveTheBoundHideNoForgedOnes() {
        writeSlots(12_000, 5);
        writeSlots(20, 0);
        pool.removeForgedSlots("/data", 1, OTHERS);
        assertThat(slots()).isEqualTo(12_000);
    }
}
