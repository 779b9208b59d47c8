// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.files.index;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.treehaul.core.condition.FileField;
import org.treehaul.core.entry.ByteString;
import org.treehaul.tuplespace.Lease;
import org.treehaul.tuplespace.TupleOperations;
import org.treehaul.tuplespace.TupleSpace;
import org.treehaul.tuplespace.files.AbsolutePath;
import org.treehaul.tuplespace.files.DirectoryTotals;
import org.treehaul.tuplespace.files.EntrySum;
import org.treehaul.tuplespace.files.FileIndex;
import org.treehaul.tuplespace.files.FileTuple;
import org.treehaul.tuplespace.files.IndexCondition;
import org.treehaul.tuplespace.files.IndexedRoot;
import org.treehaul.tuplespace.files.TotalsState;
import org.treehaul.tuplespace.tuple.Condition;
import org.treehaul.tuplespace.tuple.Template;

/** Removes trees from an index, except entries that other indexed trees contain. */
final class TreeRemoval {

    private static final String DIRECTORY = FileField.DIRECTORY.label();

    private TreeRemoval() {}

    /**
     * Removes trees in one transaction.
     *
     * @param roots absolute paths of indexed trees
     * @throws IndexException if one of them is not indexed; the index is unchanged
     */
    static List<ForgottenTree> remove(TupleSpace space, List<ByteString> roots, ListedParts parts)
            throws IndexException {
        List<IndexedRoot> trees = FileIndex.roots(space);
        List<ByteString> known = trees.stream().map(IndexedRoot::root).toList();
        for (ByteString root : roots) {
            if (!known.contains(root)) {
                throw new IndexException(root + " is not an indexed tree; "
                        + (known.isEmpty()
                                ? "the index has none"
                                : "those of this index are "
                                        + known.stream().map(ByteString::toString).collect(Collectors.joining(", "))));
            }
        }
        List<ByteString> kept = new ArrayList<>(known);
        kept.removeAll(roots);
        return space.atomically(inside -> {
            boolean keepsTotals = TotalsState.isCurrent(inside, trees) && !TotalsUpdate.areNested(known);
            EntrySum listings = TotalsState.sums(inside, trees).orElseGet(EntrySum::random);
            List<ForgottenTree> forgotten = roots.stream()
                    .distinct()
                    .map(root -> new ForgottenTree(root, remove(inside, root, kept)))
                    .toList();
            try (TotalsUpdate totals = new TotalsUpdate(parts, listings)) {
                if (keepsTotals) {
                    totals.apply(inside, FileIndex.roots(inside));
                } else {
                    totals.rebuild(inside, FileIndex.roots(inside));
                }
            }
            if (kept.isEmpty()) {
                // The next tree may have other conditions.
                inside.remove(Template.of(IndexCondition.class));
            }
            return forgotten;
        });
    }

    private static long remove(TupleOperations tuples, ByteString root, List<ByteString> kept) {
        tuples.remove(Template.of(IndexedRoot.class).equal("root", root));
        if (kept.stream().anyMatch(outer -> AbsolutePath.isBelow(root, outer))) {
            return 0;
        }
        List<ByteString> inner = kept.stream().filter(other -> AbsolutePath.isBelow(other, root)).toList();
        // The root of an inner tree is in a directory that is removed.
        List<FileTuple> innerRoots = new ArrayList<>();
        for (ByteString tree : inner) {
            try (Stream<FileTuple> found = tuples.contents(FileIndex.entry(tree))) {
                found.forEach(innerRoots::add);
            }
        }
        boolean isSelective = FileIndex.condition(tuples).isPresent();
        long removed = -innerRoots.stream().filter(FileTuple::isSelected).count();
        tuples.remove(DirectoryTotals.entry(root));
        DirectoryTotals.below(root).forEach(tuples::remove);
        for (Template<FileTuple> part : FileIndex.treeOf(root)) {
            Template<FileTuple> outside = part;
            for (ByteString tree : inner) {
                outside = outside.not(new Condition.Equal(DIRECTORY, tree))
                        .not(new Condition.Prefix(DIRECTORY, FileTuple.join(tree, ByteString.empty())));
            }
            removed += tuples.remove(isSelective ? outside.atLeast(FileField.GENERATION.label(), 1L) : outside);
            if (isSelective) {
                tuples.remove(outside);
            }
        }
        tuples.writeAll(innerRoots, Lease.FOREVER);
        return removed;
    }
}
