// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.compare;

import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.compare.links.LinkedContents;
import org.treehaul.core.compare.links.LinkedPaths;
import org.treehaul.core.compare.select.OneSidedTrees;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.event.Event;
import org.treehaul.core.event.EventListener;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.Directory;
import org.treehaul.core.fs.DirectoryPool;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.time.TimePrecision;
import org.treehaul.core.walk.FoundEntry;
import org.treehaul.core.walk.TreeWalker;
import org.treehaul.core.walk.WalkDirectory;
import org.treehaul.core.walk.options.Root;
import org.treehaul.core.walk.options.Symlinks;
import org.treehaul.core.walk.options.WalkOptions;

/** The state that the threads of one comparison share. */
final class ComparisonRun implements AutoCloseable {

    private final CompareOptions options;
    private final ByteString rootA;
    private final ByteString rootB;
    private final boolean followsRoots;
    private final @Nullable EntryScope scope;
    private final boolean isCopy;
    private final DifferenceListener listener;
    private final DifferenceListener.@Nullable WithStatus withStatus;
    private final EventListener events;
    private final Progress progress;
    private final Map<Side, OneSidedTrees> oneSided;
    private final DirectoryPool directoriesB;
    private final Set<Side> coarse = ConcurrentHashMap.newKeySet();
    private final LinkedPaths links = new LinkedPaths();
    private final LinkedContents<SideException> linkedContents = new LinkedContents<>(new ContentReceiver());
    private final long seed = ThreadLocalRandom.current().nextLong();
    private final Map<DifferenceKind, LongAdder> differences = new EnumMap<>(DifferenceKind.class);
    private final Map<EntryFailure.Kind, LongAdder> failures = new EnumMap<>(EntryFailure.Kind.class);
    private final AtomicReference<Directory> openRootB = new AtomicReference<>();

    // The root's devices are written before anything below it is entered.
    private volatile long deviceA;
    private volatile long deviceB;

    // The tables that remain when the walk ends early.
    private final Set<NameTable> largeTables = ConcurrentHashMap.newKeySet();

    ComparisonRun(FileSystemCalls calls, CompareOptions options, Root a, ByteString b, @Nullable EntryScope scope,
            boolean isCopy, DifferenceListener listener, EventListener events, Progress progress) {
        this.options = options;
        this.rootA = a.path();
        this.rootB = b;
        // As in the walk: paths can be selected only in a directory, so if the root is a link, the user meant its
        // target.
        this.followsRoots = options.followRoots() || a.selection().isPresent() || isCopy;
        this.scope = scope;
        this.isCopy = isCopy;
        this.listener = listener;
        this.withStatus = listener instanceof DifferenceListener.WithStatus more ? more : null;
        this.events = events;
        this.oneSided = Map.of(Side.A, new OneSidedTrees(a), Side.B,
                new OneSidedTrees(a.selection().map(selection -> Root.of(b, selection)).orElse(Root.of(b))));
        this.progress = progress;
        this.directoriesB = DirectoryPool.withinLimit(calls, options.directoryBudget());
        for (DifferenceKind kind : DifferenceKind.values()) {
            differences.put(kind, new LongAdder());
        }
        for (EntryFailure.Kind kind : EntryFailure.Kind.values()) {
            failures.put(kind, new LongAdder());
        }
    }

    /** Notifies the user once per side that times are compared only to the precision that this side stores. */
    void coarseTimes(Side side, TimePrecision precision) {
        if (coarse.add(side)) {
            events.onEvent(new Event.Notice(
                    "times are compared to " + precision + ": '" + root(side) + "' keeps no finer ones"));
        }
    }

    /**
     * Returns whether entries are selected by conditions. Not in the comparison of a copy: its source alone decides,
     * and the walk applies the conditions.
     */
    boolean isSelective() {
        return !options.where().isAll() && !isOfCopy();
    }

    /** Notes a directory that has no counterpart, below which entries may meet the conditions. */
    void isOneSided(Side side, TreePath path) {
        Objects.requireNonNull(oneSided.get(side)).add(path);
    }

    /** Reports the entries below such directories; returns whether all were seen. */
    boolean reportOneSided(FileSystemCalls calls, Cancellation cancellation) {
        WalkOptions walk = WalkOptions.defaults()
                .withFilter(options.filter())
                .withSymlinks(followsRoots ? Symlinks.ROOTS : Symlinks.NEVER)
                .withOneFileSystem(options.oneFileSystem())
                .withThreads(options.threads())
                .withDirectoryBudget(options.directoryBudget())
                .withWhere(options.where());
        boolean isWhole = Objects.requireNonNull(oneSided.get(Side.A)).walk(calls, walk, (path, status) -> {
            progress.entryDone();
            onlyInA(path, status);
        }, this::failed, cancellation);
        return isWhole && Objects.requireNonNull(oneSided.get(Side.B))
                .walk(calls, walk, this::onlyInB, this::failed, cancellation);
    }

    CompareOptions options() {
        return options;
    }

    Progress progress() {
        return progress;
    }

    ByteString root(Side side) {
        return side == Side.A ? rootA : rootB;
    }

    DirectoryPool directoriesB() {
        return directoriesB;
    }

    LinkedPaths links() {
        return links;
    }

    LinkedContents<SideException> linkedContents() {
        return linkedContents;
    }

    /** Records a path that exists on both sides and has several links on one of them. */
    void addLink(FileStatus a, FileStatus b, TreePath path) {
        links.add(a, deviceA, b, deviceB, path);
    }

    long seed() {
        return seed;
    }

