// SPDX-License-Identifier: Apache-2.0
/**
 * Processes in which a worker of root carries out the transfers of other users: each begins as the user, before it
 * opens anything, and gets its orders as lines of text. The worker believes nothing that the process answers beyond the
 * meaning of a few words.
 * <p>
 * Input: the role that the server recorded for an offer. Output: a {@link org.treehaul.schedulers.pool.carry.Carrier}.
 * {@link Submitters} finds the user of a role, {@link Children} has the processes, and {@link Service} is what runs in
 * them.
 */
@Internal
@NullMarked
package org.treehaul.schedulers.pool.submitter;

import org.jspecify.annotations.NullMarked;
import org.treehaul.core.annotation.Internal;
