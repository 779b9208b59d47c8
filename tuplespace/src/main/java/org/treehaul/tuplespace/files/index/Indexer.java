// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.files.index;

import java.io.IOException;
import java.io.Serial;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.IntStream;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.Timestamp;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.threads.Threads;
import org.treehaul.core.walk.TreeWalker;
import org.treehaul.core.walk.WalkResult;
import org.treehaul.core.walk.options.Root;
import org.treehaul.tuplespace.TupleSpace;
import org.treehaul.tuplespace.TupleSpaces;
import org.treehaul.tuplespace.files.AbsolutePath;
import org.treehaul.tuplespace.files.EntrySum;
import org.treehaul.tuplespace.files.FileIndex;
import org.treehaul.tuplespace.files.FileTuple;
import org.treehaul.tuplespace.files.IndexedRoot;
import org.treehaul.tuplespace.files.ListingSums;
import org.treehaul.tuplespace.files.TotalsState;
import org.treehaul.tuplespace.store.BulkLoad;
import org.treehaul.tuplespace.store.SpaceUri;

/**
 * Walks trees and stores them in a space, one tuple for each entry. The first run fills a new space; each later run
 * changes only what differs, in one transaction at its end.
 * <p>
 * If a directory cannot be read, or a root does not exist, the index keeps its old entries with everything below them,
 * and marks a directory that could not be read. A run that fails, is cancelled or is killed leaves the index unchanged.
 */
public final class Indexer {

    /** Rolls a run back that must not be finished. */
    private static final class Abandoned extends RuntimeException {
        @Serial
        private static final long serialVersionUID = 1L;

        Abandoned() {
            super("abandoned", null, false, false);
        }
    }

    /** Directory for parts of listings, inside that of the space; exists only while a run needs it. */
    private static final String LISTINGS = "index.listings";

    private final FileSystemCalls calls;
    private final IndexOptions options;

    private final IndexLimits limits;

    private Indexer(FileSystemCalls calls, IndexOptions options, IndexLimits limits) {
        this.calls = calls;
        this.options = options;
        this.limits = limits;
    }

    /** Returns an indexer that reads trees by these calls; it may be used for several runs. */
    public static Indexer of(FileSystemCalls calls, IndexOptions options) {
        return of(calls, options, IndexLimits.DEFAULTS);
    }

    static Indexer of(FileSystemCalls calls, IndexOptions options, IndexLimits limits) {
        return new Indexer(calls, options, limits);
    }

    /**
     * Reads trees into a space, and returns when the result is durable. If it throws, or the result is not complete,
     * the space is unchanged.
     *
     * @param space directory of the space; created with access for its owner only if absent
     * @param named paths of the trees, as the user gives them; if empty, the trees already in the space
     * @param failures called for each entry that could not be read, on any thread
     * @param progress counters, updated during the run
     * @throws IndexException when a tree contains another, another process indexes into the space, or the conditions
     *         are not those of the index
     */
    public IndexResult run(Path space, List<ByteString> named, Consumer<EntryFailure> failures, Progress progress,
            Cancellation cancellation) throws IOException {
        return run(SpaceUri.of(space), named, failures, progress, cancellation);
    }

    /**
     * Reads trees into the space at an address, as the other method does.
     *
     * @param space address of the space; created if absent
     */
    public IndexResult run(SpaceUri space, List<ByteString> named, Consumer<EntryFailure> failures, Progress progress,
            Cancellation cancellation) throws IOException {
        List<ByteString> roots = absolute(named);
        if (roots.isEmpty() && !TupleSpaces.exists(space)) {
            throw absent(space);
        }
        return holding(space, parts -> {
            Supplier<Set<SpacePlace>> places = () -> SpacePlace.of(space);
            if (!TupleSpaces.exists(space)) {
                return first(space, parts,
                        new Walk(roots, IndexWhere.of(options.where()), places, 1, failures, progress, cancellation));
            }
            try (TupleSpace tuples = FileIndex.openSpace(space)) {
                if (roots.isEmpty() && FileIndex.roots(tuples).isEmpty()) {
                    throw absent(space);
                }
                return guarded(tuples, space,
                        () -> run(tuples, parts, places, roots, failures, progress, cancellation));
            }
        });
    }

    /**
     * Removes trees from an index, and returns when that is durable. Entries that another indexed tree contains stay.
     * The trees need not exist. If it throws, the index is unchanged.
     *
     * @param space directory of the space
     * @param named paths of the trees, as the user gives them, at least one
     * @throws IndexException if there is no index, a tree is not in it, or another process indexes into the space
     */
    public List<ForgottenTree> forget(Path space, List<ByteString> named) throws IOException {
        return forget(SpaceUri.of(space), named);
    }

    /** Removes trees from the index in the space at an address, as the other method does. */
    public List<ForgottenTree> forget(SpaceUri space, List<ByteString> named) throws IOException {
        if (!TupleSpaces.exists(space)) {
            throw new IndexException("there is no index in " + name(space));
        }
        List<ByteString> roots = new ArrayList<>();
        for (ByteString name : named) {
            roots.add(absolute(name));
        }
        return holding(space, parts -> {
            try (TupleSpace tuples = FileIndex.openSpace(space)) {
                return guarded(tuples, space, () -> TreeRemoval.remove(tuples, roots, parts));
            }
        });
    }

