// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies.collective.order;

/**
 * The rule that divides waiting requests into windows. A server serves one window after another, so a request waits
 * only for those of its own window and of earlier ones.
 *
 * @param width the most requests in a window
 * @param intervalNanos requests that arrive in the same interval of this length share a window, in nanoseconds; 0 for
 *        no such rule
 * @param isFlexible whether the requests of an application in a window belong to one access
 */
public record Windows(int width, long intervalNanos, boolean isFlexible) {

    /** Checks the width and the interval. */
    public Windows {
        if (width < 1 || intervalNanos < 0) {
            throw new IllegalArgumentException("width " + width + ", interval " + intervalNanos + " ns");
        }
    }

    /** Returns the rule of a queue whose order is that of arrival: each request is a window. */
    public static Windows none() {
        return new Windows(1, 0, false);
    }

    /**
     * Returns the windows of server I/O scheduling (Song et al., Server-side I/O coordination): requests that arrive in
     * the same interval.
     */
    public static Windows ofTime(long intervalNanos) {
        return new Windows(Integer.MAX_VALUE, intervalNanos, false);
    }

    /**
     * Returns the flexible windows of the paper (4.3), which separate the accesses of an application: its next access
     * begins when all requests of the one before have been served. The text says "no more than two aggregators from the
     * same application. In other words, the aggregators within a window are all from different applications". That is
     * right where an application has one aggregator at a server; if it has more, their requests belong together.
     *
     * <p>
     * A request enters the window of its access. If there is none, or it is full, the request enters the first waiting
     * window that has room and is behind all windows with earlier requests of its application. So the requests of an
     * application stay in their order, and those of an application with few requests do not wait behind many of
     * another. The paper ends a window where an application would come twice; then a single request would wait behind
     * all requests that an application has sent before.
     *
     * @param width the most requests in a window; the paper's example is 10
     */
    public static Windows flexible(int width) {
        return new Windows(width, 0, true);
    }
}
