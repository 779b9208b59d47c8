// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.memory;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;
import org.treehaul.tuplespace.memory.Entry.Holder;
import org.treehaul.tuplespace.store.StoreOptions;
import org.treehaul.tuplespace.tuple.Condition;
import org.treehaul.tuplespace.tuple.Template;
import org.treehaul.tuplespace.tuple.TupleType;

/** The tables of a space, one for each record class, and the search for matches. Guarded by the store's lock. */
final class Tables {
    private final List<StoreOptions.Index> indexes;
    private final Map<Class<?>, Table> byType = new LinkedHashMap<>();

    Tables(List<StoreOptions.Index> indexes) {
        this.indexes = indexes;
    }

    Table table(Class<?> type) {
        Table known = byType.get(type);
        if (known == null) {
            TupleType<?> tuples = TupleType.of(type.asSubclass(Record.class));
            known = new Table(tuples,
                    indexes.stream()
                            .filter(index -> index.type() == type)
                            .map(StoreOptions.Index::components)
                            .toList());
            byType.put(type, known);
        }
        return known;
    }

    private Collection<Table> of(Template<?> template) {
        if (!template.type().isRecord()) {
            return List.copyOf(byType.values());
        }
        Table table = byType.get(template.type());
        return table == null ? List.of() : List.of(table);
    }

    /**
     * Returns a match that can be read or taken now.
     *
     * @param holder the transaction that searches, or null
     * @param isHeld set to true when a transaction holds a match
     */
    @Nullable Entry first(Template<?> template, @Nullable Holder holder, boolean isTake, long now, boolean[] isHeld) {
        for (Table table : of(template)) {
            Entry found = first(table, template, holder, isTake, now, isHeld);
            if (found != null) {
                return found;
            }
        }
        return null;
    }

    private static @Nullable Entry first(Table table, Template<?> template, @Nullable Holder holder, boolean isTake,
            long now, boolean[] isHeld) {
        for (List<Condition> conditions : template.conditionsFor(table.type)) {
            Predicate<Object> test = table.type.test(conditions);
            Table.Dense among = table.candidates(conditions);
            for (int i = Table.next(among, 0, test); i >= 0; i = Table.next(among, i + 1, test)) {
                Entry entry = among.entries[i];
                switch (entry.seenBy(holder, isTake, now)) {
                    case FREE -> {
                        return entry;
                    }
                    case HELD -> isHeld[0] = true;
                    case INVISIBLE -> {
                    }
                }
            }
        }
        return null;
    }

    /**
     * Calls an action once for each match that can be read or taken, up to the limit. The action must not remove it.
     */
    void each(Template<?> template, @Nullable Holder holder, boolean isTake, long now, long limit,
            Consumer<Entry> action) {
        long left = limit;
        for (Table table : of(template)) {
            // A tuple that meets several alternatives counts for the first of them. A loop, because predicates joined by
            // or() would be as deep as there are alternatives.
            List<Predicate<Object>> earlier = new ArrayList<>();
            for (List<Condition> conditions : template.conditionsFor(table.type)) {
                Predicate<Object> test = table.type.test(conditions);
                left = each(table.candidates(conditions),
                        earlier.isEmpty() ? test : tuple -> test.test(tuple) && meetsNone(earlier, tuple), holder,
                        isTake, now, left, action);
                earlier.add(test);
            }
        }
    }

    private static boolean meetsNone(List<Predicate<Object>> tests, Object tuple) {
        for (Predicate<Object> test : tests) {
            if (test.test(tuple)) {
                return false;
            }
        }
        return true;
    }

    private static long each(Table.Dense among, Predicate<Object> test, @Nullable Holder holder, boolean isTake,
            long now, long limit, Consumer<Entry> action) {
        long left = limit;
        for (int at = 0; left > 0 && (at = Table.next(among, at, test)) >= 0; at++) {
            Entry entry = among.entries[at];
            if (entry.seenBy(holder, isTake, now) == Entry.Sight.FREE) {
                left--;
                action.accept(entry);
            }
        }
        return left;
    }
}
