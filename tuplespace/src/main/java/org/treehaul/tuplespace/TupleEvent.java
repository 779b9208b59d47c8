// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace;

import org.treehaul.tuplespace.store.EventKind;

/**
 * An event of one tuple.
 *
 * @param kind what happened
 * @param tuple the tuple to which it happened
 * @param sequence number that grows with each event of a registration
 * @param isAfterGap whether events before this one may have been lost
 */
public record TupleEvent<T>(EventKind kind, T tuple, long sequence, boolean isAfterGap) {}
