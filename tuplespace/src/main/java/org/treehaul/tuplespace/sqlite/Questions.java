// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.sqlite;

import java.nio.file.Path;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

import org.jspecify.annotations.Nullable;
import org.treehaul.tuplespace.store.RecordClasses;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.Store;
import org.treehaul.tuplespace.store.Stored;
import org.treehaul.tuplespace.store.Totals;
import org.treehaul.tuplespace.tuple.Aggregate;
import org.treehaul.tuplespace.tuple.Condition;
import org.treehaul.tuplespace.tuple.Group;
import org.treehaul.tuplespace.tuple.Kind;
import org.treehaul.tuplespace.tuple.Order;
import org.treehaul.tuplespace.tuple.Template;
import org.treehaul.tuplespace.tuple.TupleType;

/** What a file of SQLite is asked without a change to it, each by a connection of its own. From any thread. */
final class Questions {
    private final Path file;
    private final boolean isWal;
    private final Writer writer;
    private final Readers readers;

    Questions(Path file, boolean isWal, Writer writer, Readers readers) {
        this.file = file;
        this.isWal = isWal;
        this.writer = writer;
        this.readers = readers;
    }

    private <R> R look(long transaction, Readers.Reading<R> reading) {
        return transaction == Transactions.ALONE
                ? writer.runAlone(() -> reading.read(writer.link))
                : readers.read(link -> {
                    check(link, transaction);
                    return reading.read(link);
                });
    }

    /** Whoever only looks does not end transactions whose time is over, so it looks at that too. */
    private void check(Link link, long transaction) throws SQLException {
        if (Transactions.marked(transaction) != Store.NONE
                && link.number("SELECT EXISTS (SELECT 1 FROM " + Names.TRANSACTIONS + " WHERE id = ? AND expires > ?)",
                        transaction, writer.now()) == 0) {
            throw new SpaceException(SpaceException.Reason.TRANSACTION_ENDED, "the transaction has ended");
        }
    }

    /** The tables in which tuples may match, with the conditions for each. */
    record Place(Table table, List<Condition> conditions) {}

    List<Place> places(Link link, Template<?> template) throws SQLException {
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

    <T> Stream<Stored<T>> contents(Template<T> template, Optional<Order> order, long limit, long transaction) {
        order.ifPresent(by -> by.check(template.type()));
        if (transaction == Transactions.ALONE) {
            Rows rows = writer
                    .runAlone(() -> rows(writer.link, template, order, limit, Transactions.ALONE, true, () -> {
                    }));
            return stream(template, order, limit, rows);
        }
        Link link = readers.borrow();
        try {
            // Tables of another version are fitted by the writer, which what is fixed from here on would not see.
            places(link, template);
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
                    Where.free(place.conditions(), false, Transactions.marked(transaction), writer.now()),
                    tail.toString()));
        }
        return new Rows(file, link, parts, isCopy, isCopy && transaction != Transactions.ALONE, atEnd);
    }

    /** Rows of several tables come table by table, so where there is an order they are sorted here. */
    private static <T> Stream<Stored<T>> stream(Template<T> template, Optional<Order> order, long limit, Rows rows) {
        Stream<Stored<Record>> stream = StreamSupport
                .stream(Spliterators.spliteratorUnknownSize((Iterator<Stored<Record>>) rows,
                        Spliterator.ORDERED | Spliterator.NONNULL), false)
                .onClose(rows::close);
        if (order.isPresent() && !template.type().isRecord()) {
            stream = stream.sorted(order.get().comparator(Stored::tuple, Stored::id));
        }
        return stream.limit(limit)
                .map(stored -> new Stored<>(stored.id(), template.type().cast(stored.tuple()), stored.expiresAt()));
    }

    /**
     * Without groups SQLite adds up by itself. Groups are made here: SQLite would sort all rows by them, which takes it
     * two to three times as long as handing them over.
     */
    List<Group> aggregate(Template<?> template, List<String> by, List<Aggregate> aggregates, long transaction) {
        Totals totals = new Totals(template, by, aggregates);
        List<String> columns = new ArrayList<>();
        by.forEach(name -> columns.add(Names.quote(name)));
        for (Aggregate aggregate : aggregates) {
            boolean isCount = aggregate.function() == Aggregate.Function.COUNT;
            String column = isCount ? "*" : Names.quote(aggregate.component());
            if (by.isEmpty()) {
                columns.add(aggregate.function() + "(" + column + ")");
            } else if (!isCount) {
                columns.add(column);
            }
        }
        String select = columns.isEmpty() ? "1" : String.join(", ", columns);
        look(transaction, link -> {
            for (Place place : places(link, template)) {
                TupleType<?> type = place.table().type;
                if (totals.fits(type)) {
                    Kind[] keys = by.stream().map(name -> type.component(name).kind()).toArray(Kind[]::new);
                    @Nullable Kind[] values = aggregates.stream()
                            .map(Aggregate::component)
                            .map(name -> !name.isEmpty()
                                    ? type.component(name).kind()
                                    : by.isEmpty() ? Kind.INTEGER : null)
                            .toArray(Kind[]::new);
                    try (Where where = Where.free(place.conditions(), false, Transactions.marked(transaction),
                            writer.now())) {
                        link.each("SELECT " + select + " FROM " + place.table().name + " WHERE " + where.sql(),
                                where.parameters, row -> {
                                    totals.add(read(row, 1, keys), read(row, 1 + keys.length, values));
                                    return true;
                                });
                    }
                }
            }
            return true;
        });
        return totals.groups();
    }

    // What has no kind is the count of the row itself.
    private static @Nullable Object[] read(ResultSet row, int from, @Nullable Kind[] kinds) throws SQLException {
        @Nullable Object[] values = new @Nullable Object[kinds.length];
        int at = from;
        for (int i = 0; i < kinds.length; i++) {
            Kind kind = kinds[i];
            values[i] = kind == null ? (Object) 1L : Link.read(row, at++, kind);
        }
        return values;
    }

    /** Returns when the next lease ends, or transaction. */
    long nextEnd() {
        return readers.read(link -> {
            List<String> ends = new ArrayList<>();
            ends.add("SELECT min(expires) AS end FROM " + Names.TRANSACTIONS);
            link.each("SELECT name FROM " + Names.TYPES, List.of(), row -> ends.add("SELECT min(" + Names.EXPIRES
                    + ") FROM " + Names.quote(row.getString(1)) + " WHERE " + Names.EXPIRES + " IS NOT NULL"));
            long next = Store.NEVER;
            for (String end : ends) {
                Long first = link.first(end, List.of(), Link::number);
                next = first == null ? next : Math.min(next, first);
            }
            return next;
        });
    }
}
