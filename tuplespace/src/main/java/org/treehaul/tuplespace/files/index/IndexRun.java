// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.files.index;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.condition.FileQuery;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.event.Progress;
import org.treehaul.core.event.ProgressPart;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.walk.FoundEntry;
import org.treehaul.tuplespace.files.AbsolutePath;
import org.treehaul.tuplespace.files.EntrySum;
import org.treehaul.tuplespace.files.FileTuple;

/**
 * The state shared by the threads of an index run: several walk, and one stores in the space the entries that they pass
 * on.
 * <p>
 * The queue between them holds up to {@link #MOST_WAITING} bytes: enough for the walk to continue while the store
 * syncs, and bounded for any tree. The memory of the open directories on the way down is bounded too; see
 * {@link #isMuchHeld}.
 */
final class IndexRun {

    // An eighth of a small heap: the tuples in the queue and those that the store handles must fit beside each other.
    private static final long MOST_WAITING = Math.min(4 << 20, Runtime.getRuntime().maxMemory() / 8);

    private final List<ByteString> roots;
    private final IndexOptions options;
    private final IndexLimits limits;
    private final FileQuery where;
    private final Set<SpacePlace> spaces;
    private final long generation;
    private final Progress progress;
    private final Consumer<EntryFailure> listener;
    private final BiFunction<Place, ByteString, @Nullable KnownFiles> known;
    private final @Nullable EntrySum sums;
    private final Cancellation cancellation;
    private final AtomicReferenceArray<@Nullable FileTuple> rootTuples;
    private final long[] rootDevices;
    /** Roots inside other roots, and those that the walk of the outer root has found (false) or entered (true). */
    private final Set<ByteString> inner;
    private final Map<ByteString, Boolean> foundInner = new ConcurrentHashMap<>();
    private final Map<Place, Map<ByteString, EntryFailure.Kind>> failures = new ConcurrentHashMap<>();
    private final AtomicIntegerArray failedRoots;
    private final LongAdder held = new LongAdder();
    private final LongAdder[] entries;
    private final LongAdder[] failed;
    private final Listing.Queue queue = new Listing.Queue(MOST_WAITING);
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

    /**
     * Creates the shared state of a run.
     *
     * @param where the conditions that entries must meet
     * @param known returns the index's files of a directory; called only if files are hashed
     * @param sums computes the sums of listings; null if the store does not need them
     * @param cancellation ends the reading of a file for its hash
     */
    IndexRun(List<ByteString> roots, IndexOptions options, FileQuery where, IndexLimits limits, Set<SpacePlace> spaces,
            long generation, Progress progress, Consumer<EntryFailure> listener,
            BiFunction<Place, ByteString, @Nullable KnownFiles> known, @Nullable EntrySum sums,
            Cancellation cancellation) {
        this.roots = roots;
        this.options = options;
        this.where = where;
        this.limits = limits;
        this.spaces = spaces;
        this.generation = generation;
        this.progress = progress;
        this.listener = listener;
        this.known = known;
        this.sums = sums;
        this.cancellation = cancellation;
        this.rootTuples = new AtomicReferenceArray<>(roots.size());
        this.rootDevices = new long[roots.size()];
        this.failedRoots = new AtomicIntegerArray(roots.size());
        this.inner = roots.stream()
                .filter(root -> roots.stream().anyMatch(outer -> AbsolutePath.isBelow(root, outer)))
                .collect(Collectors.toUnmodifiableSet());
        this.entries = Stream.generate(LongAdder::new).limit(roots.size()).toArray(LongAdder[]::new);
        this.failed = Stream.generate(LongAdder::new).limit(roots.size()).toArray(LongAdder[]::new);
    }

    ByteString root(int index) {
        return roots.get(index);
    }

    List<ByteString> roots() {
        return roots;
    }

    FileQuery where() {
        return where;
    }

    long generation() {
        return generation;
    }

    /** Returns the number of entries seen in a root. */
    long entries(int index) {
        return entries[index].sum();
    }

    /** Returns the number of entries seen; entries that are in two roots count once. */
    long entries() {
        long all = 0;
        for (int i = 0; i < roots.size(); i++) {
            Boolean isEntered = foundInner.get(roots.get(i));
            all += isEntered == null ? entries(i) : isEntered ? 0 : Math.max(0, entries(i) - 1);
        }
        return all;
    }

    /** Returns the number of entries of a root that could not be read. */
    long failed(int index) {
        return failed[index].sum();
    }

    boolean isHashing() {
        return options.hash() != IndexOptions.Hash.NONE;
    }

    boolean isLocalityStored() {
        return options.isLocalityStored();
    }

    /** Removes and returns the failures in a directory that were not passed on yet. */
    Map<ByteString, EntryFailure.Kind> takeFailures(Place place) {
        Map<ByteString, EntryFailure.Kind> taken = failures.isEmpty() ? null : failures.remove(place);
        return taken == null ? Map.of() : taken;
    }

    /**
     * Reports that a directory was entered but not read to its end. Even if it was removed, the tuples of its entries
     * that were listed before need their directory until the next run finds all of them gone.
     */
    void incomplete(Place place) {
        note(place.root(), place.path(), EntryFailure.Kind.ERROR);
    }

