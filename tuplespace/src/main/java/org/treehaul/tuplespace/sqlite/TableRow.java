// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.sqlite;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;
import org.sqlite.SQLiteConnection;
import org.treehaul.tuplespace.store.RecordClasses.Kept;
import org.treehaul.tuplespace.tuple.Kind;

/**
 * How rows of a table are read and checked, whatever the record class.
 *
 * @param type the name of the record class
 * @param kept the columns of the components
 * @param hasSums whether the table has checksums: those of version 1 have none
 * @param isUpgraded whether rows without a checksum are from version 1, and not damaged
 */
record TableRow(String type, List<Kept> kept, Checksum sum, boolean hasSums, boolean isUpgraded) {
    private static final int FIRST = 4;

    static TableRow of(Link link, String type, List<Kept> kept) throws SQLException {
        boolean hasSums = link.number("SELECT count(*) FROM pragma_table_info(?) WHERE name = '$check'", type) > 0;
        boolean isUpgraded = !hasSums
                || link.number("SELECT count(*) FROM sqlite_schema WHERE name = ?", Names.UPGRADED) > 0;
        return new TableRow(type, List.copyOf(kept), new Checksum(type, kept), hasSums, isUpgraded);
    }

    /** Returns the name of the table, quoted. */
    String name() {
        return Names.quote(type);
    }

    /** Returns what {@link #read} reads, in its order. */
    String columns() {
        return Names.ID + ", " + Names.EXPIRES + ", " + (hasSums ? Checksum.withoutMarks() : "NULL")
                + kept.stream().map(column -> ", " + Names.quote(column.name())).collect(Collectors.joining());
    }

    /** Returns whether a row that is read has a checksum. */
    static boolean hasSum(ResultSet row) throws SQLException {
        return Link.read(row, FIRST - 1, Kind.INTEGER) != null;
    }

    /** Returns the canonical values of a row; MismatchException when it is damaged. */
    @Nullable Object[] read(ResultSet row) throws SQLException {
        @Nullable Object[] values = new @Nullable Object[kept.size()];
        for (int i = 0; i < values.length; i++) {
            values[i] = Link.read(row, FIRST + i, kept.get(i).kind());
        }
        long id = row.getLong(1);
        Object expected = Link.read(row, FIRST - 1, Kind.INTEGER);
        boolean isSame = expected == null ? isUpgraded : (Long) expected == sum.of(id, values);
        if (!isSame && !hasGained(row, id)) {
            throw new Table.MismatchException("tuple " + id + " of " + type + " does not match its checksum ("
                    + Checksum.describe(kept, values) + ")", id);
        }
        return values;
    }

    /** A version of the record class with more components may have written it since this was made. */
    private boolean hasGained(ResultSet row, long id) throws SQLException {
        // Not closed: it is the one that reads.
        @SuppressWarnings("resource")
        Link link = new Link((SQLiteConnection) row.getStatement().getConnection());
        List<Kept> now = Schema.kept(link, type);
        if (now == null || now.size() <= kept.size()) {
            link.clear();
            return false;
        }
        TableRow wider = of(link, type, now);
        boolean[] isWhole = {true};
        try {
            link.each("SELECT " + wider.columns() + " FROM " + wider.name() + " WHERE " + Names.ID + " = ?",
                    List.of(id), found -> {
                        Object expected = Link.read(found, FIRST - 1, Kind.INTEGER);
                        @Nullable Object[] values = new @Nullable Object[now.size()];
                        for (int i = 0; i < values.length; i++) {
                            values[i] = Link.read(found, FIRST + i, now.get(i).kind());
                        }
                        isWhole[0] = expected == null ? isUpgraded : (Long) expected == wider.sum.of(id, values);
                        return true;
                    });
        } finally {
            link.clear();
        }
        return isWhole[0];
    }
}
