// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage;

import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.treehaul.tuplespace.TupleOperations;
import org.treehaul.tuplespace.TupleSpace;
import org.treehaul.tuplespace.tuple.Order;
import org.treehaul.tuplespace.tuple.Template;

/**
 * The space of a catalogue. While one client changes an entry, by taking it and writing it again in a transaction,
 * others must not find that it is absent. In a durable space they read the entry as it was, or wait; a space in memory
 * hides it from them, so there all operations of catalogues wait for each other. Thread-safe.
 */
final class CatalogueSpace implements AutoCloseable {

    // All spaces in memory share it, because two catalogues of this process may have opened the same one.
    private static final ReentrantLock IN_MEMORY = new ReentrantLock();

    private final TupleSpace space;
    private final @Nullable ReentrantLock turn;

    CatalogueSpace(TupleSpace space, boolean isDurable) {
        this.space = space;
        this.turn = isDurable ? null : IN_MEMORY;
    }

    <R extends @Nullable Object> R atomically(Function<? super TupleOperations, R> work) {
        return inTurn(() -> space.atomically(work));
    }

    <T> Stream<T> contents(Template<T> template) {
        return inTurn(() -> space.contents(template));
    }

    <T> Stream<T> contents(Template<T> template, Order order, long limit) {
        return inTurn(() -> space.contents(template, order, limit));
    }

    <T> List<T> takeAll(Template<T> template) {
        return inTurn(() -> space.takeAll(template, Integer.MAX_VALUE));
    }

    void remove(Template<?> template) {
        inTurn(() -> space.remove(template));
    }

    private <R extends @Nullable Object> R inTurn(Supplier<R> operation) {
        ReentrantLock lock = turn;
        if (lock == null) {
            return operation.get();
        }
        lock.lock();
        try {
            return operation.get();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        space.close();
    }
}
