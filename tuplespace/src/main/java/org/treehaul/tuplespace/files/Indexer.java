// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.files;

import java.io.IOException;
import java.io.Serial;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.walk.Cancellation;
import org.treehaul.core.walk.Root;
import org.treehaul.core.walk.TreeWalker;
import org.treehaul.core.walk.WalkResult;
import org.treehaul.core.walk.WalkWorker;
import org.treehaul.tuplespace.TupleOperations;
import org.treehaul.tuplespace.TupleSpace;
import org.treehaul.tuplespace.TupleSpaces;
import org.treehaul.tuplespace.store.BulkLoad;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.tuple.Template;

/**
 * Walks trees and keeps what it finds in a space, one tuple for each entry. The first run fills a new space; each later
 * one changes only what differs, all of it at one moment when it is done.
 *
 * <p>
 * Of a directory that could not be read the index keeps what it knew, with all below it, and marks it. So it does of a
 * root that is not there. A run that fails, is cancelled or killed leaves the index as it was.
 */
public final class Indexer {

    /** Undoes a run that was not to be finished. */
    private static final class Abandoned extends RuntimeException {
        @Serial
        private static final long serialVersionUID = 1L;

        Abandoned() {
            super("abandoned", null, false, false);
        }
    }

    private final FileSystemCalls calls;
    private final IndexOptions options;

    private Indexer(FileSystemCalls calls, IndexOptions options) {
        this.calls = calls;
        this.options = options;
    }

    /** Returns an indexer. */
    public static Indexer of(FileSystemCalls calls, IndexOptions options) {
        return new Indexer(calls, options);
    }

    /**
     * Reads trees into a space, and returns when that is lasting. When it throws, or says that it is not complete, the
     * space is as it was before.
     *
     * @param space the directory of the space, made for its owner alone where it is not there
     * @param named where the trees are, as the user names them; without any, those that are in the space
     * @param failures hears of entries that could not be read, on any thread
     * @param progress is counted up meanwhile
     * @throws IndexException when trees lie in each other, or another process indexes into the space
     */
    public IndexResult run(Path space, List<ByteString> named, Consumer<EntryFailure> failures, Progress progress,
            Cancellation cancellation) throws IOException {
        List<ByteString> roots = absolute(named);
        if (roots.isEmpty() && !TupleSpaces.exists(space)) {
            throw new IndexException("there is no index in " + space + " yet, so name the trees to read");
        }
        return IndexLock.holding(space, () -> {
            SpacePlace place = place(space);
            if (!TupleSpaces.exists(space)) {
                return first(space, new Walk(roots, place, 1, failures, progress, cancellation));
            }
            try (TupleSpace tuples = FileIndex.openSpace(space)) {
                return run(tuples, place, roots, failures, progress, cancellation);
            }
        });
    }

    /** Reads trees, named by whole paths, into a space that is there. */
    IndexResult run(TupleSpace tuples, List<ByteString> roots, Consumer<EntryFailure> failures, Progress progress,
            Cancellation cancellation) {
        return run(tuples, SpacePlace.NONE, roots, failures, progress, cancellation);
    }

    private IndexResult run(TupleSpace tuples, SpacePlace place, List<ByteString> roots,
            Consumer<EntryFailure> failures, Progress progress, Cancellation cancellation) {
        List<IndexedRoot> known = FileIndex.roots(tuples);
        List<ByteString> all = roots.isEmpty() ? known.stream().map(IndexedRoot::root).toList() : roots;
        long generation = known.stream().mapToLong(IndexedRoot::generation).max().orElse(0) + 1;
        return next(tuples, new Walk(all, place, generation, failures, progress, cancellation));
    }

