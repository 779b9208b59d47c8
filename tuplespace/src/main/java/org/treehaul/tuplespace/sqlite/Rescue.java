// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.sqlite;

import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

import org.treehaul.tuplespace.store.RecordClasses;
import org.treehaul.tuplespace.store.Recovery;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.Stored;
import org.treehaul.tuplespace.tuple.TupleType;

/**
 * Reads what can be read of a damaged file: each table from its beginning until a damaged page, then from its end down
 * to the next one. Tuples that transactions had written and not committed are left out; those that were taken and not
 * committed come back.
 */
final class Rescue {
    private static final int PORTION = 1000;

    private final Path file;
    private final SqliteLoad to;
    private final List<String> problems = new ArrayList<>();

    Rescue(Path file, SqliteLoad to) {
        this.file = file;
        this.to = to;
    }

    Recovery run() {
        Link link = SpaceFile.connect(file);
        try {
            List<String> names = new ArrayList<>();
            try {
                link.each("SELECT name FROM " + Names.TYPES, List.of(), row -> names.add(row.getString(1)));
            } catch (SQLException e) {
                throw Errors.of(file, e);
            }
            for (String name : names) {
                try {
                    TupleType<?> type = RecordClasses.find(name);
                    var kept = Schema.kept(link, name);
                    if (kept == null || !Schema.fits(type, kept)) {
                        problems.add(name + " has gained components; recover by the version that wrote it");
                    } else {
                        rescue(link, new Table(type));
                    }
                } catch (SpaceException | SQLException e) {
                    problems.add(String.valueOf(e.getMessage()));
                }
            }
            return new Recovery(to.finish(), problems);
        } finally {
            SqliteProvider.close(link, file);
        }
    }

    private void rescue(Link link, Table table) throws SQLException {
        long up = half(link, table, Long.MIN_VALUE, Long.MAX_VALUE, true);
        if (up != Long.MAX_VALUE) {
            long down = half(link, table, up, Long.MAX_VALUE, false);
            problems.add(table.type.name() + ": tuples with numbers from " + (up == Long.MIN_VALUE ? "the first" : up)
                    + " to " + (down == Long.MAX_VALUE ? "the last" : down) + " are lost where the file is damaged");
        }
    }

    /** Copies tuples with numbers between two, exclusively, and returns the last that it could read, or the end. */
    private long half(Link link, Table table, long low, long high, boolean isUp) throws SQLException {
        long at = isUp ? low : high;
        String sql = "SELECT " + table.columns + " FROM " + table.name + " NOT INDEXED WHERE " + Names.ID + " > ? AND "
                + Names.ID + " < ? AND " + Names.WRITER + " IS NULL ORDER BY " + Names.ID + (isUp ? "" : " DESC")
                + " LIMIT ";
        int portion = PORTION;
        while (true) {
            List<Stored<Record>> rows = new ArrayList<>();
            boolean isDamaged = false;
            try {
                link.each(sql + portion, List.of(isUp ? at : low, isUp ? high : at), row -> rows.add(table.read(row)));
            } catch (SQLException e) {
                if (Errors.code(e) != Errors.CORRUPT && Errors.code(e) != Errors.NOTADB) {
                    throw e;
                }
                isDamaged = true;
            }
            for (Stored<Record> row : rows) {
                to.add(row.tuple(), row.expiresAt());
                at = row.id();
            }
            if (isDamaged) {
                return at;
            }
            if (rows.size() < portion) {
                return isUp ? Long.MAX_VALUE : low;
            }
        }
    }
}
