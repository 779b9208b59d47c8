// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.plan;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.plan.format.PlanException;
import org.treehaul.core.plan.format.PlannedFollow;

/** Symbolic links that a planning walk followed on the way to listed paths. Thread-safe. */
final class FollowedLinks {

    private final Set<PlannedFollow> links = ConcurrentHashMap.newKeySet();
    private int written;

    void add(PlannedFollow link) {
        links.add(link);
    }

    /**
     * Writes the links into the plan if there are new ones. The walk enters a directory before it finds its entries.
     */
    synchronized void write(PlanWriter plan) throws PlanException {
        if (links.size() > written) {
            List<PlannedFollow> all = new ArrayList<>(links);
            written = all.size();
            all.sort(Comparator.comparingInt(PlannedFollow::root)
                    .thenComparing(link -> ByteString.of(link.path().toBytes())));
            plan.followed(all);
        }
    }
}
