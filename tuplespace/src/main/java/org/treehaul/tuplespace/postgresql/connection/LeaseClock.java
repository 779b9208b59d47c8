// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.postgresql.connection;

import java.time.InstantSource;

import org.treehaul.tuplespace.store.Store;

/**
 * The clock of leases: that of the server, so that the clocks of the nodes do not matter, unless the program has set
 * one of its own. Only durations pass between the program and the server.
 *
 * @param own the clock of the program
 */
public record LeaseClock(InstantSource own) {
    /** The SQL for the time of the server. */
    public static final String SERVER = "(extract(epoch FROM statement_timestamp()) * 1000)::bigint";
    /**
     * Milliseconds on the clock of the server between the end of a connection and that of the process's transactions: a
     * process that lives connects again in this time.
     */
    public static final long GRACE = 10_000;
    /** Longest lease in milliseconds that the server can add to its time. */
    private static final long MOST = Long.MAX_VALUE / 4;

    /** Returns the SQL for the present time in milliseconds since 1970. */
    public String sql() {
        return own.equals(InstantSource.system()) ? SERVER : own.millis() + "::bigint";
    }

    /** Returns the duration until an end on the clock of the program, in milliseconds. */
    public long left(long end) {
        return end == Store.NEVER ? MOST : Math.clamp(end - own.millis(), -MOST, MOST);
    }

    /** Returns the end on the clock of the program, given the duration until it; {@link Store#NEVER} if very far. */
    public long end(long left) {
        return left >= MOST / 2 ? Store.NEVER : own.millis() + left;
    }
}
