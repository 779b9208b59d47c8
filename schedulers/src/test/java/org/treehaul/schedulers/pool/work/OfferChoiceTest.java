// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.pool.work;

import static org.assertj.core.api.Assertions.assertThat;
import static org.treehaul.schedulers.pool.work.ChoiceTestData.offer;
import static org.treehaul.schedulers.pool.work.ChoiceTestData.worker;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import org.junit.jupiter.api.Test;
import org.treehaul.schedulers.pool.PresentWorker;
import org.treehaul.schedulers.pool.TransferOffer;

class OfferChoiceTest {

    private final OfferChoice choice = new OfferChoice();
    private final TransferOffer a = offer("a", 0);
    private final TransferOffer b = offer("b", 0);

    private String choose(List<TransferOffer> offers, PresentWorker... others) {
        Optional<TransferOffer> chosen = choice.choose(offers, List.of(others), 0);
        chosen.ifPresent(choice::serve);
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
        assertThat(choice.choose(List.of(a), List.of(), 9)).isEmpty();
        assertThat(choice.choose(List.of(a), List.of(), 10)).contains(a);
    }

    @Test
    void withoutOffersNoneIsChosen() {
        assertThat(choose(List.of())).isEmpty();
    }
}
