// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.files;

import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.condition.FileField;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.tuple.Bytes;
import org.treehaul.tuplespace.tuple.Component;
import org.treehaul.tuplespace.tuple.TupleType;

/** The components of entries that hold the values of some fields: a question need not read the others. Immutable. */
final class SomeFields {
    private static final Component KIND = TupleType.of(FileTuple.class).component(FileField.KIND.label());

    private final List<FileField> stored;
    /** The places of the components of fields among those that are read. */
    private final Map<FileField, Integer> places = new EnumMap<>(FileField.class);

    /** Selects the components for fields whose values do not depend on other entries. */
    SomeFields(Set<FileField> fields) {
        Set<FileField> needed = EnumSet.noneOf(FileField.class);
        for (FileField field : fields) {
            switch (field) {
                case PATH -> needed.addAll(List.of(FileField.DIRECTORY, FileField.NAME));
                case DEPTH -> needed.add(FileField.DIRECTORY);
                case EXTENSION -> needed.add(FileField.NAME);
                case EMPTY -> needed.addAll(
                        List.of(FileField.DIRECTORY, FileField.NAME, FileField.KIND, FileField.SIZE, FileField.UNREAD));
                default -> needed.add(field);
            }
        }
        stored = List.copyOf(needed);
        for (int i = 0; i < stored.size(); i++) {
            places.put(stored.get(i), i);
        }
    }

    /** Returns the components to read. */
    List<String> components() {
        return stored.stream().map(FileField::label).toList();
    }

    /**
     * Returns a tuple with the values of these fields, and anything in all others.
     *
     * @param values the canonical values of the components
     */
    FileTuple tuple(@Nullable Object[] values) {
        try {
            return new FileTuple(required(values, FileField.DIRECTORY), required(values, FileField.NAME), kind(values),
                    number(values, FileField.SIZE), number(values, FileField.BLOCKS), number(values, FileField.ATIME),
                    number(values, FileField.MTIME), number(values, FileField.CTIME),
                    (Long) value(values, FileField.BTIME), (int) number(values, FileField.MODE),
                    number(values, FileField.OWNER), number(values, FileField.GROUP), number(values, FileField.LINKS),
                    number(values, FileField.INODE), number(values, FileField.DEVICE), text(values, FileField.TARGET),
                    text(values, FileField.HASH), number(values, FileField.UNREAD) != 0,
                    number(values, FileField.GENERATION), text(values, FileField.SERVER));
        } catch (IllegalArgumentException e) {
            throw new SpaceException(SpaceException.Reason.DAMAGED, "a tuple cannot be decoded: " + e.getMessage(), e);
        }
    }

    private @Nullable Object value(@Nullable Object[] values, FileField field) {
        Integer place = places.get(field);
        return place == null ? null : values[place];
    }

    private long number(@Nullable Object[] values, FileField field) {
        return value(values, field) instanceof Long number ? number : 0;
    }

    private @Nullable ByteString text(@Nullable Object[] values, FileField field) {
        return value(values, field) instanceof Bytes bytes ? ByteString.of(bytes.array()) : null;
    }

    /** Returns the bytes of a field that every entry has. */
    private ByteString required(@Nullable Object[] values, FileField field) {
        ByteString text = places.containsKey(field) ? text(values, field) : ByteString.empty();
        if (text == null) {
            throw new IllegalArgumentException("its " + field.label() + " is missing");
        }
        return text;
    }

    private EntryKind kind(@Nullable Object[] values) {
        if (!places.containsKey(FileField.KIND)) {
            return EntryKind.REGULAR;
        }
        if (KIND.fromCanonical(value(values, FileField.KIND)) instanceof EntryKind kind) {
            return kind;
        }
        throw new IllegalArgumentException("its kind is missing");
    }
}
