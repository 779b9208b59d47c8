// SPDX-License-Identifier: Apache-2.0
/**
 * The rings of io_uring(7): queues in memory that this process shares with the kernel, for requests and their results.
 *
 * <p>
 * In: requests as numbers and addresses. Out: the results of the kernel, {@code -errno} for a failure.
 * {@link org.treehaul.core.fs.ring.KernelRing#open} makes a {@link org.treehaul.core.fs.ring.Ring}; the system calls
 * are {@link org.treehaul.core.fs.ring.RingCalls}, which {@code fs.linux} implements.
 */
@Internal
@NullMarked
package org.treehaul.core.fs.ring;

import org.jspecify.annotations.NullMarked;
import org.treehaul.core.annotation.Internal;
