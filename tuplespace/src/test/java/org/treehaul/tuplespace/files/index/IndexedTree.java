// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.files.index;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;

import org.treehaul.core.condition.FileQuery;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.Fault;
import org.treehaul.core.fs.FaultInjectingCalls;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.core.testing.TreeWriter;
import org.treehaul.tuplespace.TupleSpace;
import org.treehaul.tuplespace.TupleSpaces;
import org.treehaul.tuplespace.files.DirectoryTotals;
import org.treehaul.tuplespace.files.EntrySum;
import org.treehaul.tuplespace.files.FileIndex;
import org.treehaul.tuplespace.files.FileTuple;
import org.treehaul.tuplespace.files.Queries;
import org.treehaul.tuplespace.files.TotalsState;
import org.treehaul.tuplespace.store.SpaceUri;
import org.treehaul.tuplespace.tuple.Template;

/** A tree for one test, and a space for its index, in memory unless the test says otherwise. */
final class IndexedTree implements AutoCloseable {

    private final TestDirectory directory;
    private final TupleSpace space;
    private final List<String> failures = Collections.synchronizedList(new ArrayList<>());

    /**
     * Limits with which each entry is passed on by itself, or with the files whose statuses were read at once, and all
     * known entries are read in pages.
     */
    static final IndexLimits TINY = new IndexLimits(1, 0, 1);

    private IndexLimits limits = IndexLimits.DEFAULTS;
    private FileSystemCalls calls = Linux.calls();

    IndexedTree() {
        this(TupleSpaces.memory(FileIndex.SPACE));
    }

    /** Creates a tree whose index is in another space, which it closes. */
    IndexedTree(TupleSpace space) {
        this(space, TestDirectory.make());
    }

    private IndexedTree(TupleSpace space, TestDirectory directory) {
        this.space = space;
        this.directory = directory;
        directory.directory("t");
    }

    /** Creates a tree in memory, where files may have any size, with an index in another space, which it closes. */
    static IndexedTree onTmpfs(TupleSpace space) {
        return new IndexedTree(space, TestDirectory.onTmpfs());
    }

    /** Sets the limits of memory for each run. */
    void limit(IndexLimits some) {
        limits = some;
    }

    /** Sets the calls of each run, below those with faults. */
    void use(FileSystemCalls others) {
        calls = others;
    }

    static ByteString path(String path) {
        return Queries.bytes(path);
    }

    /** Returns the tree's root. */
    Path root() {
        return directory.resolve("t");
    }

    ByteString rootPath() {
        return ByteString.of(root().toString());
    }

    Path resolve(String name) {
        return root().resolve(name);
    }

    TupleSpace space() {
        return space;
    }

    FileIndex index() {
        return Queries.index(space);
    }

    /** Creates entries in the tree. */
    void make(Consumer<TreeWriter> making) {
        try (TreeWriter writer = TreeWriter.in(Linux.calls(), root())) {
            making.accept(writer);
        }
    }

    IndexResult update(Fault... faults) {
        return update(IndexOptions.defaults(), faults);
    }

    IndexResult update(IndexOptions options, Fault... faults) {
        return update(options, new Cancellation(), List.of(rootPath()), faults);
    }

    IndexResult update(IndexOptions options, Cancellation cancellation, List<ByteString> roots, Fault... faults) {
        failures.clear();
        return into(space, options, limits, cancellation, roots, faults);
    }

