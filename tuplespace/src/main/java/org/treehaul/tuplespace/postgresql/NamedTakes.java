// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.postgresql;

import java.util.List;

import org.jspecify.annotations.Nullable;
import org.treehaul.tuplespace.postgresql.sql.Names;
import org.treehaul.tuplespace.postgresql.sql.Place;
import org.treehaul.tuplespace.postgresql.sql.Table;
import org.treehaul.tuplespace.postgresql.sql.Where;
import org.treehaul.tuplespace.sql.Canonical;
import org.treehaul.tuplespace.store.Attempt;
import org.treehaul.tuplespace.store.EventKind;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.Store;
import org.treehaul.tuplespace.tuple.Component;
import org.treehaul.tuplespace.tuple.Condition;
import org.treehaul.tuplespace.tuple.Kind;
import org.treehaul.tuplespace.tuple.Template;
import org.treehaul.tuplespace.tuple.TupleType;

/**
 * Takes a tuple of which the template names all values, in one exchange with the server. Any other row has to be
 * decoded before the commit, because one that cannot be decoded must not be lost.
 */
final class NamedTakes {
    private final Writer writer;
    private final Queries queries;

    NamedTakes(Writer writer, Queries queries) {
        this.writer = writer;
        this.queries = queries;
    }

    /**
     * Returns the tuple that was taken, or that there is none; null if something prevents the take, which then has to
     * be tried as a step.
     */
    @Nullable Attempt<Record> take(Template<?> template) {
        Place place = queries.known(template);
        Record tuple = place == null ? null : named(place);
        if (place == null || tuple == null) {
            return null;
        }
        Table table = place.table();
        Where where = writer.undisturbed(Where.toTake(place, Store.NONE, writer.clock.sql()));
        // The row is locked, so it is still at its place.
        Writer.Statement delete = new Writer.Statement(
                "DELETE FROM " + table.name() + " WHERE ctid = (SELECT ctid FROM " + table.name() + " WHERE "
                        + where.sql() + " LIMIT 1" + Takes.SKIPPING + ") RETURNING " + Names.ID,
                where.parameters());
        Boolean isTaken = writer.atOnce(delete, row -> true, connection -> {
            writer.log.touch();
            writer.log.note(connection, EventKind.TAKEN, table.type(), tuple, null, Store.NONE);
            return true;
        });
        return isTaken != null ? new Attempt.Hit<>(tuple) : isAbsent(place) ? new Attempt.Miss<>() : null;
    }

    /**
     * Returns whether there is no such tuple, not even one that others hold. A step would need two exchanges more to
     * say so.
     */
    private boolean isAbsent(Place place) {
        if (writer.log.isAwaitedElsewhere() || writer.alone.isOwn()) {
            return false;
        }
        Where where = Where.held(place, Store.NONE, writer.clock.sql());
        try {
            return writer.pool.readOnce(connection -> Takes.first(connection, place, where, "") == null);
        } catch (SpaceException e) {
            // A step connects again.
            return false;
        }
    }

    /** Returns the only tuple that meets the conditions of a place; null if there may be several. */
    private static @Nullable Record named(Place place) {
        if (place.conditions().size() != 1) {
            return null;
        }
        List<Condition> conditions = place.conditions().getFirst();
        TupleType<?> type = place.table().type();
        @Nullable Object[] values = new @Nullable Object[type.components().size()];
        if (conditions.size() != values.length) {
            return null;
        }
        for (int i = 0; i < values.length; i++) {
            Component component = type.components().get(i);
            for (Condition condition : conditions) {
                // Real numbers that the server takes as equal may differ, such as 0 and -0.
                if (condition instanceof Condition.Equal(String name, Object value) && name.equals(component.name())
                        && component.kind() != Kind.REAL) {
                    values[i] = value;
                }
            }
            if (values[i] == null) {
                return null;
            }
        }
        try {
            return Canonical.tuple(type, 0, values);
        } catch (IllegalArgumentException none) {
            return null;
        }
    }
}
