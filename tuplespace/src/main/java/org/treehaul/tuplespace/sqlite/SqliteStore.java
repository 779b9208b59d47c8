// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.sqlite;

import java.nio.file.Path;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.treehaul.tuplespace.sql.DatabaseStore;
import org.treehaul.tuplespace.sqlite.connection.Errors;
import org.treehaul.tuplespace.sqlite.connection.Readers;
import org.treehaul.tuplespace.sqlite.connection.SqliteConnection;
import org.treehaul.tuplespace.sqlite.connection.Step;
import org.treehaul.tuplespace.sqlite.sql.Checksum;
import org.treehaul.tuplespace.sqlite.sql.Names;
import org.treehaul.tuplespace.sqlite.sql.Schema;
import org.treehaul.tuplespace.sqlite.sql.SharedValues;
import org.treehaul.tuplespace.sqlite.sql.Table;
import org.treehaul.tuplespace.sqlite.sql.Where;
import org.treehaul.tuplespace.store.Aggregator;
import org.treehaul.tuplespace.store.Attempt;
import org.treehaul.tuplespace.store.EventKind;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.StoreListener;
import org.treehaul.tuplespace.store.StoreOptions;
import org.treehaul.tuplespace.store.Stored;
import org.treehaul.tuplespace.store.StoredClass;
import org.treehaul.tuplespace.tuple.ControlTuple;
import org.treehaul.tuplespace.tuple.Order;
import org.treehaul.tuplespace.tuple.Template;
import org.treehaul.tuplespace.tuple.TupleType;

/**
 * Stores tuples in an SQLite file. Changes go through the {@link Writer}; reads go through {@link SqliteQueries}.
 */
final class SqliteStore extends DatabaseStore {
    /** Tuples are removed in portions of this number if each removal is an event. */
    private static final int PORTION = 1000;

    private final Path file;
    private final Writer writer;
    private final Readers readers;
    private final SqliteQueries queries;
    private final Transactions transactions;
    private final Notifier notifier;

    SqliteStore(Path file, StoreOptions options, StoreListener listener, SqliteConnection connection, boolean isWal,
            boolean isToRead) {
        this.file = file;
        writer = new Writer(file, options, listener, connection, isToRead);
        readers = new Readers(file, isToRead);
        queries = new SqliteQueries(file, isWal, writer, readers);
        transactions = new Transactions(writer.current);
        notifier = new Notifier(writer, listener);
    }

    @Override
    public <R> R exclusively(Supplier<R> work) {
        return writer.exclusively(work);
    }

    @Override
    public <R> R quietly(Supplier<R> work) {
        return writer.quiet.run(work);
    }

    private <R> R change(long transaction, Step<R> step) {
        return change(transaction, step, false);
    }

    private <R> R change(long transaction, Step<R> step, boolean isAdding) {
        return transaction == ALONE ? writer.alone.change(step, isAdding) : writer.run(() -> {
            if (transaction != NONE) {
                transactions.check(transaction);
            }
            return step.run();
        }, isAdding);
    }

    @Override
    public long[] write(List<? extends Record> tuples, long[] expiresAt, long transaction) {
        tuples.forEach(tuple -> TupleType.of(tuple).check(tuple));
        // Control tuples are few and small, and without them none could be taken from several partitions.
        boolean isAdding = !tuples.stream().allMatch(ControlTuple.class::isInstance);
        return change(transaction, () -> insert(tuples, expiresAt, marked(transaction)), isAdding);
    }

    @Override
    public Optional<long[]> writeWhile(Template<?> guard, List<? extends Record> tuples, long[] expiresAt) {
        tuples.forEach(tuple -> TupleType.of(tuple).check(tuple));
        return change(NONE,
                () -> attempt(writer.connection, guard, false, NONE) instanceof Attempt.Hit
                        ? Optional.of(insert(tuples, expiresAt, NONE))
                        : Optional.empty(),
                true);
    }

