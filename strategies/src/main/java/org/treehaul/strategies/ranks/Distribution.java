// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies.ranks;

import java.util.List;
import java.util.Optional;

/**
 * How ranks share work while they run. Whatever is chosen, every unit is done exactly once, in one rank, and the end is
 * seen by every rank only after the last one.
 */
public interface Distribution {

    /** Returns the name that it is chosen by. */
    String name();

    /** Returns whether it is meant for one rank on each host, whose threads share one pool. */
    default boolean isHybrid() {
        return false;
    }

    /**
     * Makes what a rank does.
     *
     * @param pool the work of this rank; that of rank 0 has the roots at first, the others nothing
     * @param outbox takes the messages
     */
    Sharing share(Group group, WorkPool pool, Outbox outbox);

    /**
     * Rank 0 keeps all that waits; the others ask it for one unit at a time and return all that they find (LaFon et
     * al., Algorithm 1).
     */
    static Distribution centralized() {
        return new Named("centralized", false, (g, p, o) -> new Centralized(g, p, o, Centralized.Policy.ONE));
    }

    /** As {@link #centralized()}, but a rank keeps one of the units that it found and goes on with it (LaFon, V). */
    static Distribution centralizedKeepingOne() {
        return new Named("centralized-keep", false, (g, p, o) -> new Centralized(g, p, o, Centralized.Policy.KEEP_ONE));
    }

    /**
     * Rank 0 keeps all that waits and gives out shares that shrink with what remains, large units first; it works
     * itself while nobody waits for it, and stops that for good when its moving average says so (Nuss, 2.2.1 and
     * 2.2.4).
     */
    static Distribution pct() {
        return new Named("pct", false, (g, p, o) -> new Centralized(g, p, o, Centralized.Policy.PCT));
    }

    /** Who has nothing asks a rank at random, which gives a random part of what waits (DRQS: LaFon, Algorithm 2). */
    static Distribution randomSplit() {
        return new Named("random-split", false, (g, p, o) -> new QueueSplitting(g, p, o, Victims.atRandom(g), true));
    }

    /** As {@link #randomSplit()}, but half of what waits is given (DEQS). */
    static Distribution equalSplit() {
        return new Named("equal-split", false, (g, p, o) -> new QueueSplitting(g, p, o, Victims.atRandom(g), false));
    }

    /**
     * Ranks ask those on the same host; only the first of each host asks others (PA-DRQS: LaFon, Algorithm 3).
     */
    static Distribution proximity() {
        return new Named("proximity", false, (g, p, o) -> new QueueSplitting(g, p, o, Victims.nearestFirst(g), true));
    }

    /**
     * One rank on each host; its threads share one pool and one of them talks to the other ranks (H-DRQS: LaFon,
     * Algorithm 4).
     */
    static Distribution hybrid() {
        return new Named("hybrid", true, (g, p, o) -> new QueueSplitting(g, p, o, Victims.atRandom(g), true));
    }

    /** Returns all of them. */
    static List<Distribution> all() {
        return List.of(centralized(), centralizedKeepingOne(), pct(), randomSplit(), equalSplit(), proximity(),
                hybrid());
    }

    /** Returns the one of a name. */
    static Optional<Distribution> named(String name) {
        return all().stream().filter(d -> d.name().equals(name)).findFirst();
    }
}