    private static IndexException absent(SpaceUri space) {
        return new IndexException("there is no index in " + name(space) + " yet, so name the trees to read");
    }

    private static String name(SpaceUri space) {
        return isDirectory(space) ? space.address() : space.withoutPassword();
    }

    private static boolean isDirectory(SpaceUri space) {
        return space.scheme().equals(SpaceUri.SQLITE);
    }

    /** Work with a space. */
    private interface Work<R> {
        R run(ListedParts parts) throws IndexException;
    }

    /**
     * Runs work while no other process indexes into the space, as far as the space has a directory; see
     * {@link #guarded}.
     */
    private static <R> R holding(SpaceUri space, Work<R> work) throws IOException {
        try {
            return locked(space, work);
        } catch (UncheckedIOException e) {
            if (e.getCause() instanceof IndexException known) {
                throw known;
            }
            throw e;
        }
    }

    private static <R> R locked(SpaceUri space, Work<R> work) throws IOException {
        if (isDirectory(space)) {
            return IndexLock.holding(space.path(), () -> {
                try (ListedParts parts = new ListedParts(space.path().resolve(LISTINGS))) {
                    return work.run(parts);
                }
            });
        }
        try (ListedParts parts = ListedParts.below(FileIndex.temporary())) {
            return work.run(parts);
        }
    }

    /** Runs work while no other process indexes into the space; the lock of a directory is held already. */
    private static <R> R guarded(TupleSpace tuples, SpaceUri space, IndexLock.Work<R> work) throws IndexException {
        if (isDirectory(space)) {
            return work.run();
        }
        if (!space.scheme().equals(SpaceUri.PARTITIONS)) {
            return IndexGuard.holding(tuples, space, work);
        }
        // By itself, because the run keeps all other threads from changes of its space until it ends.
        try (TupleSpace own = FileIndex.openSpace(space)) {
            return IndexGuard.leased(own, space, work);
        }
    }

    private ByteString absolute(ByteString name) throws IndexException {
        try {
            return AbsolutePath.of(calls, name);
        } catch (SystemCallException e) {
            throw new IndexException(name + ": " + e.getMessage(), e);
        }
    }

    /** Reads trees, given by absolute paths, into an existing space. */
    IndexResult run(TupleSpace tuples, ListedParts parts, List<ByteString> roots, Consumer<EntryFailure> failures,
            Progress progress, Cancellation cancellation) {
        return run(tuples, parts, Set::of, roots, failures, progress, cancellation);
    }

    private IndexResult run(TupleSpace tuples, ListedParts parts, Supplier<Set<SpacePlace>> places,
            List<ByteString> roots, Consumer<EntryFailure> failures, Progress progress, Cancellation cancellation) {
        List<IndexedRoot> known = FileIndex.roots(tuples);
        List<ByteString> all = roots.isEmpty() ? known.stream().map(IndexedRoot::root).toList() : roots;
        long generation = known.stream().mapToLong(IndexedRoot::generation).max().orElse(0) + 1;
        try {
            IndexWhere where = known.isEmpty()
                    ? IndexWhere.of(options.where())
                    : IndexWhere.of(options.where(), FileIndex.condition(tuples));
            return next(tuples, parts, TotalsState.sums(tuples, known),
                    new Walk(all, where, places, generation, failures, progress, cancellation));
        } catch (IndexException e) {
            throw new UncheckedIOException(e);
        }
    }

    private List<ByteString> absolute(List<ByteString> named) throws IOException {
        LinkedHashSet<ByteString> roots = new LinkedHashSet<>();
        for (ByteString name : named) {
            roots.add(absolute(name));
        }
        for (ByteString inner : roots) {
            for (ByteString outer : roots) {
                if (AbsolutePath.isBelow(inner, outer)) {
                    throw new IndexException(inner + " is inside " + outer
                            + ", which is indexed as well; index one of them, or one after the other");
                }
            }
        }
        return List.copyOf(roots);
    }

    private IndexResult first(SpaceUri space, ListedParts parts, Walk walk) {
        try (BulkLoad load = TupleSpaces.bulkLoad(space, FileIndex.SPACE)) {
            EntrySum sums = EntrySum.random();
            IndexRun run = walk.run((place, root) -> null, sums);
            FirstSink sink = new FirstSink(load, parts, sums);
            return walk.into(run, finishing -> {
                finishing.accept(sink);
                load.finish();
                return sink.changes();
            });
        }
    }

