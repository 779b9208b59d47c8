// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.store;

/**
 * What was committed about a tuple. WRITTEN includes that it is available.
 *
 * @param kind what happened
 * @param tuple to which tuple
 */
public record Change(EventKind kind, Record tuple) {}
