// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.store;

/**
 * A tuple as it is kept.
 *
 * @param id its number, which no other tuple of the space ever has
 * @param tuple itself
 * @param expiresAt when its lease ends, in milliseconds since 1970; {@link Store#NEVER}
 */
public record Stored<T>(long id, T tuple, long expiresAt) {}
