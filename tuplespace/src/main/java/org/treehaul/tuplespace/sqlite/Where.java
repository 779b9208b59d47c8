// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.sqlite;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.treehaul.tuplespace.store.Store;
import org.treehaul.tuplespace.tuple.Bytes;
import org.treehaul.tuplespace.tuple.Condition;

/**
 * What follows WHERE: the conditions of a template, and who may see a tuple. The tests that only Java can make are
 * called by number, so it is closed when the statement has run.
 */
final class Where implements AutoCloseable {
    private static final String LIVE = "(SELECT id FROM " + Names.TRANSACTIONS + " WHERE expires > ?)";

    private final StringBuilder sql = new StringBuilder(200);
    final List<@Nullable Object> parameters = new ArrayList<>();
    private final List<Long> tests = new ArrayList<>();

    private Where() {}

    /** What a transaction sees and nobody holds. */
    static Where free(List<Condition> conditions, boolean isTake, long transaction, long now) {
        Where where = new Where();
        where.conditions(conditions);
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

    /** What a transaction sees or would see if others did not hold it. */
    static Where held(List<Condition> conditions, long transaction, long now) {
        Where where = new Where();
        where.conditions(conditions);
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

    private void conditions(List<Condition> conditions) {
        String separator = "";
        for (Condition condition : conditions) {
            sql.append(separator);
            add(condition);
            separator = " AND ";
        }
    }

    private void add(Condition condition) {
        String column = Names.quote(condition.component());
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
            case Condition.Prefix(String ignored, Object value) ->
                between(column, value, " < ?", value instanceof Bytes bytes ? after(bytes) : after((String) value));
            case Condition.Suffix(String ignored, Object value) -> {
                // As bytes: in a text SQLite counts characters, and only up to a NUL.
                Bytes bytes = value instanceof Bytes already
                        ? already
                        : Bytes.of(((String) value).getBytes(StandardCharsets.UTF_8));
                if (bytes.length() == 0) {
                    sql.append(column).append(" IS NOT NULL");
                } else {
                    String form = value instanceof Bytes ? column : "CAST(" + column + " AS BLOB)";
                    sql.append("substr(").append(form).append(", ").append(-bytes.length()).append(") = ?");
                    parameters.add(bytes);
                }
            }
            case Condition.Absent absent -> sql.append(column).append(" IS NULL");
            case Condition.Not(Condition.Absent absent) -> sql.append(column).append(" IS NOT NULL");
            case Condition.Not(Condition inner) -> {
                // Neither false nor unknown.
                sql.append("((");
                add(inner);
                sql.append(") IS NOT 1)");
            }
            case Condition.AnyOf(String ignored, List<Condition> any) -> {
                sql.append('(');
                for (Iterator<Condition> each = any.iterator(); each.hasNext();) {
                    add(each.next());
                    sql.append(each.hasNext() ? " OR " : "");
                }
                sql.append(any.isEmpty() ? "0)" : ")");
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

    /** The first in the order that does not begin so any more; null where there is none. */
    static @Nullable Object after(Bytes prefix) {
        byte[] bytes = prefix.toArray();
        for (int i = bytes.length - 1; i >= 0; i--) {
            if (bytes[i] != -1) {
                byte[] next = java.util.Arrays.copyOf(bytes, i + 1);
                next[i]++;
                return Bytes.of(next);
            }
        }
        return null;
    }

    static @Nullable Object after(String prefix) {
        int[] characters = prefix.codePoints().toArray();
        for (int i = characters.length - 1; i >= 0; i--) {
            if (characters[i] != Character.MAX_CODE_POINT) {
                characters[i] = characters[i] == Character.MIN_SURROGATE - 1
                        ? Character.MAX_SURROGATE + 1
                        : characters[i] + 1;
                return new String(characters, 0, i + 1);
            }
        }
        return null;
    }

    String sql() {
        return sql.toString();
    }

    @Override
    public void close() {
        tests.forEach(JavaTest::forget);
    }
}
