// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.sqlite;

import java.nio.file.Path;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.function.Supplier;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

import org.jspecify.annotations.Nullable;
import org.treehaul.tuplespace.store.Attempt;
import org.treehaul.tuplespace.store.EventKind;
import org.treehaul.tuplespace.store.RecordClasses;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.Store;
import org.treehaul.tuplespace.store.StoreListener;
import org.treehaul.tuplespace.store.StoreOptions;
import org.treehaul.tuplespace.store.Stored;
import org.treehaul.tuplespace.store.Totals;
import org.treehaul.tuplespace.tuple.Aggregate;
import org.treehaul.tuplespace.tuple.Condition;
import org.treehaul.tuplespace.tuple.Group;
import org.treehaul.tuplespace.tuple.Kind;
import org.treehaul.tuplespace.tuple.Order;
import org.treehaul.tuplespace.tuple.Template;
import org.treehaul.tuplespace.tuple.TupleType;

/** Keeps tuples in a file of SQLite. What changes it goes through the {@link Writer}, what only looks does not. */
final class SqliteStore implements Store {
    /** The transaction of {@link #beginAlone}, which is one of SQLite: within it nothing is held by anybody else. */
    private static final long ALONE = -1;
    /** Tuples are removed in portions where somebody wants to hear of each. */
    private static final int PORTION = 1000;

    private final Path file;
    private final boolean isWal;
    private final Writer writer;
    private final Readers readers;
    private final Transactions transactions;
    private final Notifier notifier;

    SqliteStore(Path file, StoreOptions options, StoreListener listener, Link link, boolean isWal) {
        this.file = file;
        this.isWal = isWal;
        writer = new Writer(file, options, listener, link);
        readers = new Readers(file);
        transactions = new Transactions(writer);
        notifier = new Notifier(writer, listener);
    }

    @Override
    public <R> R exclusively(Supplier<R> work) {
        return writer.exclusively(work);
    }

    private <R> R change(long transaction, Writer.Step<R> step) {
        return transaction == ALONE ? writer.runAlone(step) : writer.run(() -> {
            if (transaction != NONE) {
                transactions.check(transaction);
            }
            return step.run();
        });
    }

    private <R> R look(long transaction, Readers.Reading<R> reading) {
        return transaction == ALONE ? writer.runAlone(() -> reading.read(writer.link)) : readers.read(link -> {
            check(link, transaction);
            return reading.read(link);
        });
    }

    /** Whoever only looks does not end transactions whose time is over, so it looks at that too. */
    private void check(Link link, long transaction) throws SQLException {
        if (marked(transaction) != NONE
                && link.number("SELECT EXISTS (SELECT 1 FROM " + Names.TRANSACTIONS + " WHERE id = ? AND expires > ?)",
                        transaction, writer.now()) == 0) {
            throw new SpaceException(SpaceException.Reason.TRANSACTION_ENDED, "the transaction has ended");
        }
    }

    private static long marked(long transaction) {
        return transaction == ALONE ? NONE : transaction;
    }

    @Override
    public long[] write(List<? extends Record> tuples, long expiresAt, long transaction) {
        tuples.forEach(tuple -> TupleType.of(tuple).check(tuple));
        return change(transaction, () -> {
            long[] ids = new long[tuples.size()];
            PreparedStatement statement = null;
            Table table = null;
            for (int i = 0; i < ids.length; i++) {
                Record tuple = tuples.get(i);
                if (table == null || statement == null || table.type.recordClass() != tuple.getClass()) {
                    if (statement != null) {
                        statement.executeBatch();
                    }
                    table = writer.tableToWrite(TupleType.of(tuple));
                    statement = writer.link.prepare(table.insert);
                }
                ids[i] = writer.nextId();
                table.bind(statement, ids[i], expiresAt, marked(transaction), tuple);
                statement.addBatch();
                if (marked(transaction) == NONE && writer.isWatched()) {
                    writer.note(EventKind.WRITTEN, table.type, table.type.copyOf(tuple));
                }
            }
            if (statement != null) {
                statement.executeBatch();
            }
            return ids;
        });
    }

    /** The tables in which tuples may match, with the conditions for each. */
    private record Place(Table table, List<Condition> conditions) {}

