// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.sqlite;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

import org.sqlite.Function;
import org.treehaul.tuplespace.tuple.Bytes;
import org.treehaul.tuplespace.tuple.Condition;

/** Lets SQLite call the tests that templates make in Java, by their numbers. */
final class JavaTest extends Function {
    static final String NAME = "treehaul_test";

    private static final Map<Long, Condition.Test> TESTS = new ConcurrentHashMap<>();
    private static final ThreadLocal<RuntimeException> FAILURE = new ThreadLocal<>();
    private static final AtomicLong LAST = new AtomicLong();
    // Fundamental datatypes of SQLite, as sqlite3.h numbers them.
    private static final int INTEGER = 1;
    private static final int FLOAT = 2;
    private static final int TEXT = 3;

    static long register(Condition.Test test) {
        long number = LAST.incrementAndGet();
        TESTS.put(number, test);
        return number;
    }

    static void forget(long number) {
        TESTS.remove(number);
    }

    static void install(Connection connection) throws SQLException {
        Function.create(connection, NAME, new JavaTest(), 2, 0);
    }

    @Override
    protected void xFunc() throws SQLException {
        Condition.Test test = TESTS.get(value_long(0));
        if (test == null) {
            throw new SQLException("a test that nobody asks for");
        }
        Object value = switch (value_type(1)) {
            case INTEGER -> (Object) value_long(1);
            case FLOAT -> (Object) value_double(1);
            case TEXT -> value_text(1);
            default -> Bytes.of(value_blob(1));
        };
        try {
            result(test.isMetBy(value) ? 1 : 0);
        } catch (RuntimeException e) {
            // SQLite passes a message on, and no more.
            FAILURE.set(e);
            throw e;
        }
    }

    /** What a test has thrown while a statement ran. */
    static final class FailedException extends SQLException {
        private static final long serialVersionUID = 1L;
        private final RuntimeException failure;

        FailedException(RuntimeException failure) {
            super(failure);
            this.failure = failure;
        }

        RuntimeException failure() {
            return failure;
        }
    }

    /** Returns what a test has thrown in the statement that failed just now by this thread, else the failure itself. */
    static SQLException own(SQLException e) {
        RuntimeException failure = FAILURE.get();
        FAILURE.remove();
        return failure == null || Errors.code(e) != Errors.ERROR ? e : new FailedException(failure);
    }
}
