// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.pool;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;

import org.treehaul.tuplespace.store.Owned;

/**
 * Keeps the first tuples of each user in an order, because a member of a shared space may write any number; keeps all
 * of them where the space records no users. Used by one thread.
 */
final class PerRole<T> {

    /** More transfers, workers and bounds than a user has; about 1 MB. */
    static final int MOST = 2_000;

    private final Comparator<Owned<T>> lastFirst;
    private final List<Owned<T>> ofNobody = new ArrayList<>();
    private final Map<String, PriorityQueue<Owned<T>>> ofRoles = new HashMap<>();

    PerRole(Comparator<? super T> order) {
        lastFirst = Comparator.<Owned<T>, T>comparing(Owned::tuple, order).reversed();
    }

    void add(Owned<T> owned) {
        if (owned.owner().isEmpty()) {
            ofNobody.add(owned);
            return;
        }
        PriorityQueue<Owned<T>> ofRole = ofRoles.computeIfAbsent(owned.owner().get(),
                _ -> new PriorityQueue<>(lastFirst));
        ofRole.add(owned);
        if (ofRole.size() > MOST) {
            ofRole.remove();
        }
    }

    /** Returns the tuples that were kept. */
    List<Owned<T>> kept() {
        List<Owned<T>> kept = new ArrayList<>(ofNobody);
        ofRoles.values().forEach(kept::addAll);
        return kept;
    }
}
