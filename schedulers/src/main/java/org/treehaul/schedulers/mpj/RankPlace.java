// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.mpj;

import java.nio.file.Path;
import java.time.Duration;

/**
 * Which rank of which group this process is.
 *
 * @param rank its number
 * @param size how many there are
 * @param host what the host of this process is called where people read it
 * @param meeting the file, in a directory that every node sees, by which rank 0 tells the others where it is; new for
 *        every group, written by rank 0 and removed when all have come
 * @param port where rank 0 waits for the others; 0 for any that is free
 * @param version of the program: that of all must be the same
 * @param plan what the group is to do: must be the same for all
 * @param arrival how long to wait until all have come
 * @param silence after which a rank that says nothing counts as gone
 */
public record RankPlace(int rank, int size, String host, Path meeting, int port, String version, String plan,
        Duration arrival, Duration silence) {

    /** How long ranks wait for each other at first: nodes of one job may start minutes apart. */
    public static final Duration ARRIVAL = Duration.ofMinutes(2);
    /** Longer than a pause of the JVM on a node without memory to spare. */
    public static final Duration SILENCE = Duration.ofSeconds(15);

    /** Makes a value. */
    public RankPlace {
        if (rank < 0 || rank >= size) {
            throw new IllegalArgumentException("no rank " + rank + " among " + size);
        }
        if (port < 0 || port > 65_535) {
            throw new IllegalArgumentException("no port: " + port);
        }
        if (host.isEmpty() || arrival.isNegative() || silence.compareTo(Duration.ofSeconds(2)) < 0) {
            throw new IllegalArgumentException("host '" + host + "', " + arrival + ", " + silence);
        }
    }

    /** Returns a copy with other times. */
    public RankPlace withTimes(Duration otherArrival, Duration otherSilence) {
        return new RankPlace(rank, size, host, meeting, port, version, plan, otherArrival, otherSilence);
    }

    String name() {
        return Members.name(rank, host);
    }
}
