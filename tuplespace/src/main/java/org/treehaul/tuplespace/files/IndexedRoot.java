// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.files;

import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

import org.treehaul.core.entry.ByteString;
import org.treehaul.tuplespace.TupleOperations;
import org.treehaul.tuplespace.tuple.Template;

/**
 * An indexed tree: stored as a tuple beside those of its entries.
 *
 * @param root absolute path of the tree
 * @param generation number of the last index run that read the tree, from 1
 * @param finished when that run ended, in nanoseconds since 1970
 * @param entries number of entries that the run saw
 * @param failures number of entries that the run could not read
 */
public record IndexedRoot(ByteString root, long generation, long finished, long entries, long failures) {

    public IndexedRoot {
        Objects.requireNonNull(root);
    }

    /** Returns the trees that the index in a space contains, in order of their paths. */
    static List<IndexedRoot> all(TupleOperations tuples) {
        try (Stream<IndexedRoot> roots = tuples.contents(Template.of(IndexedRoot.class))) {
            return roots.sorted(Comparator.comparing(IndexedRoot::root)).toList();
        }
    }
}
