// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.postgresql.sql;

import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

import org.treehaul.tuplespace.tuple.Condition;

/**
 * A table in which tuples may match, and the conditions there: a tuple must meet all of at least one list.
 *
 * @param isExact whether the server can evaluate all conditions; otherwise {@link #test} decides
 * @param heads the components of which the indexes have {@link Heads}
 */
public record Place(Table table, List<List<Condition>> conditions, boolean isExact, Set<String> heads) {

    public Place(Table table, List<List<Condition>> conditions, Set<String> heads) {
        this(table, conditions, isExact(conditions), heads);
    }

    // Loops: lookups of single tuples are so short that streams count.
    private static boolean isExact(List<List<Condition>> conditions) {
        for (List<Condition> all : conditions) {
            for (Condition condition : all) {
                if (!Where.isExact(condition)) {
                    return false;
                }
            }
        }
        return true;
    }

    /** Returns the predicate on tuples that the conditions are. */
    public Predicate<Object> test() {
        List<Predicate<Object>> any = conditions.stream().map(table.type()::test).toList();
        return tuple -> any.stream().anyMatch(one -> one.test(tuple));
    }
}
