// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.files;

import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.treehaul.core.annotation.Internal;
import org.treehaul.core.condition.BytePattern;
import org.treehaul.core.condition.EntryValues;
import org.treehaul.core.condition.FileField;
import org.treehaul.core.condition.FileQuery;
import org.treehaul.core.condition.NumberSet;
import org.treehaul.core.condition.TextCondition;
import org.treehaul.core.entry.Amounts;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.InodeSet;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.Progress;
import org.treehaul.core.walk.summary.PathUsage;
import org.treehaul.core.walk.summary.Usage;
import org.treehaul.core.walk.summary.UsageOptions;
import org.treehaul.tuplespace.Registration;
import org.treehaul.tuplespace.SpaceOptions;
import org.treehaul.tuplespace.TupleEvent;
import org.treehaul.tuplespace.TupleOperations;
import org.treehaul.tuplespace.TupleSpace;
import org.treehaul.tuplespace.TupleSpaces;
import org.treehaul.tuplespace.store.EventKind;
import org.treehaul.tuplespace.store.SpaceUri;
import org.treehaul.tuplespace.tuple.Order;
import org.treehaul.tuplespace.tuple.Template;

/**
 * The index of files, queried by templates. {@link org.treehaul.tuplespace.files.index.Indexer} builds it.
 * <p>
 * A query sees the index as of one moment, unless it has conditions on the path or on emptiness, or the index is over
 * several stores: then an index run that ends during the query may be visible in a part of the answer. Failures of the
 * space are {@link org.treehaul.tuplespace.store.SpaceException}.
 */
public final class FileIndex implements AutoCloseable {

    /**
     * Indexes only the directory, which every run looks up: each further index costs half a second per million entries.
     */
    @Internal
    public static final SpaceOptions SPACE = SpaceOptions.defaults()
            .index(FileTuple.class, FileField.DIRECTORY.label(), FileField.NAME.label())
            .index(DirectoryTotals.class, DirectoryTotals.DIRECTORY, DirectoryTotals.NAME)
            .share(FileTuple.class, FileField.DIRECTORY.label())
            .share(DirectoryTotals.class, DirectoryTotals.DIRECTORY)
            .eventCapacity(1 << 16);

    /** The largest size that a store adds up. Larger files are few, but some of them without data may exceed a long. */
    @Internal
    public static final long MOST_SUMMED = 1L << 40;

    // The database finds this number among a million entries as fast as it returns all of them to be sorted here.
    private static final int MOST_BOUNDED = 100_000;

    private static final NumberSet SELECTED = NumberSet
            .of(new NumberSet.Range(1, FileField.GENERATION.domain().high()));

    private final TupleSpace space;
    private final QueryMemory memory;

    FileIndex(TupleSpace space) {
        this(space, QueryMemory.ofProcess());
    }

    FileIndex(TupleSpace space, QueryMemory memory) {
        this.space = space;
        this.memory = memory;
    }

    /**
     * Opens the index in a space for queries. Users other than its owner may do so if they can read its files.
     *
     * @throws org.treehaul.tuplespace.store.SpaceException when there is none, or it cannot be used
     */
    public static FileIndex open(Path space) {
        return open(SpaceUri.of(space));
    }

    /** Opens the index in the space at an address, as {@link #open(Path)} does. */
    public static FileIndex open(SpaceUri space) {
        return new FileIndex(TupleSpaces.openToRead(space, SPACE));
    }

    /**
     * Opens the index in an existing space, also for {@link #watch}.
     *
     * @param patience how long {@link #watch} waits while another process writes, before it fails as BUSY
     */
    public static FileIndex open(Path space, Duration patience) {
        return open(SpaceUri.of(space), patience);
    }

    /** Opens the index in the space at an address, as {@link #open(Path, Duration)} does. */
    public static FileIndex open(SpaceUri space, Duration patience) {
        return new FileIndex(TupleSpaces.openExisting(space, SPACE.patience(patience)));
    }

    /** Returns the directory for temporary files of this process. */
    @Internal
    public static Path temporary() {
        return QueryMemory.temporary();
    }

    /** Opens the space of an index to change it. */
    @Internal
    public static TupleSpace openSpace(SpaceUri space) {
        return TupleSpaces.openExisting(space, SPACE);
    }