    private IndexResult next(TupleSpace tuples, ListedParts parts, Optional<EntrySum> known, Walk walk) {
        AtomicBoolean isKeptOut = new AtomicBoolean();
        // The sums do not cover hashes and servers, which this run may ask for.
        boolean isBySums = options.hash() == IndexOptions.Hash.NONE && !options.isLocalityStored();
        IndexRun run = walk.run((place, root) -> KnownFiles.read(tuples, place, root, isKeptOut),
                isBySums ? known.orElse(null) : null);
        return walk.into(run, finishing -> {
            // Outside of the transaction, in which so many tuples would be copied first.
            ListingSums sums = isBySums
                    ? known.map(one -> ListingSums.read(tuples, one)).orElseGet(ListingSums::none)
                    : ListingSums.none();
            return tuples.atomically(inside -> {
                NextSink sink = new NextSink(inside, walk.roots, parts, limits.known(),
                        walk.where.condition().isPresent(), options.isLocalityStored(),
                        known.orElseGet(EntrySum::random), sums);
                finishing.accept(sink);
                return sink.changes();
            });
        });
    }

    /** Calls the consumer with a sink, inside the operation that makes the run atomic. */
    private interface Storing {
        IndexSink.Changes store(Consumer<IndexSink> finishing);
    }

    /** One run over several trees. */
    private final class Walk {

        private final List<ByteString> roots;
        private final IndexWhere where;
        /** Called after the space was made. */
        private final Supplier<Set<SpacePlace>> places;
        private final long generation;
        private final Consumer<EntryFailure> failures;
        private final Progress progress;
        private final Cancellation cancellation;

        Walk(List<ByteString> roots, IndexWhere where, Supplier<Set<SpacePlace>> places, long generation,
                Consumer<EntryFailure> failures, Progress progress, Cancellation cancellation) {
            this.roots = roots;
            this.where = where;
            this.places = places;
            this.generation = generation;
            this.failures = failures;
            this.progress = progress;
            this.cancellation = cancellation;
        }

        IndexRun run(BiFunction<Place, ByteString, @Nullable KnownFiles> known, @Nullable EntrySum sums) {
            return new IndexRun(roots, options, where.query(), limits, places.get(), generation, progress, failures,
                    known, sums, cancellation);
        }

        // The walk runs on this thread and those that it starts, the store on a thread of its own.
        IndexResult into(IndexRun run, Storing storing) {
            AtomicReference<IndexSink.@Nullable Changes> changes = new AtomicReference<>();
            List<TreeLoss> losses = new CopyOnWriteArrayList<>();
            AtomicBoolean isToFinish = new AtomicBoolean();
            Thread store = Thread.ofPlatform().name("treehaul-index-store").start(() -> {
                try {
                    changes.set(storing.store(sink -> {
                        run.drain(sink);
                        if (!isToFinish.get()) {
                            throw new Abandoned();
                        }
                        finish(run, sink);
                        losses.addAll(losses(run, sink));
                        if (!losses.isEmpty() && !options.isLossAccepted()) {
                            throw new Abandoned();
                        }
                    }));
                    run.stopped(null);
                } catch (Abandoned e) {
                    run.stopped(null);
                } catch (Throwable e) {
                    // Errors too: otherwise they would go unnoticed, and the walk would wait for room forever.
                    run.stopped(e);
                }
            });
            boolean isComplete = false;
            try {
                isComplete = walk(run).isComplete();
            } finally {
                isToFinish.set(isComplete && isAnyThere(run));
                run.end();
                Threads.join(store);
            }
            run.check();
            IndexSink.Changes made = changes.get();
            if (made == null) {
                if (isToFinish.get() && losses.isEmpty()) {
                    throw new IllegalStateException("the store ended without storing its entries");
                }
                made = new IndexSink.Changes(0, 0, 0);
            }
            return new IndexResult(roots, generation, run.entries(), made.added(), made.changed(), made.removed(),
                    isComplete, losses);
        }

        private List<TreeLoss> losses(IndexRun run, IndexSink sink) {
            return IntStream.range(0, roots.size())
                    .mapToObj(i -> sink.loss(roots.get(i), run.entries(i)))
                    .filter(TreeLoss::isSuspicious)
                    .toList();
        }

        // If no root exists, the run has learned nothing.
        private boolean isAnyThere(IndexRun run) {
            return IntStream.range(0, roots.size()).anyMatch(i -> run.rootTuple(i).isPresent());
        }

        private WalkResult<IndexHandler> walk(IndexRun run) {
            return TreeWalker.of(calls, options.walk())
                    .walkWith(roots.stream().map(Root::of).toList(), worker -> new IndexHandler(run), cancellation,
                            progress);
        }

        private void finish(IndexRun run, IndexSink sink) {
            Instant now = Clock.systemUTC().instant();
            long finished = Timestamp.sinceEpoch(now.getEpochSecond(), now.getNano());
            List<IndexedRoot> read = new ArrayList<>();
            for (int i = 0; i < roots.size(); i++) {
                Optional<FileTuple> root = run.rootTuple(i);
                if (root.isPresent()) {
                    sink.putRoot(root.get());
                    read.add(new IndexedRoot(roots.get(i), generation, finished, run.entries(i), run.failed(i)));
                }
            }
            sink.finish(read, where.condition());
        }
    }
}