    private static SpacePlace place(Path space) {
        try {
            return SpacePlace.of(space);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private List<ByteString> absolute(List<ByteString> named) throws IOException {
        LinkedHashSet<ByteString> roots = new LinkedHashSet<>();
        for (ByteString name : named) {
            try {
                roots.add(AbsolutePath.of(calls, name));
            } catch (SystemCallException e) {
                throw new IndexException(name + ": " + e.getMessage(), e);
            }
        }
        for (ByteString inner : roots) {
            for (ByteString outer : roots) {
                if (AbsolutePath.isBelow(inner, outer)) {
                    throw new IndexException(inner + " stands in " + outer
                            + ", which is to be read, too; read one of them, " + "or one after the other");
                }
            }
        }
        return List.copyOf(roots);
    }

    private IndexResult first(Path space, Walk walk) {
        try (BulkLoad load = TupleSpaces.bulkLoad(space, FileIndex.SPACE)) {
            IndexRun run = walk.run(directory -> Map.of());
            FirstSink sink = new FirstSink(load);
            return walk.into(run, finishing -> {
                finishing.accept(sink);
                load.finish();
                return sink.changes();
            });
        }
    }

    private IndexResult next(TupleSpace tuples, Walk walk) {
        AtomicBoolean isKeptOut = new AtomicBoolean();
        IndexRun run = walk.run(directory -> known(tuples, directory, isKeptOut));
        return walk.into(run, finishing -> tuples.atomically(inside -> {
            NextSink sink = new NextSink(inside, walk.roots, run.failures());
            finishing.accept(sink);
            return sink.changes();
        }));
    }

    // Without a write-ahead log so much may change that readers are kept out until the end: then files are read instead.
    private static Map<ByteString, FileTuple> known(TupleOperations tuples, ByteString directory,
            AtomicBoolean isKeptOut) {
        Map<ByteString, FileTuple> known = new HashMap<>();
        Template<FileTuple> inside = Template.of(FileTuple.class).equal(FileField.DIRECTORY.label(), directory);
        if (!isKeptOut.get()) {
            try (Stream<FileTuple> stream = tuples.contents(inside)) {
                stream.forEach(tuple -> known.put(tuple.name(), tuple));
            } catch (SpaceException e) {
                if (e.reason() != SpaceException.Reason.BUSY) {
                    throw e;
                }
                isKeptOut.set(true);
            }
        }
        return known;
    }

    /** Has a sink filled and finished within what makes it atomic. */
    private interface Storing {
        IndexSink.Changes store(Consumer<IndexSink> finishing);
    }

    /** One run over some trees. */
    private final class Walk {

        private final List<ByteString> roots;
        private final SpacePlace place;
        private final long generation;
        private final Consumer<EntryFailure> failures;
        private final Progress progress;
        private final Cancellation cancellation;

        Walk(List<ByteString> roots, SpacePlace place, long generation, Consumer<EntryFailure> failures,
                Progress progress, Cancellation cancellation) {
            this.roots = roots;
            this.place = place;
            this.generation = generation;
            this.failures = failures;
            this.progress = progress;
            this.cancellation = cancellation;
        }

        IndexRun run(Function<ByteString, Map<ByteString, FileTuple>> known) {
            return new IndexRun(roots, options, place, generation, progress, failures, known);
        }

        // The walk goes on in this thread and those that it starts, the store in one of its own.
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
                    // Errors as well: nobody else would hear of them, and the walk would wait for room for ever.
                    run.stopped(e);
                }
            });
            boolean isComplete = false;
            try {
                isComplete = walk(run).isComplete();
            } finally {
                isToFinish.set(isComplete && isAnyThere(run));
                run.end();
                join(store);
            }
            run.check();
            IndexSink.Changes made = changes.get();
            if (made == null) {
                if (isToFinish.get() && losses.isEmpty()) {
                    throw new IllegalStateException("the store ended without what it was to keep");
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

        // Where no root is there, nothing is known that was not known before.
        private boolean isAnyThere(IndexRun run) {
            return IntStream.range(0, roots.size()).anyMatch(i -> run.rootTuple(i).isPresent());
        }

        private WalkResult<IndexHandler> walk(IndexRun run) {
            return TreeWalker.of(calls, options.walk())
                    .walkWith(roots.stream().map(Root::of).toList(), worker -> new IndexHandler(run), cancellation,
                            workers -> progress.setBusy(() -> workers.stream()
                                    .map(WalkWorker::current)
                                    .flatMap(Optional::stream)
                                    .toList()));
        }

        private void finish(IndexRun run, IndexSink sink) {
            Instant now = Clock.systemUTC().instant();
            long finished = FileTuple.nanos(now.getEpochSecond(), now.getNano());
            List<IndexedRoot> read = new ArrayList<>();
            for (int i = 0; i < roots.size(); i++) {
                Optional<FileTuple> root = run.rootTuple(i);
                if (root.isPresent()) {
                    sink.putRoot(root.get());
                    read.add(new IndexedRoot(roots.get(i), generation, finished, run.entries(i), run.failed(i)));
                }
            }
            sink.finish(read);
        }
    }

    private static void join(Thread thread) {
        boolean isInterrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                isInterrupted = true;
            }
        }
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
