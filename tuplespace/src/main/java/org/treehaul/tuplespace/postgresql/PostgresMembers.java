// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.postgresql;

import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.zip.CRC32C;

import org.treehaul.tuplespace.postgresql.connection.Pool;
import org.treehaul.tuplespace.postgresql.connection.Pools;
import org.treehaul.tuplespace.postgresql.connection.ServerAddress;
import org.treehaul.tuplespace.postgresql.connection.ServerErrors;
import org.treehaul.tuplespace.postgresql.connection.Statements;
import org.treehaul.tuplespace.postgresql.connection.Step;
import org.treehaul.tuplespace.postgresql.connection.Values;
import org.treehaul.tuplespace.postgresql.sql.Access;
import org.treehaul.tuplespace.postgresql.sql.Names;
import org.treehaul.tuplespace.postgresql.sql.Schema;
import org.treehaul.tuplespace.postgresql.sql.SharedSchema;
import org.treehaul.tuplespace.store.Member;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.SpaceException.Reason;
import org.treehaul.tuplespace.store.SpaceMembers;
import org.treehaul.tuplespace.store.StoreOptions;
import org.treehaul.tuplespace.tuple.Kind;

/**
 * Shares a space by roles of the server: one that owns the tables and cannot log in, and one for each right, of which
 * the members are members.
 */
final class PostgresMembers implements SpaceMembers {
    /** The longest beginning of names of roles, in bytes: the server cuts off names of more than 63. */
    private static final int LONGEST = 57;

    private final ServerAddress server;
    private final Names names;

    PostgresMembers(ServerAddress server) {
        this.server = server;
        names = new Names(server.schema());
    }

    @Override
    public void create(Visibility visibility) {
        Access access = new Access(roles(), visibility == Visibility.OWN, true);
        List<String> roles = new ArrayList<>(List.of(access.owner(), access.reader(), access.writer()));
        if (access.isApart()) {
            roles.add(access.all());
        }
        change("may not share spaces here, which takes the right CREATEROLE, and CREATE on the database",
                connection -> {
                    PostgresProvider.lock(connection, names);
                    if (connection.number("SELECT count(to_regnamespace(?))", Names.quote(names.schema())) > 0) {
                        throw new SpaceException(Reason.IO,
                                server + ": the schema exists already; name another with ?schema=NAME");
                    }
                    Schema.version(connection, names, server);
                    for (String role : roles) {
                        if (exists(connection, role)) {
                            throw new SpaceException(Reason.IO, server + ": the role " + role
                                    + " exists already, maybe from a space that was removed: DROP ROLE removes it");
                        }
                        connection.run("CREATE ROLE " + Names.quote(role) + " NOLOGIN");
                    }
                    String owner = Names.quote(access.owner());
                    if (connection.number("SELECT rolsuper::int FROM pg_roles WHERE rolname = current_user") == 0) {
                        connection.run("GRANT " + owner + " TO CURRENT_USER");
                    }
                    connection.run("CREATE SCHEMA " + Names.quote(names.schema()) + " AUTHORIZATION " + owner);
                    connection.run("SET LOCAL ROLE " + owner);
                    new Schema(names, StoreOptions.defaults(), Access.PLAIN).upgrade(connection, 0, server);
                    new SharedSchema(names, access).share(connection);
                    return true;
                });
    }

    /** Returns the beginning of the names of the roles, which all databases of a server share. */
    private String roles() {
        String name = "treehaul_" + server.database() + "_" + names.schema();
        byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
        if (bytes.length <= LONGEST) {
            return name;
        }
        CRC32C hash = new CRC32C();
        hash.update(bytes);
        return String.format("treehaul_%08x", hash.getValue());
    }

    private static boolean exists(Statements connection, String role) throws SQLException {
        return connection.number("SELECT count(*) FROM pg_roles WHERE rolname = ?", role) > 0;
    }

    @Override
    public void grant(Member member) {
        administer((connection, access) -> {
            String user = member.user();
            if (!exists(connection, user)) {
                throw new SpaceException(Reason.ABSENT,
                        server + ": there is no role " + user + "; create it first: createuser " + user);
            }
            boolean isWriter = member.right() == Member.Right.WRITE;
            belong(connection, access.reader(), user, !isWriter);
            belong(connection, access.writer(), user, isWriter);
            if (access.isApart()) {
                belong(connection, access.all(), user, member.isOfAll());
            }
            connection.run("SET LOCAL ROLE " + Names.quote(access.owner()));
            if (member.uid().isPresent()) {
                connection.update("INSERT INTO " + names.users() + " VALUES (?, ?) ON CONFLICT (role)"
                        + " DO UPDATE SET uid = excluded.uid", user, member.uid().getAsLong());
            }
            return true;
        });
    }

