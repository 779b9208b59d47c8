// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.postgresql.sql;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import org.jspecify.annotations.Nullable;
import org.treehaul.tuplespace.postgresql.connection.Values;
import org.treehaul.tuplespace.sql.EqualValues;
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
    private static final int FEW = 16;

    private final StringBuilder sql = new StringBuilder(500);
    private final List<@Nullable Object> parameters = new ArrayList<>();
    private final Table table;
    private final TupleType<?> type;
    private final Set<String> heads;

    private Where(Place place, long transaction, String now) {
        table = place.table();
        type = table.type();
        heads = place.heads();
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

    /**
     * Selects the tuples that a transaction may mark as read, within a step: it has ended the transactions past their
     * ends. The server evaluates the condition again after it has waited for the lock of a row. It then reads the new
     * version of the row but the old state of other tables, so the condition refers to the row only.
     */
    public static Where toKeep(Place place, long transaction, String now) {
        Where where = new Where(place, transaction, now);
        where.sql.append(" AND ").append(Names.TAKER).append(" IS NULL");
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

    /**
     * Selects the tuples that all see, including those that transactions have taken and hold: a query that finds one of
     * these asks again with {@link #toRead}, which takes the server twice as long to plan.
     */
    public static Where withTaken(Place place, String now) {
        return new Where(place, Store.NONE, now);
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

    /** Adds a condition with one parameter. */
    public Where and(String condition, Object parameter) {
        sql.append(" AND ").append(condition);
        parameters.add(parameter);
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
            // So may be the first one of a text that is looked for.
            case Condition.Contains(String ignored, Object value) -> value instanceof Bytes;
            default -> true;
        };
    }

    private void any(List<List<Condition>> alternatives) {
        List<Condition> common = common(alternatives);
        for (Condition condition : common) {
            if (isExact(condition)) {
                add(condition);
                sql.append(" AND ");
            }
        }
        List<List<Condition>> others = new ArrayList<>();
        List<EqualValues> lists = EqualValues.of(without(common, alternatives), others);
        sql.append('(');
        String or = "";
        for (EqualValues list : lists) {
            sql.append(or);
            add(list);
            or = " OR ";
        }
        for (List<Condition> conditions : others) {
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

    /**
     * Returns the conditions of all alternatives, if these are few. Apart from the others they keep the server from
     * evaluating these for each row that an index has found; it sees by itself only that constants are equal, and
     * parameters are none.
     */
    private static List<Condition> common(List<List<Condition>> alternatives) {
        if (alternatives.size() < 2 || alternatives.size() > FEW) {
            return List.of();
        }
        List<Condition> common = new ArrayList<>(alternatives.getFirst());
        for (List<Condition> conditions : alternatives) {
            common.retainAll(conditions);
        }
        return common;
    }

    private static List<List<Condition>> without(List<Condition> common, List<List<Condition>> alternatives) {
        if (common.isEmpty()) {
            return alternatives;
        }
        List<List<Condition>> rests = new ArrayList<>(alternatives.size());
        for (List<Condition> conditions : alternatives) {
            List<Condition> rest = new ArrayList<>(conditions);
            rest.removeAll(common);
            rests.add(rest);
        }
        return rests;
    }

    /** Passes a list as one array for each component: a statement has 65535 parameters at most. */
    private void add(EqualValues list) {
        List<String> columns = new ArrayList<>();
        List<String> arrays = new ArrayList<>();
        for (int i = 0; i < list.components().size(); i++) {
            String name = list.components().get(i);
            int index = i;
            List<Object> values = list.rows().stream().map(row -> row.get(index)).toList();
            Kind kind = type.component(name).kind();
            boolean isHead = heads.contains(name) && values.stream().allMatch(Heads::isWhole);
            columns.add(isHead ? table.head(type.component(name)) : Names.column(name));
            arrays.add("?::" + Values.type(kind) + "[]");
            parameters.add(new Values.Several(kind, values));
        }
        sql.append('(').append(String.join(", ", columns)).append(") IN (SELECT * FROM unnest(");
        sql.append(String.join(", ", arrays)).append("))");
    }

    private void add(Condition condition) {
        String column = Names.column(condition.component());
        switch (condition) {
            case Condition.Equal(String name, Object value) -> compare(name, " = ", value);
            case Condition.In in -> in(in);
            case Condition.Range(String name, Object low, Object high) -> between(name, low, " <= ", high);
            case Condition.Prefix(String name, Object value) -> between(name, value, " < ", Kind.after(value));
            case Condition.Suffix(String ignored, String text) -> {
                String stored = Values.stored(text);
                sql.append("right(").append(column).append(", ");
                sql.append(stored.codePointCount(0, stored.length())).append(") = ?");
                parameters.add(text);
            }
            case Condition.Suffix(String ignored, Object value) -> {
                int length = ((Bytes) value).length();
                sql.append("substring(").append(column).append(" FROM ");
                sql.append(length == 0 ? "1 FOR 0" : "octet_length(" + column + ") - " + (length - 1)).append(") = ?");
                parameters.add(value);
            }
            case Condition.Contains(String ignored, Object value) -> {
                sql.append("position(? IN ").append(column).append(") > 0");
                parameters.add(value);
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

    /** Compares a component; by its head if an index has that, and also as a whole if the head does not decide. */
    private void compare(String component, String operator, Object value) {
        Kind kind = type.component(component).kind();
        String column = Names.column(component);
        boolean isWhole = !heads.contains(component) || Heads.isWhole(value);
        if (heads.contains(component)) {
            sql.append(table.head(type.component(component)));
            sql.append(isWhole ? operator + "?" : operator.replace("< ", "<= ") + head(kind, "?") + " AND ");
            parameters.add(value);
        }
        if (!isWhole || !heads.contains(component)) {
            sql.append(column).append(operator).append('?');
            parameters.add(value);
        }
    }

    private static String head(Kind kind, String parameter) {
        return Heads.of(kind, parameter + "::" + Values.type(kind));
    }

    private void in(Condition.In in) {
        Kind kind = type.component(in.component()).kind();
        String column = Names.column(in.component());
        Values.Several values = new Values.Several(kind, in.values());
        boolean isWhole = !heads.contains(in.component()) || in.values().stream().allMatch(Heads::isWhole);
        if (heads.contains(in.component())) {
            sql.append(table.head(type.component(in.component()))).append(" = ANY(");
            sql.append(isWhole
                    ? "?)"
                    : "ARRAY(SELECT " + Heads.of(kind, "one") + " FROM unnest(?::" + Values.type(kind)
                            + "[]) one)) AND ");
            parameters.add(values);
        }
        if (!isWhole || !heads.contains(in.component())) {
            sql.append(column).append(" = ANY(?)");
            parameters.add(values);
        }
    }

    private void between(String component, @Nullable Object low, String upTo, @Nullable Object high) {
        sql.append('(');
        if (low == null && high == null) {
            sql.append(Names.column(component)).append(" IS NOT NULL");
        }
        if (low != null) {
            compare(component, " >= ", low);
        }
        if (high != null) {
            sql.append(low == null ? "" : " AND ");
            compare(component, upTo, high);
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
