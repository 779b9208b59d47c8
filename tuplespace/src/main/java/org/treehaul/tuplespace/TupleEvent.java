// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace;

import org.treehaul.tuplespace.store.EventKind;

/**
 * Something happened to a tuple.
 *
 * @param kind what
 * @param tuple to which
 * @param sequence grows with each event of a registration
 * @param isAfterGap whether events before this one may have been lost
 */
public record TupleEvent<T>(EventKind kind, T tuple, long sequence, boolean isAfterGap) {}
