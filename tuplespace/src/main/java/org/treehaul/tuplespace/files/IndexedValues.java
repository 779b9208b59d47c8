// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.files;

import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.condition.EntryValues;
import org.treehaul.core.condition.FileField;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.tuplespace.TupleSpace;
import org.treehaul.tuplespace.tuple.Template;

/**
 * The values of an entry of an index in all fields, also in those that depend on other tuples.
 *
 * @param tuple the entry
 * @param roots the indexed trees
 * @param emptiness returns whether a directory was read and had no entries
 */
record IndexedValues(FileTuple tuple, List<ByteString> roots,
        Predicate<FileTuple> emptiness) implements EntryValues<RuntimeException> {

    /** Memory for the paths of empty directories: of some 50,000 or more. */
    private static final long MOST_BYTES = 8 << 20;
    /** Approximate bytes that a path takes besides its own. */
    private static final long DIRECTORY_BYTES = 80;

    private static final ByteString ANY_NAME = ByteString.of("x");

    /** Returns the function that gives the values of a tuple in these fields, as the space is when it is called. */
    static Function<FileTuple, EntryValues<RuntimeException>> in(TupleSpace space, Set<FileField> fields) {
        return in(space, fields, directory -> isEmpty(directory, space));
    }

    /** Returns the function that gives the values of a tuple in these fields, as the space is now or later. */
    static Function<FileTuple, EntryValues<RuntimeException>> known(TupleSpace space, Set<FileField> fields) {
        Optional<Predicate<FileTuple>> known = fields.contains(FileField.EMPTY)
                ? knownEmptiness(space)
                : Optional.empty();
        return known.isPresent() ? in(space, fields, known.get()) : in(space, fields);
    }

    /** Returns the function that gives the values of a tuple in these fields. */
    static Function<FileTuple, EntryValues<RuntimeException>> in(TupleSpace space, Set<FileField> fields,
            Predicate<FileTuple> emptiness) {
        if (!fields.contains(FileField.DEPTH) && !fields.contains(FileField.EMPTY)) {
            return tuple -> tuple;
        }
        List<ByteString> roots = roots(space);
        return tuple -> new IndexedValues(tuple, roots, emptiness);
    }

    /** Returns the paths of the indexed trees. */
    static List<ByteString> roots(TupleSpace space) {
        return IndexedRoot.all(space).stream().map(IndexedRoot::root).toList();
    }

    /**
     * Returns the depth that all entries of a directory have. The root of the file system is an entry of an empty
     * directory.
     */
    static long depthIn(ByteString directory, List<ByteString> roots) {
        return depth(FileTuple.join(directory, ANY_NAME), roots);
    }

    @Override
    public @Nullable ByteString text(FileField field) {
        return tuple.text(field);
    }

    @Override
    public @Nullable Long number(FileField field) {
        return switch (field) {
            case DEPTH -> depthIn(tuple.directory(), roots);
            case EMPTY -> isEmpty() ? 1L : 0L;
            default -> tuple.number(field);
        };
    }

    // The outermost of nested trees has the shortest path.
    private static long depth(ByteString path, List<ByteString> roots) {
        int outermost = path.length();
        for (ByteString root : roots) {
            if (root.length() < outermost && AbsolutePath.isBelow(path, root)) {
                outermost = root.length();
            }
        }
        // The root of the file system ends with the slash that others lack.
        long depth = outermost == 1 && path.length() > 1 ? 1 : 0;
        for (int i = outermost; i < path.length(); i++) {
            depth += path.at(i) == '/' ? 1 : 0;
        }
        return depth;
    }

    private boolean isEmpty() {
        return tuple.kind() == EntryKind.DIRECTORY
                ? emptiness.test(tuple)
                : tuple.kind() == EntryKind.REGULAR && tuple.size() == 0;
    }

    /** Returns whether a directory was read and had no entries. */
    static boolean isEmpty(FileTuple directory, TupleSpace space) {
        if (directory.unread()) {
            return false;
        }
        try (Stream<FileTuple> entries = space
                .contents(Template.of(FileTuple.class).equal(FileField.DIRECTORY.label(), directory.path()))) {
            return entries.findAny().isEmpty();
        }
    }

    /**
     * Returns the test whether a directory is empty by the totals of all directories, which uses the space no more;
     * nothing if the index has no totals of its entries, or too many directories are empty to remember them.
     */
    static Optional<Predicate<FileTuple>> knownEmptiness(TupleSpace space) {
        // An index with conditions may have directories that its totals do not count.
        if (IndexCondition.in(space).isPresent() || !TotalsState.isCurrent(space, IndexedRoot.all(space))) {
            return Optional.empty();
        }
        Set<ByteString> empty = new HashSet<>();
        long bytes = 0;
        try (Stream<DirectoryTotals> found = space.contents(DirectoryTotals.ofEmpty())) {
            Iterator<DirectoryTotals> next = found.iterator();
            while (next.hasNext() && bytes <= MOST_BYTES) {
                ByteString path = next.next().path();
                empty.add(path);
                bytes += DIRECTORY_BYTES + path.length();
            }
        }
        return bytes > MOST_BYTES
                ? Optional.empty()
                : Optional.of(directory -> !directory.unread() && empty.contains(directory.path()));
    }
}
