// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies.collective.order;

import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/** Sorts requests by the number of their application; those of one application stay in the order of arrival. */
final class ByApplication implements RequestOrder {

    @Override
    public int[] order(List<CollectiveRequest> requests) {
        return sorted(requests, Comparator.comparingLong(CollectiveRequest::application));
    }

    static int[] sorted(List<CollectiveRequest> requests, Comparator<CollectiveRequest> comparator) {
        return IntStream.range(0, requests.size())
                .boxed()
                .sorted(Comparator.comparing(requests::get, comparator))
                .mapToInt(Integer::intValue)
                .toArray();
    }
}
