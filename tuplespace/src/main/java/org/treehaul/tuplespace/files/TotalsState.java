// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.files;

import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.annotation.Internal;
import org.treehaul.tuplespace.TupleOperations;
import org.treehaul.tuplespace.tuple.DerivedTuple;
import org.treehaul.tuplespace.tuple.Template;

/**
 * The state of an index for which its {@link DirectoryTotals} were computed. Another version of the program may change
 * the index without them: then they are not used until the next run has computed them again.
 *
 * @param trees the trees of the index, and the runs that read them, as text
 * @param key the key of the {@link EntrySum} by which {@link DirectoryTotals#listing} was computed; null if no listing
 *        is known
 */
@Internal
public record TotalsState(String trees, @Nullable Long key) implements DerivedTuple {

    public TotalsState {
        Objects.requireNonNull(trees);
    }

    /** Returns the state of an index with these trees, whose listings were computed in this way. */
    public static TotalsState of(List<IndexedRoot> roots, EntrySum sums) {
        return new TotalsState(trees(roots), sums.key());
    }

    private static String trees(List<IndexedRoot> roots) {
        return roots.stream()
                .map(root -> root.root() + " " + root.generation() + " " + root.finished() + " " + root.entries())
                .sorted()
                .collect(Collectors.joining("\n"));
    }

    /** Returns whether the totals of an index are those of its entries. */
    public static boolean isCurrent(TupleOperations tuples, List<IndexedRoot> roots) {
        return current(tuples, roots).isPresent();
    }

    /** Returns how the listings of directories were computed, if the totals are those of the entries. */
    public static Optional<EntrySum> sums(TupleOperations tuples, List<IndexedRoot> roots) {
        return current(tuples, roots).map(TotalsState::key).map(EntrySum::new);
    }

    private static Optional<TotalsState> current(TupleOperations tuples, List<IndexedRoot> roots) {
        try (Stream<TotalsState> found = tuples.contents(Template.of(TotalsState.class))) {
            List<TotalsState> states = found.toList();
            return states.size() == 1 && states.getFirst().trees.equals(trees(roots))
                    ? Optional.of(states.getFirst())
                    : Optional.empty();
        }
    }
}
