// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.sqlite.connection;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

import org.jspecify.annotations.Nullable;
import org.sqlite.Function;
import org.treehaul.tuplespace.tuple.Bytes;
import org.treehaul.tuplespace.tuple.Condition;

/** The SQL function that calls Java predicates of templates by their numbers. */
public final class JavaTest extends Function {
    public static final String NAME = "treehaul_test";

    private static final Map<Long, Condition.Test> TESTS = new ConcurrentHashMap<>();
    private static final ThreadLocal<RuntimeException> FAILURE = new ThreadLocal<>();
    private static final AtomicLong LAST = new AtomicLong();
    // Fundamental data types, as numbered in sqlite3.h.
    private static final int INTEGER = 1;
    private static final int FLOAT = 2;
    private static final int TEXT = 3;
    private static final int NULL = 5;

    /** Registers a predicate; returns the number by which {@link #NAME} calls it until {@link #forget}. */
    public static long register(Condition.Test test) {
        long number = LAST.incrementAndGet();
        TESTS.put(number, test);
        return number;
    }

    /** Removes a predicate that no statement calls any more. */
    public static void forget(long number) {
        TESTS.remove(number);
    }

    static void install(Connection connection) throws SQLException {
        Function.create(connection, NAME, new JavaTest(), 2, 0);
    }

    @Override
    protected void xFunc() throws SQLException {
        Condition.Test test = TESTS.get(value_long(0));
        if (test == null) {
            throw new SQLException("a predicate that is not registered");
        }
        int type = value_type(1);
        if (type == NULL) {
            // The optimizer may call the function before the condition that excludes NULL.
            result(0);
            return;
        }
        Object value = switch (type) {
            case INTEGER -> (Object) value_long(1);
            case FLOAT -> (Object) value_double(1);
            case TEXT -> value_text(1);
            default -> blob(value_blob(1));
        };
        try {
            result(test.isMetBy(value) ? 1 : 0);
        } catch (RuntimeException e) {
            // SQLite passes on only the message.
            FAILURE.set(e);
            throw e;
        }
    }

    // The driver returns null for no bytes.
    private static Bytes blob(byte @Nullable [] bytes) {
        return Bytes.of(bytes == null ? new byte[0] : bytes);
    }

    /** Returns the exception that a predicate threw in this thread's failed statement, else the failure itself. */
    public static SQLException own(SQLException e) {
        RuntimeException failure = FAILURE.get();
        FAILURE.remove();
        return failure == null || Errors.code(e) != Errors.ERROR ? e : new JavaTestException(failure);
    }
}
