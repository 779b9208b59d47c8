// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.pool;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.stream.Stream;

import org.treehaul.tuplespace.store.Owned;

/** Bounds the tuples of each user that are held in memory: a member of a shared space may write any number. */
final class PerRole {

    /** More transfers, workers and bounds than a user has; about 1 MB. */
    static final int MOST = 2_000;

    private PerRole() {}

    /** Returns the first tuples of each user in an order; all of them where the space records no users. */
    static <T> List<Owned<T>> first(Stream<Owned<T>> tuples, Comparator<? super T> order) {
        Comparator<Owned<T>> lastFirst = Comparator.<Owned<T>, T>comparing(Owned::tuple, order).reversed();
        List<Owned<T>> kept = new ArrayList<>();
        Map<String, PriorityQueue<Owned<T>>> ofRoles = new HashMap<>();
        tuples.forEach(owned -> {
            if (owned.owner().isEmpty()) {
                kept.add(owned);
                return;
            }
            PriorityQueue<Owned<T>> ofRole = ofRoles.computeIfAbsent(owned.owner().get(),
                    _ -> new PriorityQueue<>(lastFirst));
            ofRole.add(owned);
            if (ofRole.size() > MOST) {
                ofRole.remove();
            }
        });
        ofRoles.values().forEach(kept::addAll);
        return kept;
    }
}
