// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.sqlite.sql;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;
import org.treehaul.tuplespace.sql.EqualValues;
import org.treehaul.tuplespace.sqlite.connection.JavaTest;
import org.treehaul.tuplespace.store.Store;
import org.treehaul.tuplespace.tuple.Bytes;
import org.treehaul.tuplespace.tuple.Condition;
import org.treehaul.tuplespace.tuple.Kind;

/**
 * The condition of a WHERE clause: the conditions of a template, and the visibility of tuples. It registers the
 * predicates that only Java can evaluate, and must be closed after the statement has run.
 */
public final class Where implements AutoCloseable {
    private static final String LIVE = "(SELECT id FROM " + Names.TRANSACTIONS + " WHERE expires > ?)";

    private final StringBuilder sql = new StringBuilder(200);
    private final List<@Nullable Object> parameters = new ArrayList<>();
    private final List<Long> tests = new ArrayList<>();

    private final Table table;

    private Where(Table table) {
        this.table = table;
    }

    /** Selects the tuples of a table that are visible to a transaction and held by no other. */
    public static Where free(Table table, List<List<Condition>> conditions, boolean isTake, long transaction,
            long now) {
        Where where = new Where(table);
        where.alternatives(conditions);
        where.visible(transaction, now);
        where.sql.append(" AND (").append(Names.TAKER).append(" IS NULL OR ").append(Names.TAKER).append(" NOT IN ");
        where.sql.append(LIVE).append(')');
        where.parameters.add(now);
        if (isTake) {
            where.sql.append(" AND ").append(Names.ID).append(" NOT IN (SELECT tuple FROM ").append(Names.READS);
            where.sql.append(" WHERE tx <> ? AND tx IN ").append(LIVE).append(')');
            where.parameters.add(transaction);
            where.parameters.add(now);
        }
        return where;
    }

    /** Restricts the selection to tuples that a transaction has written or read, which no other can take. */
    public Where keptBy(long transaction) {
        sql.append(" AND (").append(Names.WRITER).append(" = ? OR ").append(Names.ID);
        sql.append(" IN (SELECT tuple FROM ").append(Names.READS).append(" WHERE tx = ?))");
        parameters.add(transaction);
        parameters.add(transaction);
        return this;
    }

    /** Selects the tuples that a transaction sees, including those that it cannot get because others hold them. */
    public static Where held(Table table, List<List<Condition>> conditions, long transaction, long now) {
        Where where = new Where(table);
        where.alternatives(conditions);
        where.visible(transaction, now);
        where.sql.append(" AND ").append(Names.TAKER).append(" IS NOT ?");
        where.parameters.add(transaction);
        return where;
    }

    private void visible(long transaction, long now) {
        if (!sql.isEmpty()) {
            sql.append(" AND ");
        }
        sql.append('(').append(Names.WRITER).append(" IS NULL");
        if (transaction != Store.NONE) {
            sql.append(" OR ").append(Names.WRITER).append(" = ?");
            parameters.add(transaction);
        }
        sql.append(") AND (").append(Names.EXPIRES).append(" IS NULL OR ").append(Names.EXPIRES).append(" > ?)");
        parameters.add(now);
    }

    private void all(List<Condition> conditions) {
        String separator = "";
        for (Condition condition : conditions) {
            sql.append(separator);
            add(condition);
            separator = " AND ";
        }
        sql.append(conditions.isEmpty() ? "1" : "");
    }

    private void alternatives(List<List<Condition>> alternatives) {
        List<List<Condition>> others = new ArrayList<>();
        List<EqualValues> lists = EqualValues.of(alternatives, others);
        List<Runnable> ways = new ArrayList<>();
        lists.forEach(list -> ways.add(() -> add(list)));
        others.forEach(conditions -> ways.add(() -> all(conditions)));
        any(ways, Runnable::run);
    }

    private void add(EqualValues list) {
        if (list.components().stream().anyMatch(table::isShared)) {
            addShared(list);
            return;
        }
        String separator = "(";
        for (String component : list.components()) {
            sql.append(separator).append(Names.quote(component));
            separator = ", ";
        }
        sql.append(") IN (");
        addRows(list);
        sql.append(')');
    }

    private void addRows(EqualValues list) {
        String separator = "VALUES ";
        String row = "(" + "?,".repeat(list.components().size() - 1) + "?)";
        for (List<Object> values : list.rows()) {
            sql.append(separator).append(row);
            parameters.addAll(values);
            separator = ",";
        }
    }

    /** Joins the list with the tables in an order that looks each row up: SQLite would choose another. */
    private void addShared(EqualValues list) {
        sql.append(Names.ID).append(" IN (SELECT listed.").append(Names.ID).append(" FROM (");
        addRows(list);
        sql.append(") AS given");
        StringBuilder met = new StringBuilder();
        for (int i = 0; i < list.components().size(); i++) {
            String component = list.components().get(i);
            // SQLite names the columns of a list column1, column2 and so on.
            String value = "given.column" + (i + 1);
            if (table.isShared(component)) {
                String alias = "shared" + i;
                sql.append(" CROSS JOIN ").append(table.layout().values(component)).append(" AS ").append(alias);
                sql.append(" ON ").append(alias).append('.').append(Names.VALUE).append(" = ").append(value);
                value = alias + "." + Names.NUMBER;
            }
            met.append(met.isEmpty() ? "listed." : " AND listed.").append(Names.quote(component));
            met.append(" = ").append(value);
        }
        sql.append(" CROSS JOIN ").append(table.name()).append(" AS listed ON ").append(met).append(')');
    }

