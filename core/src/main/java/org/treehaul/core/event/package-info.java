// SPDX-License-Identifier: Apache-2.0
/**
 * What long work tells while it goes on: typed events, and counters that anybody may look at.
 *
 * <p>
 * In: facts from walk, copy and compare, on any of their threads. Out: events to a listener and snapshots of progress.
 * Nothing here prints.
 */
@NullMarked
package org.treehaul.core.event;

import org.jspecify.annotations.NullMarked;
