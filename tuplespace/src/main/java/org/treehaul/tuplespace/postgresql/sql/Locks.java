// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.postgresql.sql;

/**
 * The advisory locks of a space, numbered within its schema.
 *
 * @param schema the object identifier of the schema
 */
public record Locks(int schema) {
    /** Held shared by each change, and alone by the beginning of a watch and by work that locks all others out. */
    private static final int CHANGE = 1;
    /** Held by a change whose events are kept for others, so that the events have the order of the commits. */
    private static final int EVENTS = 2;
    /** Held while tables are made. */
    private static final int TABLES = 3;

    /** Returns the call that takes the lock of a change until the transaction ends. */
    public String change(boolean isAlone) {
        return "pg_advisory_xact_lock" + (isAlone ? "" : "_shared") + "(" + schema + ", " + CHANGE + ")";
    }

    public String events() {
        return "SELECT 1 FROM pg_advisory_xact_lock(" + schema + ", " + EVENTS + ")";
    }

    public String tables() {
        return "SELECT 1 FROM pg_advisory_xact_lock(" + schema + ", " + TABLES + ")";
    }

    /** Returns the statement that takes the lock of a client until its connection ends; true if it is taken. */
    public String client(long client) {
        return "SELECT pg_try_advisory_lock(" + schema + ", " + client + ")::int";
    }

    /** Returns the query for the numbers of the clients whose connections exist. */
    public String clients() {
        return "SELECT objid::bigint FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 2 AND granted"
                + " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())" + " AND classid = "
                + Integer.toUnsignedString(schema) + "::oid";
    }
}