    /** Returns the trees that the index in a space contains, in order of their paths. */
    @Internal
    public static List<IndexedRoot> roots(TupleOperations tuples) {
        return IndexedRoot.all(tuples);
    }

    /** Returns the conditions that the entries of the index in a space meet; empty if it has all entries. */
    @Internal
    public static Optional<IndexCondition> condition(TupleOperations tuples) {
        return IndexCondition.in(tuples);
    }

    /** Returns the conditions that the entries of the index meet, as text; empty if it has all entries. */
    public Optional<String> condition() {
        return condition(space)
                .map(one -> one.words().stream().map(ByteString::toString).collect(Collectors.joining(" ")));
    }

    // The index has directories for later runs that do not meet its conditions. Asking whether it has conditions would
    // take as long as a query for a few entries.
    private static FileQuery visible(FileQuery query) {
        return query.with(FileField.GENERATION, SELECTED);
    }

    /** Returns the indexed trees, in order of their paths. */
    public List<IndexedRoot> roots() {
        return roots(space);
    }

    /**
     * Returns the number and the sizes of the entries of a tree: its root and everything below it. A sum that no long
     * holds is the largest long.
     *
     * @param root absolute path of the tree
     */
    public FileGroup tree(ByteString root) {
        long count = 0;
        long size = 0;
        long blocks = 0;
        for (Template<FileTuple> part : Selection.together(treeOf(root))) {
            Template<FileTuple> selected = part.atLeast(FileField.GENERATION.label(), 1L);
            count += space.count(selected);
            size = Amounts.sum(size, sum(selected, FileField.SIZE));
            blocks = Amounts.sum(blocks, sum(selected, FileField.BLOCKS));
        }
        return new FileGroup(root.toString(), count, size, blocks);
    }

    private long sum(Template<FileTuple> template, FileField field) {
        try {
            return space.sum(template, field.label()).longValue();
        } catch (ArithmeticException e) {
            return Long.MAX_VALUE;
        }
    }

    /** Returns templates that together match the root of a tree and everything below it, each entry once. */
    @Internal
    public static List<Template<FileTuple>> treeOf(ByteString root) {
        List<Template<FileTuple>> parts = new ArrayList<>(below(root));
        parts.add(entry(root));
        return parts;
    }

    /** Returns a template that matches the entry with a path. */
    @Internal
    public static Template<FileTuple> entry(ByteString path) {
        return Template.of(FileTuple.class)
                .equal(FileField.DIRECTORY.label(), FileTuple.directoryOf(path))
                .equal(FileField.NAME.label(), FileTuple.nameOf(path));
    }

    /** Returns templates that together match everything below a directory, each entry once. */
    @Internal
    public static List<Template<FileTuple>> below(ByteString path) {
        Template<FileTuple> all = Template.of(FileTuple.class);
        String directory = FileField.DIRECTORY.label();
        Template<FileTuple> deeper = all.prefix(directory, FileTuple.join(path, ByteString.empty()));
        // The prefix of the root of the file system also matches that directory itself.
        return path.length() > 1 ? List.of(all.equal(directory, path), deeper) : List.of(deeper);
    }

    /** Returns whether the index has an entry with an absolute path. */
    @Internal
    public boolean contains(ByteString path) {
        return space.count(entry(path)) > 0;
    }

    /**
     * Sums up the space of directories, as {@link org.treehaul.core.walk.summary.TreeUsage} does in trees. A file with
     * several names belongs to the directory of the name that the index returns first.
     *
     * @param roots absolute paths of entries of the index; entries that two of them contain count in the first, unless
     *        the options count links
     * @param names the paths with which the reported paths begin, one for each root
     * @param receiver receives the paths that the options ask for, a directory after everything below it
     * @param progress counts the entries
     * @return the space of all entries
     * @throws UncheckedIOException if the sums cannot be sorted in files
     */
    @Internal
    public Usage usage(List<ByteString> roots, List<ByteString> names, UsageOptions options,
            Consumer<PathUsage> receiver, Progress progress, Cancellation cancellation) {
        InodeSet seen = new InodeSet();
        TotalsUsage totals = new TotalsUsage(space, memory, options, seen, progress, cancellation);
        DirectoryUsage usage = new DirectoryUsage(space, memory, options, seen, progress, cancellation);
        Usage total = Usage.NONE;
        for (int i = 0; i < roots.size() && !cancellation.isCancelled(); i++) {
            // As in trees, entries that count for each of their names also count for each of the roots.
            List<ByteString> before = options.countLinks() ? List.of() : roots.subList(0, i);
            Optional<Usage> known = totals.sum(roots.get(i), names.get(i), before, receiver);
            total = total
                    .plus(known.isPresent() ? known.get() : usage.sum(roots.get(i), names.get(i), before, receiver));
        }
        return total;
    }

