// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.transfer;

import java.time.Duration;

import org.treehaul.core.annotation.Internal;

/**
 * The sign of life of a command without jobs that publishes itself while it runs. The command writes it again long
 * before its lease ends, so that a command without one was killed, or is cut off from the space.
 *
 * @param transfer the id of the command
 * @param node the host on which it runs
 * @param pid the number of its process on that host
 */
@Internal
public record LiveCommand(String transfer, String node, long pid) {

    /** How long the sign counts, by the clock of the space. */
    static final Duration LEASE = Duration.ofMinutes(5);

    /** How often the command writes it. */
    static final Duration INTERVAL = Duration.ofMinutes(1);
}
