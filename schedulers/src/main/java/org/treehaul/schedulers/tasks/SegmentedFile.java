// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.tasks;

import java.util.List;

import org.treehaul.core.locality.DataLayout;

/** A file in segments, for each of which a group has a task. */
@FunctionalInterface
public interface SegmentedFile {

    /** Returns the segments, at least one; the number of each is its place in the list. */
    List<Segment> segments();

    /**
     * Cuts a file in contiguous segments of about equal length, which any host reaches.
     *
     * @param size bytes of the file, at least 0
     * @param count the number of segments, at least 1; those behind the end of a small file are empty
     * @throws IllegalArgumentException if a number is out of its range
     */
    static SegmentedFile inParts(long size, int count) {
        List<Segment> segments = LayoutSegments.inParts(size, count);
        return () -> segments;
    }

    /**
     * Cuts a file round-robin, as a parallel file is: the stripe with number n, from 0, belongs to the segment n modulo
     * the number of segments.
     *
     * @param size bytes of the file, at least 0
     * @param stripe bytes of a stripe, at least 1
     * @param hosts the host of each segment, at least one; an empty name means any host
     * @throws IllegalArgumentException if a number is out of its range, or there are no hosts
     */
    static SegmentedFile striped(long size, long stripe, List<String> hosts) {
        List<Segment> segments = LayoutSegments.striped(size, stripe, hosts);
        return () -> segments;
    }

    /**
     * Makes a segment of the data on each server of a file. Data that several servers have belong to the first one that
     * the layout names; data whose place is unknown are a segment of their own, the last one, without a host.
     *
     * @param layout where the data are
     * @param size bytes of the file, at least 0; an empty file has one empty segment
     * @throws IllegalArgumentException if the size is negative
     */
    static SegmentedFile onServers(DataLayout layout, long size) {
        List<Segment> segments = LayoutSegments.onServers(layout, size);
        return () -> segments;
    }
}
