// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.sqlite;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.StringJoiner;

import org.jspecify.annotations.Nullable;
import org.treehaul.tuplespace.sqlite.SqliteQueries.Place;
import org.treehaul.tuplespace.sqlite.connection.SqliteConnection;
import org.treehaul.tuplespace.sqlite.sql.Names;
import org.treehaul.tuplespace.sqlite.sql.Where;
import org.treehaul.tuplespace.tuple.Order;

/**
 * Marks as read, within a step of the writer, the tuples that {@link SqliteQueries#contents} then returns to a
 * transaction, so that no other can take them. It then selects among the tuples that the transaction keeps: those that
 * it has read or written.
 */
final class ReadMarks {
    /** The most selects that SQLite unites in one statement by default, SQLITE_MAX_COMPOUND_SELECT. */
    private static final int MOST_SELECTS = 500;
    private static final String ADD = "INSERT OR IGNORE INTO " + Names.READS + " SELECT ";

    private final Writer writer;
    private final long transaction;

    ReadMarks(Writer writer, long transaction) {
        this.writer = writer;
        this.transaction = transaction;
    }

    /** Marks the first tuples in the order, or any if there is none. */
    boolean add(List<Place> places, Optional<Order> order, long limit) throws SQLException {
        if (order.isEmpty() || limit == Long.MAX_VALUE) {
            addAny(places, limit);
        } else if (places.size() <= MOST_SELECTS) {
            addFirst(places, order, limit);
        } else {
            for (Place place : places) {
                addFirst(List.of(place), order, limit);
            }
        }
        return true;
    }

    /** Marks only as many as are missing, because any that the transaction keeps already will do. */
    private void addAny(List<Place> places, long limit) throws SQLException {
        long left = limit == Long.MAX_VALUE ? limit : limit - kept(places);
        for (Place place : places) {
            if (left > 0) {
                try (Where where = free(place)) {
                    List<@Nullable Object> parameters = new ArrayList<>(List.of(transaction));
                    parameters.addAll(where.parameters());
                    parameters.add(transaction);
                    long added = writer.connection.update(ADD + Names.ID + ", ? FROM " + place.table().name()
                            + " WHERE " + where.sql() + " AND " + Names.WRITER + " IS NULL AND " + Names.ID
                            + " NOT IN (SELECT tuple FROM " + Names.READS + " WHERE tx = ?)"
                            + SqliteQueries.tail("", "", Optional.empty(), left), parameters);
                    left -= limit == Long.MAX_VALUE ? 0 : added;
                }
            }
        }
    }

    private long kept(List<Place> places) throws SQLException {
        long kept = 0;
        for (Place place : places) {
            try (Where where = free(place).keptBy(transaction)) {
                Long some = writer.connection.first(
                        "SELECT count(*) FROM " + place.table().name() + " WHERE " + where.sql(), where.parameters(),
                        SqliteConnection::number);
                kept += some == null ? 0 : some;
            }
        }
        return kept;
    }

    /** Marks the first tuples of all the tables together, because the limit holds for all of them. */
    private void addFirst(List<Place> places, Optional<Order> order, long limit) throws SQLException {
        List<Where> wheres = new ArrayList<>();
        List<@Nullable Object> parameters = new ArrayList<>(List.of(transaction));
        StringJoiner selects = new StringJoiner(" UNION ALL ");
        try {
            for (Place place : places) {
                Where where = free(place);
                wheres.add(where);
                parameters.addAll(where.parameters());
                selects.add("SELECT " + Names.ID + " AS id, " + Names.WRITER + " AS writer, "
                        + SqliteQueries.key(place.table(), order) + " AS value FROM " + place.table().from() + " WHERE "
                        + where.sql());
            }
            if (!places.isEmpty()) {
                writer.connection.update(ADD + "id, ? FROM (" + selects
                        + SqliteQueries.tail("id", "value", order, limit) + ") WHERE writer IS NULL", parameters);
            }
        } finally {
            wheres.forEach(Where::close);
        }
    }

    private Where free(Place place) {
        return Where.free(place.table(), place.conditions(), false, transaction, writer.now());
    }
}