    private List<Place> places(Link link, Template<?> template) throws SQLException {
        List<Place> places = new ArrayList<>();
        if (template.type().isRecord()) {
            Table table = writer.tableToRead(link, TupleType.of(template.type().asSubclass(Record.class)));
            if (table != null) {
                places.add(new Place(table, template.conditions()));
            }
            return places;
        }
        List<String> names = new ArrayList<>();
        link.each("SELECT name FROM " + Names.TYPES, List.of(), row -> names.add(row.getString(1)));
        for (String name : names) {
            TupleType<?> type;
            try {
                type = RecordClasses.find(name);
            } catch (SpaceException unknown) {
                if (template.type() == Record.class || template.type() == Object.class) {
                    throw unknown;
                }
                // Whoever knows an interface knows the records of it that he needs.
                continue;
            }
            List<Condition> conditions = template.conditionsFor(type).orElse(null);
            Table table = conditions == null ? null : writer.tableToRead(link, type);
            if (conditions != null && table != null) {
                places.add(new Place(table, conditions));
            }
        }
        return places;
    }

    @Override
    public <T> Attempt<T> attempt(Template<T> template, boolean isTake, long transaction) {
        if (!isTake && transaction == NONE) {
            Attempt<T> seen = readers.read(link -> attempt(link, template, false, NONE));
            if (!(seen instanceof Attempt.Held)) {
                return seen;
            }
            // What holds it may be a transaction whose time is over: a step of the writer ends those.
        }
        return change(transaction, () -> attempt(writer.link, template, isTake, marked(transaction)));
    }

    private <T> Attempt<T> attempt(Link link, Template<T> template, boolean isTake, long transaction)
            throws SQLException {
        List<Place> places = places(link, template);
        for (Place place : places) {
            Stored<Record> found = first(link, place, isTake, transaction);
            if (found != null) {
                if (isTake) {
                    take(place.table(), found, transaction);
                } else if (transaction != NONE) {
                    link.update("INSERT OR IGNORE INTO " + Names.READS + " SELECT " + Names.ID + ", ? FROM "
                            + place.table().name + " WHERE " + Names.ID + " = ? AND " + Names.WRITER + " IS NULL",
                            transaction, found.id());
                }
                return new Attempt.Hit<>(template.type().cast(found.tuple()));
            }
        }
        for (Place place : places) {
            try (Where where = Where.held(place.conditions(), transaction, writer.now())) {
                if (link.first("SELECT 1 FROM " + place.table().name + " WHERE " + where.sql() + " LIMIT 1",
                        where.parameters, row -> true) != null) {
                    return new Attempt.Held<>();
                }
            }
        }
        return new Attempt.Miss<>();
    }

    private @Nullable Stored<Record> first(Link link, Place place, boolean isTake, long transaction)
            throws SQLException {
        try (Where where = Where.free(place.conditions(), isTake, transaction, writer.now())) {
            return link.first("SELECT " + place.table().columns + " FROM " + place.table().name + " WHERE "
                    + where.sql() + " LIMIT 1", where.parameters, place.table()::read);
        }
    }

    private void take(Table table, Stored<Record> stored, long transaction) throws SQLException {
        String here = " WHERE " + Names.ID + " = ?";
        if (transaction == NONE) {
            writer.link.update("DELETE FROM " + table.name + here, stored.id());
            writer.note(EventKind.TAKEN, table.type, stored.tuple());
        } else if (writer.link.update("DELETE FROM " + table.name + here + " AND " + Names.WRITER + " = ?", stored.id(),
                transaction) == 0) {
            writer.link.update("UPDATE " + table.name + " SET " + Names.TAKER + " = ?" + here, transaction,
                    stored.id());
        }
    }

    @Override
    public <T> List<T> takeAll(Template<T> template, int max, long transaction) {
        return change(transaction, () -> {
            List<T> taken = new ArrayList<>();
            for (Place place : places(writer.link, template)) {
                for (Stored<Record> stored : select(place, max - taken.size(), marked(transaction))) {
                    take(place.table(), stored, marked(transaction));
                    taken.add(template.type().cast(stored.tuple()));
                }
            }
            return taken;
        });
    }

    private List<Stored<Record>> select(Place place, long max, long transaction) throws SQLException {
        List<Stored<Record>> found = new ArrayList<>();
        try (Where where = Where.free(place.conditions(), true, transaction, writer.now())) {
            writer.link.each("SELECT " + place.table().columns + " FROM " + place.table().name + " WHERE " + where.sql()
                    + " LIMIT " + max, where.parameters, row -> found.add(place.table().read(row)));
        }
        return found;
    }

    @Override
    public long remove(Template<?> template, long transaction) {
        long marked = marked(transaction);
        return change(transaction, () -> {
            long count = 0;
            for (Place place : places(writer.link, template)) {
                if (marked != NONE || writer.isWatched()) {
                    List<Stored<Record>> portion;
                    do {
                        portion = select(place, PORTION, marked);
                        for (Stored<Record> stored : portion) {
                            take(place.table(), stored, marked);
                        }
                        count += portion.size();
                    } while (portion.size() == PORTION);
                } else {
                    try (Where where = Where.free(place.conditions(), true, NONE, writer.now())) {
                        count += writer.link.update("DELETE FROM " + place.table().name + " WHERE " + where.sql(),
                                where.parameters);
                    }
                }
            }
            return count;
        });
    }

