// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.files;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.condition.EntryValues;
import org.treehaul.core.condition.FileField;
import org.treehaul.core.condition.FileQuery;
import org.treehaul.core.entry.ByteString;
import org.treehaul.tuplespace.TupleSpace;
import org.treehaul.tuplespace.store.Aggregator;
import org.treehaul.tuplespace.tuple.Aggregate;
import org.treehaul.tuplespace.tuple.Bytes;
import org.treehaul.tuplespace.tuple.Group;
import org.treehaul.tuplespace.tuple.Template;

/**
 * Groups and sums of entries by fields that the index does not store, or over entries whose conditions the store cannot
 * check. The threads that read evaluate them, from the components that they need.
 */
final class DerivedGroups {
    private static final @Nullable Object[] ALL = {};

    private final Function<FileQuery, Stream<FileTuple>> entries;
    private final TupleSpace space;
    private final long bytes;

    /**
     * Prepares questions for an index.
     *
     * @param entries returns the entries that match a query
     * @param bytes approximate memory for the groups
     */
    DerivedGroups(Function<FileQuery, Stream<FileTuple>> entries, TupleSpace space, long bytes) {
        this.entries = entries;
        this.space = space;
        this.bytes = bytes;
    }

    /**
     * Passes the groups of the matching entries, each possibly in parts.
     *
     * @param query conditions that include the generation
     * @param by the field whose values make the groups; empty for one group
     * @param action receives groups whose key is a ByteString, a Long or null; must not use the space
     * @param sums fields to add up in each group, after the number of its entries
     */
    void each(FileQuery query, Optional<FileField> by, Consumer<? super Group> action, FileField... sums) {
        Set<FileField> fields = query.fields();
        by.ifPresent(fields::add);
        Optional<Predicate<FileTuple>> emptiness = fields.contains(FileField.EMPTY)
                ? IndexedValues.knownEmptiness(space)
                : Optional.of(directory -> false);
        Function<FileTuple, EntryValues<RuntimeException>> values = emptiness
                .map(known -> IndexedValues.in(space, fields, known))
                .orElseGet(() -> IndexedValues.in(space, fields));
        if (emptiness.isEmpty()) {
            // Other tuples, which show whether a directory is empty, cannot be asked for while these are read.
            try (Stream<FileTuple> found = entries.apply(query)) {
                found.forEach(tuple -> action.accept(group(tuple, values.apply(tuple), by, sums)));
            }
            return;
        }
        FileQuery unmet = unmet(query);
        Set<FileField> read = unmet.fields();
        by.ifPresent(read::add);
        SomeFields some = new SomeFields(read);
        Aggregator.Key key = all -> {
            EntryValues<RuntimeException> entry = values.apply(some.tuple(all));
            if (!unmet.matches(entry)) {
                return null;
            }
            return by.isEmpty() ? ALL : new @Nullable Object[]{canonical(value(entry, by.get()))};
        };
        Aggregate[] aggregates = new Aggregate[1 + sums.length];
        aggregates[0] = Aggregate.count();
        for (int i = 0; i < sums.length; i++) {
            aggregates[1 + i] = Aggregate.sum(sums[i].label());
        }
        for (Template<FileTuple> template : Selection.together(Selection.of(query, space).templates())) {
            space.groupByInParts(template, some.components(), key, bytes, group -> action.accept(own(group)),
                    aggregates);
        }
    }

    /** Returns the conditions that the templates of a query may not check: they check those on stored numbers. */
    private static FileQuery unmet(FileQuery query) {
        Set<FileField> met = EnumSet.noneOf(FileField.class);
        for (Map.Entry<FileField, ?> numbers : query.numbers().entrySet()) {
            if (numbers.getKey().isStored()) {
                met.add(numbers.getKey());
            }
        }
        // A query without the conditions on a field would also lack the groups that have one.
        query.groups().forEach(group -> group.forEach(way -> met.removeAll(way.fields())));
        return query.without(met);
    }

    private static Group group(FileTuple tuple, EntryValues<RuntimeException> values, Optional<FileField> by,
            FileField... sums) {
        @Nullable Object[] all = new @Nullable Object[1 + sums.length];
        all[0] = 1L;
        for (int i = 0; i < sums.length; i++) {
            all[1 + i] = tuple.number(sums[i]);
        }
        List<@Nullable Object> key = by.isEmpty() ? List.of() : Arrays.asList(value(values, by.get()));
        return new Group(key, Arrays.asList(all));
    }

    private static @Nullable Object value(EntryValues<RuntimeException> entry, FileField field) {
        return field.isText() ? entry.text(field) : entry.number(field);
    }

    private static @Nullable Object canonical(@Nullable Object value) {
        return value instanceof ByteString text ? Bytes.wrap(text.toBytes()) : value;
    }

    private static Group own(Group group) {
        List<@Nullable Object> key = group.key();
        return key.isEmpty() || !(key.getFirst() instanceof Bytes text)
                ? group
                : new Group(List.of(ByteString.of(text.array())), group.values());
    }
}
