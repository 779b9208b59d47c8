// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.pool.work;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.plan.servers.OwnHost;
import org.treehaul.core.transfer.work.BatchShare;
import org.treehaul.core.transfer.work.WorkResult;
import org.treehaul.schedulers.pool.BatchOffer;
import org.treehaul.schedulers.pool.Pool;
import org.treehaul.schedulers.pool.Slot;
import org.treehaul.schedulers.pool.TransferOffer;
import org.treehaul.schedulers.pool.carry.Carrier;
import org.treehaul.tuplespace.Lease;
import org.treehaul.tuplespace.Transaction;
import org.treehaul.tuplespace.store.SpaceUri;
import org.treehaul.tuplespace.tuple.Template;

/** The batches that a worker takes in one turn, and the bounds of places. */
class TurnTest {

    private static final Duration LEASE = Duration.ofSeconds(30);

    private final Pool pool = Pool.open(new SpaceUri(SpaceUri.MEMORY, "turns" + System.nanoTime()));
    private final TransferOffer offer = ChoiceTestData.offer("a", 0);
    private final Set<Integer> avoided = new HashSet<>();
    private final LocalBatches local = new LocalBatches();

    @AfterEach
    void close() {
        pool.close();
    }

    private void offer(String transfer, int batches) {
        write(IntStream.range(0, batches).mapToObj(batch -> new BatchOffer(transfer, 1, batch)).toList());
    }

    private void write(List<? extends Record> tuples) {
        try (Transaction transaction = pool.begin(LEASE)) {
            transaction.writeAll(tuples, Lease.FOREVER);
            transaction.commit();
        }
    }

    private Turn turn(TransferOffer of) {
        return new Turn(pool, of, ChoiceTestData.admission(pool),
                new Presence(pool, ChoiceTestData.worker("w", "", 0), LEASE), LEASE, new Cancellation(), () -> false,
                avoided, local);
    }

    /** A process of a user whose answers a test gives. */
    private record Answering(List<Integer> asked, List<Carrier.Local> answers) implements Carrier {

        @Override
        public Local local(int from) {
            asked.add(from);
            return answers.get(asked.size() - 1);
        }

        @Override
        public WorkResult work(BatchShare batches, Cancellation stop) {
            throw new AssertionError();
        }

        @Override
        public Remainder remainder(int offered) {
            throw new AssertionError();
        }

        @Override
        public Finished finish(Cancellation stop) {
            throw new AssertionError();
        }
    }

    @Test
    void batchesOfTheOwnHostComeFirst() throws Exception {
        offer("a", 10);
        local.look(new Answering(new ArrayList<>(), List.of(new Carrier.Local(10, Set.of(3, 7, 8)))), 10);
        avoided.add(7);
        List<Integer> order = new ArrayList<>();
        try (Turn turn = turn(offer)) {
            assertThat(turn.begin()).isEqualTo(Turn.Start.TAKEN);
            for (OptionalInt next = turn.next(); next.isPresent(); next = turn.next()) {
                order.add(next.getAsInt());
            }
        }
        assertThat(order.subList(0, 2)).containsExactlyInAnyOrder(3, 8);
        assertThat(order).containsExactlyInAnyOrder(0, 1, 2, 3, 4, 5, 6, 8, 9);
        assertThat(left()).containsExactly(7);
    }

    @Test
    void manyBatchesOfTheOwnHostAreKnownInPortions() throws Exception {
        List<Integer> asked = new ArrayList<>();
        Carrier carrier = new Answering(asked, List.of(new Carrier.Local(600, Set.of(1)),
                new Carrier.Local(1, Set.of()), new Carrier.Local(900, Set.of(800))));
        local.look(carrier, 900);
        local.look(carrier, 900);
        assertThat(local.portion()).containsExactly(1);
        local.usedUp();
        // An answer that leads nowhere is no reason to ask again at once, nor for ever.
        local.look(carrier, 900);
        assertThat(local.portion()).isEmpty();
        local.look(carrier, 900);
        assertThat(local.portion()).containsExactly(800);
        local.usedUp();
        local.look(carrier, 900);
        assertThat(asked).containsExactly(0, 600, 601);
    }

    @Test
    void aHostHasTheBatchesOfItsNames() {
        OwnHost host = OwnHost.named("node2.site");
        List<List<String>> servers = List.of(List.of("node1", "node2"), List.of(), List.of("node3"),
                List.of("NODE2.site"));
        assertThat(Carrier.Local.of(servers::get, host, 0, 4)).isEqualTo(new Carrier.Local(4, Set.of(0, 3)));
        assertThat(Carrier.Local.of(servers::get, host, 1, 4)).isEqualTo(new Carrier.Local(4, Set.of(3)));
        Carrier.Local many = Carrier.Local.of(batch -> List.of("node2"), host, 5, 1_000_000);
        assertThat(many.lookedTo()).isEqualTo(505);
        assertThat(many.batches()).hasSize(500).contains(5, 504);
    }