    /** Joins alternatives with OR as a balanced tree, because SQLite limits the depth of expressions to 1000. */
    private <E> void any(List<E> alternatives, Consumer<E> adder) {
        if (alternatives.size() == 1) {
            adder.accept(alternatives.getFirst());
        } else {
            int half = alternatives.size() / 2;
            sql.append('(');
            any(alternatives.subList(0, half), adder);
            sql.append(" OR ");
            any(alternatives.subList(half, alternatives.size()), adder);
            sql.append(')');
        }
    }

    private void add(Condition condition) {
        String column = Names.quote(condition.component());
        boolean isOfOne = !(condition instanceof Condition.Absent || condition instanceof Condition.Not
                || condition instanceof Condition.AnyOf);
        if (!isOfOne || !table.isShared(condition.component())) {
            add(condition, column);
            return;
        }
        // Without the plus, SQLite would look tuples up in the index also for conditions that many values meet.
        boolean isOfMany = condition instanceof Condition.Test || condition instanceof Condition.Suffix
                || condition instanceof Condition.Contains;
        sql.append(isOfMany ? "+" : "").append(column);
        sql.append(condition instanceof Condition.Equal ? " = (" : " IN (").append("SELECT ").append(Names.NUMBER);
        sql.append(" FROM ").append(table.layout().values(condition.component())).append(" WHERE ");
        add(condition, Names.VALUE);
        sql.append(')');
    }

    /** Adds a condition on the value of a column. */
    private void add(Condition condition, String column) {
        switch (condition) {
            case Condition.Equal(String ignored, Object value) -> compare(column, " = ?", value);
            case Condition.In(String ignored, var values) -> {
                sql.append(column).append(" IN (");
                String separator = "";
                for (Object value : values) {
                    sql.append(separator).append('?');
                    parameters.add(value);
                    separator = ",";
                }
                sql.append(')');
            }
            case Condition.Range(String ignored, Object low, Object high) -> {
                between(column, low, " <= ?", high);
            }
            case Condition.Prefix(String ignored, Object value) -> between(column, value, " < ?", Kind.after(value));
            case Condition.Suffix(String ignored, Object value) -> {
                int length = bytes(value).length();
                compareBytes(column, "substr(", ", " + -length + ") = ?", value);
            }
            case Condition.Contains(String ignored, Object value) -> compareBytes(column, "instr(", ", ?) > 0", value);
            case Condition.Absent absent -> sql.append(column).append(" IS NULL");
            case Condition.Not(Condition.Absent absent) -> sql.append(column).append(" IS NOT NULL");
            case Condition.Not(Condition inner) -> {
                // IS NOT 1 is true for both false and NULL.
                sql.append("((");
                add(inner);
                sql.append(") IS NOT 1)");
            }
            case Condition.AnyOf(String ignored, List<Condition> any) -> {
                if (any.isEmpty()) {
                    sql.append('0');
                } else {
                    any(any, this::add);
                }
            }
            case Condition.Test test -> {
                long number = JavaTest.register(test);
                tests.add(number);
                sql.append('(').append(column).append(" IS NOT NULL AND ").append(JavaTest.NAME).append("(?, ");
                sql.append(column).append("))");
                parameters.add(number);
            }
        }
    }

    /** Compares bytes, because for text SQLite counts characters, and only up to a NUL. */
    private void compareBytes(String column, String before, String after, Object value) {
        if (bytes(value).length() == 0) {
            sql.append(column).append(" IS NOT NULL");
        } else {
            sql.append(before).append(value instanceof Bytes ? column : "CAST(" + column + " AS BLOB)").append(after);
            parameters.add(bytes(value));
        }
    }

    private static Bytes bytes(Object value) {
        return value instanceof Bytes bytes ? bytes : Bytes.of(((String) value).getBytes(StandardCharsets.UTF_8));
    }

    private void compare(String column, String operator, Object value) {
        sql.append(column).append(operator);
        parameters.add(value);
    }

    private void between(String column, @Nullable Object low, String upTo, @Nullable Object high) {
        sql.append('(');
        if (low == null && high == null) {
            sql.append(column).append(" IS NOT NULL");
        }
        if (low != null) {
            compare(column, " >= ?", low);
            sql.append(high == null ? "" : " AND ");
        }
        if (high != null) {
            compare(column, upTo, high);
        }
        sql.append(')');
    }

    /** Returns the conditions, without the word WHERE. */
    public String sql() {
        return sql.toString();
    }

    /** Returns the canonical values of its parameters, in order. */
    public List<@Nullable Object> parameters() {
        return parameters;
    }

    @Override
    public void close() {
        tests.forEach(JavaTest::forget);
    }
}
