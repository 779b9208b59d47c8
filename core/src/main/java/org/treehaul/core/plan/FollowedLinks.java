// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.plan;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import org.treehaul.core.entry.ByteString;

/** The links that a planning walk has followed on the way to what was listed. Safe for any number of threads. */
final class FollowedLinks {

    private final Set<PlannedFollow> links = ConcurrentHashMap.newKeySet();
    private int written;

    void add(PlannedFollow link) {
        links.add(link);
    }

    /** Writes them into the plan where there are new ones. A directory is entered before what stands in it is found. */
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