    private long[] insert(List<? extends Record> tuples, long[] expiresAt, long transaction) throws SQLException {
        Map<Class<?>, Table> tables = tables(tuples);
        long[] ids = new long[tuples.size()];
        PreparedStatement statement = null;
        Table table = null;
        SharedValues shared = null;
        int bytes = 0;
        for (int i = 0; i < ids.length; i++) {
            Record tuple = tuples.get(i);
            if (table == null || statement == null || shared == null
                    || table.type().recordClass() != tuple.getClass()) {
                if (statement != null) {
                    statement.executeBatch();
                }
                table = Objects.requireNonNull(tables.get(tuple.getClass()));
                statement = writer.connection.prepare(table.insert());
                shared = new SharedValues(writer.connection, table);
            }
            ids[i] = writer.current.nextId();
            bytes += table.bind(statement, ids[i], expiresAt[i], transaction, tuple, shared);
            statement.addBatch();
            if (bytes >= Table.BATCH_BYTES) {
                statement.executeBatch();
                bytes = 0;
            }
            if (writer.current.isWatched(transaction)) {
                writer.current.note(EventKind.WRITTEN, table.type(), table.type().copyOf(tuple), transaction);
            }
        }
        if (statement != null) {
            statement.executeBatch();
        }
        return ids;
    }

    /**
     * Returns the tables of the classes of tuples, and makes those that are absent. Called before the first tuple is
     * inserted: a step that a class refuses is not rolled back.
     */
    private Map<Class<?>, Table> tables(List<? extends Record> tuples) throws SQLException {
        Map<Class<?>, Table> tables = new HashMap<>();
        for (Record tuple : tuples) {
            if (!tables.containsKey(tuple.getClass())) {
                tables.put(tuple.getClass(), writer.current.table(TupleType.of(tuple)));
            }
        }
        return tables;
    }

    @Override
    public <T> Attempt<T> attempt(Template<T> template, boolean isTake, long transaction) {
        if (!isTake && transaction == NONE) {
            Attempt<T> seen = readers.read(connection -> attempt(connection, template, false, NONE));
            if (!(seen instanceof Attempt.Held) || writer.isToRead) {
                return seen;
            }
            // The holder may be a transaction whose lease is over: a step of the writer ends those.
        }
        return change(transaction, () -> attempt(writer.connection, template, isTake, marked(transaction)));
    }

    private <T> Attempt<T> attempt(SqliteConnection connection, Template<T> template, boolean isTake, long transaction)
            throws SQLException {
        List<SqliteQueries.Place> places = queries.places(connection, template);
        for (SqliteQueries.Place place : places) {
            Stored<Record> found = first(connection, place, isTake, transaction);
            if (found != null) {
                if (isTake) {
                    take(place.table(), found, transaction);
                } else if (transaction != NONE) {
                    connection.update("INSERT OR IGNORE INTO " + Names.READS + " SELECT " + Names.ID + ", ? FROM "
                            + place.table().name() + " WHERE " + Names.ID + " = ? AND " + Names.WRITER + " IS NULL",
                            transaction, found.id());
                }
                return new Attempt.Hit<>(template.type().cast(found.tuple()));
            }
        }
        for (SqliteQueries.Place place : places) {
            try (Where where = Where.held(place.table(), place.conditions(), transaction, writer.now())) {
                if (connection.first("SELECT 1 FROM " + place.table().name() + " WHERE " + where.sql() + " LIMIT 1",
                        where.parameters(), row -> true) != null) {
                    return new Attempt.Held<>();
                }
            }
        }
        return new Attempt.Miss<>();
    }

    private @Nullable Stored<Record> first(SqliteConnection connection, SqliteQueries.Place place, boolean isTake,
            long transaction) throws SQLException {
        try (Where where = Where.free(place.table(), place.conditions(), isTake, transaction, writer.now())) {
            return connection.first("SELECT " + place.table().columns() + " FROM " + place.table().from() + " WHERE "
                    + where.sql() + " LIMIT 1", where.parameters(), place.table()::read);
        }
    }

    private void take(Table table, Stored<Record> stored, long transaction) throws SQLException {
        String here = " WHERE " + Names.ID + " = ?";
        if (transaction == NONE) {
            writer.connection.update("DELETE FROM " + table.name() + here, stored.id());
        } else if (writer.connection.update("DELETE FROM " + table.name() + here + " AND " + Names.WRITER + " = ?",
                stored.id(), transaction) == 0) {
            writer.connection.update("UPDATE " + table.name() + " SET " + Checksum.set(Names.TAKER) + here, transaction,
                    Checksum.part(Names.TAKER, transaction), stored.id());
        }
        writer.current.note(EventKind.TAKEN, table.type(), stored.tuple(), transaction);
    }

