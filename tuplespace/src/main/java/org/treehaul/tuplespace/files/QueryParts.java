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
        List<FileQuery> parts = new ArrayList<>();
        parts.add(ofDirectories(query));
        parts.addAll(ofOthers(query.without(Set.of(FileField.EMPTY)), empty.contains(1)));
        return parts;
    }

    /** Returns the query for the directories among the entries that a query matches. */
    static FileQuery ofDirectories(FileQuery query) {
        return query.with(FileField.KIND, DIRECTORY);
    }

    /**
     * Returns queries of which exactly one matches each other entry that a query without conditions on emptiness
     * matches.
     *
     * @param areEmpty whether they match empty entries; else all others
     */
    static List<FileQuery> ofOthers(FileQuery query, boolean areEmpty) {
        FileQuery regular = query.with(FileField.KIND, REGULAR);
        if (areEmpty) {
            return List.of(regular.with(FileField.SIZE, only(0, 0)));
        }
        return List.of(regular.with(FileField.SIZE, only(1, FileField.SIZE.domain().high())),
                query.with(FileField.KIND, REGULAR.unite(DIRECTORY).complement(FileField.KIND.domain())));
    }

    private static NumberSet kind(EntryKind kind) {
        long number = FileField.KINDS.indexOf(kind);
        return only(number, number);
    }

    private static NumberSet only(long low, long high) {
        return NumberSet.of(new NumberSet.Range(low, high));
    }
}
