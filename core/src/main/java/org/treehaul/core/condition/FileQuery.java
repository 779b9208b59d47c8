// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.condition;

import java.time.Clock;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

import org.treehaul.core.annotation.Internal;
import org.treehaul.core.entry.ByteString;

/**
 * Conditions on entries; a field without a condition matches everything. Immutable.
 * <p>
 * Its text is a list of conditions, all of which must hold, such as {@code size>1G} or {@code name=*.h5}. The parser
 * resolves the names of users and times relative to now. Conditions on a numeric field are kept as the set of matching
 * numbers, so that two texts with the same meaning there are equal.
 */
public final class FileQuery {

    private static final FileQuery ALL = new FileQuery(new EnumMap<>(FileField.class), new EnumMap<>(FileField.class));

    private final Map<FileField, NumberSet> numbers;
    private final Map<FileField, List<TextCondition>> texts;

    private FileQuery(Map<FileField, NumberSet> numbers, Map<FileField, List<TextCondition>> texts) {
        this.numbers = Collections.unmodifiableMap(numbers);
        this.texts = Collections.unmodifiableMap(texts);
    }

    /** Returns the query without conditions, which matches all entries. */
    public static FileQuery all() {
        return ALL;
    }

    /**
     * Parses conditions with the accounts and the clock of this machine.
     *
     * @param conditions conditions in the syntax of {@code docs/guide/index-and-query.md}
     * @throws ConditionException when a condition is invalid
     */
    public static FileQuery parse(List<ByteString> conditions) {
        return parse(conditions, Accounts.system(), Clock.system(ZoneId.systemDefault()));
    }

    /**
     * Parses conditions.
     *
     * @param conditions conditions in the syntax of {@code docs/guide/index-and-query.md}
     * @param accounts resolves the names of users and groups
     * @param clock the current time, from which ages are counted; its zone applies to dates without one
     * @throws ConditionException when a condition is invalid
     */
    public static FileQuery parse(List<ByteString> conditions, Accounts accounts, Clock clock) {
        FieldValues values = new FieldValues(accounts, clock);
        FileQuery query = ALL;
        for (ByteString condition : conditions) {
            query = new ConditionParser(condition, values).addTo(query);
        }
        return query;
    }

    /** Returns a copy in which the numbers of a field are restricted further. */
    @Internal
    public FileQuery with(FileField field, NumberSet set) {
        NumberSet domain = NumberSet.of(field.domain());
        NumberSet all = field.isOptional() ? new NumberSet(domain.ranges(), true) : domain;
        NumberSet narrowed = numbers.getOrDefault(field, all).intersect(set);
        Map<FileField, NumberSet> more = new EnumMap<>(FileField.class);
        more.putAll(numbers);
        if (narrowed.equals(all)) {
            more.remove(field);
        } else {
            more.put(field, narrowed);
        }
        return new FileQuery(more, texts);
    }

    /** Returns a copy with one more condition on a field of bytes. */
    @Internal
    public FileQuery with(FileField field, TextCondition condition) {
        Map<FileField, List<TextCondition>> more = new EnumMap<>(FileField.class);
        more.putAll(texts);
        List<TextCondition> conditions = new ArrayList<>(texts.getOrDefault(field, List.of()));
        if (!conditions.contains(condition)) {
            conditions.add(condition);
        }
        more.put(field, List.copyOf(conditions));
        return new FileQuery(numbers, more);
    }

    /** Returns the matching numbers of each restricted numeric field. */
    @Internal
    public Map<FileField, NumberSet> numbers() {
        return numbers;
    }

    /** Returns the conditions on each restricted field of bytes, all of which must hold. */
    @Internal
    public Map<FileField, List<TextCondition>> texts() {
        return texts;
    }

    /** Returns whether an entry matches. */
    public <E extends Exception> boolean matches(EntryValues<E> entry) throws E {
        for (Map.Entry<FileField, NumberSet> condition : numbers.entrySet()) {
            Long number = entry.number(condition.getKey());
            if (number == null ? !condition.getValue().hasMissing() : !condition.getValue().contains(number)) {
                return false;
            }
        }
        for (Map.Entry<FileField, List<TextCondition>> field : texts.entrySet()) {
            ByteString text = entry.text(field.getKey());
            for (TextCondition condition : field.getValue()) {
                if (!condition.matches(text)) {
                    return false;
                }
            }
        }
        return true;
    }

    /** Returns printable conditions with the same meaning: parsing them gives an equal query. */
    public List<String> conditions() {
        List<String> conditions = new ArrayList<>();
        numbers.forEach((field, set) -> conditions.addAll(ConditionPrinter.print(field, set)));
        texts.forEach(
                (field, all) -> all.forEach(condition -> conditions.add(ConditionPrinter.print(field, condition))));
        return List.copyOf(conditions);
    }

    @Override
    public boolean equals(Object object) {
        return object instanceof FileQuery other && numbers.equals(other.numbers) && texts.equals(other.texts);
    }

    @Override
    public int hashCode() {
        return numbers.hashCode() * 31 + texts.hashCode();
    }

    @Override
    public String toString() {
        return String.join(" ", conditions());
    }
}
