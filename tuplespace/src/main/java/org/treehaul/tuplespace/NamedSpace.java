// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;
import org.treehaul.tuplespace.store.EventKind;
import org.treehaul.tuplespace.tuple.Template;

/** One opener's handle on a space in memory that several openers share by name. */
final class NamedSpace extends Operations implements TupleSpace {
    private final Space space;
    private final Runnable release;
    private final AtomicBoolean isClosed = new AtomicBoolean();

    NamedSpace(Space space, Runnable release) {
        super(space);
        this.space = space;
        this.release = release;
    }

    @Override
    public Transaction begin(Duration lease) {
        return space.begin(lease);
    }

    @Override
    public <T> Result<T> handle(Template<T> template, Duration timeout, Duration lease, Consumer<? super T> action)
            throws InterruptedException {
        return space.handle(template, timeout, lease, action);
    }

    @Override
    public <R extends @Nullable Object> R atomically(Function<? super TupleOperations, R> work) {
        return space.atomically(work);
    }

    @Override
    public <T> Registration on(Template<T> template, Set<EventKind> kinds, Duration lease,
            Consumer<? super TupleEvent<T>> action) {
        return space.on(template, kinds, lease, action);
    }

    @Override
    public <T> Flow.Publisher<TupleEvent<T>> events(Template<T> template, Set<EventKind> kinds) {
        return space.events(template, kinds);
    }

    @Override
    public void sweep() {
        space.sweep();
    }

    @Override
    public long store(Path file, Template<?> template) {
        return space.store(file, template);
    }

    @Override
    public long load(Path file) {
        return space.load(file);
    }

    @Override
    public void close() {
        if (isClosed.compareAndSet(false, true)) {
            release.run();
        }
    }
}
