// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.sql;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.function.BiFunction;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

import org.jspecify.annotations.Nullable;
import org.treehaul.tuplespace.store.RecordClasses;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.Stored;
import org.treehaul.tuplespace.tuple.Condition;
import org.treehaul.tuplespace.tuple.Order;
import org.treehaul.tuplespace.tuple.Template;
import org.treehaul.tuplespace.tuple.TupleType;

/** Where the tuples that a template matches are, and their stream. */
public final class Matches {

    private Matches() {}

    /** Returns the names of the record classes that have or had tuples. */
    @FunctionalInterface
    public interface Types {
        List<String> names() throws SQLException;
    }

    /** Returns the table of a type, null if there is none. */
    @FunctionalInterface
    public interface Tables<T> {
        @Nullable T table(TupleType<?> type) throws SQLException;
    }

    /**
     * Returns the tables in which tuples may match, each with its conditions: a tuple must meet all of at least one
     * list.
     */
    public static <T, P> List<P> places(Template<?> template, Types types, Tables<T> tables,
            BiFunction<T, List<List<Condition>>, P> place) throws SQLException {
        List<TupleType<?>> matching = new ArrayList<>();
        if (template.type().isRecord()) {
            matching.add(TupleType.of(template.type().asSubclass(Record.class)));
        } else {
            for (String name : types.names()) {
                try {
                    matching.add(RecordClasses.find(name));
                } catch (SpaceException unknown) {
                    // A program that knows an interface also has the record classes of it that it needs.
                    if (template.isOfAllTypes()) {
                        throw unknown;
                    }
                }
            }
        }
        List<P> places = new ArrayList<>();
        for (TupleType<?> type : matching) {
            List<List<Condition>> conditions = template.conditionsFor(type);
            T table = conditions.isEmpty() ? null : tables.table(type);
            if (table != null) {
                places.add(place.apply(table, conditions));
            }
        }
        return places;
    }

    /** Returns the rows of the only table of a record class, which the database has sorted and limited. */
    @SuppressWarnings("unchecked") // they were read as tuples of that class
    public static <T> Stream<Stored<T>> ofOneTable(List<Stored<Record>> rows) {
        return (Stream<Stored<T>>) (Stream<?>) rows.stream();
    }

    /** Returns the rows of several tables, which come table by table and are sorted here if there is an order. */
    public static <T> Stream<Stored<T>> stream(Template<T> template, Optional<Order> order, long limit,
            Iterator<Stored<Record>> rows, Runnable close) {
        Stream<Stored<Record>> stream = StreamSupport
                .stream(Spliterators.spliteratorUnknownSize(rows, Spliterator.ORDERED | Spliterator.NONNULL), false)
                .onClose(close);
        if (order.isPresent() && !template.type().isRecord()) {
            stream = stream.sorted(order.get().comparator(Stored::tuple, Stored::id));
        }
        return stream.limit(limit)
                .map(stored -> new Stored<>(stored.id(), template.type().cast(stored.tuple()), stored.expiresAt(),
                        stored.owner()));
    }
}
