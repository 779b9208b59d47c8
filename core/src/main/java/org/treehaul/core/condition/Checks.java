// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.condition;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The conditions of a query in the order in which they are checked: those whose values cost least first. */
final class Checks {

    /** One condition. */
    private interface Check {

        /** Returns the cost of the values, see {@link FileField#cost()}. */
        int cost();

        <E extends Exception> boolean holds(EntryValues<E> entry) throws E;
    }

    private record OfNumber(FileField field, NumberSet set) implements Check {

        @Override
        public int cost() {
            return field.cost();
        }

        @Override
        public <E extends Exception> boolean holds(EntryValues<E> entry) throws E {
            return entry.meets(field, set);
        }
    }

    private record OfText(FileField field, List<TextCondition> all) implements Check {

        @Override
        public int cost() {
            return field.cost();
        }

        @Override
        public <E extends Exception> boolean holds(EntryValues<E> entry) throws E {
            return entry.meets(field, all);
        }
    }

    private record OfGroup(List<Checks> ways) implements Check {

        @Override
        public int cost() {
            return ways.stream().mapToInt(Checks::cost).max().orElse(0);
        }

        @Override
        public <E extends Exception> boolean holds(EntryValues<E> entry) throws E {
            for (Checks way : ways) {
                if (way.hold(entry)) {
                    return true;
                }
            }
            return false;
        }
    }

    private final Check[] all;

    private Checks(Check... all) {
        this.all = all;
    }

    static Checks of(Map<FileField, NumberSet> numbers, Map<FileField, List<TextCondition>> texts,
            List<List<FileQuery>> groups) {
        if (numbers.isEmpty() && texts.isEmpty() && groups.isEmpty()) {
            return new Checks();
        }
        List<Check> all = new ArrayList<>();
        numbers.forEach((field, set) -> all.add(new OfNumber(field, set)));
        texts.forEach((field, conditions) -> all.add(new OfText(field, conditions)));
        groups.forEach(group -> all.add(new OfGroup(
                group.stream().map(FileQuery::checks).sorted((a, b) -> Integer.compare(a.cost(), b.cost())).toList())));
        // No Comparator.comparingInt, for which the JVM makes 15 classes at the start of a run.
        all.sort((a, b) -> Integer.compare(a.cost(), b.cost()));
        return new Checks(all.toArray(new Check[0]));
    }

    private int cost() {
        return all.length == 0 ? 0 : all[all.length - 1].cost();
    }

    <E extends Exception> boolean hold(EntryValues<E> entry) throws E {
        for (Check check : all) {
            if (!check.holds(entry)) {
                return false;
            }
        }
        return true;
    }
}
