// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.store;

import org.jspecify.annotations.Nullable;

/**
 * A stored tuple.
 *
 * @param id number of the tuple; no other tuple of the space ever has it
 * @param tuple the tuple itself
 * @param expiresAt end of its lease in milliseconds since 1970, by the clock of the store ({@link Store#ahead});
 *        {@link Store#NEVER} if it has none
 * @param owner the user who wrote it, as the server recorded; null if the store records no users
 */
public record Stored<T>(long id, T tuple, long expiresAt, @Nullable String owner) {

    /** A tuple of a store that records no users. */
    public Stored(long id, T tuple, long expiresAt) {
        this(id, tuple, expiresAt, null);
    }
}
