// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.store;

/**
 * A stored tuple.
 *
 * @param id number of the tuple; no other tuple of the space ever has it
 * @param tuple the tuple itself
 * @param expiresAt end of its lease in milliseconds since 1970; {@link Store#NEVER} if it has none
 */
public record Stored<T>(long id, T tuple, long expiresAt) {}
