// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.sql;

import java.util.List;

import org.treehaul.tuplespace.tuple.Condition;

/** Alternatives, each a list of conditions: a tuple must meet all conditions of at least one list. */
public final class Alternatives {
    /** The most that are compared with each other. */
    private static final int MOST = 16;

    private Alternatives() {}

    /**
     * Divides alternatives into parts such that no tuple meets two parts: each alternative is a part of its own if that
     * is certain, otherwise all are one part.
     */
    public static List<List<List<Condition>>> parts(List<List<Condition>> alternatives) {
        if (alternatives.size() > MOST) {
            return List.of(alternatives);
        }
        for (int i = 0; i < alternatives.size(); i++) {
            for (int j = i + 1; j < alternatives.size(); j++) {
                if (!areDisjoint(alternatives.get(i), alternatives.get(j))) {
                    return List.of(alternatives);
                }
            }
        }
        return alternatives.stream().map(List::of).toList();
    }

    private static boolean areDisjoint(List<Condition> some, List<Condition> others) {
        return some.stream()
                .anyMatch(one -> others.stream()
                        .anyMatch(other -> one.component().equals(other.component())
                                && (excludes(one, other) || excludes(other, one))));
    }

    private static boolean excludes(Condition one, Condition other) {
        return one instanceof Condition.Equal(String ignored, Object value) && !other.isMetBy(value);
    }
}
