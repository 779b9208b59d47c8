// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.files;

import java.time.Clock;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

import org.treehaul.core.entry.ByteString;

/**
 * Which entries of an index are meant: a template in which a field that is left out matches everything. Immutable.
 *
 * <p>
 * Its text is a list of conditions that all must hold, {@code size>1G} or {@code name=*.h5}. Names of users and times
 * that are relative to now are resolved when it is read. What it means in a field of numbers is kept as the set of
 * those numbers, so that two texts that mean the same there are equal.
 */
public final class FileQuery {

    private static final FileQuery ALL = new FileQuery(new EnumMap<>(FileField.class), new EnumMap<>(FileField.class));

    private final Map<FileField, NumberSet> numbers;
    private final Map<FileField, List<TextCondition>> texts;

    private FileQuery(Map<FileField, NumberSet> numbers, Map<FileField, List<TextCondition>> texts) {
        this.numbers = Collections.unmodifiableMap(numbers);
        this.texts = Collections.unmodifiableMap(texts);
    }

    /** Returns the template of no conditions, which all entries match. */
    public static FileQuery all() {
        return ALL;
    }

    /**
     * Reads a template, with the users and the clock of this machine.
     *
     * @param conditions each as {@code docs/guide/index-and-query.md} describes it
     * @throws TemplateException when one of them cannot be understood
     */
    public static FileQuery parse(List<ByteString> conditions) {
        return parse(conditions, Accounts.system(), Clock.system(ZoneId.systemDefault()));
    }

    /**
     * Reads a template.
     *
     * @param conditions each as {@code docs/guide/index-and-query.md} describes it
     * @param accounts knows the names of users and groups
     * @param clock what ages are counted from; its zone is that of dates without one
     * @throws TemplateException when one of the conditions cannot be understood
     */
    public static FileQuery parse(List<ByteString> conditions, Accounts accounts, Clock clock) {
        FieldValues values = new FieldValues(accounts, clock);
        FileQuery query = ALL;
        for (ByteString condition : conditions) {
            query = new TemplateParser(condition, values).addTo(query);
        }
        return query;
    }

    /** Returns this with the numbers of a field narrowed down further. */
    FileQuery with(FileField field, NumberSet set) {
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

    /** Returns this with one more condition on a field of bytes. */
    FileQuery with(FileField field, TextCondition condition) {
        Map<FileField, List<TextCondition>> more = new EnumMap<>(FileField.class);
        more.putAll(texts);
        List<TextCondition> conditions = new ArrayList<>(texts.getOrDefault(field, List.of()));
        if (!conditions.contains(condition)) {
            conditions.add(condition);
        }
        more.put(field, List.copyOf(conditions));
        return new FileQuery(numbers, more);
    }

    /** Returns the numbers that are let through, for each field that says something. */
    Map<FileField, NumberSet> numbers() {
        return numbers;
    }

    /** Returns the conditions on bytes, all of which must hold, for each field that has any. */
    Map<FileField, List<TextCondition>> texts() {
        return texts;
    }

    /** Returns whether an entry matches. */
    public boolean matches(FileTuple tuple) {
        for (Map.Entry<FileField, NumberSet> condition : numbers.entrySet()) {
            Long number = condition.getKey().number(tuple);
            if (number == null ? !condition.getValue().hasMissing() : !condition.getValue().contains(number)) {
                return false;
            }
        }
        for (Map.Entry<FileField, List<TextCondition>> field : texts.entrySet()) {
            ByteString text = field.getKey().text(tuple);
            for (TextCondition condition : field.getValue()) {
                if (!condition.matches(text)) {
                    return false;
                }
            }
        }
        return true;
    }

    /** Returns conditions that say the same, printable: read again they make an equal template. */
    public List<String> conditions() {
        List<String> conditions = new ArrayList<>();
        numbers.forEach((field, set) -> conditions.addAll(TemplatePrinter.print(field, set)));
        texts.forEach(
                (field, all) -> all.forEach(condition -> conditions.add(TemplatePrinter.print(field, condition))));
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
