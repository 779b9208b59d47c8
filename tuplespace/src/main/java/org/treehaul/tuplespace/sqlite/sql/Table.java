// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.sqlite.sql;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.treehaul.tuplespace.sql.Canonical;
import org.treehaul.tuplespace.sqlite.connection.SqliteConnection;
import org.treehaul.tuplespace.store.RecordClasses.Kept;
import org.treehaul.tuplespace.store.Store;
import org.treehaul.tuplespace.store.Stored;
import org.treehaul.tuplespace.tuple.Bytes;
import org.treehaul.tuplespace.tuple.Kind;
import org.treehaul.tuplespace.tuple.TupleType;

/** The table of a record class. */
public final class Table {
    /** Bytes after which a batch is executed. */
    public static final int BATCH_BYTES = 1 << 20;
    private static final Logger LOG = LoggerFactory.getLogger(Table.class);
    private static final int FIRST = 4;
    /** Approximate bytes that a row takes besides its texts. */
    private static final int ROW = 400;

    private final TupleType<?> type;
    private final String name;
    private final String columns;
    private final String insertInto;
    private final String insert;
    private final TableRow row;
    private final Checksum sum;

    private Table(TupleType<?> type, TableRow row) {
        this.type = type;
        this.row = row;
        name = row.layout().table();
        columns = row.columns();
        String components = type.components()
                .stream()
                .map(component -> ", " + Names.quote(component.name()))
                .collect(Collectors.joining());
        insertInto = "INSERT INTO " + name + "(" + Names.ID + components + ", " + Names.EXPIRES + ", " + Names.WRITER
                + ", " + Names.TAKER + ", " + Names.CHECK + ")";
        insert = insertInto + " VALUES (?1"
                + IntStream.range(0, type.components().size())
                        .mapToObj(i -> ", ?" + (FIRST + 1 + i))
                        .collect(Collectors.joining())
                + ", ?2, ?3, NULL, ?4)";
        sum = new Checksum(type.name(), own(type));
    }

    /** Returns the table of a type; the table must exist and fit the type. */
    public static Table of(SqliteConnection connection, TupleType<?> type) throws SQLException {
        List<Kept> kept = Schema.kept(connection, type.name());
        return new Table(type, TableRow.of(connection, type.name(), columns(type, kept == null ? List.of() : kept)));
    }

    /** Returns the type of its tuples. */
    public TupleType<?> type() {
        return type;
    }

    /** Returns the quoted name, for conditions and marks; shared values are numbers in it. */
    public String name() {
        return name;
    }

    /** Returns what follows FROM in a query for {@link #columns} or a {@link #column}. */
    public String from() {
        return from("");
    }

    /**
     * Returns what follows FROM in a query for {@link #columns} or a {@link #column}.
     *
     * @param hint words after the name of the table, with a space before them; may be empty
     */
    public String from(String hint) {
        return row.from(hint);
    }

    /** Returns the SQL for the value of a component in such a query. */
    public String column(String component) {
        return row.layout().column(component);
    }

    /** Returns whether tuples share the values of any component. */
    public boolean isSharing() {
        return !row.layout().shared().isEmpty();
    }

    /** Returns whether tuples share the values of a component. */
    public boolean isShared(String component) {
        return row.layout().isShared(component);
    }

    Layout layout() {
        return row.layout();
    }

    /** Returns the columns that {@link #read} reads, in order. */
    public String columns() {
        return columns;
    }

    /** Returns the statement that adds a tuple, for {@link #bind}. */
    public String insert() {
        return insert;
    }

    /**
     * Returns the beginning of that statement, which the values follow: the number, the components, the end of the
     * lease, the writer, the taker, the checksum. The table has its columns in this order; in any other, SQLite copies
     * each value once more.
     */
    String insertInto() {
        return insertInto;
    }

    private static List<Kept> own(TupleType<?> type) {
        return type.components().stream().map(one -> new Kept(one.name(), one.kind())).toList();
    }

    /** Returns the columns of the type, then those that it lacks, which count in the checksum. */
    private static List<Kept> columns(TupleType<?> type, List<Kept> kept) {
        List<Kept> columns = new ArrayList<>(own(type));
        kept.stream().filter(one -> !type.has(one.name())).forEach(columns::add);
        return columns;
    }

    /**
     * Binds a tuple and returns the approximate bytes that a batch holds for it.
     *
     * @param shared the numbers of shared values of this table
     */
    public int bind(PreparedStatement statement, long id, long expiresAt, long transaction, Record tuple,
            SharedValues shared) throws SQLException {
        @Nullable Object[] values = type.canonical(tuple);
        long check = sum(id, expiresAt, transaction, values);
        shared.replace(values);
        bind(statement, id, expiresAt, transaction, check, values);
        return bytes(values);
    }

    /** Binds a row, with numbers instead of shared values. */
    void bind(PreparedStatement statement, long id, long expiresAt, long transaction, long check,
            @Nullable Object[] values) throws SQLException {
        statement.setLong(1, id);
        SqliteConnection.bind(statement, 2, expiresAt == Store.NEVER ? null : (Object) expiresAt);
        SqliteConnection.bind(statement, 3, transaction == Store.NONE ? null : (Object) transaction);
        statement.setLong(4, check);
        for (int i = 0; i < values.length; i++) {
            SqliteConnection.bind(statement, FIRST + 1 + i, values[i]);
        }
    }

    /** Returns the checksum of a row with its marks. */
    long sum(long id, long expiresAt, long transaction, @Nullable Object[] values) {
        return Checksum.withMarks(sum.of(id, values), expiresAt, transaction);
    }

    /** Returns approximately the bytes of canonical values. */
    static int bytes(@Nullable Object[] values) {
        int bytes = ROW;
        for (Object value : values) {
            bytes += switch (value) {
                case Bytes some -> some.length();
                case String text -> text.length();
                case null, default -> 0;
            };
        }
        return bytes;
    }

    /** Reads a row; throws MismatchException if it is damaged or none of the type. */
    public Stored<Record> read(ResultSet from) throws SQLException {
        @Nullable Object[] values = row.read(from);
        Object expires = Canonical.read(from, 2, Kind.INTEGER);
        int own = type.components().size();
        long id = from.getLong(1);
        try {
            return new Stored<>(id,
                    Canonical.tuple(type, id, values.length == own ? values : Arrays.copyOf(values, own)),
                    expires == null ? Store.NEVER : (Long) expires);
        } catch (IllegalArgumentException e) {
            throw new MismatchException(String.valueOf(e.getMessage()), id, e);
        }
    }

    /** Reads a row for a listener; returns null if it is none of the type, because then no registration matches it. */
    public @Nullable Stored<Record> readIfWhole(ResultSet from) throws SQLException {
        try {
            return read(from);
        } catch (MismatchException e) {
            if (e.isOfAnotherType()) {
                LOG.debug("not reported: {}", e.getMessage());
                return null;
            }
            throw e;
        }
    }
}
