// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.condition;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import org.treehaul.core.entry.ByteString;

/**
 * Parses conditions that are combined by words: {@code and} is implied between two conditions and binds tighter than
 * {@code or}; {@code not} applies to the next condition or group.
 *
 * @param <Q> the queries
 */
final class GroupParser<Q> {

    /** Nested deeper, a query is a mistake; the parser and the answer recurse once for each level. */
    static final int MOST_LEVELS = 100;

    private static final ByteString OR = ByteString.of("or");
    private static final ByteString AND = ByteString.of("and");
    private static final ByteString NOT = ByteString.of("not");
    private static final ByteString OPEN = ByteString.of("(");
    private static final ByteString CLOSE = ByteString.of(")");

    /** The words between conditions. */
    static final Set<ByteString> WORDS = Set.of(OR, AND, NOT, OPEN, CLOSE);

    private final List<ByteString> words;
    private final Algebra<Q> algebra;
    private int at;
    private int levels;

    /** Makes and combines the queries. */
    interface Algebra<Q> {

        Q all();

        Q condition(ByteString word);

        Q and(Q one, Q other);

        Q anyOf(List<Q> ways);

        Q not(Q query);
    }

    GroupParser(List<ByteString> words, Algebra<Q> algebra) {
        this.words = words;
        this.algebra = algebra;
    }

    Q parse() {
        if (words.isEmpty()) {
            return algebra.all();
        }
        Q query = alternatives();
        if (at < words.size()) {
            throw wrong(at, "no ( begins the group that it ends");
        }
        return query;
    }

    private boolean isAt(ByteString word) {
        return at < words.size() && words.get(at).equals(word);
    }

    private Q alternatives() {
        List<Q> ways = new ArrayList<>();
        ways.add(conjunction());
        while (isAt(OR)) {
            at++;
            ways.add(conjunction());
        }
        return ways.size() == 1 ? ways.getFirst() : algebra.anyOf(ways);
    }

    private Q conjunction() {
        Q all = algebra.all();
        do {
            if (isAt(AND)) {
                requireConditionBefore();
                at++;
            }
            all = algebra.and(all, term());
        } while (at < words.size() && !isAt(OR) && !isAt(CLOSE));
        return all;
    }

    private void requireConditionBefore() {
        if (at == 0 || isOperator(words.get(at - 1))) {
            throw wrong(at, "no condition is before it");
        }
    }

    private static boolean isOperator(ByteString word) {
        return WORDS.contains(word) && !word.equals(CLOSE);
    }

    private Q term() {
        if (at == words.size()) {
            throw wrong(at - 1, "no condition follows it");
        }
        int start = at;
        ByteString word = words.get(at);
        if (word.equals(NOT)) {
            at++;
            enter(start);
            Q query = algebra.not(term());
            levels--;
            return query;
        }
        if (word.equals(OPEN)) {
            at++;
            enter(start);
            Q query = alternatives();
            levels--;
            if (!isAt(CLOSE)) {
                throw wrong(start, "no ) ends the group that it begins");
            }
            at++;
            return query;
        }
        if (WORDS.contains(word)) {
            throw start == 0 || word.equals(CLOSE) && words.get(start - 1).equals(OPEN)
                    ? wrong(start, "no condition is before it")
                    : wrong(start - 1, "no condition follows it");
        }
        at++;
        return algebra.condition(word);
    }

    private void enter(int start) {
        if (++levels > MOST_LEVELS) {
            throw wrong(start, "groups are nested deeper than " + MOST_LEVELS + " levels");
        }
    }

    private ConditionException wrong(int index, String problem) {
        return new ConditionException(words.get(index).toString(), 1, problem);
    }
}
