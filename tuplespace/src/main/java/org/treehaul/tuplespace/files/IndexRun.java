// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.files;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.walk.FoundEntry;

/**
 * What the threads of an index run share: they walk, one of its own takes what they hand on to the space.
 *
 * <p>
 * The queue between them holds {@link #MOST_WAITING} entries, some ten megabytes: enough for the walk to go on while
 * the store syncs, and no more, whatever the tree.
 */
final class IndexRun {

    private static final int MOST_WAITING = 32 * 1024;

    // A listing costs something even when it is empty.
    private static final int LISTING_WEIGHT = 8;

    // Entries that are compared at once: many directories are small, and each look into the space takes a statement.
    private static final int AT_ONCE = 1024;

    private static final Listing LAST = new Listing(ByteString.empty(), List.of(), Set.of(), false);

    private final List<ByteString> roots;
    private final IndexOptions options;
    private final SpacePlace space;
    private final long generation;
    private final Progress progress;
    private final Consumer<EntryFailure> listener;
    private final Function<ByteString, Map<ByteString, FileTuple>> known;
    private final AtomicReferenceArray<@Nullable FileTuple> rootTuples;
    private final long[] rootDevices;
    /** Roots that stand in others, and which of these walks of others have found, and entered. */
    private final Set<ByteString> inner;
    private final Map<ByteString, Boolean> foundInner = new ConcurrentHashMap<>();
    private final Map<ByteString, EntryFailure.Kind> failures = new ConcurrentHashMap<>();
    private final LongAdder[] entries;
    private final LongAdder[] failed;
    private final BlockingQueue<Listing> queue = new LinkedBlockingQueue<>();
    private final Semaphore room = new Semaphore(MOST_WAITING);
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

    /**
     * Begins.
     *
     * @param known tells what the index knows of the entries of a directory; asked only where hashes are made
     */
    IndexRun(List<ByteString> roots, IndexOptions options, SpacePlace space, long generation, Progress progress,
            Consumer<EntryFailure> listener, Function<ByteString, Map<ByteString, FileTuple>> known) {
        this.roots = roots;
        this.options = options;
        this.space = space;
        this.generation = generation;
        this.progress = progress;
        this.listener = listener;
        this.known = known;
        this.rootTuples = new AtomicReferenceArray<>(roots.size());
        this.rootDevices = new long[roots.size()];
        this.inner = roots.stream()
                .filter(root -> roots.stream().anyMatch(outer -> AbsolutePath.isBelow(root, outer)))
                .collect(Collectors.toUnmodifiableSet());
        this.entries = Stream.generate(LongAdder::new).limit(roots.size()).toArray(LongAdder[]::new);
        this.failed = Stream.generate(LongAdder::new).limit(roots.size()).toArray(LongAdder[]::new);
    }

    ByteString root(int index) {
        return roots.get(index);
    }

    long generation() {
        return generation;
    }

    /** Returns how many entries of a root were seen. */
    long entries(int index) {
        return entries[index].sum();
    }

    /** Returns how many entries were seen, those once that two roots both hold. */
    long entries() {
        long all = 0;
        for (int i = 0; i < roots.size(); i++) {
            Boolean isEntered = foundInner.get(roots.get(i));
            all += isEntered == null ? entries(i) : isEntered ? 0 : Math.max(0, entries(i) - 1);
        }
        return all;
    }

    /** Returns how many entries of a root could not be read. */
    long failed(int index) {
        return failed[index].sum();
    }

    boolean isHashing() {
        return options.hash() != IndexOptions.Hash.NONE;
    }

    Map<ByteString, EntryFailure.Kind> failures() {
        return failures;
    }

    /** Says that a walk has found an entry below its root. */
    void found(FileTuple tuple) {
        if (!inner.isEmpty() && inner.contains(tuple.path())) {
            foundInner.putIfAbsent(tuple.path(), false);
        }
    }

    void foundRoot(int index, FileTuple tuple) {
        rootTuples.set(index, tuple);
    }

