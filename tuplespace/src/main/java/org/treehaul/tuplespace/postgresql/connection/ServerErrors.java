// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.postgresql.connection;

import java.io.IOException;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.Objects;
import java.util.Set;

import org.jspecify.annotations.Nullable;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.SpaceException.Reason;

/**
 * Converts errors of the server to exceptions of the space. The codes are those of appendix A of the manual of
 * PostgreSQL, "PostgreSQL Error Codes".
 */
public final class ServerErrors {
    /**
     * Serialization failure, deadlock, a number that another user has taken (the next ones are free): the transaction
     * can be repeated.
     */
    private static final Set<String> CONFLICTS = Set.of("40001", "40P01", "23505");
    private static final String SHUTDOWN = "57P01";
    /** The server ended a transaction whose client paused in it for too long. */
    private static final String PAUSED = "25P03";
    /** The server was shut down, crashed, or does not accept connections yet, or ended this one. */
    private static final Set<String> GONE = Set.of(SHUTDOWN, "57P02", "57P03", PAUSED);
    /** All connections of this process are in use: a code that the server does not have. */
    static final String EXHAUSTED = "TH001";
    private static final String DENIED = "42501";

    /** The server's code for damaged data. */
    private static final String DAMAGE = "XX001";

    private ServerErrors() {}

    /** Returns the error for a row that is no tuple. */
    public static SQLException undecodable(IllegalArgumentException reason) {
        return new SQLException(reason.getMessage(), DAMAGE, reason);
    }

    /** Returns whether this error says that the row is not a tuple. The transaction can continue after it. */
    public static boolean isUndecodable(SQLException e) {
        return e.getCause() instanceof IllegalArgumentException && state(e).equals(DAMAGE);
    }

    /** Returns whether the connection broke or could not be made. */
    public static boolean isConnection(SQLException e) {
        String state = state(e);
        return state.startsWith("08") || GONE.contains(state);
    }

    /**
     * Returns whether the same transaction may succeed if it is repeated: after a conflict, or when a connection that
     * had been idle was broken. When no connection could be made, the pool has already tried for long.
     */
    public static boolean isRepeatable(SQLException e) {
        return CONFLICTS.contains(state(e)) || isConnection(e) && !(e instanceof SQLTransientConnectionException);
    }

    /**
     * Returns whether a statement that is a transaction by itself has changed nothing and may be repeated: after a
     * conflict, or at a shutdown, of which the server does not notify a connection that is committing.
     */
    public static boolean isUndone(SQLException e) {
        return CONFLICTS.contains(state(e)) || state(e).equals(SHUTDOWN);
    }

    /**
     * Returns whether the server ended the transaction because the client paused in it for too long, so that nothing
     * has changed, even if the error is the answer to COMMIT. A shutdown says less there: the server reports it after
     * the commit too, as long as it has not said that the connection is ready again.
     */
    public static boolean isPaused(SQLException e) {
        return state(e).equals(PAUSED);
    }

    /** Returns whether a table, schema or row exists already because another process made it at the same time. */
    public static boolean isMadeElsewhere(SQLException e) {
        return Set.of("42P06", "42P07", "23505").contains(state(e));
    }

    /** Returns whether the role may not do what was asked. */
    public static boolean isDenied(SQLException e) {
        return state(e).equals(DENIED);
    }

    private static String state(SQLException e) {
        return Objects.requireNonNullElse(e.getSQLState(), "");
    }

    /** Converts an error of a server. */
    public static SpaceException of(ServerAddress server, SQLException e) {
        SQLException known = cause(e);
        String state = state(known);
        String remedy = ofHandshake(server, known);
        remedy = remedy == null ? remedy(server, state) : remedy;
        return new SpaceException(reason(state), server + ": " + message(known) + (remedy == null ? "" : "; " + remedy),
                e);
    }

    /** Converts an error during a commit: the server may have committed before the connection broke. */
    public static SpaceException ofCommit(ServerAddress server, SQLException e) {
        return new SpaceException(Reason.IO, server + ": the connection broke during a commit, so it is unknown whether"
                + " the change was made (" + message(e) + "); look whether it was before you repeat it", e);
    }

    /**
     * Returns the remedy if a server was reached, but not agreed with; such errors have the code of a broken network.
     */
    private static @Nullable String ofHandshake(ServerAddress server, SQLException e) {
        String message = message(e);
        String ofTls = TlsErrors.remedy(server, e, message);
        if (ofTls != null) {
            return ofTls;
        }
        if (message.contains("targetServerType")) {
            return "none of the servers is the one that target_session_attrs asks for: start the primary, or promote a"
                    + " standby";
        }
        // The texts of the driver for channel_binding and require_auth.
        if (message.regionMatches(true, 0, "channel binding", 0, 15)) {
            return "channel_binding=require needs sslmode=require or a stricter mode, and scram-sha-256 in the server's"
                    + " pg_hba.conf";
        }
        if (message.contains("requireAuth")) {
            return "the server's pg_hba.conf asks for a login that require_auth does not allow: its administrator has"
                    + " to allow another one, or you this one";
        }
        return message.startsWith("GSS")
                ? "the server asks for Kerberos, which is not supported: its pg_hba.conf has to allow another method"
                : null;
    }

    // The pool reports that it waited in vain, and the last failure as the cause.
    private static SQLException cause(SQLException e) {
        SQLException known = e;
        while (known.getCause() instanceof SQLException inner) {
            known = inner;
        }
        return known;
    }

    /** Returns the message of the server or of the driver, in one line. */
    public static String message(SQLException e) {
        String message = Objects.requireNonNullElse(e.getMessage(), "error " + state(e)).replace('\n', ' ').strip();
        // "The connection attempt failed." does not say why.
        return e.getCause() instanceof IOException io && !message.contains(String.valueOf(io.getMessage()))
                ? message.replaceFirst("\\.$", "") + " (" + io.getMessage() + ")"
                : message;
    }

    private static Reason reason(String state) {
        return switch (state) {
            case "28000", "28P01", "08004", DENIED, "25006" -> Reason.DENIED;
            case "3D000", "3F000", "42P01" -> Reason.ABSENT;
            case "55P03", "57014", "53300", EXHAUSTED, "40001", "40P01", "08000" -> Reason.BUSY;
            case "53100" -> Reason.FULL;
            case DAMAGE, "XX002" -> Reason.DAMAGED;
            default -> Reason.IO;
        };
    }

    private static @Nullable String remedy(ServerAddress server, String state) {
        return switch (state) {
            case "08004" ->
                "check sslmode, and the password of role " + server.user() + " in ~/.pgpass (PGPASSFILE) or PGPASSWORD";
            case "28P01" -> "check the password of role " + server.user() + " in ~/.pgpass (PGPASSFILE) or PGPASSWORD";
            case "28000" -> "the server's pg_hba.conf or the role decides: check that " + server.user()
                    + " may log in to this database from here";
            case "08001", "08006", "57P03" ->
                "check that a server runs there and accepts connections" + " (listen_addresses, firewall)";
            case "3D000" -> "create the database first: createdb " + server.database();
            case DENIED ->
                "an administrator or the owner of the schema has to grant role " + server.user() + " the rights on it";
            case "25006" ->
                "this server is a standby or read-only: name the primary, or set" + " target_session_attrs=read-write";
            case EXHAUSTED -> "close streams of contents that were not read to their ends";
            case "53300" -> "the server allows no more connections (max_connections)";
            case "55P03" -> "another process changes the space: try again when it has finished";
            case "42P01", "3F000" -> "the space was removed while it was open";
            default -> null;
        };
    }
}
