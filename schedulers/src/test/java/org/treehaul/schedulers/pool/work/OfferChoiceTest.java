// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.pool.work;

import static org.assertj.core.api.Assertions.assertThat;
import static org.treehaul.schedulers.pool.work.ChoiceTestData.offer;
import static org.treehaul.schedulers.pool.work.ChoiceTestData.worker;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

import org.junit.jupiter.api.Test;
import org.treehaul.schedulers.pool.PresentWorker;
import org.treehaul.schedulers.pool.TransferOffer;

class OfferChoiceTest {

    private final OfferChoice choice = new OfferChoice();
    private Function<TransferOffer, String> user = offer -> "";
    private final TransferOffer a = offer("a", 0);
    private final TransferOffer b = offer("b", 0);

    private String choose(List<TransferOffer> offers, PresentWorker... others) {
        Optional<TransferOffer> chosen = choice.choose(offers, List.of(others), user, 0);
        chosen.ifPresent(offer -> choice.serve(offer, user.apply(offer)));
        return chosen.map(TransferOffer::transfer).orElse("");
    }

    @Test
    void oneWorkerAlternatesBetweenTransfers() {
        List<String> chosen = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            chosen.add(choose(List.of(a, b)));
        }
        assertThat(chosen).containsExactly("a", "b", "a", "b", "a", "b");
    }

    @Test
    void theTransferWithTheFewestWorkersComesFirst() {
        assertThat(choose(List.of(a, b), worker("1", "a", 1))).isEqualTo("b");
        assertThat(choose(List.of(a, b), worker("1", "a", 1))).isEqualTo("b");
        assertThat(choose(List.of(a, b), worker("1", "b", 1))).isEqualTo("a");
    }

    @Test
    void workersOfAnEarlierGenerationDoNotCount() {
        assertThat(choose(List.of(a, b), worker("1", "a", 2))).isEqualTo("a");
    }

    @Test
    void aHigherPriorityComesFirstHoweverManyWorkersItHas() {
        assertThat(choose(List.of(a, offer("c", 1)), worker("1", "c", 1), worker("2", "c", 1))).isEqualTo("c");
        assertThat(choose(List.of(a, offer("c", -1)), worker("1", "a", 1))).isEqualTo("a");
    }

    @Test
    void aTransferThatIsAvoidedIsLeftOutUntilItsTime() {
        choice.avoidUntil(a, 10);
        assertThat(choice.choose(List.of(a), List.of(), user, 9)).isEmpty();
        assertThat(choice.choose(List.of(a), List.of(), user, 10)).contains(a);
    }

    @Test
    void usersShareTheWorkersWithAnyNumberOfTransfersAndAnyPriorities() {
        user = offer -> offer.transfer().substring(0, 1);
        TransferOffer urgent = offer("alice2", 999);
        List<TransferOffer> offers = List.of(offer("alice1", 0), urgent, offer("bob", -5));
        List<String> chosen = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            chosen.add(choose(offers));
        }
        assertThat(chosen).containsExactly("alice2", "bob", "alice2", "bob");
        assertThat(choose(offers, worker("1", "alice1", 1))).isEqualTo("bob");
        choice.avoidUntil(offers.getLast(), 10);
        assertThat(choose(offers)).isEqualTo("alice2");
    }

    @Test
    void withoutOffersNoneIsChosen() {
        assertThat(choose(List.of())).isEmpty();
    }
}