    /** Returns the entry of a root once the walk has ended, unless it was not there. */
    Optional<FileTuple> rootTuple(int index) {
        return Optional.ofNullable(rootTuples.get(index))
                .map(tuple -> failures.containsKey(roots.get(index)) ? tuple.withUnread(true, generation) : tuple);
    }

    GatheredDirectory enter(int rootIndex, ByteString path, boolean isRoot, FileStatus status) {
        if (isRoot) {
            rootDevices[rootIndex] = status.device();
        }
        boolean isElsewhere = options.walk().oneFileSystem() && status.device() != rootDevices[rootIndex];
        if (!isRoot && !isElsewhere && inner.contains(path)) {
            foundInner.put(path, true);
        }
        return new GatheredDirectory(path, isElsewhere, space.is(status),
                isHashing() && !isElsewhere ? known.apply(path) : Map.of());
    }

    void count(int rootIndex, EntryKind kind, long size) {
        entries[rootIndex].increment();
        progress.entryDone();
        if (kind == EntryKind.REGULAR) {
            progress.fileDone();
            progress.bytesDone(size);
        } else if (kind == EntryKind.DIRECTORY) {
            progress.directoryDone();
        }
    }

    void failed(EntryFailure problem) {
        failures.put(ByteString.of(problem.fullPath()), problem.kind());
        failed[roots.indexOf(problem.root())].increment();
        progress.entryFailed();
        listener.accept(problem);
    }

    /** Returns the tuple with the hash that the index has or that the data have now. */
    FileTuple hashed(FileTuple tuple, GatheredDirectory directory, FoundEntry<?> found) throws SystemCallException {
        if (directory.isSpace()) {
            return tuple;
        }
        FileTuple before = directory.known().get(tuple.name());
        if (before != null && before.hash() != null && before.hash().length() == FileHash.length(options.hash())
                && before.hasSameData(tuple)) {
            return tuple.withHash(before.hash());
        }
        try {
            Optional<ByteString> hash = FileHash.of(options.hash(), found.access(), found.parentDescriptor(),
                    found.name(), found.status());
            return tuple.withHash(hash.orElse(null));
        } catch (SystemCallException e) {
            failed(EntryFailure.of(roots.get(found.rootIndex()), found.path(), e));
            return tuple;
        }
    }

    /** Returns whether it makes sense to find more. */
    boolean isUsable() {
        return failure.get() == null;
    }

    /** Hands a listing on, and waits while too much is waiting already. */
    void put(Listing listing) {
        room.acquireUninterruptibly(weight(listing));
        queue.add(listing);
    }

    private static int weight(Listing listing) {
        return Math.min(MOST_WAITING, listing.entries().size() + LISTING_WEIGHT);
    }

    /** Says that the walk has ended: what is in the queue now is all there will be. */
    void end() {
        queue.add(LAST);
    }

    /** Takes all that is handed on into a sink, until {@link #end}. */
    void drain(IndexSink sink) {
        List<Listing> batch = new ArrayList<>();
        boolean isLast = false;
        while (!isLast) {
            Listing listing = take();
            int count = 0;
            while (listing != null && !isEnd(listing)) {
                batch.add(listing);
                count += listing.entries().size() + 1;
                listing = count < AT_ONCE ? queue.poll() : null;
            }
            isLast = listing != null && isEnd(listing);
            sink.put(batch);
            batch.forEach(taken -> room.release(weight(taken)));
            batch.clear();
        }
    }

    // No directory is without a path.
    private static boolean isEnd(Listing listing) {
        return listing.directory().length() == 0 && listing.entries().isEmpty();
    }

    private Listing take() {
        try {
            return queue.take();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("the thread of the store was interrupted", e);
        }
    }

    /** Says that the store takes nothing any more, because it has ended or failed. */
    void stopped(@Nullable Throwable cause) {
        failure.compareAndSet(null, cause);
        // Whoever waits for room must not wait for ever; what comes now is never taken.
        room.release(Integer.MAX_VALUE / 2);
    }

    /** Throws what the store failed with, if it did. */
    void check() {
        switch (failure.get()) {
            case null -> {
            }
            case RuntimeException e -> throw e;
            case Error e -> throw e;
            case Throwable e -> throw new IllegalStateException(e);
        }
    }
}
