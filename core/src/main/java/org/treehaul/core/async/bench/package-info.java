// SPDX-License-Identifier: Apache-2.0
/**
 * Measures the throughput of synchronous and asynchronous files (Yang, PXFS 3.4.1).
 *
 * <p>
 * In: the parameters of the paper, and a directory. Out: the time of a run.
 */
@Internal
@NullMarked
package org.treehaul.core.async.bench;

import org.jspecify.annotations.NullMarked;
import org.treehaul.core.annotation.Internal;
