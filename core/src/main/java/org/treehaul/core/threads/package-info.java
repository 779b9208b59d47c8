// SPDX-License-Identifier: Apache-2.0
/**
 * Threads that share many similar items.
 *
 * <p>
 * In: a source of items, and a worker for each thread. Out: all items are processed, and the threads have ended.
 */
@Internal
@NullMarked
package org.treehaul.core.threads;

import org.jspecify.annotations.NullMarked;
import org.treehaul.core.annotation.Internal;
