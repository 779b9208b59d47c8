// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.postgresql.sql;

import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.treehaul.tuplespace.postgresql.connection.Values;
import org.treehaul.tuplespace.store.Store;
import org.treehaul.tuplespace.tuple.Bytes;
import org.treehaul.tuplespace.tuple.Condition;
import org.treehaul.tuplespace.tuple.Kind;
import org.treehaul.tuplespace.tuple.TupleType;

/**
 * The condition of a WHERE clause: the conditions of a template, and the visibility of tuples. A condition that only
 * Java can evaluate is left out; see {@link Place#isExact}.
 */
public final class Where {
    private final StringBuilder sql = new StringBuilder(200);
    private final List<@Nullable Object> parameters = new ArrayList<>();
    private final TupleType<?> type;

    private Where(Place place, long transaction, String now) {
        type = place.table().type();
        any(place.conditions());
        sql.append(" AND (").append(Names.WRITER).append(" IS NULL");
        if (transaction != Store.NONE) {
            sql.append(" OR ").append(Names.WRITER).append(" = ?");
            parameters.add(transaction);
        }
        sql.append(") AND (").append(Names.EXPIRES).append(" IS NULL OR ").append(Names.EXPIRES).append(" > ");
        sql.append(now).append(')');
    }

    /**
     * Selects the tuples that a transaction may take. Transactions past their ends must have been ended, so that their
     * marks are gone.
     */
    public static Where toTake(Place place, long transaction, String now) {
        Where where = new Where(place, transaction, now);
        where.sql.append(" AND ").append(Names.TAKER).append(" IS NULL AND (").append(Names.READERS);
        where.sql.append(" IS NULL OR ").append(Names.READERS).append(" <@ ARRAY[?::bigint])");
        where.parameters.add(transaction);
        return where;
    }

    /** Selects the tuples that a transaction may read; marks of transactions past their ends do not count. */
    public static Where toRead(Place place, long transaction, Names names, String now) {
        Where where = new Where(place, transaction, now);
        where.sql.append(" AND (").append(Names.TAKER).append(" IS NULL OR ").append(Names.TAKER);
        where.sql.append(" NOT IN (SELECT id FROM ").append(names.transactions()).append(" WHERE expires > ");
        where.sql.append(now).append("))");
        return where;
    }

    /** Selects the tuples that a transaction sees, including those that it cannot get because others hold them. */
    public static Where held(Place place, long transaction, String now) {
        Where where = new Where(place, transaction, now);
        where.sql.append(" AND ").append(Names.TAKER).append(" IS DISTINCT FROM ?");
        where.parameters.add(transaction);
        return where;
    }

    /** Restricts the selection to tuples that a transaction has written or read, which no other can take. */
    public Where keptBy(long transaction) {
        sql.append(" AND (").append(Names.WRITER).append(" = ? OR ? = ANY(").append(Names.READERS).append("))");
        parameters.add(transaction);
        parameters.add(transaction);
        return this;
    }

    /** Returns whether the server can evaluate a condition. */
    static boolean isExact(Condition condition) {
        return switch (condition) {
            case Condition.Test test -> false;
            case Condition.Not(Condition inner) -> isExact(inner);
            case Condition.AnyOf any -> any.conditions().stream().allMatch(Where::isExact);
            // The first character may be the second half of a pair; see Values.stored.
            case Condition.Suffix(String ignored, String text) -> text.isEmpty() || text.charAt(0) > '\2';
            default -> true;
        };
    }

    private void any(List<List<Condition>> alternatives) {
        sql.append('(');
        String or = "";
        for (List<Condition> conditions : alternatives) {
            sql.append(or).append("(true");
            for (Condition condition : conditions) {
                if (isExact(condition)) {
                    sql.append(" AND ");
                    add(condition);
                }
            }
            sql.append(')');
            or = " OR ";
        }
        sql.append(')');
    }

    private void add(Condition condition) {
        String column = Names.column(condition.component());
        switch (condition) {
            case Condition.Equal(String ignored, Object value) -> compare(column, " = ?", value);
            case Condition.In(String name, var values) ->
                compare(column, " = ANY(?)", new Values.Several(type.component(name).kind(), values));
            case Condition.Range(String ignored, Object low, Object high) -> between(column, low, " <= ?", high);
            case Condition.Prefix(String ignored, Object value) -> between(column, value, " < ?", Kind.after(value));
            case Condition.Suffix(String ignored, String text) -> {
                String stored = Values.stored(text);
                compare("right(" + column + ", " + stored.codePointCount(0, stored.length()) + ")", " = ?", text);
            }
            case Condition.Suffix(String ignored, Object value) -> {
                int length = ((Bytes) value).length();
                compare(length == 0
                        ? "substring(" + column + " FROM 1 FOR 0)"
                        : "substring(" + column + " FROM octet_length(" + column + ") - " + (length - 1) + ")", " = ?",
                        value);
            }
            case Condition.Absent absent -> sql.append(column).append(" IS NULL");
            case Condition.Not(Condition inner) -> {
                sql.append("((");
                add(inner);
                sql.append(") IS NOT TRUE)");
            }
            case Condition.AnyOf(String ignored, List<Condition> any) -> {
                sql.append("(false");
                for (Condition one : any) {
                    sql.append(" OR ");
                    add(one);
                }
                sql.append(')');
            }
            case Condition.Test test -> throw new IllegalStateException("only Java evaluates " + test);
        }
    }

    private void compare(String column, String operator, Object value) {
        sql.append(column).append(operator);
        parameters.add(value);
    }

    private void between(String column, @Nullable Object low, String upTo, @Nullable Object high) {
        sql.append('(').append(column).append(" IS NOT NULL");
        if (low != null) {
            sql.append(" AND ");
            compare(column, " >= ?", low);
        }
        if (high != null) {
            sql.append(" AND ");
            compare(column, upTo, high);
        }
        sql.append(')');
    }

    /** Returns the conditions, without the word WHERE. */
    public String sql() {
        return sql.toString();
    }

    /** Returns the values of its parameters, in order. */
    public List<@Nullable Object> parameters() {
        return parameters;
    }
}
