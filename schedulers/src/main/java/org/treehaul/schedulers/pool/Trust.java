// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.pool;

import java.util.Set;

import org.treehaul.tuplespace.store.Owned;

/**
 * The users whose tuples about a transfer a worker believes. A worker that serves many users believes the one who
 * offered the transfer, and the workers that log in as the same user as itself.
 *
 * @param roles the names of the users, as the server knows them; none if the worker serves one user, who shares the
 *        space only with trusted users
 */
public record Trust(Set<String> roles) {

    /** Believes everybody. */
    public static final Trust EVERYBODY = new Trust(Set.of());

    /** Copies the set. */
    public Trust {
        roles = Set.copyOf(roles);
    }

    /** Returns whether a tuple is believed. */
    public boolean covers(Owned<?> tuple) {
        return isEverybody() || tuple.owner().filter(roles::contains).isPresent();
    }

    /** Returns whether it believes everybody. */
    public boolean isEverybody() {
        return roles.isEmpty();
    }
}
