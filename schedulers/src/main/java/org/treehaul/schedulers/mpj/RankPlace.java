// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.mpj;

import java.nio.file.Path;
import java.time.Duration;

/**
 * Identifies the rank of this process and its group.
 *
 * @param rank its number
 * @param size the number of ranks
 * @param host the name of this process's host for messages to users
 * @param meetingFile the file, in a directory that every node sees, in which rank 0 publishes its address; new for
 *        every group, written by rank 0 and removed when all have arrived
 * @param port the port on which rank 0 waits for the others; 0 for any free one
 * @param version the version of the program, which must be the same for all
 * @param plan the work of the group, which must be the same for all
 * @param arrivalLimit how long to wait until all have arrived
 * @param silenceLimit the time after which a rank that sends nothing counts as gone
 */
public record RankPlace(int rank, int size, String host, Path meetingFile, int port, String version, String plan,
        Duration arrivalLimit, Duration silenceLimit) {

    /** How long ranks wait for each other at the start: nodes of one job may start minutes apart. */
    public static final Duration ARRIVAL_LIMIT = Duration.ofMinutes(2);
    /** Longer than a pause of the JVM on a node that is short of memory. */
    public static final Duration SILENCE_LIMIT = Duration.ofSeconds(15);

    /** Checks the numbers and times. */
    public RankPlace {
        if (rank < 0 || rank >= size) {
            throw new IllegalArgumentException("not a rank: " + rank + " among " + size);
        }
        if (port < 0 || port > 65_535) {
            throw new IllegalArgumentException("not a port: " + port);
        }
        if (host.isEmpty() || arrivalLimit.isNegative() || silenceLimit.compareTo(Duration.ofSeconds(2)) < 0) {
            throw new IllegalArgumentException("host '" + host + "', " + arrivalLimit + ", " + silenceLimit);
        }
    }

    /** Returns a copy with other limits. */
    public RankPlace withLimits(Duration otherArrival, Duration otherSilence) {
        return new RankPlace(rank, size, host, meetingFile, port, version, plan, otherArrival, otherSilence);
    }

    String name() {
        return Members.name(rank, host);
    }
}
