// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage;

import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
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

    /** Selects the entries and servers of one stage in the space of its catalogue. */
    record EntryTemplates(String stage) {

        private static final Template<StagedFile> FILES = Template.of(StagedFile.class);

        /** Returns the template of all entries, complete or not. */
        Template<StagedFile> all() {
            return FILES.equal("stage", stage);
        }

        /** Returns the template of the regular files, complete or not. */
        Template<StagedFile> regular() {
            return all().equal("kind", EntryKind.REGULAR);
        }

        /** Returns the template of the entry with an id. */
        Template<StagedFile> byId(UUID id) {
            return all().equal("id", id);
        }

        /** Returns the template of the entries that have their paths. */
        Template<StagedFile> complete() {
            return all().in("state",
                    Set.of(StagedState.COMMITTED, StagedState.RENAMING, StagedState.TRUNCATING, StagedState.REPAIRING));
        }

        /** Returns the template of a file in the generation and the state that a client knows. */
        Template<StagedFile> same(StagedFile file) {
            return byId(file.id()).equal("generation", file.generation()).equal("state", file.state());
        }

        /** Returns those of some entries that are at and below a path. */
        static Template<StagedFile> within(Template<StagedFile> entries, ByteString path) {
            return path.length() == 0
                    ? entries
                    : Template.ofAny(StagedFile.class,
                            List.of(entries.equal("path", path), entries.prefix("path", below(path))));
        }

        /** Returns the beginning of the paths below a path. */
        static ByteString below(ByteString path) {
            return path.plus(ByteString.of("/"));
        }

        /** Returns the template of those of some servers that take no new segments. */
        Template<StageServer> closed(Set<String> names) {
            return Template.of(StageServer.class)
                    .equal("stage", stage)
                    .in("name", names)
                    .in("state", Set.of(StageServer.State.DRAINING, StageServer.State.DRAINED, StageServer.State.LOST));
        }
    }
}
