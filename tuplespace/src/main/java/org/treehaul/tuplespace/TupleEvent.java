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
 * @param isNewlyVisible whether the tuple became readable with this event: it was written, or a transaction that had
 *        taken it gave it back. An {@link EventKind#AVAILABLE} event without this means that the tuple could be read
 *        before, but not taken.
 */
public record TupleEvent<T>(EventKind kind, T tuple, long sequence, boolean isAfterGap, boolean isNewlyVisible) {}
