// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage.tree;

import java.util.HashSet;
import java.util.List;

import org.treehaul.schedulers.stage.StripeLayout;

/**
 * How files are spread over servers.
 *
 * @param servers the names of the servers, in the order in which files are cut
 * @param segments the number of segments of a file above a stripe; 0 for one on each server
 * @param stripe bytes of a stripe; a file that is not larger goes to one server as a whole
 * @param threads the number of threads, 1 or more
 * @param isDurable whether a file is on the disks of its servers before it gets its path
 * @param copies the number of copies of each segment, on different servers
 */
public record StageInOptions(List<String> servers, int segments, long stripe, int threads, boolean isDurable,
        int copies) {

    /**
     * The stripe unless the user chooses one: large enough for a full request, small enough to spread files of 10 MB.
     */
    public static final long DEFAULT_STRIPE = 1 << 20;

    /**
     * Checks the values.
     *
     * @throws IllegalArgumentException if there is no server, or a number is out of its range
     */
    public StageInOptions {
        servers = List.copyOf(servers);
        if (segments < 0 || threads < 1) {
            throw new IllegalArgumentException("segments " + segments + ", threads " + threads);
        }
        if (new HashSet<>(servers).size() < servers.size()) {
            throw new IllegalArgumentException("a server is named twice: " + servers);
        }
        StripeLayout checked = new StripeLayout(servers, segments == 0 ? servers.size() : segments, stripe, copies);
        segments = checked.segments();
    }

    /** Options with one copy of each segment. */
    public StageInOptions(List<String> servers, int segments, long stripe, int threads, boolean isDurable) {
        this(servers, segments, stripe, threads, isDurable, 1);
    }
}