    @Override
    public <T> Stream<Stored<T>> contents(Template<T> template, Optional<Order> order, long limit, long transaction) {
        boolean isAlone = transaction == ALONE;
        order.filter(by -> !by.component().isEmpty() && template.type().isRecord())
                .ifPresent(by -> TupleType.of(template.type().asSubclass(Record.class)).component(by.component()));
        if (isAlone) {
            Rows rows = writer.runAlone(() -> rows(writer.link, template, order, limit, ALONE, true, () -> {
            }));
            return stream(template, order, limit, rows);
        }
        Link link = readers.borrow();
        try {
            link.run("BEGIN");
            Rows rows = rows(link, template, order, limit, transaction, !isWal, () -> {
                if (isWal) {
                    link.run("COMMIT");
                }
                readers.giveBack(link);
            });
            return stream(template, order, limit, rows);
        } catch (SQLException | RuntimeException e) {
            Readers.discard(link, e);
            throw e instanceof SQLException sql ? Errors.of(file, sql) : (RuntimeException) e;
        }
    }

    private Rows rows(Link link, Template<?> template, Optional<Order> order, long limit, long transaction,
            boolean isCopy, AutoCloseable atEnd) throws SQLException {
        check(link, transaction);
        List<Rows.Part> parts = new ArrayList<>();
        for (Place place : places(link, template)) {
            StringBuilder tail = new StringBuilder();
            order.ifPresent(by -> {
                String down = by.isDescending() ? " DESC" : "";
                boolean isByComponent = !by.component().isEmpty() && place.table().type.has(by.component());
                tail.append(" ORDER BY ");
                tail.append(isByComponent ? Names.quote(by.component()) + down + ", " + Names.ID : Names.ID + down);
            });
            if (limit != Long.MAX_VALUE) {
                tail.append(" LIMIT ").append(limit);
            }
            parts.add(new Rows.Part(place.table(),
                    Where.free(place.conditions(), false, marked(transaction), writer.now()), tail.toString()));
        }
        return new Rows(file, link, parts, isCopy, isCopy && transaction != ALONE, atEnd);
    }

    /** Rows of several tables come table by table, so where there is an order they are sorted here. */
    private static <T> Stream<Stored<T>> stream(Template<T> template, Optional<Order> order, long limit, Rows rows) {
        Stream<Stored<Record>> stream = StreamSupport
                .stream(Spliterators.spliteratorUnknownSize((Iterator<Stored<Record>>) rows,
                        Spliterator.ORDERED | Spliterator.NONNULL), false)
                .onClose(rows::close);
        if (order.isPresent() && !template.type().isRecord()) {
            stream = stream.sorted(comparator(order.get()));
        }
        return stream.limit(limit)
                .map(stored -> new Stored<>(stored.id(), template.type().cast(stored.tuple()), stored.expiresAt()));
    }

    private static Comparator<Stored<Record>> comparator(Order order) {
        Comparator<Stored<Record>> byId = Comparator.comparingLong(Stored::id);
        if (order.component().isEmpty()) {
            return order.isDescending() ? byId.reversed() : byId;
        }
        Comparator<Stored<Record>> byValue = (one, other) -> {
            Object a = value(one.tuple(), order.component());
            Object b = value(other.tuple(), order.component());
            return a == null || b == null ? Boolean.compare(a != null, b != null) : Kind.compare(a, b);
        };
        return (order.isDescending() ? byValue.reversed() : byValue).thenComparing(byId);
    }

    private static @Nullable Object value(Record tuple, String component) {
        TupleType<?> type = TupleType.of(tuple);
        return type.has(component) ? type.component(component).canonical(tuple) : null;
    }

