// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.sqlite.sql;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;
import org.treehaul.tuplespace.sql.Canonical;
import org.treehaul.tuplespace.sqlite.connection.SqliteConnection;
import org.treehaul.tuplespace.store.RecordClasses.Kept;
import org.treehaul.tuplespace.tuple.Kind;

/**
 * Reads and checks the rows of a table, without its record class.
 *
 * @param layout the tables of the record class
 * @param kept the columns of the components
 * @param hasSums whether the table has checksums; tables of version 1 have none
 * @param isUpgraded whether rows without a checksum are from version 1, and not damaged
 * @param present a bit for each of the first columns that has a value in every row
 */
public record TableRow(Layout layout, List<Kept> kept, Checksum sum, boolean hasSums, boolean isUpgraded,
        long present) {
    private static final int FIRST = 4;

    public static TableRow of(SqliteConnection connection, String type, List<Kept> kept) throws SQLException {
        Layout layout = Layout.of(connection, type);
        String table = layout.tableName();
        boolean hasSums = connection.number("SELECT count(*) FROM pragma_table_info(?) WHERE name = '$check'",
                table) > 0;
        boolean isUpgraded = !hasSums
                || connection.number("SELECT count(*) FROM sqlite_schema WHERE name = ?", Names.UPGRADED) > 0;
        Set<String> required = new HashSet<>();
        connection.each("SELECT name FROM pragma_table_info(?) WHERE \"notnull\"", List.of(table),
                row -> required.add(row.getString(1)));
        long present = 0;
        for (int i = 0; i < Math.min(kept.size(), Long.SIZE); i++) {
            present |= required.contains(kept.get(i).name()) ? 1L << i : 0;
        }
        return new TableRow(layout, List.copyOf(kept), new Checksum(type, kept), hasSums, isUpgraded, present);
    }

    /**
     * Returns what follows FROM in a query for {@link #columns}.
     *
     * @param hint words after the table of the tuples, with a space before them; may be empty
     */
    public String from(String hint) {
        return layout.from(hint);
    }

    /** Returns the columns that {@link #read} reads, in order. */
    public String columns() {
        return Names.ID + ", " + Names.EXPIRES + ", " + (hasSums ? Checksum.withoutMarks() : "NULL")
                + kept.stream().map(column -> ", " + layout.column(column.name())).collect(Collectors.joining());
    }

    /** Returns whether the row has a checksum. */
    public static boolean hasSum(ResultSet row) throws SQLException {
        return Canonical.read(row, FIRST - 1, Kind.INTEGER) != null;
    }

    /** Returns the canonical values of a row; throws MismatchException if it is damaged. */
    public @Nullable Object[] read(ResultSet row) throws SQLException {
        @Nullable Object[] values = new @Nullable Object[kept.size()];
        for (int i = 0; i < values.length; i++) {
            boolean isPresent = i < Long.SIZE && (present & 1L << i) != 0;
            values[i] = Canonical.read(row, FIRST + i, kept.get(i).kind(), isPresent);
        }
        long id = row.getLong(1);
        Object expected = Canonical.read(row, FIRST - 1, Kind.INTEGER);
        boolean isSame = expected == null ? isUpgraded : (Long) expected == sum.of(id, values);
        if (!isSame && !hasGained(row, id)) {
            throw new MismatchException("tuple " + id + " of " + layout.type() + " does not match its checksum ("
                    + Checksum.describe(kept, values) + ")", id, null);
        }
        return values;
    }

    /** Checks a row again with more columns, in case a newer version of the record class has written it since. */
    private boolean hasGained(ResultSet row, long id) throws SQLException {
        // Not closed, because it shares the connection of the reading statement.
        @SuppressWarnings("resource")
        SqliteConnection connection = SqliteConnection.of(row);
        List<Kept> now = Schema.kept(connection, layout.type());
        if (now == null || now.size() <= kept.size()) {
            connection.clear();
            return false;
        }
        TableRow wider = of(connection, layout.type(), now);
        boolean[] isWhole = {true};
        try {
            connection.each("SELECT " + wider.columns() + " FROM " + wider.from("") + " WHERE " + Names.ID + " = ?",
                    List.of(id), found -> {
                        Object expected = Canonical.read(found, FIRST - 1, Kind.INTEGER);
                        @Nullable Object[] values = new @Nullable Object[now.size()];
                        for (int i = 0; i < values.length; i++) {
                            values[i] = Canonical.read(found, FIRST + i, now.get(i).kind());
                        }
                        isWhole[0] = expected == null ? isUpgraded : (Long) expected == wider.sum.of(id, values);
                        return true;
                    });
        } finally {
            connection.clear();
        }
        return isWhole[0];
    }
}
