// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies.ranks;

import java.time.Duration;

/**
 * What one rank did in a walk.
 *
 * @param rank its number
 * @param host the host that it counts as being on
 * @param traffic what it sent
 * @param entries entries that it handled
 * @param lasted from its beginning to its end
 * @param talked the part of that in which its talking thread handled messages, rather than wait for them
 */
public record RankReport(int rank, int host, Traffic traffic, long entries, Duration lasted, Duration talked) {}
