// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.fs.Errno;
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

        /** Returns a path for messages: the name of the stage, a colon and the path. */
        String display(ByteString path) {
            return stage + ":" + path;
        }

        /** Returns the template of the entries of all stages in the space, complete or not. */
        static Template<StagedFile> ofAnyStage() {
            return FILES;
        }

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
            return all().in("state", EnumSet.complementOf(EnumSet.of(StagedState.INTENT, StagedState.IMPLIED)));
        }

        /** Returns the template of the entries that have their paths, and of paths that are directories by content. */
        Template<StagedFile> named() {
            return all().in("state", EnumSet.complementOf(EnumSet.of(StagedState.INTENT)));
        }

        /** Returns the template of the paths that are or were directories by their content. */
        Template<StagedFile> implied() {
            return all().equal("state", StagedState.IMPLIED);
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

    /**
     * The directories on the ways to entries. A directory needs no entry of its own; where there is none, a record of
     * the state {@link StagedState#IMPLIED} says that something is or was below the path. So a new file asks about its
     * own path and the paths above it, which are in one question for many files, and never about those below it.
     */
    record Ways(EntryTemplates templates) {

        /**
         * Checks that new entries have only directories above them.
         *
         * @param entries the new entries by their paths
         * @return the records of the directories above them that have neither an entry nor a record
         * @throws StageException ENOTDIR if the way to one of them leads through another entry
         */
        List<StagedFile> implied(TupleOperations within, Map<ByteString, StagedFile> entries, String operation)
                throws StageException {
            Set<ByteString> missing = new HashSet<>();
            entries.keySet().forEach(path -> missing.addAll(StagedPath.above(path)));
            List<StagedFile> ways = new ArrayList<>();
            for (StagedFile entry : entries.values()) {
                if (missing.remove(entry.path())) {
                    ways.add(entry);
                }
            }
            if (!missing.isEmpty()) {
                try (Stream<StagedFile> found = within.contents(templates.named().in("path", missing))) {
                    found.forEach(ways::add);
                }
            }
            for (StagedFile way : ways) {
                if (way.kind() != EntryKind.DIRECTORY) {
                    throw new StageException(templates.display(way.path()), operation + " of an entry below it",
                            Errno.ENOTDIR);
                }
                missing.remove(way.path());
            }
            return missing.stream().map(this::implied).toList();
        }

        private StagedFile implied(ByteString path) {
            return new StagedFile(templates.stage(), path, UUID.randomUUID(), 1, StagedState.IMPLIED,
                    EntryKind.DIRECTORY, 0, 0, 0, 0, 0, 0, null, "", 0, 0);
        }

        /** Returns whether an entry or a record is that of a directory: what was below a record may be gone. */
        boolean isDirectory(TupleOperations within, StagedFile entry) {
            return entry.kind() == EntryKind.DIRECTORY && (entry.state() != StagedState.IMPLIED
                    || within.count(templates.complete().prefix("path", EntryTemplates.below(entry.path()))) > 0);
        }
    }
}
