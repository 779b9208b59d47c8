// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.memory;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;
import org.treehaul.tuplespace.tuple.Component;
import org.treehaul.tuplespace.tuple.Condition;
import org.treehaul.tuplespace.tuple.TupleType;

/**
 * The tuples of one record class, stored densely, and hash indexes over declared components. Tuples and entries are in
 * two arrays, so that a scan touches only the tuples.
 */
final class Table {
    final TupleType<?> type;
    private final List<Index> indexes = new ArrayList<>();
    private final Dense all = new Dense();

    /** Entries in no order: the last entry takes the place of a removed one. */
    static final class Dense {
        Record[] tuples = new Record[4];
        Entry[] entries = new Entry[4];
        int size;

        int add(Entry entry) {
            if (size == entries.length) {
                tuples = Arrays.copyOf(tuples, size * 2);
                entries = Arrays.copyOf(entries, size * 2);
            }
            tuples[size] = entry.tuple;
            entries[size] = entry;
            return size++;
        }

        /** Removes an entry; returns the one that was moved to its position, or null. */
        @SuppressWarnings("NullAway") // slots at and beyond the size are null and never read
        @Nullable Entry remove(int position) {
            int last = --size;
            Entry moved = entries[last];
            tuples[position] = tuples[last];
            entries[position] = moved;
            tuples[last] = null;
            entries[last] = null;
            return position == last ? null : moved;
        }
    }

    private record Index(List<Component> components, Map<Object, Dense> buckets) {

        /** Returns the key of a tuple. A single value is its own key, which saves a list for each tuple. */
        Object key(Record tuple) {
            if (components.size() == 1) {
                Object value = components.getFirst().canonical(tuple);
                return value == null ? Absent.VALUE : value;
            }
            @Nullable Object[] values = new @Nullable Object[components.size()];
            for (int i = 0; i < values.length; i++) {
                values[i] = components.get(i).canonical(tuple);
            }
            return Arrays.asList(values);
        }

        /** Returns the key given by equality conditions, or null if they do not name all components. */
        @Nullable Object key(Map<String, Object> equal) {
            List<Object> values = new ArrayList<>();
            for (Component component : components) {
                Object value = equal.get(component.name());
                if (value == null) {
                    return null;
                }
                values.add(value);
            }
            return values.size() == 1 ? values.getFirst() : values;
        }
    }

    private enum Absent {
        VALUE
    }

    Table(TupleType<?> type, List<List<String>> indexed) {
        this.type = type;
        for (List<String> names : indexed) {
            indexes.add(new Index(names.stream().map(type::component).toList(), new HashMap<>()));
        }
    }

    int indexCount() {
        return indexes.size();
    }

    void add(Entry entry) {
        entry.position = all.add(entry);
        for (int i = 0; i < indexes.size(); i++) {
            Index index = indexes.get(i);
            entry.bucketPositions[i] = index.buckets()
                    .computeIfAbsent(index.key(entry.tuple), key -> new Dense())
                    .add(entry);
        }
    }

    void remove(Entry entry) {
        Entry moved = all.remove(entry.position);
        if (moved != null) {
            moved.position = entry.position;
        }
        for (int i = 0; i < indexes.size(); i++) {
            Index index = indexes.get(i);
            Object key = index.key(entry.tuple);
            Dense bucket = index.buckets().get(key);
            if (bucket == null) {
                throw new IllegalStateException("a tuple that is not in its index: " + entry.tuple);
            }
            Entry movedThere = bucket.remove(entry.bucketPositions[i]);
            if (movedThere != null) {
                movedThere.bucketPositions[i] = entry.bucketPositions[i];
            }
            if (bucket.size == 0) {
                index.buckets().remove(key);
            }
        }
    }

    /** Returns a set with all tuples that can meet the conditions: the smallest matching bucket, or the whole table. */
    Dense candidates(List<Condition> conditions) {
        if (indexes.isEmpty() || conditions.isEmpty()) {
            return all;
        }
        Map<String, Object> equal = new HashMap<>();
        for (Condition condition : conditions) {
            if (condition instanceof Condition.Equal(String component, Object value)) {
                equal.put(component, value);
            }
        }
        Dense best = all;
        for (Index index : indexes) {
            Object key = index.key(equal);
            if (key != null) {
                Dense bucket = index.buckets().get(key);
                if (bucket == null) {
                    return new Dense();
                }
                best = bucket.size < best.size ? bucket : best;
            }
        }
        return best;
    }

    /** Returns the first entry from a position on that passes the test, or -1. */
    static int next(Dense among, int from, Predicate<Object> test) {
        Record[] tuples = among.tuples;
        int size = among.size;
        for (int i = from; i < size; i++) {
            if (test.test(tuples[i])) {
                return i;
            }
        }
        return -1;
    }
}
