// SPDX-License-Identifier: Apache-2.0
/**
 * The number of threads of a walk: measured while it runs, and chosen by what more threads gain.
 *
 * <p>
 * In: the work done so far, and what the kernel reports about this process and the machine. Out: the number of threads,
 * and whether nearly all of them wait for the file system.
 */
@Internal
@NullMarked
package org.treehaul.core.walk.tuning;

import org.jspecify.annotations.NullMarked;
import org.treehaul.core.annotation.Internal;
