// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.directory;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The shares of the bandwidth of several transfers that one process keeps while it alternates between them: a process
 * that joins anew must pause first. Used by one thread; closing leaves all.
 */
public final class BandwidthShares implements AutoCloseable {

    // Each has a thread. More transfers with a limit at the same time are rare.
    private static final int MOST = 8;

    private record Place(String transfer, int generation) {}

    private final Map<Place, SharedBandwidth> joined = new LinkedHashMap<>(16, 0.75f, true);

    /** Joins as {@link SharedBandwidth#join} does, or returns the share that is kept. Its owner is this object. */
    public SharedBandwidth join(TransferDirectory transfer, int generation, long planned) {
        Place place = new Place(transfer.id().text(), generation);
        SharedBandwidth known = joined.get(place);
        if (known != null) {
            return known;
        }
        SharedBandwidth share = SharedBandwidth.join(transfer, generation, planned);
        joined.put(place, share);
        if (joined.size() > MOST) {
            Map.Entry<Place, SharedBandwidth> eldest = joined.entrySet().iterator().next();
            joined.remove(eldest.getKey());
            eldest.getValue().close();
        }
        return share;
    }

    /** Leaves a transfer. */
    public void leave(String transfer) {
        leave(joined.keySet().stream().filter(place -> place.transfer().equals(transfer)).toList());
    }

    /** Leaves all other transfers than these. */
    public void keepOnly(Set<String> transfers) {
        leave(joined.keySet().stream().filter(place -> !transfers.contains(place.transfer())).toList());
    }

    private void leave(List<Place> places) {
        for (Place place : places) {
            SharedBandwidth share = joined.remove(place);
            if (share != null) {
                share.close();
            }
        }
    }

    @Override
    public void close() {
        keepOnly(Set.of());
    }
}
