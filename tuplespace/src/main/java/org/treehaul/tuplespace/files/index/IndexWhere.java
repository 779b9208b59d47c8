// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.files.index;

import java.time.Clock;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

import org.treehaul.core.condition.ConditionContext;
import org.treehaul.core.condition.ConditionException;
import org.treehaul.core.condition.FileField;
import org.treehaul.core.condition.FileQuery;
import org.treehaul.core.condition.FileTimes;
import org.treehaul.core.entry.ByteString;
import org.treehaul.tuplespace.files.IndexCondition;

/**
 * The conditions that the entries of an index meet.
 *
 * @param condition the conditions as the user gave them, which the index remembers; empty for all entries
 * @param query the same, with ages counted from the time of this run
 */
record IndexWhere(Optional<IndexCondition> condition, FileQuery query) {

    /** Returns the conditions of a new index. */
    static IndexWhere of(List<ByteString> given) throws IndexException {
        if (given.isEmpty()) {
            return new IndexWhere(Optional.empty(), FileQuery.all());
        }
        return new IndexWhere(Optional.of(IndexCondition.of(given)), parse(given, context()));
    }

    /**
     * Returns the conditions of an index that exists.
     *
     * @param given the conditions of this run; empty for those of the index
     * @throws IndexException if those of the index differ: entries would seem to be gone, or would be missing
     */
    static IndexWhere of(List<ByteString> given, Optional<IndexCondition> known) throws IndexException {
        List<ByteString> words = known.map(IndexCondition::words).orElse(List.of());
        ConditionContext context = context();
        FileQuery query = parse(words, context);
        if (!given.isEmpty() && !parse(given, context).equals(query)) {
            throw new IndexException((words.isEmpty()
                    ? "this index has all entries of its trees, not only those that meet '"
                    : "this index has the entries that meet '" + shown(words) + "', not those that meet '")
                    + shown(given)
                    + "'; leave out --where, use another space, or remove the trees with --forget first");
        }
        return new IndexWhere(known, query);
    }

    private static ConditionContext context() {
        ConditionContext now = ConditionContext.ofIndex(FileTimes.unknown());
        return new ConditionContext(now.accounts(), Clock.fixed(now.clock().instant(), now.clock().getZone()),
                now.files(), true);
    }

    private static FileQuery parse(List<ByteString> words, ConditionContext context) throws IndexException {
        try {
            FileQuery query = FileQuery.parse(words, context);
            for (FileField field : query.fields()) {
                if (field.isOnlyIndexed()) {
                    throw new IndexException("an entry has no " + field.label() + " before it is indexed");
                }
            }
            return query;
        } catch (ConditionException e) {
            throw new IndexException(String.valueOf(e.getMessage()), e);
        }
    }

    private static String shown(List<ByteString> words) {
        return words.stream().map(ByteString::toString).collect(Collectors.joining(" "));
    }
}
