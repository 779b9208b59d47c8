// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.condition;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.annotation.Internal;

/** A field that conditions can name: one of files, or one of other rows, such as transfers. */
@Internal
public final class Field {

    private static final NumberSet.Range COUNTS = new NumberSet.Range(0, Long.MAX_VALUE);
    private static final NumberSet.Range ALL = new NumberSet.Range(Long.MIN_VALUE, Long.MAX_VALUE);

    private final String label;
    private final FileField.Type type;
    private final boolean isOptional;
    private final boolean isPath;
    private final Map<String, List<Integer>> words;
    private final @Nullable FileField file;

    private Field(String label, FileField.Type type, boolean isOptional, boolean isPath,
            Map<String, List<Integer>> words, @Nullable FileField file) {
        this.label = label;
        this.type = type;
        this.isOptional = isOptional;
        this.isPath = isPath;
        this.words = words;
        this.file = file;
    }

    private static Field of(String label, FileField.Type type) {
        return new Field(label, type, false, false, Map.of(), null);
    }

    /** Returns a field of text. */
    public static Field text(String label) {
        return of(label, FileField.Type.TEXT);
    }

    /** Returns a field of absolute paths. */
    public static Field path(String label) {
        return new Field(label, FileField.Type.TEXT, false, true, Map.of(), null);
    }

    /** Returns a field of whole numbers from 0. */
    public static Field count(String label) {
        return of(label, FileField.Type.COUNT);
    }

    /** Returns a field of sizes in bytes. */
    public static Field size(String label) {
        return of(label, FileField.Type.SIZE);
    }

    /** Returns a field of times in nanoseconds since 1970. */
    public static Field time(String label) {
        return of(label, FileField.Type.TIME);
    }

    /** Returns a field that is {@code yes} or {@code no}: 1 or 0. */
    public static Field flag(String label) {
        return of(label, FileField.Type.FLAG);
    }

    /**
     * Returns a field of words: the constants of an enum, in small letters and with hyphens. Its numbers are their
     * positions.
     *
     * @param further more words, each for several constants
     */
    public static <E extends Enum<E>> Field words(String label, Class<E> type,
            List<Map.Entry<String, List<E>>> further) {
        List<E> constants = List.of(type.getEnumConstants());
        Map<String, List<Integer>> words = new LinkedHashMap<>();
        for (int i = 0; i < constants.size(); i++) {
            words.put(word(constants.get(i)), List.of(i));
        }
        for (Map.Entry<String, List<E>> one : further) {
            words.put(one.getKey(), one.getValue().stream().map(constants::indexOf).toList());
        }
        return new Field(label, FileField.Type.WORD, false, false, words, null);
    }

    /** Returns the word of a constant. */
    public static String word(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Returns the number of a constant in a field of words. */
    public long number(Enum<?> constant) {
        return words.getOrDefault(word(constant), List.of()).getFirst();
    }

    /** Returns the same field for rows that may lack a value. */
    public Field optional() {
        return new Field(label, type, true, isPath, words, file);
    }

    /** Returns a field of files. */
    public static Field of(FileField field) {
        return new Field(field.label(), field.type(), field.isOptional(),
                field == FileField.PATH || field == FileField.DIRECTORY, Map.of(), field);
    }

    /** Returns a field of files for rows that may belong to none. */
    public static Field joined(FileField field) {
        return of(field).optional();
    }

    /** Returns the name in conditions. */
    public String label() {
        return label;
    }

    /** Returns the field of files that this is. */
    public Optional<FileField> file() {
        return Optional.ofNullable(file);
    }

    /** Returns whether the values are bytes rather than numbers. */
    public boolean isText() {
        return type == FileField.Type.TEXT || type == FileField.Type.HASH || type == FileField.Type.FILE;
    }

    /** Returns whether the values are times. */
    public boolean isTime() {
        return type == FileField.Type.TIME;
    }

    /** Returns whether the values are yes and no. */
    public boolean isFlag() {
        return type == FileField.Type.FLAG;
    }

    /** Returns whether this is another way to write a condition on another field, so that no row has a value. */
    public boolean isAlias() {
        return type == FileField.Type.AGE || type == FileField.Type.FILE;
    }

    FileField.Type type() {
        return type;
    }

    /** Returns whether this is a field of files. */
    public boolean isOf(FileField other) {
        return file == other;
    }

    boolean isOptional() {
        return isOptional;
    }

    boolean isPath() {
        return isPath;
    }

    /** Returns the words, each with its numbers. */
    Map<String, List<Integer>> words() {
        return words;
    }

    /** Returns whether the values are words from a short list. */
    public boolean isWord() {
        return type == FileField.Type.KIND || type == FileField.Type.FLAG || type == FileField.Type.WORD;
    }

    /** Returns the range of all possible numbers. */
    NumberSet.Range domain() {
        long last = 0;
        for (List<Integer> numbers : words.values()) {
            last = Math.max(last, numbers.getLast());
        }
        return domain(type, last);
    }

    /** Returns the range of the numbers of a type; of words, up to the last one. */
    static NumberSet.Range domain(FileField.Type type, long lastWord) {
        return switch (type) {
            case KIND -> new NumberSet.Range(0, FileField.KINDS.size() - 1L);
            case WORD -> new NumberSet.Range(0, lastWord);
            case SIZE, COUNT -> COUNTS;
            case MODE -> new NumberSet.Range(0, 07777);
            case OWNER, GROUP -> new NumberSet.Range(0, 0xFFFF_FFFFL);
            case FLAG -> new NumberSet.Range(0, 1);
            case TIME, AGE, FILE, LABEL, TEXT, HASH -> ALL;
        };
    }

    /** Returns a number of this field in the syntax of conditions. */
    public String print(long number) {
        if (type != FileField.Type.WORD) {
            return FieldValues.print(type, number);
        }
        return words.entrySet()
                .stream()
                .filter(word -> word.getValue().equals(List.of((int) number)))
                .map(Map.Entry::getKey)
                .findFirst()
                .orElse(Long.toString(number));
    }

    @Override
    public String toString() {
        return label;
    }
}