    private static void belong(Statements connection, String role, String user, boolean isMember) throws SQLException {
        String change = (isMember ? "GRANT " : "REVOKE ") + Names.quote(role) + (isMember ? " TO " : " FROM ")
                + Names.quote(user);
        connection.run(change);
        if (isMember) {
            return;
        }
        // Since version 16, the server only warns if another administrator has granted it.
        List<String> others = new ArrayList<>();
        connection.each(
                "SELECT pg_get_userbyid(grantor) FROM pg_auth_members WHERE roleid = to_regrole(?)::oid"
                        + " AND member = to_regrole(?)::oid AND NOT admin_option",
                List.of(Names.quote(role), Names.quote(user)), row -> others.add(row.getString(1)));
        for (String other : others) {
            connection.run(change + " GRANTED BY " + Names.quote(other));
        }
    }

    @Override
    public boolean revoke(String user) {
        return administer((connection, access) -> {
            boolean wasMember = list(connection, access).stream().anyMatch(one -> one.user().equals(user));
            if (wasMember) {
                belong(connection, access.reader(), user, false);
                belong(connection, access.writer(), user, false);
                if (access.isApart()) {
                    belong(connection, access.all(), user, false);
                }
            }
            connection.run("SET LOCAL ROLE " + Names.quote(access.owner()));
            connection.update("DELETE FROM " + names.users() + " WHERE role = ?", user);
            // The processes of the user can end nothing any more. What is prepared may be committed elsewhere.
            connection.update(
                    "UPDATE " + names.transactions() + " SET expires = 0 WHERE client <> 0 AND " + Names.OWNER + " = ?",
                    user);
            connection.update("DELETE FROM " + names.watchers() + " WHERE " + Names.OWNER + " = ?", user);
            return wasMember;
        });
    }

    @Override
    public List<Member> list() {
        return read(connection -> list(connection, shared(connection)));
    }

    private List<Member> list(Statements connection, Access access) throws SQLException {
        List<Member> members = new ArrayList<>();
        // A role that made these roles is a member too, but only to administer them.
        connection.each("SELECT m.rolname, bool_or(g.rolname = ?), bool_or(g.rolname = ?), max(u.uid)"
                + " FROM pg_auth_members a JOIN pg_roles g ON g.oid = a.roleid JOIN pg_roles m ON m.oid = a.member"
                + " LEFT JOIN " + names.users() + " u ON u.role = m.rolname WHERE NOT a.admin_option"
                + " AND g.rolname IN (?, ?, ?) GROUP BY m.rolname ORDER BY m.rolname COLLATE \"C\"",
                List.of(access.writer(), access.all(), access.reader(), access.writer(), access.all()), row -> {
                    Member.Right right = row.getBoolean(2) ? Member.Right.WRITE : Member.Right.READ;
                    Object uid = Values.read(row, 4, Kind.INTEGER);
                    return members.add(new Member(row.getString(1), right, !access.isApart() || row.getBoolean(3),
                            uid == null ? OptionalLong.empty() : OptionalLong.of((Long) uid)));
                });
        return members;
    }

    @Override
    public Visibility visibility() {
        return read(connection -> shared(connection).isApart() ? Visibility.OWN : Visibility.ALL);
    }

    private Access shared(Statements connection) throws SQLException {
        if (Schema.version(connection, names, server) == 0) {
            throw new SpaceException(Reason.ABSENT, "there is no tuple space at " + server);
        }
        Access access = Access.of(connection, names);
        if (!access.isShared()) {
            throw new SpaceException(Reason.UNSUPPORTED,
                    server + " was not made to be shared: it belongs to the role that made it");
        }
        return access;
    }

    private interface Administering<R> {
        R run(Statements connection, Access access) throws SQLException;
    }

    private <R> R administer(Administering<R> work) {
        return change("does not administer this space, as the role does that made it",
                connection -> work.run(connection, shared(connection)));
    }

    private <R> R read(Step<R> reading) {
        try (Pool pool = Pools.open(server, StoreOptions.defaults().patience())) {
            return pool.read(reading);
        }
    }

    /**
     * Makes a change in one transaction.
     *
     * @param denied what the role cannot do if the server denies it
     */
    private <R> R change(String denied, Step<R> step) {
        try (Pool pool = Pools.open(server, StoreOptions.defaults().patience())) {
            Statements connection = null;
            try {
                connection = pool.borrow();
                connection.begin();
                R result = step.run(connection);
                // The role lasts as long as the transaction.
                connection.commit();
                connection.close();
                return result;
            } catch (SQLException e) {
                Writer.discard(connection, e);
                if (ServerErrors.isDenied(e)) {
                    throw new SpaceException(Reason.DENIED,
                            server + ": role " + server.user() + " " + denied + " (" + ServerErrors.message(e) + ")",
                            e);
                }
                throw ServerErrors.of(server, e);
            } catch (RuntimeException e) {
                Writer.discard(connection, e);
                throw e;
            }
        }
    }
}
