// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.transfer;

import java.time.InstantSource;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;

import org.treehaul.core.annotation.Internal;
import org.treehaul.core.condition.RowQuery;
import org.treehaul.core.entry.ByteString;
import org.treehaul.tuplespace.TupleSpace;
import org.treehaul.tuplespace.TupleSpaces;
import org.treehaul.tuplespace.files.FileIndex;
import org.treehaul.tuplespace.files.FileTuple;
import org.treehaul.tuplespace.store.SpaceUri;
import org.treehaul.tuplespace.tuple.Template;
import org.treehaul.tuplespace.tuple.TupleType;

/**
 * The transfers in a space, queried by conditions. A query reads several kinds of tuples one after another, so that its
 * parts may be of different moments.
 */
@Internal
public final class WorkIndex implements AutoCloseable {

    private final TupleSpace space;
    private final InstantSource clock;

    WorkIndex(TupleSpace space) {
        this(space, InstantSource.system());
    }

    WorkIndex(TupleSpace space, InstantSource clock) {
        this.space = space;
        this.clock = clock;
    }

    /**
     * Opens the space at an address for queries.
     *
     * @throws org.treehaul.tuplespace.store.SpaceException when there is none, or it cannot be used
     */
    public static WorkIndex open(SpaceUri space) {
        return new WorkIndex(TupleSpaces.openToRead(space, TransferPublisher.SPACE));
    }

    /**
     * Returns the rows of a kind that match, in no particular order. The caller closes the stream.
     *
     * @param query conditions on {@link WorkKind#fields()}
     */
    public Stream<WorkRow> rows(WorkKind kind, RowQuery query) {
        KnownTransfers transfers = new KnownTransfers(space, clock.instant());
        return contents(kind, kind.type(), query)
                .map(tuple -> new WorkRow(kind, transfers.judged(tuple), transfers, this::file))
                .filter(query::matches);
    }

    private <T extends Record> Stream<T> contents(WorkKind kind, Class<T> type, RowQuery query) {
        AtomicReference<Template<T>> template = new AtomicReference<>(Template.of(type));
        TupleType<T> tuples = TupleType.of(type);
        query.required(
                (field, set) -> template
                        .updateAndGet(some -> WorkColumns.of(kind).column(field).narrow(some, tuples, set)),
                (field, condition) -> template
                        .updateAndGet(some -> WorkColumns.of(kind).column(field).narrow(some, tuples, condition)));
        return space.contents(Objects.requireNonNull(template.get()));
    }

    /** Returns whether the space has an index of files, with which failures can be joined. */
    public boolean hasFiles() {
        return !FileIndex.roots(space).isEmpty();
    }

    private Optional<FileTuple> file(ByteString path) {
        if (path.length() == 0 || path.at(0) != '/') {
            return Optional.empty();
        }
        try (Stream<FileTuple> found = space.contents(FileIndex.entry(path))) {
            return found.findFirst();
        }
    }

    @Override
    public void close() {
        space.close();
    }
}