    private List<Integer> left() {
        try (Transaction transaction = pool.begin(LEASE)) {
            return transaction.takeAll(Template.of(BatchOffer.class), 1000).stream().map(BatchOffer::batch).toList();
        }
    }

    @Test
    void eachBatchIsTakenOnceAndShortOnesInGroups() throws Exception {
        offer("a", 100);
        offer("b", 1);
        List<Integer> taken = new ArrayList<>();
        try (Turn turn = turn(offer)) {
            assertThat(turn.begin()).isEqualTo(Turn.Start.TAKEN);
            for (OptionalInt next = turn.next(); next.isPresent(); next = turn.next()) {
                taken.add(next.getAsInt());
            }
        }
        assertThat(taken).hasSize(100).doesNotHaveDuplicates();
        assertThat(left()).as("those of another transfer").containsExactly(0);
    }

    @Test
    void theGroupOfATurnThatEndsEarlyIsBack() throws Exception {
        offer("a", 10);
        Turn turn = turn(offer);
        turn.begin();
        int first = turn.next().getAsInt();
        turn.next();
        assertThat(left()).hasSizeLessThan(9);
        turn.close();
        assertThat(left()).hasSize(9).doesNotContain(first);
    }

    @Test
    void aBatchThatAnotherWorkerHasIsBackAndAvoided() throws Exception {
        offer("a", 1);
        try (Turn turn = turn(offer)) {
            turn.begin();
            assertThat(turn.takeBack(turn.next().getAsInt())).isTrue();
            assertThat(turn.next()).isEmpty();
            assertThat(turn.begin()).isEqualTo(Turn.Start.NONE);
        }
        assertThat(left()).containsExactly(0);
        avoided.clear();
        assertThat(turn(offer).begin()).isEqualTo(Turn.Start.TAKEN);
    }

    @Test
    void onlyAsManyWorkersAsTheBoundWriteBelowADirectory() throws Exception {
        pool.bound("/scratch", 2);
        offer("a", 3);
        offer("b", 3);
        Turn first = turn(offer);
        Turn second = turn(ChoiceTestData.offer("b", 0));
        assertThat(first.begin()).isEqualTo(Turn.Start.TAKEN);
        assertThat(second.begin()).isEqualTo(Turn.Start.TAKEN);
        Turn third = turn(offer);
        assertThat(third.begin()).isEqualTo(Turn.Start.BOUNDED);
        first.close();
        assertThat(third.begin()).as("the slot of one that ended").isEqualTo(Turn.Start.TAKEN);
        pool.bound("/scratch", 1);
        third.close();
        assertThat(third.begin()).as("one works, and one may").isIn(Turn.Start.TAKEN, Turn.Start.BOUNDED);
        third.close();
        second.close();
        pool.bound("/scratch", 0);
        for (int i = 0; i < 3; i++) {
            assertThat(turn(offer).begin()).isEqualTo(Turn.Start.TAKEN);
        }
    }

    @Test
    void aBoundCanBeRaisedAgainAndKeepsItsSlots() throws Exception {
        pool.bound("/scratch/", 1);
        pool.bound("/scratch/", 3);
        pool.bound("/scratch/", 2);
        pool.bound("/scratch/", 3);
        try (Transaction transaction = pool.begin(LEASE)) {
            assertThat(transaction.takeAll(Template.of(Slot.class), 100)).extracting(Slot::number)
                    .containsExactlyInAnyOrder(0, 1, 2);
        }
        pool.bound("/scra", 0);
        offer("a", 5);
        for (int i = 0; i < 3; i++) {
            assertThat(turn(offer).begin()).isEqualTo(Turn.Start.TAKEN);
        }
        assertThat(turn(offer).begin()).isEqualTo(Turn.Start.BOUNDED);
    }

    @Test
    void aTransferMayHaveABoundOfItsOwn() throws Exception {
        TransferOffer bounded = new TransferOffer("a", 1, TransferOffer.FORMAT, "/none", "/data", 0, 0, 1, 0,
                offer.since());
        offer("a", 2);
        write(List.of(new Slot("a.1", 0)));
        try (Turn first = turn(bounded)) {
            assertThat(first.begin()).isEqualTo(Turn.Start.TAKEN);
            assertThat(turn(bounded).begin()).isEqualTo(Turn.Start.BOUNDED);
            first.next();
            first.next();
            assertThat(first.next()).isEmpty();
        }
        offer("a", 1);
        assertThat(turn(bounded).begin()).as("the slot is back").isEqualTo(Turn.Start.TAKEN);
    }
}
