// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.files;

import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.treehaul.core.annotation.Internal;
import org.treehaul.tuplespace.TupleOperations;
import org.treehaul.tuplespace.tuple.Template;

/**
 * The state of an index for which its {@link DirectoryTotals} were computed. Another version of the program may change
 * the index without them: then they are not used until the next run has computed them again.
 *
 * @param trees the trees of the index, and the runs that read them, as text
 */
@Internal
public record TotalsState(String trees) {

    public TotalsState {
        Objects.requireNonNull(trees);
    }

    /** Returns the state of an index with these trees. */
    public static TotalsState of(List<IndexedRoot> roots) {
        return new TotalsState(roots.stream()
                .map(root -> root.root() + " " + root.generation() + " " + root.finished() + " " + root.entries())
                .sorted()
                .collect(Collectors.joining("\n")));
    }

    /** Returns whether the totals of an index are those of its entries. */
    public static boolean isCurrent(TupleOperations tuples, List<IndexedRoot> roots) {
        try (Stream<TotalsState> states = tuples.contents(Template.of(TotalsState.class))) {
            return states.toList().equals(List.of(of(roots)));
        }
    }
}
