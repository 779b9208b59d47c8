// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.files;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import org.treehaul.core.condition.FileField;
import org.treehaul.core.condition.FileQuery;
import org.treehaul.core.condition.NumberSet;
import org.treehaul.core.entry.EntryKind;

/** Divides a query so that a store can answer as much of it as possible. */
final class QueryParts {

    private static final NumberSet REGULAR = kind(EntryKind.REGULAR);
    private static final NumberSet DIRECTORY = kind(EntryKind.DIRECTORY);

    private QueryParts() {}

    /**
     * Returns queries of which exactly one matches each entry that a query matches. The emptiness of a regular file is
     * its size, and only that of a directory depends on other entries.
     */
    static List<FileQuery> of(FileQuery query) {
        NumberSet empty = query.numbers().get(FileField.EMPTY);
        boolean isAlternative = query.groups()
                .stream()
                .flatMap(List::stream)
                .anyMatch(way -> way.fields().contains(FileField.EMPTY));
        if (empty == null || empty.isEmpty() || isAlternative) {
            return List.of(query);
        }
        boolean isEmpty = empty.contains(1);
        FileQuery others = query.without(Set.of(FileField.EMPTY));
        List<FileQuery> parts = new ArrayList<>();
        parts.add(query.with(FileField.KIND, DIRECTORY));
        parts.add(others.with(FileField.KIND, REGULAR)
                .with(FileField.SIZE, isEmpty ? only(0, 0) : only(1, FileField.SIZE.domain().high())));
        if (!isEmpty) {
            parts.add(others.with(FileField.KIND, REGULAR.unite(DIRECTORY).complement(FileField.KIND.domain())));
        }
        return parts;
    }

    private static NumberSet kind(EntryKind kind) {
        long number = FileField.KINDS.indexOf(kind);
        return only(number, number);
    }

    private static NumberSet only(long low, long high) {
        return NumberSet.of(new NumberSet.Range(low, high));
    }
}