    private IndexResult into(TupleSpace into, IndexOptions options, IndexLimits within, Cancellation cancellation,
            List<ByteString> roots, Fault... faults) {
        Consumer<EntryFailure> listener = failure -> failures.add(failure.kind() + " " + failure.path());
        try (ListedParts parts = parts()) {
            return Indexer.of(FaultInjectingCalls.over(calls, faults), options, within)
                    .run(into, parts, roots, listener, new Progress(), cancellation);
        } catch (IndexException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the storage for parts of large directories, beside the tree. */
    ListedParts parts() throws IndexException {
        return new ListedParts(directory.resolve("listings"));
    }

    List<String> failures() {
        return List.copyOf(failures);
    }

    /** Returns the index's tuples, without the generation, in order of their paths. */
    List<FileTuple> tuples() {
        return tuples(space);
    }

    /** Indexes the tree in another space. */
    IndexResult index(SpaceUri into) throws IOException {
        return Indexer.of(Linux.calls(), IndexOptions.defaults()).run(into, List.of(rootPath()), failure -> {
        }, new Progress(), new Cancellation());
    }

    /** Returns the entries of the index in a space, without what differs between runs. */
    static List<FileTuple> tuples(SpaceUri from) {
        try (TupleSpace tuples = TupleSpaces.openToRead(from, FileIndex.SPACE)) {
            return tuples(tuples);
        }
    }

    static List<FileTuple> tuples(TupleSpace from) {
        try (Stream<FileTuple> all = Queries.index(from).entries(FileQuery.all())) {
            return all.map(IndexedTree::lasting).sorted(Comparator.comparing(FileTuple::path)).toList();
        }
    }

    // Without values that another run changes: the generation, and the access times of directories and links.
    private static FileTuple lasting(FileTuple tuple) {
        return new FileTuple(tuple.directory(), tuple.name(), tuple.kind(), tuple.size(), tuple.blocks(), 0,
                tuple.mtime(), tuple.ctime(), tuple.btime(), tuple.mode(), tuple.owner(), tuple.group(), tuple.links(),
                tuple.inode(), tuple.device(), tuple.target(), tuple.hash(), tuple.unread(), 0, tuple.server());
    }

    /** Returns the paths that match, relative to the root; the root itself is a dot. */
    List<String> paths(String... conditions) {
        int cut = rootPath().length() + 1;
        try (Stream<FileTuple> found = index().entries(Queries.parse(conditions))) {
            return found.map(tuple -> tuple.path().toString())
                    .map(path -> path.length() < cut ? "." : path.substring(cut))
                    .sorted()
                    .toList();
        }
    }

    /** Fails if the index differs from a new one of the same tree. */
    void assertIsFresh(IndexOptions options) {
        try (TupleSpace fresh = TupleSpaces.memory(FileIndex.SPACE)) {
            into(fresh, options, IndexLimits.DEFAULTS, new Cancellation(), List.of(rootPath()));
            // As texts, which may differ in a few lines of many.
            assertThat(tuples().stream().map(FileTuple::toString).toList())
                    .containsExactlyElementsOf(tuples(fresh).stream().map(FileTuple::toString).toList());
            assertThat(totals(space)).containsExactlyElementsOf(totals(fresh));
            assertThat(TotalsState.isCurrent(space, index().roots())).isTrue();
            assertListingsAreThoseOfTheEntries(space);
            assertListingsAreThoseOfTheEntries(fresh);
        }
    }

    /** Returns the totals of directories as texts, in order of their paths; without listings, whose key is random. */
    static List<String> totals(TupleSpace from) {
        return directories(from).stream().map(totals -> totals.withListing(null).toString()).toList();
    }

    /** Returns the totals of directories, in order of their paths. */
    static List<DirectoryTotals> directories(TupleSpace from) {
        try (Stream<DirectoryTotals> all = from.contents(Template.of(DirectoryTotals.class))) {
            return all.sorted(Comparator.comparing(DirectoryTotals::path)).toList();
        }
    }

    /** Fails if the sum of a listing is known and not that of the entries in the space. */
    static void assertListingsAreThoseOfTheEntries(TupleSpace space) {
        EntrySum sums = TotalsState.sums(space, FileIndex.roots(space)).orElseThrow();
        Map<ByteString, Long> actual = new HashMap<>();
        try (Stream<FileTuple> all = space.contents(Template.of(FileTuple.class))) {
            all.forEach(tuple -> actual.merge(tuple.directory(), sums.of(tuple), Long::sum));
        }
        for (DirectoryTotals totals : directories(space)) {
            assertThat(totals.listing()).as(totals.path().toString())
                    .isIn(null, actual.getOrDefault(totals.path(), 0L));
        }
    }

    @Override
    public void close() {
        space.close();
        directory.close();
    }
}
