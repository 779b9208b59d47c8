// SPDX-License-Identifier: Apache-2.0
/**
 * Small files that the program keeps about its own work: checksummed, private to the user, and replaced atomically.
 *
 * <p>
 * In: keys and values, or bytes. Out: a file that exists completely or not at all, also for readers on other hosts.
 * Plans, transfers, schedulers and the command line share these rules; the formats themselves belong to them.
 */
@Internal
@NullMarked
package org.treehaul.core.state;

import org.jspecify.annotations.NullMarked;
import org.treehaul.core.annotation.Internal;