    /** Returns the entries that match, in no particular order. The caller closes the stream. */
    public Stream<FileTuple> entries(FileQuery query) {
        List<FileQuery> parts = QueryParts.of(query);
        return parts.size() == 1 ? entriesOf(query) : parts.stream().flatMap(this::entriesOf);
    }

    private Stream<FileTuple> entriesOf(FileQuery query) {
        Selection selection = Selection.of(query, space);
        List<Template<FileTuple>> templates = selection.templates();
        // Queries the templates one after another, because each open stream keeps a connection to the space.
        Stream<FileTuple> found = templates.size() == 1
                ? space.contents(templates.getFirst())
                : templates.stream().flatMap(space::contents);
        Stream<FileTuple> selected = found.filter(FileTuple::isSelected);
        if (selection.isExact()) {
            return selected;
        }
        Function<FileTuple, EntryValues<RuntimeException>> values = IndexedValues.known(space, query.fields());
        return selected.filter(tuple -> query.matches(values.apply(tuple)));
    }

    /** Returns the entry with an absolute path, if the index has it and it meets the conditions of the index. */
    @Internal
    public Optional<FileTuple> find(ByteString path) {
        FileQuery query = FileQuery.all()
                .with(FileField.PATH, new TextCondition(false, List.of(BytePattern.of(path)), false));
        try (Stream<FileTuple> found = entries(query)) {
            return found.findFirst();
        }
    }

    /**
     * Returns the entries below a directory that match, in no particular order. The caller closes the stream.
     *
     * @param directory its absolute path
     */
    @Internal
    public Stream<FileTuple> entriesBelow(ByteString directory, FileQuery query) {
        BytePattern below = BytePattern.prefix(FileTuple.join(directory, ByteString.empty()));
        // The root of the file system has this prefix too.
        return entries(query.with(FileField.PATH, new TextCondition(false, List.of(below), false)))
                .filter(tuple -> tuple.directory().length() > 0);
    }

    /** Returns whether a directory was read and had no entries. */
    @Internal
    public boolean isEmpty(FileTuple directory) {
        return IndexedValues.isEmpty(directory, space);
    }

    /** Returns the number of entries that match. */
    public long count(FileQuery asked) {
        return aggregates().count(visible(asked));
    }

    /**
     * Returns the sum of a field over the entries that match.
     *
     * @throws IllegalArgumentException when the field has no sums
     */
    public long sum(FileQuery asked, FileField field) {
        if (!field.isAmount()) {
            throw new IllegalArgumentException(
                    "cannot sum " + field.label() + "; size, blocks and links can be summed");
        }
        return aggregates().sum(visible(asked), field);
    }

    private EntryAggregates aggregates() {
        return new EntryAggregates(this::entries, space, memory);
    }

    private static long number(FileField field, FileTuple tuple) {
        Long number = tuple.number(field);
        return number == null ? Long.MIN_VALUE : number;
    }

    /**
     * Groups the matching entries by the value of a field; the groups with the most bytes come first. Groups that do
     * not fit into memory are sorted in files. The caller closes the groups.
     *
     * @throws IllegalArgumentException when the field is the path, which is different for every entry, or another way
     *         to write a condition on the time
     * @throws ArithmeticException when the sum of a group does not fit a long
     * @throws UncheckedIOException when the groups cannot be sorted in files
     */
    public FileGroups groupBy(FileQuery query, FileField field) {
        return groupBy(query, field, FileGroups.Order.SIZE);
    }

    /** Groups the matching entries like {@link #groupBy(FileQuery, FileField)}, in another order. */
    public FileGroups groupBy(FileQuery query, FileField field, FileGroups.Order order) {
        if (field == FileField.PATH || field.isAlias()) {
            throw new IllegalArgumentException(
                    "cannot group by " + field.label() + "; group by directory, name or mtime");
        }
        return aggregates().groupBy(visible(query), field, order);
    }

