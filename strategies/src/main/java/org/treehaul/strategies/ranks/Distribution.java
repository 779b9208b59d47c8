// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies.ranks;

import java.util.List;
import java.util.Optional;

import org.treehaul.core.annotation.Api;
import org.treehaul.core.annotation.Internal;

/**
 * A method by which ranks share work while they run. With every distribution, each unit is done exactly once, in one
 * rank, and a rank sees the end only after the last unit.
 */
@Api
public interface Distribution {

    /** Returns the name by which users select it. */
    String name();

    /** Returns whether it expects one rank on each host, whose threads share one pool. */
    default boolean isHybrid() {
        return false;
    }

    /**
     * Makes the state machine of a rank.
     *
     * @param pool the work of this rank; that of rank 0 has the roots at first, the others nothing
     * @param outbox takes the messages
     */
    @Internal
    DistributionProtocol share(Group group, WorkPool pool, Outbox outbox);

    /**
     * Rank 0 keeps all waiting units; the others request one unit at a time and return all units that they find (LaFon
     * et al., Algorithm 1).
     */
    static Distribution centralized() {
        return new Named("centralized", false, (g, p, o) -> new Centralized(g, p, o, Centralized.Policy.ONE));
    }

    /**
     * Like {@link #centralized()}, but a rank keeps one of the units that it found and continues with it (LaFon, V).
     */
    static Distribution centralizedKeepingOne() {
        return new Named("centralized-keep", false, (g, p, o) -> new Centralized(g, p, o, Centralized.Policy.KEEP_ONE));
    }

    /**
     * Rank 0 keeps all waiting units and grants shares that shrink with the remaining work, large units first; it works
     * itself while no rank waits for it, until its moving average stops that for good (Nuss, 2.2.1 and 2.2.4).
     */
    static Distribution pct() {
        return new Named("pct", false, (g, p, o) -> new Centralized(g, p, o, Centralized.Policy.PCT));
    }

    /**
     * A rank without work asks a random rank, which gives a random part of its waiting units (DRQS: LaFon, Algorithm
     * 2).
     */
    static Distribution randomSplit() {
        return new Named("random-split", false, (g, p, o) -> new QueueSplitting(g, p, o, Victims.atRandom(g), true));
    }

    /** Like {@link #randomSplit()}, but a rank gives half of its waiting units (DEQS). */
    static Distribution equalSplit() {
        return new Named("equal-split", false, (g, p, o) -> new QueueSplitting(g, p, o, Victims.atRandom(g), false));
    }

    /**
     * Ranks ask those on the same host; only the first rank of each host asks other hosts (PA-DRQS: LaFon, Algorithm
     * 3).
     */
    static Distribution proximity() {
        return new Named("proximity", false, (g, p, o) -> new QueueSplitting(g, p, o, Victims.nearestFirst(g), true));
    }

    /**
     * One rank on each host; its threads share one pool and one of them communicates with the other ranks (H-DRQS:
     * LaFon, Algorithm 4).
     */
    static Distribution hybrid() {
        return new Named("hybrid", true, (g, p, o) -> new QueueSplitting(g, p, o, Victims.atRandom(g), true));
    }

    /** Returns all distributions. */
    static List<Distribution> all() {
        return List.of(centralized(), centralizedKeepingOne(), pct(), randomSplit(), equalSplit(), proximity(),
                hybrid());
    }

    /** Returns the distribution with this name. */
    static Optional<Distribution> named(String name) {
        return all().stream().filter(d -> d.name().equals(name)).findFirst();
    }
}
