// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.condition;

import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.annotation.Internal;
import org.treehaul.core.entry.ByteString;

/**
 * Conditions on entries; a field without a condition matches everything. Immutable.
 * <p>
 * Its text is a list of conditions, all of which must hold, such as {@code size>1G} or {@code name=*.h5}, and of the
 * words {@code or}, {@code not}, {@code (} and {@code )}. The parser resolves the names of users and times relative to
 * now. Conditions on a numeric field are kept as the set of matching numbers, so that two texts with the same meaning
 * there are equal. {@code not} is kept as the negation of single conditions.
 */
public final class FileQuery {

    private static final FileQuery ALL = new FileQuery(Map.of(), Map.of(), List.of());

    private final Map<FileField, NumberSet> numbers;
    private final Map<FileField, List<TextCondition>> texts;
    private final List<List<FileQuery>> groups;
    // Made by the first thread that needs them, maybe by several, which is harmless: a database needs none.
    private @Nullable Checks checks;

    private FileQuery(Map<FileField, NumberSet> numbers, Map<FileField, List<TextCondition>> texts,
            List<List<FileQuery>> groups) {
        this.numbers = sorted(numbers);
        this.texts = sorted(texts);
        this.groups = List.copyOf(groups);
    }

    // Each walk has a query, mostly one without conditions, which must not load the classes of conditions.
    private static <V> Map<FileField, V> sorted(Map<FileField, V> values) {
        if (values.isEmpty()) {
            return Map.of();
        }
        Map<FileField, V> sorted = new EnumMap<>(FileField.class);
        sorted.putAll(values);
        return Collections.unmodifiableMap(sorted);
    }

    /** Returns the query without conditions, which matches all entries. */
    public static FileQuery all() {
        return ALL;
    }

    /**
     * Parses conditions on the entries of an index, with the accounts and the clock of this machine. {@code newer-than}
     * is refused.
     *
     * @param conditions conditions in the syntax of {@code docs/guide/index-and-query.md}
     * @throws ConditionException when a condition is invalid
     */
    public static FileQuery parse(List<ByteString> conditions) {
        return parse(conditions, ConditionContext.ofIndex(FileTimes.unknown()));
    }

    /**
     * Parses conditions.
     *
     * @param conditions conditions in the syntax of {@code docs/guide/index-and-query.md}
     * @throws ConditionException when a condition is invalid
     */
    public static FileQuery parse(List<ByteString> conditions, ConditionContext context) {
        return conditions.isEmpty()
                ? ALL
                : new GroupParser<>(conditions, new Parsing(new FieldValues(context))).parse();
    }

    private record Parsing(FieldValues values) implements GroupParser.Algebra<FileQuery> {

        @Override
        public FileQuery all() {
            return ALL;
        }

        @Override
        public FileQuery condition(ByteString word) {
            ConditionParser.Parsed parsed = new ConditionParser(word, values, Vocabulary.ofFiles()).parse();
            FileField field = parsed.field().file().orElseThrow();
            return parsed.text() != null
                    ? ALL.with(field, parsed.text())
                    : ALL.with(field, Objects.requireNonNull(parsed.numbers()));
        }

        @Override
        public FileQuery and(FileQuery one, FileQuery other) {
            return one.and(other);
        }

        @Override
        public FileQuery anyOf(List<FileQuery> ways) {
            return FileQuery.anyOf(ways);
        }

        @Override
        public FileQuery not(FileQuery query) {
            return query.not();
        }
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
        return new FileQuery(more, texts, groups);
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
        return new FileQuery(numbers, more, groups);
    }

    /** Returns the query that matches the entries that both match. */
    public FileQuery and(FileQuery other) {
        if (isAll() || other.isAll()) {
            return isAll() ? other : this;
        }
        FileQuery both = this;
        for (Map.Entry<FileField, NumberSet> number : other.numbers.entrySet()) {
            both = both.with(number.getKey(), number.getValue());
        }
        for (Map.Entry<FileField, List<TextCondition>> field : other.texts.entrySet()) {
            for (TextCondition condition : field.getValue()) {
                both = both.with(field.getKey(), condition);
            }
        }
        if (other.groups.isEmpty()) {
            return both;
        }
        Set<List<FileQuery>> all = new LinkedHashSet<>(both.groups);
        all.addAll(other.groups);
        return new FileQuery(both.numbers, both.texts, List.copyOf(all));
    }

    /** Returns the query that matches the entries that at least one of some queries matches. */
    public static FileQuery anyOf(List<FileQuery> queries) {
        Set<FileQuery> ways = new LinkedHashSet<>();
        for (FileQuery query : queries) {
            ways.addAll(query.isOnlyGroup() ? query.groups.getFirst() : List.of(query));
        }
        List<FileQuery> united = new ArrayList<>();
        for (FileQuery way : ways) {
            if (!way.isNothing()) {
                unite(united, way);
            }
        }
        if (united.contains(ALL)) {
            return ALL;
        }
        return switch (united.size()) {
            case 0 -> nothing();
            case 1 -> united.getFirst();
            default -> new FileQuery(Map.of(), Map.of(), List.of(List.copyOf(united)));
        };
    }

