// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.postgresql.sql;

import java.sql.SQLException;
import java.util.List;
import java.util.Objects;

import org.treehaul.tuplespace.postgresql.connection.Statements;

/**
 * The rights on the tables of a space. A space that an administrator shares belongs to a role that cannot log in; its
 * members have the rights of roles with these names, and the server records the user of each tuple. Any other space
 * belongs to the role that made it.
 *
 * @param roles the beginning of the names of the roles; empty if the space is not shared
 * @param isApart whether a member sees only own tuples
 * @param mayWrite whether the role of this process may write and take
 */
public record Access(String roles, boolean isApart, boolean mayWrite) {
    /** Access to a space that is not shared. */
    public static final Access PLAIN = new Access("", false, true);

    /** Returns the access of the connection's role to an existing space. */
    public static Access of(Statements connection, Names names) throws SQLException {
        if (connection.number("SELECT count(to_regclass(?))", names.access()) == 0) {
            return PLAIN;
        }
        return Objects.requireNonNull(
                connection.first("SELECT roles, apart, has_function_privilege(?, 'EXECUTE') FROM " + names.access(),
                        List.of(names.changed() + "(bigint)"),
                        row -> new Access(row.getString(1), row.getBoolean(2), row.getBoolean(3))));
    }

    public boolean isShared() {
        return !roles.isEmpty();
    }

    /** Returns the role that owns the tables. */
    public String owner() {
        return roles + "_owner";
    }

    /** Returns the role of the members who may read. */
    public String reader() {
        return roles + "_read";
    }

    /** Returns the role of the members who may also write and take. */
    public String writer() {
        return roles + "_write";
    }

    /** Returns the role of the members to whom the tuples of all users are visible. */
    public String all() {
        return roles + "_all";
    }

    /** Returns a condition that selects the rows of system tables that the role may change; begins with AND. */
    public String andMine() {
        return isApart ? " AND (" + mine() + ")" : "";
    }

    /** Returns the condition of the rows that the role sees where users are apart. */
    String mine() {
        // The server evaluates the inner query once, not for each row.
        return Names.OWNER + " = session_user OR (SELECT pg_has_role(session_user, " + Names.literal(all())
                + ", 'MEMBER'))";
    }
}