    private void note(int root, TreePath path, EntryFailure.Kind kind) {
        if (path.isRoot()) {
            failedRoots.set(root, 1);
            return;
        }
        Place parent = new Place(root, path.parent());
        int count = failures.compute(parent, (place, known) -> {
            Map<ByteString, EntryFailure.Kind> names = known == null ? new HashMap<>() : known;
            names.merge(path.name(), kind, Listing::worse);
            return names;
        }).size();
        if (count >= limits.part() / GatheredDirectory.ENTRY) {
            Map<ByteString, EntryFailure.Kind> taken = takeFailures(parent);
            ByteString directory = parent.whole(roots.get(root));
            put(new Listing(parent, directory, List.of(), taken, Listing.Extent.PART,
                    directory.length() + (long) taken.size() * GatheredDirectory.ENTRY, null));
        }
    }

    /** Returns whether the open directories hold so much that those on the way down must pass on their entries. */
    boolean isMuchHeld() {
        return held.sum() > limits.held();
    }

    /** Returns whether {@link #found} has to be called for each entry. */
    boolean hasInner() {
        return !inner.isEmpty();
    }

    /** Reports an entry that a walk has found below its root. */
    void found(GatheredDirectory directory, ByteString name) {
        if (!inner.isEmpty()) {
            ByteString path = FileTuple.join(directory.path(), name);
            if (inner.contains(path)) {
                foundInner.putIfAbsent(path, false);
            }
        }
    }

    void foundRoot(int index, FileTuple tuple) {
        rootTuples.set(index, tuple);
    }

    /** Returns the entry of a root once the walk has ended; empty if the root did not exist. */
    Optional<FileTuple> rootTuple(int index) {
        return Optional.ofNullable(rootTuples.get(index))
                .map(tuple -> failedRoots.get(index) != 0
                        ? tuple.withUnread(true, tuple.isSelected() ? generation : 0)
                        : tuple);
    }

    /** Returns whether the run has to know which directory is the space, or on which file system each one is. */
    boolean needsDirectoryStatus() {
        return isHashing() || options.walk().oneFileSystem();
    }

    /** Returns whether a directory below a root is on another file system, which the walk does not enter. */
    boolean isElsewhere(int rootIndex, FileStatus status) {
        return options.walk().oneFileSystem() && status.kind() == EntryKind.DIRECTORY
                && status.device() != rootDevices[rootIndex];
    }

    /**
     * Begins a directory.
     *
     * @param status null unless {@link #needsDirectoryStatus}
     */
    GatheredDirectory enter(Place place, @Nullable FileStatus status) {
        int rootIndex = place.root();
        ByteString root = roots.get(rootIndex);
        boolean isRoot = place.path().isRoot();
        if (isRoot && status != null) {
            rootDevices[rootIndex] = status.device();
        }
        boolean isElsewhere = status != null && isElsewhere(rootIndex, status);
        if (!isRoot && !isElsewhere && !inner.isEmpty()) {
            ByteString path = place.whole(root);
            if (inner.contains(path)) {
                foundInner.put(path, true);
            }
        }
        boolean isSpace = status != null && spaces.stream().anyMatch(space -> space.is(status));
        return new GatheredDirectory(place, root, isElsewhere, isSpace, limits.part(), held,
                isHashing() && !isElsewhere ? known.apply(place, root) : null, sums);
    }

    /** Returns the progress of one thread of the walk. */
    ProgressPart progress() {
        return new ProgressPart(progress);
    }

    /** Counts entries that one thread has seen in a root. */
    void count(int rootIndex, long number) {
        entries[rootIndex].add(number);
    }

    void failed(EntryFailure problem) {
        int root = roots.indexOf(problem.root());
        note(root, problem.path(), problem.kind());
        failed[root].increment();
        progress.entryFailed();
        listener.accept(problem);
    }

    /** Returns the tuple with the hash stored in the index if the data are unchanged, else with a new hash. */
    FileTuple hashed(FileTuple tuple, GatheredDirectory directory, FoundEntry<?> found) throws SystemCallException {
        if (directory.isSpace()) {
            return tuple;
        }
        FileTuple before = directory.known(tuple.name());
        if (before != null && before.hash() != null && before.hash().length() == FileHash.length(options.hash())
                && before.hasSameData(tuple)) {
            return tuple.withHash(before.hash());
        }
        try {
            Optional<ByteString> hash = FileHash.of(options.hash(), found.access(), found.parentDescriptor(),
                    found.name(), found.status(), () -> isUsable() && !cancellation.isCancelled());
            return tuple.withHash(hash.orElse(null));
        } catch (SystemCallException e) {
            failed(EntryFailure.of(roots.get(found.rootIndex()), found.path(), e));
            return tuple;
        }
    }

    /** Returns whether the store still accepts entries. */
    boolean isUsable() {
        return failure.get() == null;
    }

    /** Passes a listing on; waits while the queue is full. */
    void put(Listing listing) {
        queue.put(listing);
    }

    /** Reports the end of the walk: no listings will be added. */
    void end() {
        queue.end();
    }

    /** Moves listings from the queue into a sink until {@link #end}. */
    void drain(IndexSink sink) {
        List<Listing> batch = new ArrayList<>();
        boolean isMore = true;
        while (isMore) {
            try {
                isMore = queue.take(batch);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException("the thread of the store was interrupted", e);
            }
            sink.put(batch);
            queue.stored(batch);
            batch.clear();
        }
    }

    /** Reports that the store accepts no more entries, because it has ended or failed. */
    void stopped(@Nullable Throwable cause) {
        failure.compareAndSet(null, cause);
        queue.stop();
    }

    /** Throws the failure of the store, if it failed. */
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