    @Override
    public List<StoredClass> recordClasses() {
        return readers.read(Schema::recordClasses);
    }

    @Override
    public <T> List<T> takeAll(Template<T> template, int max, long transaction) {
        int portion = max;
        while (true) {
            try {
                return takeSome(template, portion, transaction);
            } catch (SpaceException e) {
                // Takes fewer at a time if the disk is too full to take all in one step.
                if (e.reason() != SpaceException.Reason.FULL || transaction != NONE || portion <= 1) {
                    throw e;
                }
                portion = Math.min(portion / 2, PORTION);
            }
        }
    }

    private <T> List<T> takeSome(Template<T> template, int max, long transaction) {
        return change(transaction, () -> {
            List<T> taken = new ArrayList<>();
            for (SqliteQueries.Place place : queries.places(writer.connection, template)) {
                for (Stored<Record> stored : select(place, max - taken.size(), marked(transaction))) {
                    take(place.table(), stored, marked(transaction));
                    taken.add(template.type().cast(stored.tuple()));
                }
            }
            return taken;
        });
    }

    private List<Stored<Record>> select(SqliteQueries.Place place, long max, long transaction) throws SQLException {
        List<Stored<Record>> found = new ArrayList<>();
        try (Where where = Where.free(place.table(), place.conditions(), true, transaction, writer.now())) {
            writer.connection.each("SELECT " + place.table().columns() + " FROM " + place.table().from() + " WHERE "
                    + where.sql() + " LIMIT " + max, where.parameters(), row -> found.add(place.table().read(row)));
        }
        return found;
    }

    @Override
    public long remove(Template<?> template, long transaction) {
        try {
            return removeAtOnce(template, transaction);
        } catch (SpaceException e) {
            if (e.reason() != SpaceException.Reason.FULL || transaction != NONE) {
                throw e;
            }
        }
        // The disk is too full to remove all in one step, so removes in portions.
        long count = 0;
        for (int some = takeAll(template, PORTION, NONE).size(); some > 0; some = takeAll(template, PORTION, NONE)
                .size()) {
            count += some;
        }
        return count;
    }

    private long removeAtOnce(Template<?> template, long transaction) {
        long marked = marked(transaction);
        return change(transaction, () -> {
            long count = 0;
            for (SqliteQueries.Place place : queries.places(writer.connection, template)) {
                count += remove(place, marked);
            }
            return count;
        });
    }

    /**
     * Removes the tuples of a place, whose rows it reads twice: a transaction keeps those that it takes, and portions
     * would read them repeatedly. Rows are decoded only if changes are of interest.
     */
    private long remove(SqliteQueries.Place place, long transaction) throws SQLException {
        Table table = place.table();
        try (Where where = Where.free(place.table(), place.conditions(), true, transaction, writer.now())) {
            if (writer.current.isWatched(transaction)) {
                // First, while they still meet the conditions.
                writer.connection.each("SELECT " + table.columns() + " FROM " + table.from() + " WHERE " + where.sql(),
                        where.parameters(), row -> {
                            Stored<Record> stored = table.readIfWhole(row);
                            if (stored != null) {
                                writer.current.note(EventKind.TAKEN, table.type(), stored.tuple(), transaction);
                            }
                            return true;
                        });
            }
            String delete = "DELETE FROM " + table.name() + " WHERE " + where.sql();
            if (transaction == NONE) {
                return writer.connection.update(delete, where.parameters());
            }
            List<@Nullable Object> own = new ArrayList<>(where.parameters());
            own.add(transaction);
            List<@Nullable Object> taken = new ArrayList<>(
                    List.of(transaction, Checksum.part(Names.TAKER, transaction)));
            taken.addAll(where.parameters());
            return writer.connection.update(delete + " AND " + Names.WRITER + " = ?", own) + writer.connection.update(
                    "UPDATE " + table.name() + " SET " + Checksum.set(Names.TAKER) + " WHERE " + where.sql(), taken);
        }
    }

    @Override
    public <T> Stream<Stored<T>> contents(Template<T> template, Optional<Order> order, long limit, long transaction) {
        return queries.contents(template, order, limit, transaction);
    }

