// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.sql;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.treehaul.tuplespace.tuple.Condition;

/**
 * Alternatives that compare the same components with values, as one list: a database finds a row in it at once, but
 * tries alternatives one after another.
 *
 * @param components the components, in the order of their names
 * @param rows for each alternative the canonical values of the components
 */
public record EqualValues(List<String> components, List<List<Object>> rows) {
    /** Fewer alternatives are left to the database, which may look each up in an index. */
    private static final int FEWEST = 20;

    /**
     * Divides alternatives into lists, and adds the others to a list.
     *
     * @param alternatives each is met if all of its conditions are
     * @param others receives the alternatives that are in none of the lists
     */
    public static List<EqualValues> of(List<List<Condition>> alternatives, List<List<Condition>> others) {
        if (alternatives.size() < FEWEST) {
            others.addAll(alternatives);
            return List.of();
        }
        Map<List<String>, List<List<Condition>>> alike = new LinkedHashMap<>();
        for (List<Condition> conditions : alternatives) {
            List<String> names = conditions.stream().map(Condition::component).sorted().toList();
            boolean isEqual = !conditions.isEmpty() && names.stream().distinct().count() == names.size()
                    && conditions.stream().allMatch(Condition.Equal.class::isInstance);
            (isEqual ? alike.computeIfAbsent(names, one -> new ArrayList<>()) : others).add(conditions);
        }
        List<EqualValues> lists = new ArrayList<>();
        alike.forEach((names, same) -> {
            if (same.size() < FEWEST) {
                others.addAll(same);
            } else {
                lists.add(new EqualValues(names, same.stream().map(EqualValues::row).toList()));
            }
        });
        return lists;
    }

    private static List<Object> row(List<Condition> conditions) {
        return conditions.stream()
                .sorted(Comparator.comparing(Condition::component))
                .map(condition -> ((Condition.Equal) condition).value())
                .toList();
    }
}
