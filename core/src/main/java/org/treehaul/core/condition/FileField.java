// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.condition;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.annotation.Internal;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;

/**
 * The fields of an entry, by their names in conditions.
 */
public enum FileField {
    /** The path: in a live tree it begins with the root as the user gave it, in an index it is absolute. */
    PATH("path", Type.TEXT),
    /** The path of the directory that contains the entry. */
    DIRECTORY("directory", Type.TEXT),
    /** The last component of the path. */
    NAME("name", Type.TEXT),
    /**
     * The part of the name after its last dot. A dot at the beginning or the end of a name begins no extension.
     */
    EXTENSION("extension", Type.TEXT),
    /** Number of names below the root of the walk, or below the outermost indexed tree: 0 for the root. */
    DEPTH("depth", Type.COUNT),
    /** The kind of entry. */
    KIND("kind", Type.KIND),
    /** Size in bytes. */
    SIZE("size", Type.SIZE),
    /** Number of 512-byte blocks allocated. */
    BLOCKS("blocks", Type.COUNT),
    /** Whether a regular file has no bytes, or a directory no entries. */
    EMPTY("empty", Type.FLAG),
    /** Time of the last access. */
    ATIME("atime", Type.TIME),
    /** Time of the last change of the data. */
    MTIME("mtime", Type.TIME),
    /** Another way to write {@link #MTIME}: the time since then. */
    AGE("age", Type.AGE),
    /** Another way to write {@link #MTIME}: later than that of a file. */
    NEWER_THAN("newer-than", Type.FILE),
    /** Time of the last change of the status. */
    CTIME("ctime", Type.TIME),
    /** Time of creation. */
    BTIME("btime", Type.TIME),
    /** Permission bits. */
    MODE("mode", Type.MODE),
    /** Numeric ID of the owner. */
    OWNER("owner", Type.OWNER),
    /** Numeric ID of the group. */
    GROUP("group", Type.GROUP),
    /** Number of hard links. */
    LINKS("links", Type.COUNT),
    /** Inode number. */
    INODE("inode", Type.LABEL),
    /** Device number. */
    DEVICE("device", Type.LABEL),
    /** The target of a symbolic link. */
    TARGET("target", Type.TEXT),
    /**
     * The servers that have data of a regular file: a condition holds if it holds for one of them. See
     * {@code core.locality}.
     */
    SERVER("server", Type.TEXT),
    /** Hash of the data. */
    HASH("hash", Type.HASH),
    /** Whether a directory could not be read. */
    UNREAD("unread", Type.FLAG),
    /** The index run that found the entry new or changed. */
    GENERATION("generation", Type.COUNT);

    /** The type of the values of a field. */
    enum Type {
        TEXT,
        HASH,
        KIND,
        SIZE,
        COUNT,
        TIME,
        AGE,
        FILE,
        MODE,
        OWNER,
        GROUP,
        /** A number that only identifies something: it has no order. */
        LABEL,
        FLAG,
        /** A word of a list of its own, which no field of files has. */
        WORD
    }

    /** The kinds of entry. A number represents each by its position in this list. */
    @Internal
    public static final List<EntryKind> KINDS = List.of(EntryKind.values());

    private final String label;
    private final Type type;

    FileField(String label, Type type) {
        this.label = label;
        this.type = type;
    }

    /** Returns the field with this name. */
    public static Optional<FileField> named(String name) {
        return Arrays.stream(values()).filter(field -> field.label.equals(name)).findFirst();
    }

    /** Returns the names of all fields, for messages. */
    public static String names() {
        return Arrays.stream(values()).map(FileField::label).collect(Collectors.joining(" "));
    }

    /** Returns the name of the field. */
    public String label() {
        return label;
    }

    Type type() {
        return type;
    }

    /** Returns whether this is another way to write a condition on {@link #MTIME}, so that no entry has a value. */
    public boolean isAlias() {
        return type == Type.AGE || type == Type.FILE;
    }

    /** Returns whether an index stores the values, rather than computing them from others. */
    @Internal
    public boolean isStored() {
        return switch (this) {
            case PATH, EXTENSION, DEPTH, EMPTY, AGE, NEWER_THAN -> false;
            default -> true;
        };
    }

    /** Returns whether only an index knows the values. */
    public boolean isOnlyIndexed() {
        return this == HASH || this == UNREAD || this == GENERATION;
    }

    /** Returns a number that grows with the calls that a live tree needs for the value. */
    int cost() {
        return switch (this) {
            case NAME, EXTENSION, KIND, DEPTH -> 0;
            case PATH, DIRECTORY, INODE -> 1;
            case TARGET -> 3;
            case EMPTY -> 4;
            case SERVER -> 5;
            default -> 2;
        };
    }

    /** Returns whether the values are bytes rather than numbers. */
    public boolean isText() {
        return type == Type.TEXT || type == Type.HASH || type == Type.FILE;
    }

    /** Returns whether sums of the values make sense. */
    public boolean isAmount() {
        return this == SIZE || this == BLOCKS || this == LINKS;
    }

    /** Returns whether the values are ordered. */
    public boolean isOrdered() {
        return isStored() && (type == Type.SIZE || type == Type.COUNT || type == Type.TIME);
    }

    /** Returns whether the values are words from a short list. */
    public boolean isWord() {
        return type == Type.KIND || type == Type.FLAG;
    }

    /** Returns whether an entry may lack a value in this field. */
    public boolean isOptional() {
        return this == BTIME || this == TARGET || this == HASH || this == EXTENSION || this == SERVER;
    }

    /** Returns the range of all possible numbers of this field. */
    @Internal
    public NumberSet.Range domain() {
        return Field.domain(type, 0);
    }

    /** Returns the extension of a name, null if it has none. */
    public static @Nullable ByteString extension(ByteString name) {
        byte[] bytes = name.toBytes();
        int dot = bytes.length - 1;
        while (dot > 0 && bytes[dot] != '.') {
            dot--;
        }
        return dot <= 0 || dot == bytes.length - 1
                ? null
                : ByteString.of(Arrays.copyOfRange(bytes, dot + 1, bytes.length));
    }

    /** Returns a number of this field in the syntax of conditions. */
    public String print(long number) {
        return FieldValues.print(type, number);
    }
}
