// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.sqlite.connection;

import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Objects;

import org.sqlite.SQLiteErrorCode;
import org.sqlite.SQLiteException;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.SpaceException.Reason;

/** Converts errors of SQLite to exceptions of the space. The numbers are the primary result codes of sqlite3.h. */
public final class Errors {
    static final int ERROR = 1;
    private static final int PERM = 3;
    /** Another connection locks the file. */
    public static final int BUSY = 5;
    private static final int LOCKED = 6;
    private static final int READONLY = 8;
    private static final int IOERR = 10;
    /** The file is damaged. */
    public static final int CORRUPT = 11;
    private static final int FULL = 13;
    private static final int CANTOPEN = 14;
    private static final int PROTOCOL = 15;
    static final int TOOBIG = 18;
    private static final int AUTH = 23;
    /** The file is not an SQLite database. */
    public static final int NOTADB = 26;

    private static final String NO_ROOM = "there is no room";

    private Errors() {}

    /** Returns the error of a change that would leave no room for the removal of tuples. */
    public static SQLException noRoom() {
        return new SQLException(NO_ROOM + " for more tuples; existing ones can be taken and removed", null, FULL);
    }

    /**
     * Returns whether the disk is full. Growing the shared memory of the log may be the first operation to fail then.
     */
    public static boolean isFull(SQLException e) {
        return code(e) == FULL || e instanceof SQLiteException sqlite
                && sqlite.getResultCode() == SQLiteErrorCode.SQLITE_IOERR_SHMSIZE;
    }

    /** Returns the primary result code of an error. */
    public static int code(SQLException e) {
        return e.getErrorCode() & 0xFF;
    }

    /** Converts an error with a file to an exception of the space. */
    public static RuntimeException of(Path file, SQLException e) {
        String message = Objects.requireNonNullElse(e.getMessage(), "");
        if (code(e) == ERROR && message.contains("integer overflow")) {
            return new ArithmeticException("the sum exceeds the range of a long");
        }
        if (e instanceof JavaTestException failed) {
            return failed.failure();
        }
        // The texts of sqlite3.c for a statement beyond SQLITE_MAX_SQL_LENGTH or SQLITE_MAX_VARIABLE_NUMBER.
        if (code(e) == TOOBIG && message.contains("statement too long")
                || code(e) == ERROR && message.contains("too many SQL variables")) {
            return new IllegalArgumentException(
                    "a template has more conditions than SQLite takes at once: give many"
                            + " values of one component to in(...) instead of many templates, or make several calls",
                    e);
        }
        String text = file + ": " + message;
        if (isFull(e)) {
            String full = message.startsWith(NO_ROOM)
                    ? text
                    : file + ": " + NO_ROOM + " on its file system: " + message;
            return new SpaceException(Reason.FULL, full, e);
        }
        return switch (code(e)) {
            case CORRUPT, NOTADB -> new SpaceException(Reason.DAMAGED, text, e);
            case BUSY, LOCKED -> new SpaceException(Reason.BUSY, text, e);
            case PERM, READONLY, AUTH, CANTOPEN -> new SpaceException(Reason.DENIED, text, e);
            case PROTOCOL -> noLocks(file, e);
            case IOERR -> message.contains("LOCK") ? noLocks(file, e) : new SpaceException(Reason.IO, text, e);
            default -> new SpaceException(Reason.IO, text, e);
        };
    }

    /** Returns the exception for a file system without locks. */
    public static SpaceException noLocks(Path file, Exception e) {
        return new SpaceException(Reason.NO_LOCKS,
                file + ": this file system has no reliable locks (" + e.getMessage()
                        + "). Put the space on a local disk; several nodes need a database server such as "
                        + "PostgreSQL to share one",
                e);
    }
}
