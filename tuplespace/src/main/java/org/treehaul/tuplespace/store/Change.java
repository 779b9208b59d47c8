// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.store;

/**
 * A change of a tuple, visible to all or to one transaction only.
 *
 * @param kind what happened, including everything it implies
 * @param tuple the tuple that changed
 * @param transaction the only transaction that sees the change; {@link Store#NONE} when it is committed and visible to
 *        all
 */
public record Change(EventKind kind, Record tuple, long transaction) {}