    @Override
    public List<Group> aggregate(Template<?> template, List<String> by, List<Aggregate> aggregates, long transaction) {
        Totals totals = new Totals(template, by, aggregates);
        StringBuilder columns = new StringBuilder();
        by.forEach(name -> columns.append(Names.quote(name)).append(", "));
        for (Aggregate aggregate : aggregates) {
            columns.append(aggregate.function())
                    .append('(')
                    .append(aggregate.component().isEmpty() ? "*" : Names.quote(aggregate.component()))
                    .append("), ");
        }
        columns.append('1');
        String groups = by.isEmpty()
                ? ""
                // The plus keeps it from going by an index: looking each row up in its order takes six times as long.
                : " GROUP BY " + String.join(", ", by.stream().map(name -> "+" + Names.quote(name)).toList());
        look(transaction, link -> {
            for (Place place : places(link, template)) {
                TupleType<?> type = place.table().type;
                if (totals.fits(type)) {
                    try (Where where = Where.free(place.conditions(), false, marked(transaction), writer.now())) {
                        link.each(
                                "SELECT " + columns + " FROM " + place.table().name + " WHERE " + where.sql() + groups,
                                where.parameters, row -> {
                                    @Nullable Object[] key = new @Nullable Object[by.size()];
                                    for (int i = 0; i < key.length; i++) {
                                        key[i] = Link.read(row, i + 1, type.component(by.get(i)).kind());
                                    }
                                    @Nullable Object[] values = new @Nullable Object[aggregates.size()];
                                    for (int i = 0; i < values.length; i++) {
                                        String name = aggregates.get(i).component();
                                        values[i] = Link.read(row, key.length + i + 1,
                                                name.isEmpty() ? Kind.INTEGER : type.component(name).kind());
                                    }
                                    totals.add(key, values);
                                    return true;
                                });
                    }
                }
            }
            return true;
        });
        return totals.groups();
    }

    @Override
    public boolean renew(long tuple, long expiresAt) {
        return change(NONE, () -> {
            for (String type : writer.names()) {
                if (writer.link.update(
                        "UPDATE " + Names.quote(type) + " SET " + Names.EXPIRES + " = ? WHERE " + Names.ID
                                + " = ? AND (" + Names.EXPIRES + " IS NULL OR " + Names.EXPIRES + " > ?)",
                        expiresAt == NEVER ? null : (Object) expiresAt, tuple, writer.now()) == 1) {
                    return true;
                }
            }
            return false;
        });
    }

    @Override
    public boolean cancel(long tuple) {
        return change(NONE, () -> {
            for (String type : writer.names()) {
                String here = Names.ID + " = ? AND (" + Names.EXPIRES + " IS NULL OR " + Names.EXPIRES + " > "
                        + writer.now() + ")";
                if (expire(type, here, tuple) == 1) {
                    return true;
                }
            }
            return false;
        });
    }

    private long expire(String type, String where, long parameter) throws SQLException {
        Table table = writer.isWatched() ? transactions.find(type) : null;
        transactions.note(table, where + " AND " + Names.WRITER + " IS NULL", parameter, EventKind.EXPIRED);
        return writer.link.update("DELETE FROM " + Names.quote(type) + " WHERE " + where, parameter);
    }

    @Override
    public long begin(long expiresAt) {
        return change(NONE, () -> transactions.begin(expiresAt));
    }

    @Override
    public long beginAlone() {
        writer.beginAlone();
        return ALONE;
    }

    @Override
    public boolean renewTransaction(long transaction, long expiresAt) {
        return transaction == ALONE || change(NONE, () -> transactions.renew(transaction, expiresAt));
    }

    @Override
    public boolean commit(long transaction) {
        return transaction == ALONE ? writer.endAlone(true) : change(NONE, () -> transactions.end(transaction, true));
    }

    @Override
    public boolean abort(long transaction) {
        return transaction == ALONE ? writer.endAlone(false) : change(NONE, () -> transactions.end(transaction, false));
    }

    @Override
    public long sweep() {
        long now = writer.now();
        long next = nextEnd();
        if (next > now) {
            return next;
        }
        change(NONE, () -> {
            for (String type : writer.names()) {
                expire(type, Names.EXPIRES + " <= ?", now);
            }
            return true;
        });
        return nextEnd();
    }

    private long nextEnd() {
        return readers.read(link -> {
            List<String> ends = new ArrayList<>();
            ends.add("SELECT min(expires) AS end FROM " + Names.TRANSACTIONS);
            link.each("SELECT name FROM " + Names.TYPES, List.of(), row -> ends.add("SELECT min(" + Names.EXPIRES
                    + ") FROM " + Names.quote(row.getString(1)) + " WHERE " + Names.EXPIRES + " IS NOT NULL"));
            long next = NEVER;
            for (String end : ends) {
                Long first = link.first(end, List.of(), Link::number);
                next = first == null ? next : Math.min(next, first);
            }
            return next;
        });
    }

    @Override
    public void interestChanged() {
        notifier.interestChanged();
    }

    @Override
    public void close() {
        notifier.close();
        try {
            readers.close();
            writer.close();
        } catch (SQLException e) {
            throw Errors.of(file, e);
        }
    }
}
