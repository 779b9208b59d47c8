// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.files;

import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.condition.FileField;
import org.treehaul.core.condition.FileQuery;
import org.treehaul.core.condition.ServerNames;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.tuplespace.TupleSpace;
import org.treehaul.tuplespace.tuple.Aggregate;
import org.treehaul.tuplespace.tuple.Group;
import org.treehaul.tuplespace.tuple.Template;

/** Counts, sums and groups of the entries of an index. The store computes what it can. */
final class EntryAggregates {

    private final Function<FileQuery, Stream<FileTuple>> entries;
    private final TupleSpace space;
    private final QueryMemory memory;

    /**
     * Prepares questions for an index.
     *
     * @param entries returns the entries that match a query
     */
    EntryAggregates(Function<FileQuery, Stream<FileTuple>> entries, TupleSpace space, QueryMemory memory) {
        this.entries = entries;
        this.space = space;
        this.memory = memory;
    }

    /** Returns the number of entries that match conditions, which include the generation. */
    long count(FileQuery query) {
        // Loops: queries for a few entries are so short that streams count.
        long count = 0;
        for (FileQuery part : QueryParts.of(query)) {
            Selection selection = Selection.of(part, space);
            if (!selection.isExact()) {
                count += derived(part, 0);
                continue;
            }
            for (Template<FileTuple> template : Selection.together(selection.templates())) {
                count += space.count(template);
            }
        }
        return count;
    }

    /** Returns the sum of a field over the entries that match conditions, which include the generation. */
    long sum(FileQuery query, FileField field) {
        return QueryParts.of(query).stream().mapToLong(part -> sumOf(part, field)).reduce(0, Math::addExact);
    }

    private long sumOf(FileQuery query, FileField field) {
        Selection selection = Selection.of(query, space);
        if (!selection.isExact()) {
            return derived(query, 1, field);
        }
        return Selection.together(selection.templates())
                .stream()
                .mapToLong(template -> space.sum(template, field.label()).longValue())
                .reduce(0, Math::addExact);
    }

    private long derived(FileQuery query, int index, FileField... sums) {
        long[] total = {0};
        groups().each(query, Optional.empty(), group -> total[0] = Math.addExact(total[0], number(group, index)), sums);
        return total[0];
    }

    private DerivedGroups groups() {
        return new DerivedGroups(entries, space, memory.bytes());
    }

    /**
     * Groups the entries that match conditions by the value of a field. The caller closes the groups.
     *
     * @param query conditions that include the generation
     */
    FileGroups groupBy(FileQuery query, FileField field, FileGroups.Order order) {
        GroupSums sums = new GroupSums(memory);
        boolean isWhole = false;
        try {
            if (field == FileField.EMPTY && !query.fields().contains(field)) {
                addByEmptiness(sums, query);
            } else {
                QueryParts.of(query).forEach(part -> add(sums, part, field));
            }
            FileGroups groups = sums.groups(order);
            isWhole = true;
            return groups;
        } finally {
            if (!isWhole) {
                sums.close();
            }
        }
    }

    // The store adds up other entries than directories without passing on one of them.
    private void addByEmptiness(GroupSums sums, FileQuery query) {
        add(sums, QueryParts.ofDirectories(query), FileField.EMPTY);
        for (boolean areEmpty : new boolean[]{false, true}) {
            String value = FileField.EMPTY.print(areEmpty ? 1 : 0);
            QueryParts.ofOthers(query, areEmpty).forEach(part -> add(sums, part, Optional.empty(), group -> value));
        }
    }

    private void add(GroupSums sums, FileQuery query, FileField field) {
        add(sums, query, Optional.of(field), group -> value(field, group.key().getFirst()));
    }

    private void add(GroupSums sums, FileQuery query, Optional<FileField> by, Function<Group, String> value) {
        Selection selection = Selection.of(query, space);
        Consumer<Group> adding = group -> {
            // A question without groups has an answer even if nothing matches.
            if (number(group, 0) > 0) {
                sums.add(new FileGroup(value.apply(group), number(group, 0), number(group, 1), number(group, 2)));
            }
        };
        if (selection.isExact() && (by.isEmpty() || by.get().isStored())) {
            List<String> components = by.stream().map(FileField::label).toList();
            for (Template<FileTuple> template : Selection.together(selection.templates())) {
                space.groupByInParts(template, components, memory.bytes(), adding, Aggregate.count(),
                        Aggregate.sum(FileField.SIZE.label()), Aggregate.sum(FileField.BLOCKS.label()));
            }
        } else {
            groups().each(query, by, adding, FileField.SIZE, FileField.BLOCKS);
        }
    }

    private static long number(Group group, int index) {
        return group.values().get(index) instanceof Number number ? number.longValue() : 0;
    }

    private static String value(FileField field, @Nullable Object value) {
        return switch (value) {
            case null -> "";
            case ByteString bytes when field == FileField.HASH -> HexFormat.of().formatHex(bytes.toBytes());
            case ByteString bytes when field == FileField.SERVER -> ServerNames.text(bytes);
            case ByteString bytes -> bytes.toString();
            case EntryKind kind -> kind.label();
            case Boolean flag -> field.print(flag ? 1 : 0);
            default -> field.print(((Number) value).longValue());
        };
    }
}