    /**
     * Returns the matching entries with the greatest values in a field, the greatest first, and entries with equal
     * values in the order of the bytes of their paths. Entries without a value are left out. Entries that do not fit
     * into memory are sorted in files. The caller closes the stream.
     *
     * @param count how many entries to return, at least 1
     * @throws IllegalArgumentException when the field has no order
     * @throws UncheckedIOException when the entries cannot be sorted in files
     */
    public Stream<FileTuple> top(FileQuery asked, FileField field, int count) {
        FileQuery query = visible(asked);
        if (!field.isOrdered()) {
            throw new IllegalArgumentException(field.label() + " has no order; use size, blocks, links or a time");
        }
        FileQuery present = field.isOptional() ? query.with(field, NumberSet.of(field.domain())) : query;
        OptionalLong bound = bound(present, field, count);
        if (bound.isPresent()) {
            NumberSet most = NumberSet.of(new NumberSet.Range(bound.getAsLong(), field.domain().high()));
            TopEntries top = found(present.with(field, most), field, count);
            if (top.isFull()) {
                return top.stream();
            }
            // An index run that has ended since then removed some of the entries: the rest of the answer is below.
            top.close();
        }
        return found(present, field, count).stream();
    }

    private TopEntries found(FileQuery query, FileField field, int count) {
        TopEntries top = new TopEntries(field, count, memory);
        boolean isWhole = false;
        try (Stream<FileTuple> found = entries(query)) {
            found.forEach(top::add);
            isWhole = true;
            return top;
        } finally {
            if (!isWhole) {
                top.close();
            }
        }
    }

    /**
     * Returns a value that the given number of entries reach, so that all others need not be read; empty if it is not
     * known.
     */
    private OptionalLong bound(FileQuery query, FileField field, int count) {
        Selection selection = Selection.of(query, space);
        OptionalLong bound = OptionalLong.empty();
        if (!selection.isExact() || count > MOST_BOUNDED) {
            return bound;
        }
        Order order = Order.by(field.label()).descending();
        for (Template<FileTuple> template : selection.templates()) {
            try (Stream<FileTuple> found = space.contents(template, order, count)) {
                OptionalLong last = found.mapToLong(tuple -> number(field, tuple)).skip(count - 1L).findFirst();
                if (last.isPresent() && (bound.isEmpty() || bound.getAsLong() < last.getAsLong())) {
                    bound = last;
                }
            }
        }
        return bound.isPresent() && bound.getAsLong() < field.domain().low() ? OptionalLong.empty() : bound;
    }

    /**
     * Reports matching entries that an index run of any process has found new, changed or gone. A changed entry is
     * reported as taken in its old state and written in its new one. Watching begins when no other process writes to
     * the space; an index run writes from its beginning to its end.
     *
     * @param action called for one event after another, on a thread of the space
     * @return the watch; the caller closes it to stop the events
     */
    public Watch watch(FileQuery asked, Consumer<? super TupleEvent<FileTuple>> action) {
        FileQuery query = visible(asked);
        List<Template<FileTuple>> templates = Selection.of(query, space).templates();
        if (templates.isEmpty()) {
            return new Watch(Optional.empty());
        }
        Function<FileTuple, EntryValues<RuntimeException>> values = IndexedValues.in(space, query.fields());
        // One registration for all templates: several would call the action at the same time, in any order.
        return new Watch(Optional.of(space.on(Template.ofAny(FileTuple.class, templates),
                Set.of(EventKind.WRITTEN, EventKind.TAKEN), event -> {
                    if (query.matches(values.apply(event.tuple()))) {
                        action.accept(event);
                    }
                })));
    }

    /** A running watch of the index. */
    public static final class Watch implements AutoCloseable {

        /** Empty if no entry can meet the conditions. */
        private final Optional<Registration> registration;

        private Watch(Optional<Registration> registration) {
            this.registration = registration;
        }

        /** Returns the number of changes that were lost because the action was too slow. */
        public long lost() {
            return registration.map(Registration::lost).orElse(0L);
        }

        @Override
        public void close() {
            registration.ifPresent(Registration::close);
        }
    }

    @Override
    public void close() {
        space.close();
    }
}
