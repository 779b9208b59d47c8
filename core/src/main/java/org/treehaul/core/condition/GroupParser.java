// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.condition;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import org.treehaul.core.entry.ByteString;

/**
 * Parses conditions that are combined by words: {@code and} is implied between two conditions and binds tighter than
 * {@code or}; {@code not} applies to the next condition or group.
 */
final class GroupParser {

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
    private final FieldValues values;
    private int at;
    private int levels;

    GroupParser(List<ByteString> words, FieldValues values) {
        this.words = words;
        this.values = values;
    }

    FileQuery parse() {
        if (words.isEmpty()) {
            return FileQuery.all();
        }
        FileQuery query = alternatives();
        if (at < words.size()) {
            throw wrong(at, "no ( begins the group that it ends");
        }
        return query;
    }

    private boolean isAt(ByteString word) {
        return at < words.size() && words.get(at).equals(word);
    }

    private FileQuery alternatives() {
        List<FileQuery> ways = new ArrayList<>();
        ways.add(conjunction());
        while (isAt(OR)) {
            at++;
            ways.add(conjunction());
        }
        return ways.size() == 1 ? ways.getFirst() : FileQuery.anyOf(ways);
    }

    private FileQuery conjunction() {
        FileQuery all = FileQuery.all();
        do {
            if (isAt(AND)) {
                requireConditionBefore();
                at++;
            }
            all = all.and(term());
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

    private FileQuery term() {
        if (at == words.size()) {
            throw wrong(at - 1, "no condition follows it");
        }
        int start = at;
        ByteString word = words.get(at);
        if (word.equals(NOT)) {
            at++;
            enter(start);
            FileQuery query = term().not();
            levels--;
            return query;
        }
        if (word.equals(OPEN)) {
            at++;
            enter(start);
            FileQuery query = alternatives();
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
        return new ConditionParser(word, values).addTo(FileQuery.all());
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
