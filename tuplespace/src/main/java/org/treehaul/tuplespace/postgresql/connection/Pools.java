// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.postgresql.connection;

import java.time.Duration;

import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.SpaceException.Reason;

/** Opens pools. Unlike {@link Pool}, it can be loaded without the libraries of which that consists. */
public final class Pools {
    private Pools() {}

    /**
     * Connects to a server.
     *
     * @param patience how long a statement waits for a lock
     * @throws SpaceException when the server cannot be reached or refuses the connection; DRIVER when the libraries are
     *         missing
     */
    public static Pool open(ServerAddress server, Duration patience) {
        try {
            return Pool.open(server, patience);
        } catch (NoClassDefFoundError e) {
            throw new SpaceException(Reason.DRIVER,
                    "PostgreSQL cannot be reached: the libraries org.postgresql:postgresql"
                            + " and com.zaxxer:HikariCP are not on the class path",
                    e);
        }
    }
}
