// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.pool;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.treehaul.tuplespace.TupleSpace;
import org.treehaul.tuplespace.store.Owned;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.tuple.Aggregate;
import org.treehaul.tuplespace.tuple.Template;

/**
 * Reads the tuples of a class, of which those that are malformed are left out: members of a shared space may write
 * anything into its tables, such as bytes that are no time. A query fails at the first of them, so they are found by
 * queries for portions of the keys, and for ever smaller ones of those that have some.
 */
final class ReadableTuples<T> {

    // Bytes of the keys that are in memory at a time; some 60,000 keys.
    private static final long KEYS = 16L << 20;
    /** Keys of a portion. */
    static final int PORTION = 500;

    private final TupleSpace space;
    private final Class<T> type;
    private final List<String> key;
    private final Predicate<Owned<T>> wanted;
    private final Comparator<? super T> order;
    private final Consumer<String> unreadable;

    /**
     * Creates a reader.
     *
     * @param key the components that distinguish tuples
     * @param wanted accepts the tuples that are returned
     * @param order decides which of the many tuples of a user are returned, see {@link PerRole}
     * @param unreadable receives a message for each key with malformed tuples
     */
    ReadableTuples(TupleSpace space, Class<T> type, List<String> key, Predicate<Owned<T>> wanted,
            Comparator<? super T> order, Consumer<String> unreadable) {
        this.space = space;
        this.type = type;
        this.key = key;
        this.wanted = wanted;
        this.order = order;
        this.unreadable = unreadable;
    }

    /**
     * Returns the tuples.
     *
     * @param template has conditions on components of the key only
     */
    List<Owned<T>> of(Template<T> template) {
        try {
            PerRole<T> all = new PerRole<>(order);
            add(template, all);
            return all.kept();
        } catch (RuntimeException e) {
            throwIfPassing(e);
        }
        PerRole<T> whole = new PerRole<>(order);
        List<List<@Nullable Object>> keys = new ArrayList<>();
        space.groupByInParts(template, key, KEYS, group -> {
            keys.add(group.key());
            if (keys.size() == PORTION) {
                add(List.copyOf(keys), whole);
                keys.clear();
            }
        }, Aggregate.count());
        add(keys, whole);
        // A key may come in several parts.
        return whole.kept().stream().distinct().toList();
    }

    /** Adds the tuples with some keys. */
    private void add(List<List<@Nullable Object>> keys, PerRole<T> to) {
        if (keys.isEmpty()) {
            return;
        }
        PerRole<T> some = new PerRole<>(order);
        try {
            add(Template.ofAny(type, keys.stream().map(this::these).toList()), some);
        } catch (RuntimeException e) {
            throwIfPassing(e);
            if (keys.size() > 1) {
                int half = keys.size() / 2;
                add(keys.subList(0, half), to);
                add(keys.subList(half, keys.size()), to);
                return;
            }
            unreadable.accept(String.valueOf(e.getMessage()));
        }
        some.kept().forEach(to::add);
    }

    private Template<T> these(List<@Nullable Object> values) {
        Template<T> these = Template.of(type);
        for (int i = 0; i < values.size(); i++) {
            Object value = values.get(i);
            these = value == null ? these.isNull(key.get(i)) : these.equal(key.get(i), value);
        }
        return these;
    }

    private void add(Template<T> template, PerRole<T> to) {
        try (Stream<Owned<T>> contents = space.ownedContents(template)) {
            contents.filter(wanted).forEach(to::add);
        }
    }

    private static void throwIfPassing(RuntimeException e) {
        if (mayPass(e)) {
            throw e;
        }
    }

    /** Returns whether an error says nothing about tuples, so that the same query may succeed later. */
    static boolean mayPass(RuntimeException e) {
        return e instanceof SpaceException space && space.reason() != SpaceException.Reason.DAMAGED;
    }
}
