// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.sqlite.file;

import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.treehaul.tuplespace.sqlite.connection.Connections;
import org.treehaul.tuplespace.sqlite.connection.Errors;
import org.treehaul.tuplespace.sqlite.connection.SqliteConnection;
import org.treehaul.tuplespace.sqlite.sql.MismatchException;
import org.treehaul.tuplespace.sqlite.sql.Names;
import org.treehaul.tuplespace.sqlite.sql.Schema;
import org.treehaul.tuplespace.sqlite.sql.TableRow;
import org.treehaul.tuplespace.store.Inspection;
import org.treehaul.tuplespace.store.RecordClasses.Kept;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.SpaceException.Reason;

/** Reads a whole file: SQLite checks its pages and indexes, and each tuple is compared with its checksum. */
public final class Inspector {
    /** Limit of the reported problems; a longer list is of no use. */
    private static final int MOST = 100;
    private static final int PORTION = 10_000;

    private final Path file;
    private final List<String> problems = new ArrayList<>();
    private long tuples;
    private long unchecked;

    public Inspector(Path file) {
        this.file = file;
    }

    /** Reads a whole file and throws DAMAGED with the first problem, if there is any. */
    public static void requireWhole(Path file) {
        List<String> problems = new Inspector(file).run().problems();
        if (!problems.isEmpty()) {
            throw new SpaceException(Reason.DAMAGED, problems.getFirst());
        }
    }

    public Inspection run() {
        try (SqliteConnection connection = Connections.openToRead(file)) {
            connection.run("BEGIN");
            Schema.check(connection, file);
            connection.each("PRAGMA integrity_check(" + MOST + ")", List.of(), row -> {
                String found = row.getString(1);
                if (!found.equals("ok")) {
                    add(file + ": " + found.replace('\n', ' '));
                }
                return true;
            });
            List<String> types = new ArrayList<>();
            connection.each("SELECT name FROM " + Names.TYPES, List.of(), row -> types.add(row.getString(1)));
            for (String type : types) {
                List<Kept> kept = Schema.kept(connection, type);
                read(connection, TableRow.of(connection, type, kept == null ? List.of() : kept));
            }
            connection.checkUnchanged();
        } catch (SQLException e) {
            if (Errors.code(e) != Errors.CORRUPT && Errors.code(e) != Errors.NOTADB) {
                throw Errors.of(file, e);
            }
            add(file + ": " + e.getMessage());
        } catch (IllegalArgumentException e) {
            add(file + ": its list of record classes is damaged: " + e.getMessage());
        }
        return new Inspection(tuples, unchecked, problems);
    }

    private void add(String problem) {
        if (problems.size() < MOST) {
            problems.add(problem);
        } else if (problems.size() == MOST) {
            problems.add("and more");
        }
    }

    private void read(SqliteConnection connection, TableRow rows) throws SQLException {
        String sql = "SELECT " + rows.columns() + " FROM " + rows.from(" NOT INDEXED") + " WHERE " + Names.ID
                + " > ? ORDER BY " + Names.ID + " LIMIT " + PORTION;
        long[] last = {Long.MIN_VALUE};
        long before;
        do {
            before = tuples;
            connection.each(sql, List.of(last[0]), row -> {
                last[0] = row.getLong(1);
                tuples++;
                unchecked += TableRow.hasSum(row) ? 0 : 1;
                try {
                    @Nullable Object[] values = rows.read(row);
                    return values.length;
                } catch (MismatchException e) {
                    add(String.valueOf(e.getMessage()));
                    return -1;
                }
            });
        } while (tuples - before == PORTION);
    }
}