    @Override
    public void aggregate(Template<?> template, Aggregator into, long transaction) {
        queries.aggregate(template, into, transaction);
    }

    @Override
    public boolean renew(long tuple, long expiresAt) {
        return change(NONE, () -> isRenewed(tuple, expiresAt));
    }

    @Override
    public long[] renewAll(long[] tuples, long[] expiresAt) {
        return change(NONE, () -> {
            long[] renewed = new long[tuples.length];
            int count = 0;
            for (int i = 0; i < tuples.length; i++) {
                if (isRenewed(tuples[i], expiresAt[i])) {
                    renewed[count++] = tuples[i];
                }
            }
            return Arrays.copyOf(renewed, count);
        });
    }

    private boolean isRenewed(long tuple, long expiresAt) throws SQLException {
        for (String table : writer.current.tables.all().values()) {
            Long end = expiresAt == NEVER ? null : (Long) expiresAt;
            if (writer.connection.update(
                    "UPDATE " + table + " SET " + Checksum.set(Names.EXPIRES) + " WHERE " + Names.ID + " = ? AND ("
                            + Names.EXPIRES + " IS NULL OR " + Names.EXPIRES + " > ?)",
                    end, Checksum.part(Names.EXPIRES, end), tuple, writer.now()) == 1) {
                return true;
            }
        }
        return false;
    }

    @Override
    public boolean cancel(long tuple) {
        return change(NONE, () -> isCancelled(tuple));
    }

    @Override
    public void cancelAll(long[] tuples) {
        change(NONE, () -> {
            for (long tuple : tuples) {
                isCancelled(tuple);
            }
            return true;
        });
    }

    private boolean isCancelled(long tuple) throws SQLException {
        for (String type : writer.current.tables.all().keySet()) {
            String here = Names.ID + " = ? AND (" + Names.EXPIRES + " IS NULL OR " + Names.EXPIRES + " > ?)";
            if (expire(type, here, List.of(tuple, writer.now())) == 1) {
                return true;
            }
        }
        return false;
    }

    private long expire(String type, String where, List<Long> parameters) throws SQLException {
        Table table = writer.current.isWatched(NONE) ? transactions.find(type) : null;
        transactions.note(table, where + " AND " + Names.WRITER + " IS NULL", parameters, EventKind.EXPIRED, NONE);
        return writer.connection.update("DELETE FROM " + writer.current.tables.all().get(type) + " WHERE " + where,
                parameters);
    }

    @Override
    public long[] existing(long[] tuples) {
        return change(NONE, () -> {
            List<Long> found = new ArrayList<>();
            for (String table : writer.current.tables.all().values()) {
                String one = "SELECT EXISTS (SELECT 1 FROM " + table + " WHERE " + Names.ID + " = ?)";
                for (long tuple : tuples) {
                    if (writer.connection.number(one, tuple) == 1) {
                        found.add(tuple);
                    }
                }
            }
            return found.stream().mapToLong(Long::longValue).toArray();
        });
    }

    @Override
    public long begin(long expiresAt) {
        return change(NONE, () -> transactions.begin(expiresAt));
    }

    @Override
    public long beginAlone() {
        writer.alone.begin();
        return ALONE;
    }

    @Override
    public boolean renewTransaction(long transaction, long expiresAt) {
        return transaction == ALONE || change(NONE, () -> transactions.renew(transaction, expiresAt));
    }

    @Override
    protected boolean endAlone(boolean isCommit) {
        return writer.alone.end(isCommit);
    }

    @Override
    protected boolean end(long transaction, boolean isCommit) {
        return change(NONE, () -> transactions.end(transaction, isCommit));
    }

    @Override
    public long sweep() {
        long now = writer.now();
        long next = queries.nextEnd();
        if (next > now || writer.isToRead) {
            return writer.isToRead ? NEVER : next;
        }
        change(NONE, () -> {
            for (String type : writer.current.tables.all().keySet()) {
                expire(type, Names.EXPIRES + " <= ?", List.of(now));
            }
            return true;
        });
        return queries.nextEnd();
    }

    @Override
    public void interestChanged() {
        notifier.interestChanged();
    }

    @Override
    public void close() {
        notifier.close();
        try (writer) {
            readers.close();
        } catch (SQLException e) {
            throw Errors.of(file, e);
        }
    }
}