    // No entry is of no kind.
    private static FileQuery nothing() {
        return ALL.with(FileField.KIND, new NumberSet(List.of(), false));
    }

    // Two sets of numbers of one field are one set, which an index can look up.
    private static void unite(List<FileQuery> united, FileQuery way) {
        for (int i = 0; way.isOnlyNumbers() && i < united.size(); i++) {
            FileQuery other = united.get(i);
            Map.Entry<FileField, NumberSet> number = way.numbers.entrySet().iterator().next();
            NumberSet set = other.numbers.get(number.getKey());
            if (other.isOnlyNumbers() && set != null) {
                united.set(i, ALL.with(number.getKey(), set.unite(number.getValue())));
                return;
            }
        }
        united.add(way);
    }

    private boolean isOnlyNumbers() {
        return numbers.size() == 1 && texts.isEmpty() && groups.isEmpty();
    }

    private boolean isOnlyGroup() {
        return numbers.isEmpty() && texts.isEmpty() && groups.size() == 1;
    }

    private boolean isNothing() {
        return numbers.values().stream().anyMatch(NumberSet::isEmpty);
    }

    /** Returns the query that matches the entries that this one does not match. */
    public FileQuery not() {
        List<FileQuery> ways = new ArrayList<>();
        numbers.forEach((field, set) -> ways.add(ALL.with(field, set.complement(field.domain()))));
        texts.forEach((field, all) -> all.forEach(condition -> ways.add(ALL.with(field, condition.not()))));
        for (List<FileQuery> group : groups) {
            FileQuery none = ALL;
            for (FileQuery way : group) {
                none = none.and(way.not());
            }
            ways.add(none);
        }
        return anyOf(ways);
    }

    /**
     * Returns a query without conditions on these fields: it matches at least the same entries. It has no group of
     * alternatives in which one reads such a field.
     */
    @Internal
    public FileQuery without(Set<FileField> fields) {
        Map<FileField, NumberSet> someNumbers = new HashMap<>(numbers);
        someNumbers.keySet().removeAll(fields);
        Map<FileField, List<TextCondition>> someTexts = new HashMap<>(texts);
        someTexts.keySet().removeAll(fields);
        return new FileQuery(someNumbers, someTexts,
                groups.stream()
                        .filter(group -> group.stream().allMatch(way -> Collections.disjoint(way.fields(), fields)))
                        .toList());
    }

    /** Returns whether there are no conditions. */
    public boolean isAll() {
        return numbers.isEmpty() && texts.isEmpty() && groups.isEmpty();
    }

    /** Returns the matching numbers of each numeric field that is restricted for all entries. */
    @Internal
    public Map<FileField, NumberSet> numbers() {
        return numbers;
    }

    /** Returns the conditions on each field of bytes that is restricted for all entries, all of which must hold. */
    @Internal
    public Map<FileField, List<TextCondition>> texts() {
        return texts;
    }

    /** Returns further queries: of each list at least one must match. */
    @Internal
    public List<List<FileQuery>> groups() {
        return groups;
    }

    /** Returns the fields on which the answer depends. */
    public Set<FileField> fields() {
        Set<FileField> fields = EnumSet.noneOf(FileField.class);
        fields.addAll(numbers.keySet());
        fields.addAll(texts.keySet());
        groups.forEach(group -> group.forEach(way -> fields.addAll(way.fields())));
        return fields;
    }

    /**
     * Returns whether an entry matches. Reads only the values that decide this, those that cost least first: the name
     * before the status, and the status before the content.
     */
    public <E extends Exception> boolean matches(EntryValues<E> entry) throws E {
        return checks().hold(entry);
    }

    Checks checks() {
        Checks known = checks;
        if (known == null) {
            known = Checks.of(numbers, texts, groups);
            checks = known;
        }
        return known;
    }

    /** Returns printable conditions with the same meaning: parsing them gives an equal query. */
    public List<String> conditions() {
        List<String> conditions = new ArrayList<>();
        numbers.forEach((field, set) -> conditions.addAll(ConditionPrinter.print(field, set)));
        texts.forEach(
                (field, all) -> all.forEach(condition -> conditions.add(ConditionPrinter.print(field, condition))));
        for (List<FileQuery> group : groups) {
            conditions.add("(");
            for (int i = 0; i < group.size(); i++) {
                if (i > 0) {
                    conditions.add("or");
                }
                conditions.addAll(group.get(i).conditions());
            }
            conditions.add(")");
        }
        return List.copyOf(conditions);
    }

    @Override
    public boolean equals(Object object) {
        return object instanceof FileQuery other && numbers.equals(other.numbers) && texts.equals(other.texts)
                && groups.equals(other.groups);
    }

    @Override
    public int hashCode() {
        return (numbers.hashCode() * 31 + texts.hashCode()) * 31 + groups.hashCode();
    }

    @Override
    public String toString() {
        return String.join(" ", conditions());
    }
}
