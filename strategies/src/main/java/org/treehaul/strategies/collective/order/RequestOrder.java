// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies.collective.order;

import java.util.List;
import java.util.stream.IntStream;

/**
 * The order of the requests of one window. Implementations are pure: the same requests give the same order, on every
 * server.
 */
@FunctionalInterface
public interface RequestOrder {

    /** The threshold of the paper's Algorithm 1. */
    double THRESHOLD = 0.2;

    /**
     * Returns the positions of the requests in the order in which to serve them.
     *
     * @param requests the requests of a window, in the order of their arrival
     * @return each index of the list once
     */
    int[] order(List<CollectiveRequest> requests);

    /** Returns the order of arrival: NIO in the paper. */
    static RequestOrder arrival() {
        return requests -> IntStream.range(0, requests.size()).toArray();
    }

    /**
     * Returns the order by the number of the application, so that all servers serve the applications in the same order:
     * SIO in the paper.
     */
    static RequestOrder byApplication() {
        return new ByApplication();
    }

    /**
     * Returns the hierarchical order: HIO in the paper, Algorithm 1, with the guarantee that {@link Hierarchical}
     * describes.
     *
     * @param threshold the ratio of all shuffle costs to all service times of a window above which shuffle costs
     *        decide, not negative; {@link #THRESHOLD} in the paper
     */
    static RequestOrder hierarchical(double threshold) {
        return new Hierarchical(threshold, true);
    }

    /**
     * Returns the order of Algorithm 1 without that guarantee, as the paper has it.
     *
     * @param threshold as in {@link #hierarchical}
     */
    static RequestOrder hierarchicalAsPrinted(double threshold) {
        return new Hierarchical(threshold, false);
    }
}
