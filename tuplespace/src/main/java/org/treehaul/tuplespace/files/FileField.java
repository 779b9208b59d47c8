// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.files;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;

/**
 * The fields of a {@link FileTuple}, by the words that templates have for them: the names of its components, and
 * {@code path} for directory and name together.
 */
public enum FileField {
    /** The whole path. */
    PATH("path", Type.TEXT),
    /** The path of the directory that it stands in. */
    DIRECTORY("directory", Type.TEXT),
    /** The last name of the path. */
    NAME("name", Type.TEXT),
    /** What it is. */
    KIND("kind", Type.KIND),
    /** Bytes. */
    SIZE("size", Type.SIZE),
    /** Units of 512 bytes that are allocated. */
    BLOCKS("blocks", Type.COUNT),
    /** Last access. */
    ATIME("atime", Type.TIME),
    /** Last change of the data. */
    MTIME("mtime", Type.TIME),
    /** Last change of the status. */
    CTIME("ctime", Type.TIME),
    /** When it was made. */
    BTIME("btime", Type.TIME),
    /** Permission bits. */
    MODE("mode", Type.MODE),
    /** Owner. */
    OWNER("owner", Type.OWNER),
    /** Group. */
    GROUP("group", Type.GROUP),
    /** Number of hard links. */
    LINKS("links", Type.COUNT),
    /** Inode number. */
    INODE("inode", Type.LABEL),
    /** Device number. */
    DEVICE("device", Type.LABEL),
    /** Where a symbolic link points. */
    TARGET("target", Type.TEXT),
    /** Hash of the data. */
    HASH("hash", Type.HASH),
    /** Whether a directory could not be read. */
    UNREAD("unread", Type.FLAG),
    /** The index run that found the entry new or changed. */
    GENERATION("generation", Type.COUNT);

    /** What the values of a field are. */
    enum Type {
        TEXT,
        HASH,
        KIND,
        SIZE,
        COUNT,
        TIME,
        MODE,
        OWNER,
        GROUP,
        /** A number that is a name: no more and no less. */
        LABEL,
        FLAG
    }

    /** The kinds, each of which is a number to a template: its place here. */
    static final List<EntryKind> KINDS = List.of(EntryKind.values());

    private static final NumberSet.Range COUNTS = new NumberSet.Range(0, Long.MAX_VALUE);
    private static final NumberSet.Range ALL = new NumberSet.Range(Long.MIN_VALUE, Long.MAX_VALUE);

    private final String label;
    private final Type type;

    FileField(String label, Type type) {
        this.label = label;
        this.type = type;
    }

    /** Returns the field of that name. */
    public static Optional<FileField> named(String name) {
        return Arrays.stream(values()).filter(field -> field.label.equals(name)).findFirst();
    }

    /** Returns the names of all fields, for messages. */
    public static String names() {
        return Arrays.stream(values()).map(FileField::label).collect(Collectors.joining(" "));
    }

    /** Returns its name. */
    public String label() {
        return label;
    }

    Type type() {
        return type;
    }

    /** Returns whether its values are bytes rather than numbers. */
    public boolean isText() {
        return type == Type.TEXT || type == Type.HASH;
    }

    /** Returns whether its values can be added up. */
    public boolean isAmount() {
        return this == SIZE || this == BLOCKS || this == LINKS;
    }

    /** Returns whether of two values one is more. */
    public boolean isOrdered() {
        return type == Type.SIZE || type == Type.COUNT || type == Type.TIME;
    }

    /** Returns whether its values are a few words. */
    boolean isWord() {
        return type == Type.KIND || type == Type.FLAG;
    }

    /** Returns whether a tuple may have no value in it. */
    public boolean isOptional() {
        return this == BTIME || this == TARGET || this == HASH;
    }

    /** Returns the numbers that there are. */
    NumberSet.Range domain() {
        return switch (type) {
            case KIND -> new NumberSet.Range(0, KINDS.size() - 1L);
            case SIZE, COUNT -> COUNTS;
            case MODE -> new NumberSet.Range(0, 07777);
            case OWNER, GROUP -> new NumberSet.Range(0, 0xFFFF_FFFFL);
            case FLAG -> new NumberSet.Range(0, 1);
            case TIME, LABEL, TEXT, HASH -> ALL;
        };
    }

    /** Returns the bytes that a tuple has in a field of such. */
    public @Nullable ByteString text(FileTuple tuple) {
        return switch (this) {
            case PATH -> tuple.path();
            case DIRECTORY -> tuple.directory();
            case NAME -> tuple.name();
            case TARGET -> tuple.target();
            case HASH -> tuple.hash();
            default -> throw new IllegalStateException(label + " is a number");
        };
    }

    /** Returns the number that a tuple has in a field of such: of a kind its place, of a flag 0 or 1. */
    public @Nullable Long number(FileTuple tuple) {
        return switch (this) {
            case KIND -> (long) KINDS.indexOf(tuple.kind());
            case SIZE -> tuple.size();
            case BLOCKS -> tuple.blocks();
            case ATIME -> tuple.atime();
            case MTIME -> tuple.mtime();
            case CTIME -> tuple.ctime();
            case BTIME -> tuple.btime();
            case MODE -> (long) tuple.mode();
            case OWNER -> tuple.owner();
            case GROUP -> tuple.group();
            case LINKS -> tuple.links();
            case INODE -> tuple.inode();
            case DEVICE -> tuple.device();
            case UNREAD -> tuple.unread() ? 1L : 0L;
            case GENERATION -> tuple.generation();
            default -> throw new IllegalStateException(label + " is no number");
        };
    }
}
