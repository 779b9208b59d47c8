// SPDX-License-Identifier: Apache-2.0
/**
 * Reports of long work: typed events, and counters that any thread may read; and the token that cancels it.
 *
 * <p>
 * In: facts from walk, copy and compare, on any of their threads. Out: events to a listener, and snapshots of progress.
 * This package prints nothing.
 */
@Api
@NullMarked
package org.treehaul.core.event;

import org.jspecify.annotations.NullMarked;
import org.treehaul.core.annotation.Api;
