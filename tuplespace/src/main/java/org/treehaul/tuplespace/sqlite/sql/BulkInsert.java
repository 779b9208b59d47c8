// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.sqlite.sql;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import org.jspecify.annotations.Nullable;
import org.treehaul.tuplespace.sqlite.connection.SqliteConnection;
import org.treehaul.tuplespace.store.Store;

/**
 * Inserts many tuples with consecutive numbers into a table, a portion by one statement. A value that all tuples of a
 * portion share, such as the directory, the owner or an absent value, is bound once, and so is that of a component
 * which in each tuple has the value of the component before it, such as two times of a file that did not change since
 * it was made: each binding is a call of the native library, and a tuple of twenty components took more time for these
 * than SQLite for the row. For one thread at a time.
 */
public final class BulkInsert implements AutoCloseable {
    /** Tuples that a statement inserts. More than these gain little, and fewer share more values. */
    private static final int PORTION = 32;
    /** Statements for different forms of portions, besides the one that fits all; each takes about 50 kB. */
    private static final int MOST_STATEMENTS = 40;
    /** A set of components is a number with a bit for each. */
    private static final int MOST_COMPONENTS = Long.SIZE - 1;

    /**
     * The values that a statement has once.
     *
     * @param shared the components of which all tuples have the same value
     * @param repeated the other components which in each tuple have the value of the component before it
     */
    private record Form(long shared, long repeated) {
        static final Form ANY = new Form(0, 0);

        boolean isShared(int component) {
            return (shared & 1L << component) != 0;
        }

        boolean isRepeated(int component) {
            return (repeated & 1L << component) != 0;
        }

        /** Returns the number of components that need no value of each tuple. */
        int size() {
            return Long.bitCount(shared) + Long.bitCount(repeated);
        }
    }

    private final SqliteConnection connection;
    private final Table table;
    private final int components;
    private final PreparedStatement single;
    private final SharedValues sharedValues;
    private final Map<Form, PreparedStatement> statements = new HashMap<>();
    private final @Nullable Object[][] values = new @Nullable Object[PORTION][];
    private final long[] sums = new long[PORTION];
    private long firstId;
    private long expires;
    /** The components with the same value in all tuples that wait. */
    private long shared;
    /** The components that have the value of the one before in all tuples that wait. */
    private long repeated;
    private int count;
    private int bytes;

    /** Prepares the insertion into a table. */
    public BulkInsert(SqliteConnection connection, Table table) throws SQLException {
        this.connection = connection;
        this.table = table;
        components = table.type().components().size();
        single = connection.prepareOwn(table.insert());
        sharedValues = new SharedValues(connection, table);
    }

    /** Returns the table. */
    public Table table() {
        return table;
    }

    /**
     * Adds a tuple; some are inserted later.
     *
     * @throws IllegalArgumentException when a value cannot be stored; then nothing has changed
     */
    public void add(long id, long expiresAt, Record tuple) throws SQLException {
        @Nullable Object[] own = table.type().canonical(tuple);
        if (count > 0 && (id != firstId + count || expiresAt != expires)) {
            flush();
        }
        long sum = table.sum(id, expiresAt, Store.NONE, own);
        sharedValues.replace(own);
        if (count == 0) {
            firstId = id;
            expires = expiresAt;
            shared = components > MOST_COMPONENTS ? 0 : (1L << components) - 1;
            repeated = shared & ~1;
        } else {
            @Nullable Object[] first = values[0];
            for (long left = shared; left != 0; left &= left - 1) {
                int i = Long.numberOfTrailingZeros(left);
                if (!Objects.equals(first[i], own[i])) {
                    shared &= ~(1L << i);
                }
            }
        }
        // Two that are shared are as equal as they were in the first tuple.
        long compared = count == 0 ? repeated : repeated & ~(shared & shared << 1);
        for (long left = compared; left != 0; left &= left - 1) {
            int i = Long.numberOfTrailingZeros(left);
            if (!Objects.equals(own[i - 1], own[i])) {
                repeated &= ~(1L << i);
            }
        }
        values[count] = own;
        sums[count] = sum;
        count++;
        bytes += Table.bytes(own);
        if (count == PORTION && components <= MOST_COMPONENTS) {
            insertPortion();
        } else if (count == PORTION || bytes >= Table.BATCH_BYTES) {
            flush();
        }
    }

    private void insertPortion() throws SQLException {
        Form form = form();
        PreparedStatement statement = statements.get(form);
        if (statement == null) {
            statement = connection.prepareOwn(sql(form));
            statements.put(form, statement);
        }
        int at = 0;
        statement.setLong(++at, firstId);
        SqliteConnection.bind(statement, ++at, expires == Store.NEVER ? null : (Object) expires);
        for (int i = 0; i < components; i++) {
            if (form.isShared(i)) {
                SqliteConnection.bind(statement, ++at, values[0][i]);
            }
        }
        for (int row = 0; row < PORTION; row++) {
            statement.setLong(++at, sums[row]);
            for (int i = 0; i < components; i++) {
                if (!form.isShared(i) && !form.isRepeated(i)) {
                    SqliteConnection.bind(statement, ++at, values[row][i]);
                }
            }
        }
        statement.executeUpdate();
        count = 0;
        bytes = 0;
    }

    /** Returns the form to use: if there are many statements, the best of those that fit. */
    private Form form() {
        Form exact = new Form(shared, repeated & ~shared);
        if (statements.containsKey(exact) || statements.size() < MOST_STATEMENTS) {
            return exact;
        }
        Form best = Form.ANY;
        for (Form known : statements.keySet()) {
            if ((known.shared & ~shared) == 0 && (known.repeated & ~repeated) == 0 && known.size() > best.size()) {
                best = known;
            }
        }
        return best;
    }

    private String sql(Form form) {
        StringBuilder sql = new StringBuilder(table.insertInto()).append(" VALUES ");
        // The parameters that all rows share come first: the first number, the end of the lease, the shared values.
        int next = 3 + Long.bitCount(form.shared);
        for (int row = 0; row < PORTION; row++) {
            sql.append(row == 0 ? "(?1 + " : ", (?1 + ").append(row);
            int sum = next++;
            int known = 3;
            int parameter = 0;
            for (int i = 0; i < components; i++) {
                if (form.isShared(i)) {
                    parameter = known++;
                } else if (!form.isRepeated(i)) {
                    parameter = next++;
                }
                sql.append(", ?").append(parameter);
            }
            sql.append(", ?2, NULL, NULL, ?").append(sum).append(')');
        }
        return sql.toString();
    }

    /** Inserts the tuples that wait, one by one. */
    public void flush() throws SQLException {
        if (count > 0) {
            for (int row = 0; row < count; row++) {
                table.bind(single, firstId + row, expires, Store.NONE, sums[row], values[row]);
                single.addBatch();
            }
            single.executeBatch();
            count = 0;
            bytes = 0;
        }
    }

    /** Closes the statements; what waits is not inserted. */
    @Override
    public void close() throws SQLException {
        SQLException failure = null;
        List<PreparedStatement> all = new ArrayList<>(statements.values());
        all.add(single);
        statements.clear();
        for (PreparedStatement statement : all) {
            try {
                statement.close();
            } catch (SQLException e) {
                failure = failure == null ? e : failure;
            }
        }
        if (failure != null) {
            throw failure;
        }
    }
}