    /** Returns whether the targets of roots that are symbolic links are compared. */
    boolean followsRoots() {
        return followsRoots;
    }

    /** Returns whether only selected entries are compared, not the directories on the way to them. */
    boolean isOfEntries() {
        return scope != null;
    }

    /**
     * Returns whether links are followed only in the first tree, because the second is a copy that contains no links in
     * their place.
     */
    boolean isOfCopy() {
        return scope != null || isCopy;
    }

    /** Reports a pair whose two sides both exist. */
    void paired(int number, FileStatus a, FileStatus b) {
        if (scope != null) {
            scope.pairs().onPair(number, a, b);
        }
    }

    /** Returns the range of a file's data to compare. */
    DataRange range(int number) {
        return scope == null ? DataRange.ALL : scope.ranges().range(number);
    }

    int mostThreads() {
        return options.threads() == 0 ? TreeWalker.MOST_CHOSEN_THREADS : options.threads();
    }

    /**
     * Returns the second tree's root if it was opened before, as a rank may return to a part that it gave away; else
     * null.
     */
    @Nullable Directory openRootB() {
        return openRootB.get();
    }

    Directory openRootB(int descriptor) {
        Directory root = directoriesB.root(descriptor, rootB);
        openRootB.set(root);
        return root;
    }

    /**
     * Returns whether the options exclude other file systems and one side of a directory is on another one than its
     * root.
     */
    boolean isElsewhere(WalkDirectory<PairedDirectory> directory, FileStatus statusB) {
        long a = directory.status().device();
        long b = statusB.device();
        if (directory.parent() == null) {
            deviceA = a;
            deviceB = b;
        }
        return options.oneFileSystem() && (a != deviceA || b != deviceB);
    }

    void keep(NameTable table) {
        if (table.isLarge()) {
            largeTables.add(table);
        }
    }

    void discard(NameTable table) {
        largeTables.remove(table);
        table.close();
    }

    void differs(Difference difference) {
        if (options.compares(difference.kind())) {
            LongAdder count = differences.get(difference.kind());
            if (count != null) {
                count.increment();
            }
            listener.onDifference(difference);
        }
    }

    /** Reports an entry that only the first tree has. */
    void onlyInA(TreePath path, FileStatus a) {
        differs(Difference.of(DifferenceKind.ONLY_IN_A, path, a.kind().label(), ""));
        if (withStatus != null) {
            withStatus.onOnlyInFirst(path, a);
        }
    }

    /** Reports an entry that only the second tree has. */
    void onlyInB(TreePath path, FileStatus b) {
        differs(Difference.of(DifferenceKind.ONLY_IN_B, path, "", b.kind().label()));
        if (withStatus != null) {
            withStatus.onOnlyInSecond(path, b);
        }
    }

    /** Returns whether nothing shows if the first tree has an entry: its conditions may have excluded it. */
    boolean isUnknownInA() {
        return isOfCopy() && !options.where().isAll() && (withStatus == null || !withStatus.isOfExtras());
    }

    /** Returns whether a selected path that neither tree has is no failure. */
    boolean acceptsMissing() {
        return withStatus != null && withStatus.acceptsMissing();
    }

    /** Returns whether pairs without a difference are reported too. */
    boolean reportsEqualPairs() {
        return withStatus != null && withStatus.isOfEqualPairs();
    }

    /** Reports a pair after its differences, if the listener asks for it. */
    void compared(FoundEntry<PairedDirectory> found, FileStatus a, FileStatus b, Set<DifferenceKind> kinds) {
        if (withStatus != null && (!kinds.isEmpty() || reportsEqualPairs())) {
            withStatus.onPair(found.path(), a, b, kinds);
        }
    }

    void failed(TreePath path, SideException e) {
        failed(new EntryFailure(e.kind(), root(e.side()), path, e.operation(), e.errno()));
    }

    void failed(EntryFailure failure) {
        LongAdder count = failures.get(failure.kind());
        if (count != null) {
            count.increment();
        }
        progress.entryFailed();
        events.onEvent(new Event.Failed(failure));
    }

    /** Reports the result for the data of a file, for each of its names. */
    private final class ContentReceiver implements LinkedContents.Receiver<SideException> {
        @Override
        public void compared(TreePath path, long offset) {
            content(path, offset);
        }

        @Override
        public void failed(TreePath path, SideException failure) {
            ComparisonRun.this.failed(path, failure);
        }
    }

    /** Reports the result for the data of a file: the offset of the first difference, or {@link FilePair#NONE}. */
    void content(TreePath path, long offset) {
        if (offset != FilePair.NONE) {
            differs(Difference.ofContent(path, offset));
        }
        progress.fileDone();
    }

    /** Reports differences that are known only after everything was seen. */
    void finish() {
        links.forEachDifference((path, a, b) -> differs(Difference.of(DifferenceKind.HARD_LINKS, path, a, b)));
    }

    CompareResult result(boolean isComplete) {
        return new CompareResult(progress.snapshot(), counts(differences, new EnumMap<>(DifferenceKind.class)),
                counts(failures, new EnumMap<>(EntryFailure.Kind.class)), isComplete);
    }

    private static <K> Map<K, Long> counts(Map<K, LongAdder> adders, Map<K, Long> into) {
        adders.forEach((kind, adder) -> {
            if (adder.sum() > 0) {
                into.put(kind, adder.sum());
            }
        });
        return into;
    }

    @Override
    public void close() {
        for (NameTable table : largeTables) {
            table.close();
        }
        Directory root = openRootB.get();
        if (root != null) {
            directoriesB.closeRoot(root);
        }
        directoriesB.close();
    }
}
